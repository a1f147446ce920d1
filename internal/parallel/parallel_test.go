package parallel

import (
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		items := make([]*atomic.Int32, n)
		for i := range items {
			items[i] = new(atomic.Int32)
		}
		Each(items, func(count *atomic.Int32) { count.Add(1) })
		for i, count := range items {
			if count.Load() != 1 {
				t.Errorf("of %d items, item %d was done %d times", n, i, count.Load())
			}
		}
	}
}
