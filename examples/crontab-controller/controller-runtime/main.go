// Command controller-runtime uses the generated types, scheme and listers with controller-runtime. It stands in for the
// component that runs CronRuns: each one becomes Running, and a second later Succeeded.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/kubegen/kubegen/consistency"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	listers "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	flag.Parse() // controller-runtime declares --kubeconfig.
	ctrl.SetLogger(klog.Background())
	if err := run(ctrl.SetupSignalHandler(), ctrl.GetConfigOrDie()); err != nil {
		klog.ErrorS(err, "The manager has ended")
		os.Exit(1)
	}
}

// run runs the manager until ctx ends, or until an error occurs.
func run(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeJSON // The default for Leases is protobuf, which not all servers support.
	writes := consistency.NewStore()
	writes.Wrap(config)
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme.Scheme, // of the generated clientset
		LeaderElection:                true,
		LeaderElectionID:              "crontab-runner",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	crontabs, err := informer(ctx, mgr.GetCache(), &v1.CronTab{})
	if err != nil {
		return err
	}
	runs, err := informer(ctx, mgr.GetCache(), &v1.CronRun{})
	if err != nil {
		return err
	}
	if err := writes.Watch(v1.Resource("cronruns"), runs, consistency.Scope{}); err != nil {
		return err
	}
	current := make(chan struct{})
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { // when this process has become the leader
		err := writes.WaitUntilCurrent(ctx)
		if ctx.Err() != nil {
			return nil // The manager ends.
		}
		if err == nil {
			close(current)
		}
		return err
	})); err != nil {
		return err
	}
	r := &runner{mgr.GetClient(), listers.NewCronTabLister(crontabs.GetIndexer()), writes, current}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.CronRun{}).Complete(r); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// informer returns the informer behind controller-runtime's cache, so that generated listers and own writes share
// that cache.
func informer(ctx context.Context, from cache.Cache, object client.Object) (toolscache.SharedIndexInformer, error) {
	informer, err := from.GetInformer(ctx, object, cache.BlockUntilSynced(false)) // The manager waits for it.
	if err != nil {
		return nil, err
	}
	// The interface of controller-runtime has no indexer, but the implementation is client-go's informer.
	shared, ok := informer.(toolscache.SharedIndexInformer)
	if !ok {
		return nil, fmt.Errorf("the cache has no shared informer for a %T, but a %T", object, informer)
	}
	return shared, nil
}

// runner is a reconciler of CronRuns.
type runner struct {
	client   client.Client
	crontabs listers.CronTabLister
	writes   *consistency.Store
	current  chan struct{} // closed when caches have what the leader before has written
}

func (r *runner) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	select {
	case <-r.current:
	case <-ctx.Done():
		return ctrl.Result{}, context.Cause(ctx)
	}
	if err := r.writes.EnsureReady(toolscache.ObjectName(request.NamespacedName)); err != nil {
		return ctrl.Result{}, err // The cache lacks a write: try again later.
	}
	var run v1.CronRun
	if err := r.client.Get(ctx, request.NamespacedName, &run); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owner := metav1.GetControllerOf(&run)
	if owner == nil || !run.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if _, err := r.crontabs.CronTabs(run.Namespace).Get(owner.Name); err != nil {
		return ctrl.Result{}, err // The two informers are independent, so the CronTab may be missing yet: try again.
	}
	before := run.DeepCopy()
	switch run.Status.Phase {
	case "", v1.RunPending:
		run.Status.Phase = v1.RunRunning
		return ctrl.Result{RequeueAfter: time.Second}, r.client.Status().Patch(ctx, &run, client.MergeFrom(before))
	case v1.RunRunning:
		run.Status.Phase = v1.RunSucceeded
		return ctrl.Result{}, r.client.Status().Patch(ctx, &run, client.MergeFrom(before))
	}
	return ctrl.Result{}, nil
}
