package controller

import (
	"context"
	"sync"
	"time"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Name is what the controller is called where it leaves a trace: as a field manager, in events, as a lease.
const Name = "crontab-controller"

// Controller makes CronRuns of CronTabs.
type Controller struct {
	client  versioned.Interface
	factory externalversions.SharedInformerFactory
	stable  informers.Interface // of the factory
	queue   queue
	events  events.EventRecorder
	clock   clock.WithTicker
}

// New returns a controller for all namespaces. The clock is clock.RealClock{}, but in tests.
func New(client versioned.Interface, events events.EventRecorder, clock clock.WithTicker) (*Controller, error) {
	factory := newInformers(client)
	c := &Controller{client, factory, factory.Stable().V1(), newQueue(clock), events, clock}
	return c, c.addHandlers()
}

// Run reconciles with that many workers until ctx ends, and returns when they have finished what they were at. It may be
// called once.
func (c *Controller) Run(ctx context.Context, workers int) {
	c.factory.StartWithContext(ctx)
	var running sync.WaitGroup
	if c.factory.WaitForCacheSyncWithContext(ctx).AsError() == nil {
		for range workers {
			running.Go(func() {
				for c.reconcileNext(ctx) {
				}
			})
		}
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait() // But not for the informers, by c.factory.Shutdown: they end soon, or when they have tried again.
}

// reconcileNext waits for the next CronTab in the queue and reconciles it. It returns false when there will be no more.
func (c *Controller) reconcileNext(ctx context.Context) bool {
	name, shutdown := c.queue.Get()
	if shutdown || ctx.Err() != nil {
		return false
	}
	defer c.queue.Done(name)
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "crontab", name)
	// What has begun is finished, even if ctx ends, unless a request hangs.
	ctx, cancel := context.WithTimeout(klog.NewContext(context.WithoutCancel(ctx), logger), time.Minute)
	defer cancel()
	switch again, err := c.reconcile(ctx, name); {
	case err != nil:
		logger.Info("Reconciling again", "after", err.Error(), "failures", c.queue.NumRequeues(name)+1)
		c.queue.AddRateLimited(name)
	case again > 0:
		c.queue.Forget(name)
		c.queue.AddAfter(name, again)
	default:
		c.queue.Forget(name)
	}
	return true
}
