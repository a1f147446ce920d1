package e2e

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Time in these tests is that of synctest: it passes when nobody has anything to do, so durations are exact.

type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue(limiter workqueue.TypedRateLimiter[cache.ObjectName]) queue {
	return workqueue.NewTypedRateLimitingQueue(limiter)
}

func fast() workqueue.TypedRateLimiter[cache.ObjectName] {
	return workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()
}

var nightly = cache.NewObjectName("east", "nightly")

// A key that is added while it waits is handed out once; one that is added while it is worked on, once more afterwards.
func TestQueueKeepsOneOfEachKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(fast())
		defer q.ShutDown()
		for range 3 {
			q.Add(nightly)
		}
		expect(t, "waiting", q.Len(), 1)
		key, _ := q.Get()
		for range 3 {
			q.Add(nightly)
		}
		expect(t, "waiting while it is worked on", q.Len(), 0)
		q.Done(key)
		expect(t, "waiting afterwards", q.Len(), 1)
		key, _ = q.Get()
		q.Done(key)
		expect(t, "waiting in the end", q.Len(), 0)
	})
}

// Among many workers, no key is with two of them, and the last thing that was added is not lost.
func TestQueueHandsKeyToOneWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(fast())
		keys := []cache.ObjectName{cache.NewObjectName("east", "a"), cache.NewObjectName("east", "b"), cache.NewObjectName("west", "a")}
		var wanted, seen [3]atomic.Int64
		var busy [3]atomic.Int32
		index := map[cache.ObjectName]int{keys[0]: 0, keys[1]: 1, keys[2]: 2}
		var workers, writers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						return
					}
					i := index[key]
					if busy[i].Add(1) > 1 {
						t.Errorf("%s is with two workers", key)
					}
					seen[i].Store(wanted[i].Load())
					time.Sleep(time.Millisecond)
					busy[i].Add(-1)
					q.Done(key)
				}
			})
		}
		for range 4 {
			writers.Go(func() {
				for range 100 {
					for i, key := range keys {
						wanted[i].Add(1)
						q.Add(key)
					}
					time.Sleep(time.Millisecond / 3)
				}
			})
		}
		writers.Wait()
		q.ShutDownWithDrain()
		q.ShutDown() // of what serves AddAfter
		workers.Wait()
		for i, key := range keys {
			expect(t, "what was seen last of "+key.String(), seen[i].Load(), wanted[i].Load())
		}
	})
}

func TestQueueAddsAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(fast())
		defer q.ShutDown()
		start := time.Now()
		q.AddAfter(nightly, time.Hour)
		q.AddAfter(nightly, time.Minute) // the earlier one counts
		key, _ := q.Get()
		expect(t, "after", time.Since(start), time.Minute)
		q.Done(key)
		q.AddAfter(nightly, 0)
		expect(t, "waiting at once", q.Len(), 1)
	})
}

// waits returns how long a limiter holds back a key, time after time.
func waits(limiter workqueue.TypedRateLimiter[cache.ObjectName], n int) []time.Duration {
	var list []time.Duration
	for range n {
		list = append(list, limiter.When(nightly))
	}
	return list
}

func TestLimiters(t *testing.T) {
	const ms = time.Millisecond
	exponential := func() workqueue.TypedRateLimiter[cache.ObjectName] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*ms, 100*ms)
	}
	bucket := func() workqueue.TypedRateLimiter[cache.ObjectName] {
		return &workqueue.TypedBucketRateLimiter[cache.ObjectName]{Limiter: rate.NewLimiter(10, 2)}
	}
	for name, test := range map[string]struct {
		limiter func() workqueue.TypedRateLimiter[cache.ObjectName]
		want    []time.Duration
	}{
		"exponential": {exponential, []time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 100 * ms, 100 * ms}},
		"bucket":      {bucket, []time.Duration{0, 0, 100 * ms, 200 * ms, 300 * ms}},
		"fast, then slow": {func() workqueue.TypedRateLimiter[cache.ObjectName] {
			return workqueue.NewTypedItemFastSlowRateLimiter[cache.ObjectName](5*ms, time.Second, 3)
		}, []time.Duration{5 * ms, 5 * ms, 5 * ms, time.Second, time.Second}},
		"the longest of several": {func() workqueue.TypedRateLimiter[cache.ObjectName] {
			return workqueue.NewTypedMaxOfRateLimiter(exponential(), bucket())
		}, []time.Duration{5 * ms, 10 * ms, 100 * ms, 200 * ms, 300 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				expect(t, "waits", waits(test.limiter(), len(test.want)), test.want)
			})
		})
	}
}

// A key that fails comes back, later each time, until it succeeds and is forgotten.
func TestQueueRetriesUntilForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](time.Second, time.Hour))
		defer q.ShutDown()
		start := time.Now()
		q.Add(nightly)
		for attempt, after := range []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second} {
			key, _ := q.Get()
			expect(t, "time of the attempt", time.Since(start), after)
			expect(t, "requeues", q.NumRequeues(key), attempt)
			if attempt < 3 {
				q.AddRateLimited(key)
			} else {
				q.Forget(key)
			}
			q.Done(key)
		}
		expect(t, "requeues once forgotten", q.NumRequeues(nightly), 0)
		start = time.Now()
		q.AddRateLimited(nightly)
		q.Get()
		expect(t, "time of the next retry", time.Since(start), time.Second)
	})
}

// Shut down with drain, a queue takes nothing new, hands out what it has, and waits for what is being worked on.
func TestQueueDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(fast())
		defer q.ShutDown() // of what serves AddAfter
		waiting, late := cache.NewObjectName("east", "waiting"), cache.NewObjectName("east", "late")
		q.Add(nightly)
		q.Add(waiting)
		q.Get() // nightly
		var drained atomic.Bool
		go func() {
			q.ShutDownWithDrain()
			drained.Store(true)
		}()
		synctest.Wait()
		q.Add(late)
		key, shutdown := q.Get()
		expect(t, "what was waiting", key, waiting)
		expect(t, "shut down while something waits", shutdown, false)
		q.Done(waiting)
		synctest.Wait()
		expect(t, "drained while nightly is worked on", drained.Load(), false)
		q.Done(nightly)
		synctest.Wait()
		expect(t, "drained", drained.Load(), true)
		_, shutdown = q.Get()
		expect(t, "shut down", shutdown, true)
	})
}
