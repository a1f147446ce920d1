package crontabtypes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	listers "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
)

// Each of these tests runs in a synctest bubble. Its clock advances only when all goroutines are blocked, so back-offs
// and deadlines take no time. synctest.Wait returns when all handlers have seen all events. A goroutine that does not
// end fails the test.

func TestHandlersSeeEveryChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "old"))
		factory := informers.NewSharedInformerFactory(client, 0)
		var got []string
		see := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }

		_, err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(stablev1informers.CronTabDetailedHandlerFuncs{
			AddFunc: func(c *v1.CronTab, initial bool) { see("add %s/%s, initial: %t", c.Namespace, c.Name, initial) },
			UpdateFunc: func(from, to *v1.CronTab) {
				see("update %s/%s, %s to %s", to.Namespace, to.Name, from.Spec.Image, to.Spec.Image)
			},
			DeleteFunc: func(c stablev1informers.DeletedCronTab) {
				see("delete %s, known: %t", c.GetKey(), c.FinalStateUnknown == nil)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = factory.Stable().V1().CronTabClasses().TypedInformer().AddTypedEventHandler(stablev1informers.CronTabClassHandlerFuncs{
			AddFunc: func(c *v1.CronTabClass) { see("add class %s", c.Name) },
			UpdateFunc: func(from, to *v1.CronTabClass) {
				see("update class %s, %s to %s", to.Name, from.Spec.DefaultImage, to.Spec.DefaultImage)
			},
			DeleteFunc: func(c stablev1informers.DeletedCronTabClass) { see("delete class %s", c.GetKey()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := start(t, factory)

		create(t, client, newCronTab("east", "nightly"))
		create(t, client, newCronTab("west", "nightly"))

		changed := newCronTab("west", "nightly")
		changed.Spec.Image = "image:v2"
		update(t, client, changed)

		if err := client.StableV1().CronTabs("east").Delete(ctx, "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()

		classes := client.StableV1().CronTabClasses()
		class := &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1"}}
		if _, err := classes.Create(ctx, class, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		class.Spec.DefaultImage = "image:v2"
		if _, err := classes.Update(ctx, class, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := classes.Delete(ctx, "gold", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()

		expect(t, got,
			"add east/old, initial: true",
			"add east/nightly, initial: false",
			"add west/nightly, initial: false",
			"update west/nightly, image:v1 to image:v2",
			"delete east/nightly, known: true",
			"add class gold",
			"update class gold, image:v1 to image:v2",
			"delete class gold",
		)
	})
}

func TestListers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		labelled := newCronTab("west", "labelled")
		labelled.Labels = map[string]string{"tier": "gold"}
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), newCronTab("west", "nightly"), labelled,
			&v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}})
		factory := informers.NewSharedInformerFactory(client, 0)
		// A factory starts the informers that were requested before, and requesting a lister requests its informer.
		crontabs := factory.Stable().V1().CronTabs().Lister()
		classes := factory.Stable().V1().CronTabClasses().Lister()
		start(t, factory)

		gold := labels.SelectorFromSet(labels.Set{"tier": "gold"})
		all, err := crontabs.List(labels.Everything())
		expectKeys(t, all, err, "east/nightly", "west/labelled", "west/nightly")
		all, err = crontabs.List(gold)
		expectKeys(t, all, err, "west/labelled")
		all, err = crontabs.CronTabs("west").List(labels.Everything())
		expectKeys(t, all, err, "west/labelled", "west/nightly")
		all, err = crontabs.CronTabs("east").List(gold)
		expectKeys(t, all, err)

		one, err := crontabs.CronTabs("west").Get("labelled")
		expectKeys(t, []*v1.CronTab{one}, err, "west/labelled")
		if _, err := crontabs.CronTabs("east").Get("labelled"); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v for a CronTab of another namespace, want NotFound", err)
		}

		class, err := classes.Get("gold")
		expectKeys(t, []*v1.CronTabClass{class}, err, "gold")
		allClasses, err := classes.List(labels.Everything())
		expectKeys(t, allClasses, err, "gold")
		if _, err := classes.Get("silver"); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v for a class that is not there, want NotFound", err)
		}
	})
}

func TestIndexes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), newCronTab("west", "nightly"))
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs().TypedInformer()
		if err := informer.AddTypedIndexers(stablev1informers.CronTabIndexers{ // in addition to the indexers from the types' markers
			"suspended": func(c *v1.CronTab) ([]string, error) { return []string{strconv.FormatBool(c.Spec.Suspend)}, nil },
		}); err != nil {
			t.Fatal(err)
		}
		start(t, factory)

		untyped, err := informer.GetIndexer().ByIndex(cache.NamespaceIndex, "east")
		if err != nil {
			t.Fatal(err)
		}
		var east []*v1.CronTab
		for _, obj := range untyped {
			east = append(east, obj.(*v1.CronTab))
		}
		expectKeys(t, east, nil, "east/nightly")

		suspended, err := informer.GetTypedIndexer().ByTypedIndex("suspended", "false")
		expectKeys(t, suspended, err, "east/nightly", "west/nightly")

		crontabs := factory.Stable().V1().CronTabs().Lister()
		unclassed, err := crontabs.ByClass("")
		expectKeys(t, unclassed, err, "east/nightly", "west/nightly")
		unclassed, err = crontabs.CronTabs("west").ByClass("")
		expectKeys(t, unclassed, err, "west/nightly")
		images, err := crontabs.CronTabs("west").ByImage("image:v1")
		expectKeys(t, images, err, "west/nightly")

		changed := newCronTab("west", "nightly")
		changed.Spec.ClassName = "gold"
		update(t, client, changed)
		unclassed, err = crontabs.ByClass("")
		expectKeys(t, unclassed, err, "east/nightly")
		for _, namespace := range []string{metav1.NamespaceAll, "west"} {
			gold, err := crontabs.CronTabs(namespace).ByClass("gold")
			expectKeys(t, gold, err, "west/nightly")
		}
		none, err := crontabs.CronTabs("east").ByClass("gold")
		expectKeys(t, none, err)
	})
}

// TestIndexesOfOwnInformer checks that an informer created by the caller has only the indexes that it was given.
// Listers that need others return an error that says what to add.
func TestIndexesOfOwnInformer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), newCronTab("west", "nightly"))
		without := stablev1informers.NewCronTabInformer(client, metav1.NamespaceAll, 0, cache.Indexers{})
		with := stablev1informers.NewCronTabInformer(client, "west", 0, listers.CronTabIndexers())
		var running sync.WaitGroup
		for _, informer := range []cache.SharedIndexInformer{without, with} {
			running.Go(func() { informer.RunWithContext(t.Context()) })
		}
		t.Cleanup(running.Wait)
		synctest.Wait()

		for _, namespace := range []string{metav1.NamespaceAll, "west"} {
			found, err := listers.NewCronTabLister(without.GetIndexer()).CronTabs(namespace).ByClass("")
			if err == nil || !strings.Contains(err.Error(), "CronTabIndexers") {
				t.Errorf("got %d CronTabs and error %v of a lister without the index, want one that names CronTabIndexers", len(found), err)
			}
			found, err = listers.NewCronTabLister(with.GetIndexer()).CronTabs(namespace).ByClass("")
			expectKeys(t, found, err, "west/nightly")
		}
	})
}

// TestIndexKeys checks the keys of the indexes that the types declare.
func TestIndexKeys(t *testing.T) {
	yes, no := true, false
	run := &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "none"}, {UID: "no", Controller: &no}, {UID: "yes", Controller: &yes}}},
		Status:     v1.CronRunStatus{Phase: v1.RunFailed},
	}
	for index, got := range map[string][]string{
		listers.CronRunByController + "=yes":  listers.CronRunByControllerKeys(run),
		listers.CronRunByPhase + "=Failed":    listers.CronRunByPhaseKeys(run),
		listers.CronTabByClass + "=":          listers.CronTabByClassKeys(newCronTab("east", "nightly")),
		listers.CronTabByImage + "=image:v1":  listers.CronTabByImageKeys(newCronTab("east", "nightly")),
		listers.CronRunByController + "=none": append(listers.CronRunByControllerKeys(&v1.CronRun{}), "none"),
	} {
		if _, want, _ := strings.Cut(index[strings.LastIndex(index, "="):], "="); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q", index, got)
		}
	}
}

func TestForResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}})
		factory := informers.NewSharedInformerFactory(client, 0)
		lister := func(resource string) cache.GenericLister {
			informer, err := factory.ForResource(v1.SchemeGroupVersion.WithResource(resource))
			if err != nil {
				t.Fatal(err)
			}
			return informer.Lister()
		}
		crontabs, classes := lister("crontabs"), lister("crontabclasses")
		start(t, factory)

		if _, err := crontabs.ByNamespace("east").Get("nightly"); err != nil {
			t.Error(err)
		}
		if _, err := classes.Get("gold"); err != nil {
			t.Error(err)
		}
		// The typed lister reads the same cache: no other informer was started.
		typed, err := factory.Stable().V1().CronTabs().Lister().List(labels.Everything())
		expectKeys(t, typed, err, "east/nightly")

		for resource, typed := range map[schema.GroupVersionResource]cache.SharedIndexInformer{
			v1.SchemeGroupVersion.WithResource("crontabs"):            factory.Stable().V1().CronTabs().Informer(),
			v1.SchemeGroupVersion.WithResource("cronruns"):            factory.Stable().V1().CronRuns().Informer(),
			v1.SchemeGroupVersion.WithResource("crontabclasses"):      factory.Stable().V1().CronTabClasses().Informer(),
			v1beta1.SchemeGroupVersion.WithResource("crontabclasses"): factory.Stable().V1beta1().CronTabClasses().Informer(),
		} {
			generic, err := factory.ForResource(resource)
			if err != nil || generic.Informer().GetIndexer() != typed.GetIndexer() {
				t.Errorf("the informer for %s is not that of its kind (error %v)", resource, err)
			}
		}
		if _, err := factory.ForResource(v1.SchemeGroupVersion.WithResource("cronjobs")); err == nil {
			t.Error("got an informer for a resource that the API does not have")
		}
	})
}

func TestWithNamespace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "listed"), newCronTab("west", "listed"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("east"))
		lister := factory.Stable().V1().CronTabs().Lister()
		start(t, factory)
		create(t, client, newCronTab("east", "watched"))
		create(t, client, newCronTab("west", "watched"))

		all, err := lister.List(labels.Everything())
		expectKeys(t, all, err, "east/listed", "east/watched")
	})
}

func TestWithTweakListOptions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		labelled := newCronTab("east", "labelled")
		labelled.Labels = map[string]string{"tier": "gold"}
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), labelled)
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithTweakListOptions(func(opts *metav1.ListOptions) { opts.LabelSelector = "tier=gold" }))
		lister := factory.Stable().V1().CronTabs().Lister()
		start(t, factory)

		all, err := lister.List(labels.Everything())
		expectKeys(t, all, err, "east/labelled")

		// Unlike a server, the fake does not filter what it sends to watchers, so check the requests.
		var asked []string
		for _, action := range client.Actions() {
			switch action := action.(type) {
			case clienttesting.ListAction:
				asked = append(asked, "list "+action.GetListRestrictions().Labels.String())
			case clienttesting.WatchAction:
				asked = append(asked, "watch "+action.GetWatchRestrictions().Labels.String())
			}
		}
		expect(t, asked, "list tier=gold", "watch tier=gold")
	})
}

// TestResync checks that handlers see the objects in the cache again after each resync period, which can differ by
// type.
func TestResync(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 15*time.Second,
			informers.WithCustomResyncConfig(map[metav1.Object]time.Duration{&v1.CronTab{}: 10 * time.Second}))
		crontabs, classes := 0, 0
		_, err1 := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
			UpdateFunc: func(_, _ *v1.CronTab) { crontabs++ },
		})
		_, err2 := factory.Stable().V1().CronTabClasses().TypedInformer().AddTypedEventHandler(stablev1informers.CronTabClassHandlerFuncs{
			UpdateFunc: func(_, _ *v1.CronTabClass) { classes++ },
		})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		start(t, factory)
		time.Sleep(35 * time.Second)
		synctest.Wait()
		if crontabs != 3 || classes != 2 {
			t.Errorf("handlers saw CronTabs %d times and classes %d times again, want 3 and 2", crontabs, classes)
		}
	})
}

func TestWithTransform(t *testing.T) {
	bubble(t, func(t *testing.T) {
		managed := func(name string) *v1.CronTab {
			c := newCronTab("east", name)
			c.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
			return c
		}
		client := fake.NewSimpleClientset(managed("listed"))
		// The main use of a transform is to drop data that nobody will read, to save memory.
		strip := func(obj any) (any, error) {
			if object, ok := obj.(metav1.Object); ok { // an object, but not a tombstone
				object.SetManagedFields(nil)
			}
			return obj, nil
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
		lister := factory.Stable().V1().CronTabs().Lister()
		start(t, factory)
		create(t, client, managed("watched"))

		all, err := lister.List(labels.Everything())
		expectKeys(t, all, err, "east/listed", "east/watched")
		for _, c := range all {
			if c.ManagedFields != nil {
				t.Errorf("%s is in the cache with its managed fields", c.Name)
			}
		}
	})
}

// TestMissedDeletion checks that an informer notices a deletion during an interruption of the watch when the object is
// missing in the next list. Handlers then get the last state that the informer knew, marked as such.
func TestMissedDeletion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		// The first watch sends only what the test tells it to. Later watches are those of the fake.
		line := watch.NewRaceFreeFake()
		watches := 0
		client.PrependWatchReactor("crontabs", func(clienttesting.Action) (bool, watch.Interface, error) {
			watches++
			return watches == 1, line, nil
		})

		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs().TypedInformer()
		typed, untyped := make(chan stablev1informers.DeletedCronTab, 1), make(chan any, 1)
		if _, err := informer.AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
			DeleteFunc: func(c stablev1informers.DeletedCronTab) { typed <- c },
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(obj any) { untyped <- obj },
		}); err != nil {
			t.Fatal(err)
		}
		ctx := start(t, factory)

		changed := newCronTab("east", "nightly")
		changed.Spec.Image = "image:v2"
		update(t, client, changed)
		if err := client.StableV1().CronTabs("east").Delete(ctx, "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := factory.Stable().V1().CronTabs().Lister().CronTabs("east").Get("nightly"); err != nil {
			t.Fatalf("the informer knows of the deletion already, so there is nothing to test: %v", err)
		}

		// A server ends a watch like this if it no longer has the resource version in its history. The client must then
		// list again.
		line.Error(&apierrors.NewResourceExpired("too old resource version").ErrStatus)

		deleted := receive(ctx, t, typed)
		if deleted.GetKey() != "east/nightly" || deleted.GetNamespace() != "east" || deleted.GetName() != "nightly" {
			t.Errorf("got deletion of %q, namespace %q, name %q", deleted.GetKey(), deleted.GetNamespace(), deleted.GetName())
		}
		if deleted.FinalStateUnknown == nil {
			t.Error("the deletion does not say that the final state is unknown")
		}
		if deleted.OptionalObj == nil || deleted.OptionalObj.Spec.Image != "image:v1" {
			t.Errorf("got %v, want the CronTab as it was before the watch went down", deleted.OptionalObj)
		}

		tombstone, ok := receive(ctx, t, untyped).(cache.DeletedFinalStateUnknown)
		if !ok || tombstone.Key != "east/nightly" || tombstone.Obj != any(deleted.OptionalObj) {
			t.Errorf("got %#v, want the tombstone of the same object", tombstone)
		}
		if _, err := factory.Stable().V1().CronTabs().Lister().CronTabs("east").Get("nightly"); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v from the lister, want NotFound", err)
		}
	})
}

func TestShutdown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		factory := informers.NewSharedInformerFactory(client, 0)
		entered, release := make(chan struct{}), make(chan struct{})
		if _, err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
			AddFunc: func(*v1.CronTab) { close(entered); <-release },
		}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		factory.StartWithContext(ctx)
		<-entered

		cancel()
		shutdown := make(chan struct{})
		go func() { factory.Shutdown(); close(shutdown) }()
		synctest.Wait()
		select {
		case <-shutdown:
			t.Error("Shutdown returned while a handler was running")
		default:
		}
		close(release)
		<-shutdown

		factory.Stable().V1().CronTabClasses().Informer()
		factory.StartWithContext(context.Background())
		synctest.Wait()
		for _, action := range client.Actions() {
			if action.GetResource().Resource == "crontabclasses" {
				t.Errorf("an informer was started after Shutdown: %s", action.GetVerb())
			}
		}
	})
}

// newCronTab returns a valid CronTab.
func newCronTab(namespace, name string) *v1.CronTab {
	return &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}
}

// start starts the factory, and waits until its caches are full and its handlers have seen their contents. The factory
// stops when the test ends. The context that is returned has the deadline of the test.
func start(t *testing.T, factory informers.SharedInformerFactory) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	factory.StartWithContext(ctx)
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return ctx
}

// quiet sets an error handler that does not log. The default one, of apimachinery, sleeps between errors for a time
// that it computes from a clock outside of the bubble.
func quiet(t *testing.T, informer cache.SharedIndexInformer) {
	t.Helper()
	if err := informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}); err != nil {
		t.Fatal(err)
	}
}

// run starts the informers of a factory, and stops them before the test ends.
func run(t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	factory.StartWithContext(ctx)
	t.Cleanup(func() { cancel(); factory.Shutdown() })
}

// create creates a CronTab, and returns when all watchers have seen it.
func create(t *testing.T, client *fake.Clientset, c *v1.CronTab) {
	t.Helper()
	if _, err := client.StableV1().CronTabs(c.Namespace).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// update updates a CronTab, and returns when all watchers have seen it.
func update(t *testing.T, client *fake.Clientset, c *v1.CronTab) {
	t.Helper()
	if _, err := client.StableV1().CronTabs(c.Namespace).Update(t.Context(), c, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// receive returns the next value of a channel. It fails the test if the context ends first.
func receive[T any](ctx context.Context, t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
		panic("unreachable")
	}
}

// expectKeys checks that objects have the wanted keys. It sorts them first, because listers and indexes return objects
// in no order.
func expectKeys[T metav1.Object](t *testing.T, objects []T, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	var got []string
	for _, object := range objects {
		got = append(got, cache.MetaObjectToName(object).String())
	}
	slices.Sort(got)
	expect(t, got, want...)
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
