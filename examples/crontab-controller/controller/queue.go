package controller

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// queue has the names of CronTabs to reconcile: each once, however often it is added, and never with two workers. Names
// come back by AddAfter, when a time on the schedule is due, and by AddRateLimited, ever later, after errors.
type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue(clock clock.WithTicker) queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "crontabs", Clock: clock})
}
