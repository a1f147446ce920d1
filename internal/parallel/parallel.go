// Package parallel runs independent pieces of work on all processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for every item, on as many goroutines as there are processors, and returns when all calls have. Items are
// begun in order.
func Each[T any](items []T, do func(T)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(len(items), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				do(items[i])
			}
		})
	}
	group.Wait()
}
