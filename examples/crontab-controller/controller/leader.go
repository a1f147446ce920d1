package controller

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// RunAsLeader waits until it holds the lease and calls run, with a context that ends when ctx does or the lease is lost,
// which is an error. It gives the lease back after run has returned, not before, so that no two run at a time.
func RunAsLeader(ctx context.Context, client coordinationv1.LeasesGetter, namespace, identity string, run func(context.Context)) error {
	leading := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{Client: client, LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: Name},
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
		Name: Name, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks:       leaderelection.LeaderCallbacks{OnStartedLeading: func(ctx context.Context) { leading <- ctx }, OnStoppedLeading: func() {}},
		ReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	electing, stop := context.WithCancel(context.WithoutCancel(ctx)) // the end of ctx does not end the lease
	released := make(chan struct{})
	go func() { defer close(released); elector.Run(electing) }()
	defer func() { stop(); <-released }()
	select {
	case <-ctx.Done():
	case lease := <-leading:
		running, cancel := context.WithCancel(ctx)
		defer context.AfterFunc(lease, cancel)()
		if run(running); ctx.Err() == nil {
			return errors.New("the lease is lost")
		}
	}
	return nil
}
