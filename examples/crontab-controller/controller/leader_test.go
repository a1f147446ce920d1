package controller

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2/ktesting"
)

func TestLeaderHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := &leases{}
		var working atomic.Int32 // how many work at this moment
		candidate := func(identity string) (cancel func(), ended <-chan error) {
			_, ctx := ktesting.NewTestContext(t)
			ctx, cancel = context.WithCancel(ctx)
			result := make(chan error, 1)
			go func() {
				result <- RunAsLeader(ctx, leases, "demo", identity, func(ctx context.Context) {
					working.Add(1)
					<-ctx.Done()
					time.Sleep(time.Hour) // A long last reconcile: more than the lease would last.
					working.Add(-1)
				})
			}()
			synctest.Wait()
			return cancel, result
		}
		end1, ended1 := candidate("first")
		end2, ended2 := candidate("second")
		end3, ended3 := candidate("third")
		time.Sleep(time.Hour)
		if working.Load() != 1 || leases.holder() != "first" {
			t.Fatalf("%d work, and %q leads; want the first one", working.Load(), leases.holder())
		}
		end3() // one that only waits
		if err := <-ended3; err != nil {
			t.Error(err)
		}
		end1()
		time.Sleep(30 * time.Minute)
		if working.Load() != 1 || leases.holder() != "first" {
			t.Errorf("%d work, and %q leads, while the first one is about to end", working.Load(), leases.holder())
		}
		if err := <-ended1; err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second)
		if working.Load() != 1 || leases.holder() != "second" {
			t.Errorf("%d work, and %q leads; want the second one", working.Load(), leases.holder())
		}
		end2()
		if err := <-ended2; err != nil {
			t.Error(err)
		}
		if working.Load() != 0 || leases.holder() != "" {
			t.Errorf("%d work, and %q leads in the end", working.Load(), leases.holder())
		}
	})
}

func TestLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := &leases{}
		_, ctx := ktesting.NewTestContext(t)
		err := RunAsLeader(ctx, leases, "demo", "first", func(ctx context.Context) {
			leases.fail()
			<-ctx.Done()
		})
		if err == nil {
			t.Error("no error after the lease was lost")
		}
		if ctx.Err() != nil {
			t.Error("the caller's context has ended")
		}
	})
}

// leases has the one Lease that there is. Updates with an old resource version are conflicts.
type leases struct {
	clientv1.LeaseInterface // panics: for the methods that nobody calls

	mu      sync.Mutex
	lease   *coordinationv1.Lease
	version int
	failing bool
}

func (l *leases) Leases(string) clientv1.LeaseInterface { return l }

func (l *leases) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.failing:
		return nil, errors.New("the server is away")
	case l.lease == nil:
		return nil, apierrors.NewNotFound(coordinationv1.Resource("leases"), Name)
	}
	return l.lease.DeepCopy(), nil
}

func (l *leases) Create(_ context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease != nil {
		return nil, apierrors.NewAlreadyExists(coordinationv1.Resource("leases"), Name)
	}
	return l.set(lease)
}

func (l *leases) Update(_ context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failing {
		return nil, errors.New("the server is away")
	}
	if lease.ResourceVersion != l.lease.ResourceVersion {
		return nil, apierrors.NewConflict(coordinationv1.Resource("leases"), Name, nil)
	}
	return l.set(lease)
}

func (l *leases) set(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	l.version++
	l.lease = lease.DeepCopy()
	l.lease.ResourceVersion = strconv.Itoa(l.version)
	return l.lease.DeepCopy(), nil
}

func (l *leases) fail() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failing = true
}

func (l *leases) holder() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.lease.Spec.HolderIdentity
}
