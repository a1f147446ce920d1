package cluster

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

const (
	leaseDuration = 15 * time.Second // Others take the lease if it was not renewed for this long.
	renewDeadline = 10 * time.Second // The holder gives up if it could not renew the lease for this long.
	retryPeriod   = 2 * time.Second  // Time between attempts to take or renew the lease.
)

// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create,namespace=crontab-system
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=crontab-controller,verbs=get;update,namespace=crontab-system

// RunAsLeader waits until it holds the lease and then calls run, which must return when ctx or its argument ends. By
// the clock of this process, that argument ends before another replica can take the lease. The lease is renewed until
// run has returned, so that no other replica starts. RunAsLeader returns an error if the lease was lost.
func RunAsLeader(
	ctx context.Context, leases coordinationv1.LeasesGetter, namespace, identity string, watchdog *leaderelection.HealthzAdaptor,
	run func(lease context.Context),
) error {
	held, lose := context.WithCancel(context.WithoutCancel(ctx))
	lock := &lease{&resourcelock.LeaseLock{
		Client: leases, LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: controller.Name},
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}, time.AfterFunc(math.MaxInt64, lose)}
	defer lock.expiry.Stop()
	leading := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: controller.Name, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
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

// lease is a lock with a timer that expires before another replica can take the lock.
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

// extend resets the timer. It counts from the time when the request was sent, because the request may have taken effect
// long before the response arrives.
func (l *lease) extend(sent time.Time, err error) error {
	if err == nil {
		l.expiry.Reset(leaseDuration - retryPeriod - time.Since(sent))
	}
	return err
}

// release lets others take the lease at once. The elector's own ReleaseOnCancel would do so before run has returned,
// and would also release a lease that another replica has taken by then.
func (l *lease) release(ctx context.Context) {
	record, _, err := l.Get(ctx)
	if err == nil && record.HolderIdentity == l.Identity() {
		now := metav1.Now()
		err = l.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaderTransitions: record.LeaderTransitions, LeaseDurationSeconds: 1, AcquireTime: now, RenewTime: now,
		})
	}
	if err != nil {
		klog.FromContext(ctx).Info("The lease was not released, but will expire", "reason", err.Error())
	}
}
