package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// TestLostUpdates runs a controller that acts on what its caches say, with eight workers, while another client
// changes its objects, watches are late by up to two seconds, connections break and answers get lost. It counts what
// the controller does twice because its caches are behind: children that it creates again, and writes of its own that
// it reverts. Without the package consistency there are such, and with it there are none.
func TestLostUpdates(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*rest.Config, *consistency.Store) (*controlled, error){
		"CronTabs with CronRuns, fakeapi":     crontabs,
		"ConfigMaps with ConfigMaps, fakeapi": configmaps,
	} {
		t.Run(name, func(t *testing.T) {
			for _, consistent := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					api := fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithResources(kubescheme.Scheme, coreResources))
					l := &lostUpdates{of: of, consistent: consistent, reconciles: fakeReconciles, late: 2 * time.Second}
					if !consistent {
						l.reconciles /= 50 // which is enough to show what goes wrong; each write without effect costs a request
					}
					breaks := 0
					l.run(t, api.RESTConfig(), func() {
						if breaks++; breaks%4 == 0 {
							api.ExpireVersions() // as after a restart
						} else {
							api.EndWatches()
						}
					})
					l.print(t)
				})
			}
		})
	}
	for _, consistent := range []bool{false, true} {
		t.Run(fmt.Sprintf("CronTabs with CronRuns, API server, consistency: %t", consistent), func(t *testing.T) {
			t.Parallel()
			s := ownServer(t)
			proxy, config := newProxy(t, s)
			l := &lostUpdates{of: crontabs, consistent: consistent, reconciles: 10_000, late: 2 * time.Second}
			if !consistent {
				l.reconciles /= 10
			}
			breaks := 0
			l.run(t, config, func() {
				proxy.cut()
				if breaks++; breaks%10 == 0 {
					must(t, s.stop())
					must(t, s.start())
				}
				proxy.listen(t)
			})
			l.print(t)
		})
	}
}

const (
	ownersCount = 40
	workerCount = 8
)

// lostUpdates is a controller and what it has done. For each step of an owner, it creates one child, whose name the
// server chooses; deletes those of earlier steps; and writes into the owner's status which step it has come to and,
// as a count, how many there were.
type lostUpdates struct {
	of         func(*rest.Config, *consistency.Store) (*controlled, error)
	consistent bool
	reconciles int64
	late       time.Duration // watches, at most

	*controlled
	writes *consistency.Store
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	begun  atomic.Int64
	stale  atomic.Int64
	calm   atomic.Bool // nothing breaks any more

	lock     sync.Mutex
	created  map[string]int // children, by owner and step
	counts   map[string]int // the last written, by owner
	reverted int
}

func (l *lostUpdates) run(t *testing.T, config *rest.Config, disturb func()) {
	ctx, cancel := context.WithCancel(t.Context())
	l.created, l.counts = map[string]int{}, map[string]int{}
	other, err := l.of(config, consistency.NewStore())
	must(t, err)
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.Wrap(func(base http.RoundTripper) http.RoundTripper { return &unreliable{l, base} })
	logger := funcr.New(func(_, text string) {
		if strings.Contains(text, "versions went back") {
			t.Error("nothing was restored, but the store logs", text)
		}
	}, funcr.Options{})
	// These servers carry out a request at once or never.
	l.writes = consistency.NewStore(consistency.WithRequestTimeout(time.Second), consistency.WithLogger(logger))
	l.writes.Wrap(config)
	l.controlled, err = l.of(config, l.writes)
	must(t, err)
	for i := range ownersCount {
		owner := metav1.ObjectMeta{Name: fmt.Sprint("owner-", i), Annotations: map[string]string{step: "0"}}
		must(t, other.createOwner(ctx, owner))
	}
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
	for _, informer := range []cache.SharedIndexInformer{l.owners, l.children} {
		_, err := informer.AddEventHandler(handlers)
		must(t, err)
	}
	l.start(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), l.owners.HasSynced, l.children.HasSynced) {
		t.Fatal("the caches have no objects")
	}

	var workers, others sync.WaitGroup
	for range workerCount {
		workers.Go(func() {
			for l.next(ctx) {
			}
		})
	}
	others.Go(func() { // another client: it changes what the controller has to do
		for i := 1; l.begun.Load() < l.reconciles; i++ {
			change := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, step, i)
			if err := other.patchOwner(ctx, fmt.Sprint("owner-", rand.IntN(ownersCount)), change); err != nil {
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
	l.shutdown()
}

// print prints what the controller did twice, and fails the test if that is not as expected.
func (l *lostUpdates) print(t *testing.T) {
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
	obj, found, err := l.owners.GetIndexer().GetByKey(name.String())
	if err != nil || !found {
		return err
	}
	owner := obj.(metav1.Object)
	wanted, have := owner.GetAnnotations()[step], false
	for _, obj := range l.children.GetIndexer().List() {
		child := obj.(metav1.Object)
		if !metav1.IsControlledBy(child, owner) {
			continue
		}
		if child.GetAnnotations()[step] == wanted {
			have = true
			continue
		}
		if err := l.deleteChild(ctx, child.GetName()); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if !have {
		child := metav1.ObjectMeta{
			GenerateName:    name.Name + "-",
			Annotations:     map[string]string{step: wanted},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, l.owner)},
		}
		if err := l.createChild(ctx, child); err != nil {
			return err
		}
	}
	done, count := l.progress(owner)
	if done == wanted {
		return nil
	}
	return l.report(ctx, name.Name, wanted, count+1)
}

// wrote counts a write that has reached the server.
func (l *lostUpdates) wrote(request *http.Request, text []byte) {
	object := &metav1.PartialObjectMetadata{}
	if json.Unmarshal(text, object) != nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	switch request.Method {
	case http.MethodPost:
		l.created[object.OwnerReferences[0].Name+" "+object.Annotations[step]]++
	case http.MethodPatch:
		owner := l.newOwner()
		if json.Unmarshal(text, owner) != nil {
			return
		}
		_, count := l.progress(owner)
		if count <= l.counts[object.Name] { // which counts up, unless it is based on an older state
			l.reverted++
		}
		l.counts[object.Name] = count
	}
}

// controlled are the kinds that the controller is for, in the namespace default.
type controlled struct {
	owner            schema.GroupVersionKind
	owners, children cache.SharedIndexInformer
	start            func(context.Context)
	shutdown         func()

	newOwner    func() metav1.Object
	createOwner func(context.Context, metav1.ObjectMeta) error
	patchOwner  func(ctx context.Context, name, change string) error
	createChild func(context.Context, metav1.ObjectMeta) error
	deleteChild func(ctx context.Context, name string) error

	// report writes into an owner which step is done, and how many there were; progress reads that.
	report   func(ctx context.Context, name, done string, count int) error
	progress func(owner metav1.Object) (done string, count int)
}

// step is an annotation of owners and children: what an owner has to do, and what a child is for.
const step = "example.com/step"

// crontabs are owners that have a status, and children of another kind.
func crontabs(config *rest.Config, writes *consistency.Store) (*controlled, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, externalversions.WithConsistency(writes))
	owners, children := client.StableV1().CronTabs("default"), client.StableV1().CronRuns("default")
	return &controlled{
		owner:    v1.SchemeGroupVersion.WithKind("CronTab"),
		owners:   factory.Stable().V1().CronTabs().Informer(),
		children: factory.Stable().V1().CronRuns().Informer(),
		start:    factory.StartWithContext,
		shutdown: factory.Shutdown,
		newOwner: func() metav1.Object { return &v1.CronTab{} },
		createOwner: func(ctx context.Context, meta metav1.ObjectMeta) error {
			_, err := owners.Create(ctx, &v1.CronTab{ObjectMeta: meta, Spec: v1.CronTabSpec{CronSpec: "* * * * *", Image: "image"}}, metav1.CreateOptions{})
			return err
		},
		patchOwner: func(ctx context.Context, name, change string) error {
			_, err := owners.Patch(ctx, name, types.MergePatchType, []byte(change), metav1.PatchOptions{})
			return err
		},
		createChild: func(ctx context.Context, meta metav1.ObjectMeta) error {
			_, err := children.Create(ctx, &v1.CronRun{ObjectMeta: meta, Spec: v1.CronRunSpec{Image: "image", Replicas: 1, ScheduledTime: metav1.Unix(0, 0)}}, metav1.CreateOptions{})
			return err
		},
		deleteChild: func(ctx context.Context, name string) error {
			return children.Delete(ctx, name, metav1.DeleteOptions{})
		},
		report: func(ctx context.Context, name, done string, count int) error {
			change := fmt.Sprintf(`{"status":{"labelSelector":%q,"replicas":%d}}`, done, count)
			_, err := owners.Patch(ctx, name, types.MergePatchType, []byte(change), metav1.PatchOptions{}, "status")
			return err
		},
		progress: func(owner metav1.Object) (string, int) {
			status := owner.(*v1.CronTab).Status
			return status.LabelSelector, int(status.Replicas)
		},
	}, nil
}

var coreResources = []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{{
	Name: "configmaps", Kind: "ConfigMap", Namespaced: true, Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"},
}}}}

// configmaps are owners and children of one kind, with the clientset and the informers of Kubernetes.
func configmaps(config *rest.Config, writes *consistency.Store) (*controlled, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := kubeinformers.NewSharedInformerFactory(client, 0)
	informer, maps := factory.Core().V1().ConfigMaps().Informer(), client.CoreV1().ConfigMaps("default")
	create := func(ctx context.Context, meta metav1.ObjectMeta) error {
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}, metav1.CreateOptions{})
		return err
	}
	patch := func(ctx context.Context, name, change string) error {
		_, err := maps.Patch(ctx, name, types.MergePatchType, []byte(change), metav1.PatchOptions{})
		return err
	}
	return &controlled{
		owner:       corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		owners:      informer,
		children:    informer,
		start:       factory.StartWithContext,
		shutdown:    factory.Shutdown,
		newOwner:    func() metav1.Object { return &corev1.ConfigMap{} },
		createOwner: create,
		patchOwner:  patch,
		createChild: create,
		deleteChild: func(ctx context.Context, name string) error { return maps.Delete(ctx, name, metav1.DeleteOptions{}) },
		report: func(ctx context.Context, name, done string, count int) error {
			return patch(ctx, name, fmt.Sprintf(`{"data":{"done":%q,"count":"%d"}}`, done, count))
		},
		progress: func(owner metav1.Object) (string, int) {
			data := owner.(*corev1.ConfigMap).Data
			count, _ := strconv.Atoi(data["count"]) // 0 before the first report
			return data["done"], count
		},
	}, writes.Watch(corev1.Resource("configmaps"), informer, consistency.Scope{})
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
