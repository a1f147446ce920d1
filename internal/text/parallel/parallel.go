// Package parallel runs independent pieces of work on all processors. It is small, since all layers need it and none
// owns it.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for every item, on as many goroutines as there are processors, and returns when all calls have
// returned. Calls start in the order of the items. If a call panics, Each panics with the same value in the goroutine
// of its caller.
func Each[T any](items []T, do func(T)) {
	var next atomic.Int64
	var group sync.WaitGroup
	var panicked atomic.Pointer[any]
	for range min(len(items), runtime.GOMAXPROCS(0)) {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() {
				if value := recover(); value != nil {
					panicked.CompareAndSwap(nil, &value)
				}
			}()
			for i := next.Add(1) - 1; i < int64(len(items)) && panicked.Load() == nil; i = next.Add(1) - 1 {
				do(items[i])
			}
		}()
	}
	group.Wait()
	if value := panicked.Load(); value != nil {
		panic(*value)
	}
}

// Map is like Each and returns the results of all calls, in the order of the items.
func Map[T, U any](items []T, do func(T) U) []U {
	results, indexes := make([]U, len(items)), make([]int, len(items))
	for i := range indexes {
		indexes[i] = i
	}
	Each(indexes, func(i int) { results[i] = do(items[i]) })
	return results
}
