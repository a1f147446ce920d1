package controller

import (
	"context"
	"errors"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

const (
	leaseDuration = 15 * time.Second // Others take the lease if they see no renewal for so long.
	renewDeadline = 10 * time.Second // The holder gives up if no renewal succeeds for so long.
	retryPeriod   = 2 * time.Second
)

// RunAsLeader waits until it holds the lease and calls run, which must return when ctx or the context that it gets ends.
// That context ends before anyone else can hold the lease, by the clock of this process. The lease is renewed, and so
// nobody else begins, until run has returned. An error says that the lease was lost.
func RunAsLeader(ctx context.Context, leases coordinationv1.LeasesGetter, namespace, identity string, watchdog *leaderelection.HealthzAdaptor, run func(lease context.Context)) error {
	held, lose := context.WithCancel(context.WithoutCancel(ctx))
	lock := &lease{&resourcelock.LeaseLock{
		Client: leases, LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: Name},
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}, time.AfterFunc(math.MaxInt64, lose)}
	defer lock.expiry.Stop()
	leading := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: Name, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(leading) }, OnStoppedLeading: lose},
	})
	if err != nil {
		return err
	}
	watchdog.SetLeaderElection(elector)
	ended := make(chan struct{})
	go func() { defer close(ended); elector.Run(held) }()
	select {
	case <-ctx.Done():
	case <-leading:
		if run(held); held.Err() != nil {
			err = errors.New("the lease is lost")
		}
	}
	lose()
	<-ended
	lock.release(context.WithoutCancel(ctx))
	return err
}

// lease is a lock with a timer that expires before anyone else can take it.
type lease struct {
	*resourcelock.LeaseLock
	expiry *time.Timer
}

func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	sent := time.Now()
	return l.extend(sent, l.LeaseLock.Create(ctx, record))
}

func (l *lease) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	sent := time.Now()
	return l.extend(sent, l.LeaseLock.Update(ctx, record))
}

// extend sets the timer by when the request was sent: the answer may be late, and others see its effect before that.
func (l *lease) extend(sent time.Time, err error) error {
	if err == nil {
		l.expiry.Reset(leaseDuration - retryPeriod - time.Since(sent))
	}
	return err
}

// release lets others take the lease at once. The elector does not do so, by ReleaseOnCancel, because it would before run
// has returned, and would also release a lease that someone else holds by now.
func (l *lease) release(ctx context.Context) {
	record, _, err := l.Get(ctx)
	if err == nil && record.HolderIdentity == l.Identity() {
		now := metav1.Now()
		err = l.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaderTransitions: record.LeaderTransitions, LeaseDurationSeconds: 1, AcquireTime: now, RenewTime: now,
		})
	}
	if err != nil {
		klog.FromContext(ctx).Info("The lease is not released, but will expire", "reason", err.Error())
	}
}
