package controller

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// queue contains the names of the CronTabs to reconcile. A name that is added several times is in it once, and two workers
// never have the same one. AddAfter adds a name again when the next time on the schedule is due; AddRateLimited after an error,
// with increasing delays.
type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue(clock clock.WithTicker) queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "crontabs", Clock: clock})
}
