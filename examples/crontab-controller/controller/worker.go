package controller

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Name is what the controller is called where it leaves a trace: as a field manager, in events, as a lease.
const Name = "crontab-controller"

const (
	syncTimeout      = 2 * time.Minute  // until all caches are full
	reconcileTimeout = 30 * time.Second // of all requests of one reconcile together
	grace            = 15 * time.Second // for the last reconciles; a pod has 30 s to end by default
)

// Controller makes CronRuns of CronTabs.
type Controller struct {
	client  versioned.Interface
	factory externalversions.SharedInformerFactory
	stable  informers.Interface // of the factory
	queue   queue
	events  events.EventRecorder
	clock   clock.WithTicker
	synced  atomic.Bool
	written sync.Map // of cache.ObjectName: the resource version that the last write has replaced
}

// New returns a controller for all namespaces. The clock is clock.RealClock{}, but in tests.
func New(client versioned.Interface, events events.EventRecorder, clock clock.WithTicker) (*Controller, error) {
	factory := newInformers(client)
	c := &Controller{client: client, factory: factory, stable: factory.Stable().V1(), queue: newQueue(clock), events: events, clock: clock}
	return c, c.addHandlers()
}

// Start starts the informers and returns when their caches are full, or ctx ends. It is an error if that takes
// minutes, which says what is in the way.
func (c *Controller) Start(ctx context.Context) error {
	c.factory.StartWithContext(ctx)
	syncing, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	err := externalversions.WaitForCaches(syncing, c.factory)
	if err != nil && ctx.Err() == nil {
		return err
	}
	c.synced.Store(err == nil)
	return nil
}

// Ready returns an error until Start has filled the caches. A controller that waits for the lease is ready to take over.
func (c *Controller) Ready(*http.Request) error {
	if !c.synced.Load() {
		return errors.New("the caches are not full")
	}
	return nil
}

// Run reconciles with that many workers until ctx or lease ends. When ctx ends, it returns after they have finished what
// they are doing, for which they have a few seconds. When lease ends, all requests are abandoned at once. It may be called
// once, after Start.
func (c *Controller) Run(ctx, lease context.Context, workers int) {
	ctx, stop := context.WithCancel(ctx)
	defer context.AfterFunc(lease, stop)()
	lease, abandon := context.WithCancel(lease)
	defer abandon()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for c.reconcileNext(ctx, lease) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	defer time.AfterFunc(grace, abandon).Stop()
	running.Wait() // But not for the informers, by c.factory.Shutdown: they end soon, or when they have tried again.
}

// reconcileNext waits for the next CronTab in the queue and reconciles it. It returns false when there will be no more.
func (c *Controller) reconcileNext(ctx, lease context.Context) bool {
	name, shutdown := c.queue.Get()
	if shutdown || ctx.Err() != nil {
		return false
	}
	defer c.queue.Done(name)
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "crontab", name)
	// What has begun is finished, even if ctx ends, but not without the lease, and not while a request hangs.
	ctx, cancel := context.WithTimeout(klog.NewContext(lease, logger), reconcileTimeout)
	defer cancel()
	defer utilruntime.HandleCrashWithContext(ctx) // logs a panic and lets it end the process
	again, err := c.reconcile(ctx, name)
	switch {
	case apierrors.IsConflict(err): // Someone else has changed the CronTab, which is part of normal operation.
		logger.Info("Reconciling again", "reason", err.Error())
		c.queue.AddRateLimited(name)
	case err != nil:
		logger.Error(err, "Reconciling again", "failures", c.queue.NumRequeues(name)+1)
		c.queue.AddRateLimited(name)
	case again > 0:
		c.queue.Forget(name)
		c.queue.AddAfter(name, again)
	default:
		c.queue.Forget(name)
	}
	return true
}
