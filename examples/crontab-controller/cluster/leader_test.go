package cluster

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
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2/ktesting"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
)

func TestLeaderHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := &leases{}
		var working atomic.Int32 // number of candidates that are working
		candidate := func(identity string) (cancel func(), ended <-chan error) {
			ctx, cancel := context.WithCancel(t.Context())
			return cancel, stand(t, ctx, leases, identity, func(lease context.Context) {
				working.Add(1)
				select {
				case <-ctx.Done():
					time.Sleep(time.Hour) // The last reconcile takes longer than the lease would last.
				case <-lease.Done():
					t.Errorf("%s lost its lease", identity)
				}
				working.Add(-1)
			})
		}
		end1, ended1 := candidate("first")
		end2, ended2 := candidate("second")
		end3, ended3 := candidate("third")
		time.Sleep(time.Hour)
		if working.Load() != 1 || leases.holder() != "first" {
			t.Fatalf("%d work, and %q leads; want the first one", working.Load(), leases.holder())
		}
		end3() // a candidate that only waits
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

// TestLeaseIsLost checks that, however a leader loses its lease, the context of its work ends before another candidate
// can lead, and that it does not change the other's lease later.
func TestLeaseIsLost(t *testing.T) {
	for name, lose := range map[string]func(*connection){
		"requests for it fail": func(c *connection) {
			c.disturbBefore(func(context.Context) error { return errors.New("the server is away") })
		},
		"requests for it hang": func(c *connection) { c.disturbBefore(hang) },
		"requests for it hang for 20 seconds": func(c *connection) {
			until := time.Now().Add(20 * time.Second)
			c.disturbBefore(func(context.Context) error {
				time.Sleep(time.Until(until))
				return nil
			})
		},
		"the answer to the last renewal is late": func(c *connection) {
			after := func(context.Context) error {
				time.Sleep(renewDeadline/2 - 1)
				c.disturbBefore(hang)
				return nil
			}
			c.after.Store(&after)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leases := &leases{}
				first := &connection{leases: leases}
				var working atomic.Bool
				ended1 := stand(t, t.Context(), first, "first", func(lease context.Context) {
					working.Store(true)
					<-lease.Done()
					working.Store(false)
					if since := time.Since(leases.renewed()); since >= leaseDuration {
						t.Errorf("the first one has worked until %v after its last renewal", since)
					}
				})
				time.Sleep(time.Second)
				ctx, cancel := context.WithCancel(t.Context())
				leading := make(chan struct{})
				ended2 := stand(t, ctx, leases, "second", func(lease context.Context) {
					close(leading)
					if working.Load() {
						t.Error("the second one leads while the first one works")
					}
					select {
					case <-ctx.Done():
					case <-lease.Done():
						t.Error("the second one has lost its lease")
					}
				})
				time.Sleep(time.Second)
				lose(first)
				<-leading
				if err := <-ended1; err == nil {
					t.Error("no error after the lease was lost")
				}
				time.Sleep(time.Minute)
				cancel()
				if err := <-ended2; err != nil {
					t.Error(err)
				}
				if first.stolen.Load() {
					t.Error("the first one has changed the lease of the second one")
				}
			})
		})
	}
}

// stand runs RunAsLeader for a candidate, and returns a channel for its error.
func stand(t *testing.T, ctx context.Context, leases clientv1.LeasesGetter, identity string, run func(context.Context)) <-chan error {
	_, logging := ktesting.NewTestContext(t)
	logging, cancel := context.WithCancel(logging)
	context.AfterFunc(ctx, cancel)
	ended := make(chan error, 1)
	go func() {
		ended <- RunAsLeader(logging, leases, "demo", identity, leaderelection.NewLeaderHealthzAdaptor(0), run)
	}()
	synctest.Wait()
	return ended
}

// connection is the connection of a candidate to the leases. A test can disturb it before or after a request takes
// effect.
type connection struct {
	*leases
	before, after atomic.Pointer[func(context.Context) error]
	stolen        atomic.Bool // this candidate has changed the lease while the second one held it
}

func (c *connection) disturbBefore(do func(context.Context) error) { c.before.Store(&do) }

// disturb calls the function that the test has set, if any.
func disturb(ctx context.Context, do *func(context.Context) error) error {
	if do == nil {
		return nil
	}
	return (*do)(ctx)
}

// hang behaves like a client with a timeout whose server does not respond.
func hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(renewDeadline / 2):
	}
	return context.DeadlineExceeded
}

func (c *connection) Leases(string) clientv1.LeaseInterface { return c }

func (c *connection) Get(ctx context.Context, name string, opts metav1.GetOptions) (*coordinationv1.Lease, error) {
	if err := disturb(ctx, c.before.Load()); err != nil {
		return nil, err
	}
	return c.leases.Get(ctx, name, opts)
}

func (c *connection) Update(ctx context.Context, lease *coordinationv1.Lease, opts metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	if err := disturb(ctx, c.before.Load()); err != nil {
		return nil, err
	}
	holder := c.holder()
	lease, err := c.leases.Update(ctx, lease, opts)
	if err == nil && holder == "second" {
		c.stolen.Store(true)
	}
	if err == nil {
		err = disturb(ctx, c.after.Load())
	}
	return lease, err
}

// leases is a server with a single Lease. An update with an old resource version is a conflict.
type leases struct {
	clientv1.LeaseInterface // nil, so methods that are not implemented here panic

	mu      sync.Mutex
	lease   *coordinationv1.Lease
	version int
}

func (l *leases) Leases(string) clientv1.LeaseInterface { return l }

func (l *leases) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease == nil {
		return nil, apierrors.NewNotFound(coordinationv1.Resource("leases"), controller.Name)
	}
	return l.lease.DeepCopy(), nil
}

func (l *leases) Create(_ context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease != nil {
		return nil, apierrors.NewAlreadyExists(coordinationv1.Resource("leases"), controller.Name)
	}
	return l.set(lease)
}

func (l *leases) Update(_ context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lease.ResourceVersion != l.lease.ResourceVersion {
		return nil, apierrors.NewConflict(coordinationv1.Resource("leases"), controller.Name, nil)
	}
	return l.set(lease)
}

func (l *leases) set(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	l.version++
	l.lease = lease.DeepCopy()
	l.lease.ResourceVersion = strconv.Itoa(l.version)
	return l.lease.DeepCopy(), nil
}

// renewed returns the time at which the holder has last renewed the lease.
func (l *leases) renewed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lease.Spec.RenewTime.Time
}

func (l *leases) holder() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.lease.Spec.HolderIdentity
}
