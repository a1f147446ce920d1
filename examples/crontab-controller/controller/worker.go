// Package controller creates the CronRuns of CronTabs: one for each time on the schedule of a CronTab.
//
// An event passes through handlers.go, queue.go, worker.go and reconcile.go, in this order. informer.go creates the
// informers.
package controller

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubegen/kubegen/consistency"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Name is the name of the controller: as field manager, in events and user agents, and as the name of its lease.
const Name = "crontab-controller"

// Version is sent to the server with each request, and logged. The linker sets it, as in the Dockerfile.
var Version = "devel"

const (
	syncTimeout      = 2 * time.Minute  // for all caches to fill
	reconcileTimeout = 30 * time.Second // for all requests of a reconcile together
	grace            = 15 * time.Second // for the reconciles in progress at the end; by default a pod has 30 s to end
)

// EventRecorder records events about objects. The recorder of k8s.io/client-go/tools/events implements it. It is
// declared here because that package imports the clients for all kinds of Kubernetes.
type EventRecorder interface {
	Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

// Controller creates the CronRuns of CronTabs.
type Controller struct {
	client  versioned.Interface
	writes  *consistency.Store // of the client
	factory externalversions.SharedInformerFactory
	stable  informers.Interface // from the factory
	queue   queue
	events  EventRecorder
	clock   clock.WithTicker
	synced  atomic.Bool
}

// New returns a controller for all namespaces. The client is one whose writes the store sees: writes.Wrap was called
// for its configuration. Outside of tests, clock is clock.RealClock{}.
func New(client versioned.Interface, writes *consistency.Store, events EventRecorder, clock clock.WithTicker) (*Controller, error) {
	factory := newInformers(client, writes)
	c := &Controller{
		client: client, writes: writes, factory: factory, stable: factory.Stable().V1(), queue: newQueue(clock), events: events, clock: clock,
	}
	return c, c.addHandlers()
}

// Start starts the informers, and returns when their caches are full or ctx ends. If the caches are not full after two
// minutes, it returns an error that says why.
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

// Ready returns an error until Start has filled the caches. A replica that waits for the lease is ready, too, because
// it can take over.
func (c *Controller) Ready(*http.Request) error {
	if !c.synced.Load() {
		return errors.New("the caches are not full")
	}
	return nil
}

// Run reconciles with the given number of workers until ctx or lease ends. When ctx ends, the workers have 15 seconds
// to finish the work in progress. When lease ends, they abandon all requests at once. Run must be called after Start,
// and only once.
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
	running.Wait() // This does not wait for the informers, which may take until their next request.
}

// reconcileNext waits for the next CronTab in the queue and reconciles it. It returns false when the queue is shut
// down.
func (c *Controller) reconcileNext(ctx, lease context.Context) bool {
	name, shutdown := c.queue.Get()
	if shutdown || ctx.Err() != nil {
		return false
	}
	defer c.queue.Done(name)
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "crontab", name)
	// A reconcile in progress continues when ctx ends, but not when lease ends or after the timeout.
	ctx, cancel := context.WithTimeout(klog.NewContext(lease, logger), reconcileTimeout)
	defer cancel()
	defer utilruntime.HandleCrashWithContext(ctx) // logs a panic, and then lets it end the process
	again, err := c.reconcile(ctx, name)
	var stale *consistency.StaleError
	switch {
	case errors.As(err, &stale): // The caches are behind the last write. This is part of normal operation, too.
		logger.V(2).Info("Reconciling again", "reason", err.Error())
		c.queue.AddRateLimited(name)
	case apierrors.IsConflict(err): // Someone else has changed the CronTab. This is part of normal operation.
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
