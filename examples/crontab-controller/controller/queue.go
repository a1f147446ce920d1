package controller

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// queue holds the names of the CronTabs to reconcile. A name that is added several times is in it once, and two workers
// never get the same name at the same time. AddAfter adds a name when the next time on its schedule is due.
// AddRateLimited adds it again after an error, with increasing delays.
type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue(clock clock.WithTicker) queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "crontabs", Clock: clock})
}
