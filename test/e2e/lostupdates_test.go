package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// TestLostUpdates runs a controller that acts on what its caches say, with eight workers, while another client changes its objects,
// watches are late by up to two seconds, connections break and answers get lost. It counts what the controller does twice because its
// caches are behind: children that it creates again, and writes of its own that it reverts. Without the package consistency there are
// such, and with it there are none.
func TestLostUpdates(t *testing.T) {
	t.Run("fakeapi", func(t *testing.T) {
		for _, consistent := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				api := fakeapi.New(fakeapi.WithResources(scheme.Scheme, fake.APIResources()))
				l := &lostUpdates{consistent: consistent, reconciles: fakeReconciles, late: 2 * time.Second}
				if !consistent {
					l.reconciles /= 10 // which is enough to show what goes wrong
				}
				breaks := 0
				l.run(t, api.RESTConfig(), func() {
					if breaks++; breaks%4 == 0 {
						api.ExpireVersions() // as after a restart
					} else {
						api.EndWatches()
					}
				})
				l.report(t)
			})
		}
	})
	t.Run("API server", func(t *testing.T) {
		for _, consistent := range []bool{false, true} {
			s := ownServer(t)
			proxy, config := newProxy(t, s)
			l := &lostUpdates{consistent: consistent, reconciles: 10_000, late: 500 * time.Millisecond}
			breaks := 0
			l.run(t, config, func() {
				proxy.cut()
				if breaks++; breaks%10 == 0 {
					must(t, s.stop())
					must(t, s.start())
				}
				proxy.listen(t)
			})
			l.report(t)
		}
	})
}

const (
	ownersCount = 40
	workerCount = 8
)

// lostUpdates is a controller and what it has done. For each step of an owner, it creates one child, whose name the server chooses;
// deletes those of earlier steps; and writes into the owner's status which step it has come to and, as a count, how many there were.
type lostUpdates struct {
	consistent bool
	reconciles int64
	late       time.Duration // watches, at most

	client  versioned.Interface
	writes  *consistency.Store
	factory externalversions.SharedInformerFactory
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
	begun   atomic.Int64
	stale   atomic.Int64
	calm    atomic.Bool // nothing breaks any more

	lock     sync.Mutex
	created  map[string]int   // children, by owner and step
	counts   map[string]int32 // the last written, by owner
	reverted int
}

func (l *lostUpdates) run(t *testing.T, config *rest.Config, disturb func()) {
	ctx, cancel := context.WithCancel(t.Context())
	l.created, l.counts = map[string]int{}, map[string]int32{}
	other, err := versioned.NewForConfig(config)
	must(t, err)
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.Wrap(func(base http.RoundTripper) http.RoundTripper { return &unreliable{l, base} })
	l.writes = consistency.NewStore()
	l.writes.Wrap(config)
	l.client, err = versioned.NewForConfig(config)
	must(t, err)
	for i := range ownersCount {
		owner := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("owner-", i)}, Spec: v1.CronTabSpec{CronSpec: "* * * * *", Image: "step-0"}}
		_, err := other.StableV1().CronTabs("default").Create(ctx, owner, metav1.CreateOptions{})
		must(t, err)
	}
	l.factory = externalversions.NewSharedInformerFactoryWithOptions(l.client, 0, externalversions.WithConsistency(l.writes))
	l.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, 200*time.Millisecond))
	enqueue := func(obj any) {
		if object, ok := obj.(metav1.Object); ok {
			name := object.GetName()
			if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
				name = owner.Name
			}
			l.queue.Add(cache.NewObjectName("default", name))
		}
	}
	handlers := cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue}
	stable := l.factory.Stable().V1()
	for _, informer := range []cache.SharedIndexInformer{stable.CronTabs().Informer(), stable.CronRuns().Informer()} {
		_, err := informer.AddEventHandler(handlers)
		must(t, err)
	}
	l.factory.StartWithContext(ctx)
	must(t, l.factory.WaitForCacheSyncWithContext(ctx).AsError())

	var workers, others sync.WaitGroup
	for range workerCount {
		workers.Go(func() {
			for l.next(ctx) {
			}
		})
	}
	others.Go(func() { // another client: it changes what the controller has to do
		for step := 1; l.begun.Load() < l.reconciles; step++ {
			name := fmt.Sprint("owner-", rand.IntN(ownersCount))
			change := fmt.Sprintf(`{"spec":{"image":"step-%d"}}`, step)
			if _, err := other.StableV1().CronTabs("default").Patch(ctx, name, types.MergePatchType, []byte(change), metav1.PatchOptions{}); err != nil {
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(rand.N(100 * time.Millisecond))
		}
	})
	others.Go(func() {
		for l.begun.Load() < l.reconciles {
			time.Sleep(3*time.Second + rand.N(4*time.Second))
			disturb()
		}
	})
	others.Wait()
	l.calm.Store(true)
	for i := range ownersCount { // no worker waits for ever
		limited, cancel := context.WithTimeout(ctx, 3*time.Minute)
		if err := l.writes.WaitUntilReady(limited, cache.NewObjectName("default", fmt.Sprint("owner-", i))); err != nil {
			t.Error(err)
		}
		cancel()
	}
	l.queue.ShutDown()
	workers.Wait()
	cancel()
	l.factory.Shutdown()
}

// report prints what the controller did twice, and fails the test if that is not as expected.
func (l *lostUpdates) report(t *testing.T) {
	children, twice := 0, 0
	for _, n := range l.created {
		children, twice = children+n, twice+n-1
	}
	t.Logf("consistency: %t: %d reconciles, %d of them refused; %d children, %d of them created again; %d own writes reverted",
		l.consistent, l.begun.Load(), l.stale.Load(), children, twice, l.reverted)
	if l.consistent == (twice+l.reverted > 0) || children < ownersCount {
		t.Errorf("%d children were created again and %d writes reverted", twice, l.reverted)
	}
}

func (l *lostUpdates) next(ctx context.Context) bool {
	name, shutdown := l.queue.Get()
	if shutdown {
		return false
	}
	defer l.queue.Done(name)
	l.begun.Add(1)
	if err := l.reconcile(ctx, name); err != nil {
		l.queue.AddRateLimited(name)
		return true
	}
	l.queue.Forget(name)
	l.queue.AddAfter(name, rand.N(100*time.Millisecond))
	return true
}

func (l *lostUpdates) reconcile(ctx context.Context, name cache.ObjectName) error {
	if l.consistent {
		if err := l.writes.EnsureReady(name); err != nil {
			l.stale.Add(1)
			return err
		}
	}
	stable := l.factory.Stable().V1()
	owner, err := stable.CronTabs().Lister().CronTabs(name.Namespace).Get(name.Name)
	if err != nil {
		return err
	}
	children, err := stable.CronRuns().Lister().CronRuns(name.Namespace).ByController(owner.UID)
	if err != nil {
		return err
	}
	step, have := owner.Spec.Image, false
	for _, child := range children {
		if child.Spec.Image == step {
			have = true
			continue
		}
		if err := l.client.StableV1().CronRuns(child.Namespace).Delete(ctx, child.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if !have {
		child := &v1.CronRun{
			ObjectMeta: metav1.ObjectMeta{
				GenerateName:    name.Name + "-",
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1.SchemeGroupVersion.WithKind("CronTab"))},
			},
			Spec: v1.CronRunSpec{Image: step, Replicas: 1, ScheduledTime: metav1.Unix(0, 0)},
		}
		if _, err := l.client.StableV1().CronRuns(name.Namespace).Create(ctx, child, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if owner.Status.LabelSelector == step {
		return nil
	}
	change := fmt.Sprintf(`{"status":{"labelSelector":%q,"replicas":%d}}`, step, owner.Status.Replicas+1)
	_, err = l.client.StableV1().CronTabs(name.Namespace).Patch(ctx, name.Name, types.MergePatchType, []byte(change), metav1.PatchOptions{}, "status")
	return err
}

// wrote counts a write that has reached the server.
func (l *lostUpdates) wrote(request *http.Request, text []byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch {
	case request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/cronruns"):
		child := &v1.CronRun{}
		if json.Unmarshal(text, child) == nil {
			l.created[child.OwnerReferences[0].Name+" "+child.Spec.Image]++
		}
	case request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, "/status"):
		owner := &v1.CronTab{}
		if json.Unmarshal(text, owner) == nil {
			if owner.Status.Replicas <= l.counts[owner.Name] { // which counts up, unless it is based on an older state
				l.reverted++
			}
			l.counts[owner.Name] = owner.Status.Replicas
		}
	}
}

// unreliable is a transport that delays watches, loses answers, and breaks connections.
type unreliable struct {
	of   *lostUpdates
	base http.RoundTripper
}

func (u *unreliable) RoundTrip(request *http.Request) (*http.Response, error) {
	chance := rand.IntN(1000)
	calm := u.of.calm.Load()
	if request.Method != http.MethodGet && chance < 5 && !calm {
		return nil, io.ErrUnexpectedEOF // before the server has got it
	}
	response, err := u.base.RoundTrip(request)
	if err != nil {
		return response, err
	}
	if request.URL.Query().Get("watch") != "" {
		response.Body = &lateBody{response.Body, u.of, request.Context()}
		return response, nil
	}
	if request.Method == http.MethodGet || response.StatusCode >= 300 {
		return response, nil
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	u.of.wrote(request, text)
	if chance < 20 && !calm {
		return nil, io.ErrUnexpectedEOF // after that
	}
	response.Body = io.NopCloser(strings.NewReader(string(text)))
	return response, nil
}

type lateBody struct {
	io.ReadCloser
	of  *lostUpdates
	ctx context.Context
}

func (b *lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil && !b.of.calm.Load() && rand.IntN(20) == 0 {
		select {
		case <-time.After(rand.N(b.of.late)):
		case <-b.ctx.Done():
		}
	}
	return n, err
}
