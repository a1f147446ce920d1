//go:build go1.25

package consistency_test

import (
	"fmt"
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// An object with a write that a cache lacks takes less than 200 bytes of memory, and none once the cache has the
// write.
func TestMemoryOfWrites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		const n = 100_000
		before := heap()
		for i := range n {
			child := partial(fmt.Sprint("nightly-", 1774915200+i), fmt.Sprint(1_000_000+i))
			child.OwnerReferences[0].Name = fmt.Sprint("nightly-", i)
			child.UID = types.UID(fmt.Sprint("f0000003-0000-4000-8000-", 100_000_000_000+i))
			c.writes.WroteAt(cronRuns, child)
		}
		each := float64(heap()-before) / n
		t.Logf("%.0f bytes for each object with a write that a cache lacks", each)
		if each >= 200 || c.writes.Len() != n {
			t.Errorf("%.0f bytes for each of %d objects, want less than 200 for %d", each, c.writes.Len(), n)
		}
		runtime.KeepAlive(c)
	})
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
