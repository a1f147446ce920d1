package crontabtypes_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/internalinterfaces"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	stablev1beta1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1beta1"
	listers "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
)

// Objects of all kinds in two namespaces, some with a label.
func population() (objects []runtime.Object) {
	for _, namespace := range []string{"east", "west"} {
		for _, name := range []string{"plain", "gold"} {
			meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
			if name == "gold" {
				meta.Labels = map[string]string{"tier": name}
			}
			objects = append(objects, &v1.CronTab{ObjectMeta: meta}, &v1.CronRun{ObjectMeta: meta})
			if meta.Namespace = ""; namespace == "west" {
				objects = append(objects, &v1.CronTabClass{ObjectMeta: meta})
			}
		}
	}
	return objects
}

// Objects of all kinds in all versions, which fakes store apart.
func populationOfVersions() []runtime.Object {
	return append(population(), &v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "plain"}},
		&v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold", Labels: map[string]string{"tier": "gold"}}})
}

func onlyGold(opts *metav1.ListOptions) { opts.LabelSelector = "tier=gold" }

func byName(obj any) ([]string, error) { return []string{obj.(metav1.Object).GetName()}, nil }

func typedByName[T metav1.Object](obj T) ([]string, error) { return byName(obj) }

// Whatever function makes an informer: it lists and watches what it is told to, resyncs, and has its indexes.
func TestInformerConstructors(t *testing.T) {
	const resync = 10 * time.Second
	untyped := cache.Indexers{"name": byName}
	runIndexers := stablev1informers.CronRunIndexers{"name": typedByName[*v1.CronRun]}
	tabIndexers := stablev1informers.CronTabIndexers{"name": typedByName[*v1.CronTab]}
	classIndexers := stablev1informers.CronTabClassIndexers{"name": typedByName[*v1.CronTabClass]}
	oldIndexers := stablev1beta1informers.CronTabClassIndexers{"name": typedByName[*v1beta1.CronTabClass]}
	options := internalinterfaces.InformerOptions{ResyncPeriod: resync, Indexers: untyped, TweakListOptions: onlyGold}
	for _, test := range []struct {
		resource string
		all      func(versioned.Interface) cache.SharedIndexInformer
		gold     func(versioned.Interface) cache.SharedIndexInformer
	}{
		{"v1 cronruns", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronRunInformer(c, "east", resync, untyped)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewFilteredCronRunInformer(c, "east", resync, untyped, onlyGold)
		}},
		{"v1 cronruns", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronRunInformer(c, "east", resync, runIndexers)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedFilteredCronRunInformer(c, "east", resync, runIndexers, onlyGold)
		}},
		{"v1 cronruns", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronRunInformerWithOptions(c, "east", options)
		}},
		{"v1 cronruns", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronRunInformerWithOptions(c, "east", options)
		}},
		{"v1 crontabs", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronTabInformer(c, "east", resync, untyped)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewFilteredCronTabInformer(c, "east", resync, untyped, onlyGold)
		}},
		{"v1 crontabs", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronTabInformer(c, "east", resync, tabIndexers)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedFilteredCronTabInformer(c, "east", resync, tabIndexers, onlyGold)
		}},
		{"v1 crontabs", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronTabInformerWithOptions(c, "east", options)
		}},
		{"v1 crontabs", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronTabInformerWithOptions(c, "east", options)
		}},
		{"v1 crontabclasses", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronTabClassInformer(c, resync, untyped)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewFilteredCronTabClassInformer(c, resync, untyped, onlyGold)
		}},
		{"v1 crontabclasses", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronTabClassInformer(c, resync, classIndexers)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedFilteredCronTabClassInformer(c, resync, classIndexers, onlyGold)
		}},
		{"v1 crontabclasses", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewCronTabClassInformerWithOptions(c, options)
		}},
		{"v1 crontabclasses", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1informers.NewTypedCronTabClassInformerWithOptions(c, options)
		}},
		{"v1beta1 crontabclasses", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewCronTabClassInformer(c, resync, untyped)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewFilteredCronTabClassInformer(c, resync, untyped, onlyGold)
		}},
		{"v1beta1 crontabclasses", func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewTypedCronTabClassInformer(c, resync, oldIndexers)
		}, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewTypedFilteredCronTabClassInformer(c, resync, oldIndexers, onlyGold)
		}},
		{"v1beta1 crontabclasses", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewCronTabClassInformerWithOptions(c, options)
		}},
		{"v1beta1 crontabclasses", nil, func(c versioned.Interface) cache.SharedIndexInformer {
			return stablev1beta1informers.NewTypedCronTabClassInformerWithOptions(c, options)
		}},
	} {
		namespace, prefix := "east", "east/"
		if strings.HasSuffix(test.resource, "classes") {
			namespace, prefix = "", ""
		}
		if test.all != nil {
			testInformer(t, test.all, test.resource, namespace, "", prefix+"gold", prefix+"plain")
		}
		testInformer(t, test.gold, test.resource, namespace, "tier=gold", prefix+"gold")
	}
}

func testInformer(t *testing.T, newInformer func(versioned.Interface) cache.SharedIndexInformer, resource, namespace, selector string, want ...string) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(populationOfVersions()...)
		informer := newInformer(client)
		resyncs := 0
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { resyncs++ }}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, "mine"))
		var running sync.WaitGroup
		running.Go(func() { informer.RunWithContext(ctx) })
		time.Sleep(35 * time.Second)
		synctest.Wait()
		keys := informer.GetStore().ListKeys()
		slices.Sort(keys)
		expect(t, keys, want...)
		if resyncs != 3*len(want) {
			t.Errorf("handlers saw %d objects again, want %d three times", resyncs, len(want))
		}
		expect(t, requested(client), fmt.Sprintf("list %s %q %q", resource, namespace, selector), fmt.Sprintf("watch %s %q %q", resource, namespace, selector))
		found, err := informer.GetIndexer().ByIndex("name", "gold")
		if err != nil || len(found) != 1 {
			t.Errorf("got %v, %v by the index", found, err)
		}
		cancel()
		running.Wait()
	})
}

// requested returns the lists and watches that a client was asked for.
func requested(client *fake.Clientset) (got []string) {
	for _, action := range client.Actions() {
		selector := labels.Everything()
		switch action := action.(type) {
		case clienttesting.ListAction:
			selector = action.GetListRestrictions().Labels
		case clienttesting.WatchAction:
			selector = action.GetWatchRestrictions().Labels
		}
		resource := action.GetResource()
		got = append(got, fmt.Sprintf("%s %s %s %q %q", action.GetVerb(), resource.Version, resource.Resource, action.GetNamespace(), selector))
	}
	slices.Sort(got)
	return got
}

// testTyped tries an informer that was made typed, and reports the objects that handlers see.
func testTyped[T cache.Object](t *testing.T, typed cache.TypedSharedIndexInformer[T], want int) {
	t.Helper()
	seen := 0
	if _, err := typed.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[T]{AddFunc: func(T) { seen++ }}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { typed.RunWithContext(ctx) })
	synctest.Wait()
	if seen != want {
		t.Errorf("typed handlers saw %d objects, want %d", seen, want)
	}
	cancel()
	running.Wait()
}

// Informers of other origin become typed. Those that are already stay what they are.
func TestToTyped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stable := informers.NewSharedInformerFactory(fake.NewSimpleClientset(populationOfVersions()...), 0).Stable()
		type runs struct {
			stablev1informers.CronRunInformer
		}
		testToTyped[*v1.CronRun](t, stable.V1().CronRuns(), runs{stable.V1().CronRuns()},
			stablev1informers.ToTypedCronRunInformer, stablev1informers.ToCronRunIndexInformer, 4)
		type tabs struct {
			stablev1informers.CronTabInformer
		}
		testToTyped[*v1.CronTab](t, stable.V1().CronTabs(), tabs{stable.V1().CronTabs()},
			stablev1informers.ToTypedCronTabInformer, stablev1informers.ToCronTabIndexInformer, 4)
		type classes struct {
			stablev1informers.CronTabClassInformer
		}
		testToTyped[*v1.CronTabClass](t, stable.V1().CronTabClasses(), classes{stable.V1().CronTabClasses()},
			stablev1informers.ToTypedCronTabClassInformer, stablev1informers.ToCronTabClassIndexInformer, 2)
		type oldClasses struct {
			stablev1beta1informers.CronTabClassInformer
		}
		testToTyped[*v1beta1.CronTabClass](t, stable.V1beta1().CronTabClasses(), oldClasses{stable.V1beta1().CronTabClasses()},
			stablev1beta1informers.ToTypedCronTabClassInformer, stablev1beta1informers.ToCronTabClassIndexInformer, 2)
	})
}

// testToTyped makes informers for a kind typed: one that is, one that hides that it is, and those inside them.
func testToTyped[T cache.Object, Index interface {
	comparable
	cache.TypedSharedIndexInformer[T]
}, Typed interface {
	comparable
	Informer() cache.SharedIndexInformer
	TypedInformer() Index
}, Untyped any](t *testing.T, informer Typed, hidden any, toTyped func(Untyped) Typed, toIndex func(cache.SharedIndexInformer) Index, want int) {
	t.Helper()
	if toTyped(any(informer).(Untyped)) != informer {
		t.Error("a typed informer becomes another one")
	}
	if typed := toTyped(hidden.(Untyped)); typed == informer || typed.Informer() != informer.Informer() {
		t.Error("the informer has another one inside")
	} else {
		testTyped(t, cache.TypedSharedIndexInformer[T](typed.TypedInformer()), want)
	}
	index := informer.TypedInformer()
	if toIndex(index) != index {
		t.Error("a typed informer becomes another one")
	}
	type plain struct{ cache.SharedIndexInformer }
	if typed := toIndex(plain{index}); typed == index || typed.GetIndexer() != index.GetIndexer() {
		t.Error("the informer has another one inside")
	}
}

// The informers of a factory request what its options say, of all kinds, and share their caches with the listers.
func TestFactories(t *testing.T) {
	for name, test := range map[string]struct {
		factory             func(versioned.Interface) informers.SharedInformerFactory
		namespace, selector string
		resyncs             int // in 35 seconds
	}{
		"without options": {func(c versioned.Interface) informers.SharedInformerFactory {
			return informers.NewSharedInformerFactory(c, 10*time.Second)
		}, "", "", 3},
		"filtered": {func(c versioned.Interface) informers.SharedInformerFactory {
			//lint:ignore SA1019 deprecated, but as good as the others
			return informers.NewFilteredSharedInformerFactory(c, 15*time.Second, "east", onlyGold)
		}, "east", "tier=gold", 2},
		"with options": {func(c versioned.Interface) informers.SharedInformerFactory {
			return informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace("west"), informers.WithTweakListOptions(onlyGold))
		}, "west", "tier=gold", 0},
		"with options for kinds": {func(c versioned.Interface) informers.SharedInformerFactory {
			return informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithTweakListOptionsFor[*v1.CronRun](onlyGold), informers.WithResyncFor[*v1.CronRun](10*time.Second),
				informers.WithTweakListOptionsFor[*v1.CronTab](onlyGold), informers.WithResyncFor[*v1.CronTab](10*time.Second),
				informers.WithTweakListOptionsFor[*v1.CronTabClass](onlyGold), informers.WithResyncFor[*v1.CronTabClass](10*time.Second),
				informers.WithTweakListOptionsFor[*v1beta1.CronTabClass](onlyGold), informers.WithResyncFor[*v1beta1.CronTabClass](10*time.Second))
		}, "", "tier=gold", 3},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				client := fake.NewSimpleClientset(populationOfVersions()...)
				factory := test.factory(client)
				stable, old := factory.Stable().V1(), factory.Stable().V1beta1().CronTabClasses()
				runs, tabs, classes, oldClasses := stable.CronRuns().Lister(), stable.CronTabs().Lister(), stable.CronTabClasses().Lister(), old.Lister()
				var lock sync.Mutex
				resyncs := map[string]int{}
				for _, informer := range []cache.SharedIndexInformer{stable.CronRuns().Informer(), stable.CronTabs().Informer(), stable.CronTabClasses().Informer(), old.Informer()} {
					if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) {
						lock.Lock()
						defer lock.Unlock()
						resyncs[fmt.Sprintf("%T %s", obj, cache.MetaObjectToName(obj.(metav1.Object)))]++
					}}); err != nil {
						t.Fatal(err)
					}
				}
				stop := make(chan struct{})
				factory.Start(stop)
				synced := factory.WaitForCacheSync(stop)
				want := map[reflect.Type]bool{reflect.TypeFor[*v1.CronRun](): true, reflect.TypeFor[*v1.CronTab](): true, reflect.TypeFor[*v1.CronTabClass](): true,
					reflect.TypeFor[*v1beta1.CronTabClass](): true}
				if !reflect.DeepEqual(synced, want) {
					t.Errorf("got %v, want %v", synced, want)
				}
				namespaces, names := []string{"east", "west"}, []string{"gold", "plain"}
				if test.namespace != "" {
					namespaces = []string{test.namespace}
				}
				if test.selector != "" {
					names = names[:1]
				}
				var keys []string
				for _, namespace := range namespaces {
					for _, name := range names {
						keys = append(keys, namespace+"/"+name)
					}
				}
				foundRuns, err := runs.List(labels.Everything())
				expectKeys(t, foundRuns, err, keys...)
				foundTabs, err := tabs.List(labels.Everything())
				expectKeys(t, foundTabs, err, keys...)
				foundClasses, err := classes.List(labels.Everything())
				expectKeys(t, foundClasses, err, names...)
				foundOld, err := oldClasses.List(labels.Everything())
				expectKeys(t, foundOld, err, names...)
				for _, informer := range []cache.SharedIndexInformer{stable.CronRuns().Informer(), stable.CronTabs().Informer()} {
					east, err := informer.GetIndexer().IndexKeys(cache.NamespaceIndex, "east")
					if err != nil || (len(east) > 0) != slices.Contains(namespaces, "east") {
						t.Errorf("got %q, %v by namespace", east, err)
					}
				}
				for _, informer := range []cache.SharedIndexInformer{stable.CronTabClasses().Informer(), old.Informer()} {
					if _, err := informer.GetIndexer().IndexKeys(cache.NamespaceIndex, ""); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(35 * time.Second)
				synctest.Wait()
				for _, object := range []string{"*v1.CronRun " + keys[0], "*v1.CronTab " + keys[0], "*v1.CronTabClass gold", "*v1beta1.CronTabClass gold"} {
					if resyncs[object] != test.resyncs {
						t.Errorf("handlers saw %s %d times again, want %d", object, resyncs[object], test.resyncs)
					}
				}
				var lines []string
				for _, kind := range kinds {
					namespace := test.namespace
					if !kind.namespaced {
						namespace = ""
					}
					for _, verb := range []string{"list", "watch"} {
						lines = append(lines, fmt.Sprintf("%s %s %s %q %q", verb, kind.Version, kind.resource, namespace, test.selector))
					}
				}
				slices.Sort(lines)
				expect(t, requested(client), lines...)
				close(stop)
				factory.Shutdown()
				factory.Shutdown()
				if !stable.CronTabs().Informer().IsStopped() {
					t.Error("the informer goes on after its channel is closed")
				}
			})
		})
	}
}

// Waits for caches that end early say so, for each type and why.
func TestWaitForCacheSyncEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(population()...)
		failLists(client, "crontabs", func() error { return forbidden("crontabs") })
		factory := informers.NewSharedInformerFactory(client, 0)
		quiet(t, factory.Stable().V1().CronTabs().Informer())
		factory.Stable().V1().CronRuns().Informer()
		run(t, factory)
		ctx, log := waiting(t, time.Minute)
		begun := time.Now()
		want := map[reflect.Type]bool{reflect.TypeFor[*v1.CronRun](): true, reflect.TypeFor[*v1.CronTab](): false}
		result := factory.WaitForCacheSyncWithContext(ctx)
		if !reflect.DeepEqual(result.Synced, want) || result.Err != context.DeadlineExceeded || time.Since(begun) != time.Minute {
			t.Errorf("got %+v after %v, want %v and why", result, time.Since(begun), want)
		}
		begun = time.Now()
		if got := factory.WaitForCacheSync(ctx.Done()); !reflect.DeepEqual(got, want) || time.Since(begun) > 0 {
			t.Errorf("got %v after %v, want %v", got, time.Since(begun), want)
		}
		if log.Len() > 0 {
			t.Errorf("got log %q", log)
		}

		one := func(informer func(stablev1informers.Interface) cache.SharedIndexInformer) cache.SyncResult {
			factory := informers.NewSharedInformerFactory(client, 0)
			quiet(t, informer(factory.Stable().V1()))
			run(t, factory)
			synctest.Wait()
			return factory.WaitForCacheSyncWithContext(ctx) // which has ended
		}
		if result := one(func(i stablev1informers.Interface) cache.SharedIndexInformer { return i.CronRuns().Informer() }); result.Err != nil {
			t.Errorf("got %+v although all caches are full", result)
		}
		if result := one(func(i stablev1informers.Interface) cache.SharedIndexInformer { return i.CronTabs().Informer() }); result.Err != context.DeadlineExceeded {
			t.Errorf("got %+v although no cache is full", result)
		}
	})
}

// An object of another type, as from a wrong reactor, does not come into a cache.
func TestObjectsOfOtherTypes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		watcher := watch.NewRaceFreeFake()
		client.PrependWatchReactor("crontabs", func(clienttesting.Action) (bool, watch.Interface, error) { return true, watcher, nil })
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs().Informer()
		start(t, factory)
		watcher.Add(&v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "run"}})
		synctest.Wait()
		expect(t, informer.GetStore().ListKeys())
	})
}

// Errors of lists and watches are those of the informer, for all kinds.
func TestInformerErrors(t *testing.T) {
	for _, kind := range kinds {
		for _, verb := range []string{"list", "watch"} {
			bubble(t, func(t *testing.T) {
				client := fake.NewSimpleClientset(populationOfVersions()...)
				if verb == "list" {
					failLists(client, kind.resource, func() error { return forbidden(kind.resource) })
				} else {
					client.PrependWatchReactor(kind.resource, func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, forbidden(kind.resource) })
				}
				factory := informers.NewSharedInformerFactory(client, 0)
				informer, err := factory.ForResource(kind.WithResource(kind.resource))
				if err != nil {
					t.Fatal(err)
				}
				errs := 0
				if err := informer.Informer().SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
					if errs++; !apierrors.IsForbidden(err) {
						t.Errorf("got error %v", err)
					}
				}); err != nil {
					t.Fatal(err)
				}
				run(t, factory)
				time.Sleep(time.Minute)
				synctest.Wait()
				if errs == 0 || informer.Informer().HasSynced() != (verb == "watch") {
					t.Errorf("got %d errors of %s %s; the cache is full: %t", errs, verb, kind.resource, informer.Informer().HasSynced())
				}
			})
		}
	}
}

// metrics records the informers that have metrics.
type metrics struct{ of []string }

var informerMetrics = &metrics{}

func (m *metrics) NewQueuedItemMetric(cache.InformerNameAndResource) cache.GaugeMetric { return m }
func (m *metrics) NewProcessingLatencyMetric(cache.InformerNameAndResource) cache.HistogramMetric {
	return m
}
func (m *metrics) NewStoreResourceVersionMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	m.of = append(m.of, id.Name()+" "+id.GroupVersionResource().Version+" "+id.GroupVersionResource().Resource)
	return m
}
func (m *metrics) Set(float64)     {}
func (m *metrics) Observe(float64) {}

// The informers of a factory use its name for metrics, until it is shut down.
func TestInformerName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		informerMetrics.of = nil
		cache.SetInformerMetricsProvider(informerMetrics) // of which only the first counts
		name, err := cache.NewInformerName("crontabs-test")
		if err != nil {
			t.Fatal(err)
		}
		factory := informers.NewSharedInformerFactoryWithOptions(fake.NewSimpleClientset(), 0, informers.WithInformerName(name))
		if factory.InformerName() != name {
			t.Errorf("the factory has the name %v", factory.InformerName())
		}
		stable := factory.Stable().V1()
		stable.CronRuns().Informer()
		stable.CronTabs().Informer()
		stable.CronTabClasses().Informer()
		factory.Stable().V1beta1().CronTabClasses().Informer()
		expect(t, informerMetrics.of, "crontabs-test v1 cronruns", "crontabs-test v1 crontabs", "crontabs-test v1 crontabclasses", "crontabs-test v1beta1 crontabclasses")
		for _, kind := range kinds {
			if name.WithResource(kind.WithResource(kind.resource)).Reserved() {
				t.Errorf("the informer for %s does not use the name", kind.resource)
			}
		}
		if !name.WithResource(groupVersion.WithResource("others")).Reserved() {
			t.Error("the name is not usable")
		}
		factory.Shutdown()
		again, err := cache.NewInformerName("crontabs-test")
		if err != nil {
			t.Fatalf("the name is in use after the end: %v", err)
		}
		stablev1informers.NewCronTabInformerWithOptions(fake.NewSimpleClientset(), "", internalinterfaces.InformerOptions{InformerName: again})
		if again.WithResource(groupVersion.WithResource("crontabs")).Reserved() {
			t.Error("an informer of its own does not use the name")
		}
		again.Release()
	})
}

// Errors of listers name the resource.
func TestListersNotFound(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	stable := factory.Stable().V1()
	_, err1 := stable.CronRuns().Lister().CronRuns("east").Get("a")
	_, err2 := stable.CronTabs().Lister().CronTabs("east").Get("a")
	_, err3 := stable.CronTabClasses().Lister().Get("a")
	_, err4 := factory.Stable().V1beta1().CronTabClasses().Lister().Get("a")
	resources := []string{"cronrun", "crontab", "crontabclass", "crontabclass"}
	for i, err := range []error{err1, err2, err3, err4} {
		if want := resources[i] + `.stable.example.com "a" not found`; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	for _, kind := range kinds {
		generic, err := factory.ForResource(kind.WithResource(kind.resource))
		if err != nil {
			t.Fatal(err)
		}
		_, err = generic.Lister().Get("a")
		if want := kind.resource + `.stable.example.com "a" not found`; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	if _, err := factory.ForResource(groupVersion.WithResource("others")); err == nil || err.Error() != "the factory has no informer for stable.example.com/v1, Resource=others" {
		t.Errorf("got error %v for a resource that is not there", err)
	}
}

// Runs are found by their controllers and phases.
func TestRunIndexes(t *testing.T) {
	yes := true
	owned := func(namespace, name string, phase v1.CronRunPhase) *v1.CronRun {
		return &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, OwnerReferences: []metav1.OwnerReference{{UID: "of " + "one", Controller: &yes}}},
			Status: v1.CronRunStatus{Phase: phase}}
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, listers.CronRunIndexers())
	for _, run := range []*v1.CronRun{owned("east", "a", v1.RunFailed), owned("west", "b", v1.RunFailed), owned("west", "c", v1.RunPending)} {
		if err := indexer.Add(run); err != nil {
			t.Fatal(err)
		}
	}
	runs := listers.NewCronRunLister(indexer)
	for _, test := range []struct {
		find func() ([]*v1.CronRun, error)
		want []string
	}{
		{func() ([]*v1.CronRun, error) { return runs.ByController("of one") }, []string{"east/a", "west/b", "west/c"}},
		{func() ([]*v1.CronRun, error) { return runs.ByController("") }, nil},
		{func() ([]*v1.CronRun, error) { return runs.ByPhase(v1.RunFailed) }, []string{"east/a", "west/b"}},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("west").ByController("of one") }, []string{"west/b", "west/c"}},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("west").ByController("") }, nil},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("west").ByPhase(v1.RunFailed) }, []string{"west/b"}},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("west").ByPhase("") }, nil},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("").ByPhase(v1.RunPending) }, []string{"west/c"}},
		{func() ([]*v1.CronRun, error) { return runs.CronRuns("west").List(labels.Everything()) }, []string{"west/b", "west/c"}},
	} {
		found, err := test.find()
		expectKeys(t, found, err, test.want...)
	}
	two := owned("east", "two", "")
	two.OwnerReferences = append(two.OwnerReferences, metav1.OwnerReference{UID: "of another", Controller: &yes}, two.OwnerReferences[0])
	expect(t, listers.CronRunByControllerKeys(two), "of another", "of one")

	tabs := cache.NewIndexer(cache.MetaNamespaceKeyFunc, listers.CronTabIndexers())
	for _, crontab := range []*v1.CronTab{newCronTab("east", "a"), newCronTab("west", "b")} {
		if err := tabs.Add(crontab); err != nil {
			t.Fatal(err)
		}
	}
	images, err := listers.NewCronTabLister(tabs).ByImage("image:v1")
	expectKeys(t, images, err, "east/a", "west/b")
	classes, err := listers.NewCronTabLister(tabs).ByClass("gold")
	expectKeys(t, classes, err)
	expect(t, []string{listers.CronRunByController, listers.CronRunByPhase, listers.CronTabByClass, listers.CronTabByImage},
		"metadata.ownerReferences[?(@.controller==true)].uid", "status.phase", "spec.className", "spec.image")

	bare := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	bareRuns, bareTabs := listers.NewCronRunLister(bare), listers.NewCronTabLister(bare)
	for want, find := range map[string]func() (any, error){
		"Index with name status.phase does not exist: add what CronRunIndexers returns to the indexers of the informer":                                  func() (any, error) { return bareRuns.ByPhase("") },
		"Index with name namespace/status.phase does not exist: add what CronRunIndexers returns to the indexers of the informer":                        func() (any, error) { return bareRuns.CronRuns("east").ByPhase("") },
		"Index with name " + listers.CronRunByController + " does not exist: add what CronRunIndexers returns to the indexers of the informer":           func() (any, error) { return bareRuns.ByController("") },
		"Index with name namespace/" + listers.CronRunByController + " does not exist: add what CronRunIndexers returns to the indexers of the informer": func() (any, error) { return bareRuns.CronRuns("east").ByController("") },
		"Index with name spec.className does not exist: add what CronTabIndexers returns to the indexers of the informer":                                func() (any, error) { return bareTabs.ByClass("") },
		"Index with name namespace/spec.className does not exist: add what CronTabIndexers returns to the indexers of the informer":                      func() (any, error) { return bareTabs.CronTabs("east").ByClass("") },
		"Index with name spec.image does not exist: add what CronTabIndexers returns to the indexers of the informer":                                    func() (any, error) { return bareTabs.ByImage("") },
		"Index with name namespace/spec.image does not exist: add what CronTabIndexers returns to the indexers of the informer":                          func() (any, error) { return bareTabs.CronTabs("east").ByImage("") },
	} {
		if found, err := find(); !reflect.ValueOf(found).IsNil() || err == nil || err.Error() != want {
			t.Errorf("got %v and error %v\nwant %s", found, err, want)
		}
	}
	for name, indexers := range map[string]cache.Indexers{"of runs": listers.CronRunIndexers(), "of crontabs": listers.CronTabIndexers()} {
		if len(indexers) != 4 {
			t.Errorf("%s: got %d indexers", name, len(indexers))
		}
		for index, keys := range indexers {
			found, err := keys(&v1.CronTabClass{})
			if len(found) > 0 || err == nil {
				t.Errorf("%s %s: got keys %q, error %v of an object of another type", name, index, found, err)
			}
		}
	}
	if _, err := listers.CronTabIndexers()[listers.CronTabByClass](&v1.CronRun{}); err == nil || err.Error() != "index spec.className: *v1.CronRun is not of the type that it indexes" {
		t.Errorf("got error %v of an object of another type", err)
	}
	if _, err := listers.CronRunIndexers()[listers.CronRunByPhase](&v1.CronTab{}); err == nil || err.Error() != "index status.phase: *v1.CronTab is not of the type that it indexes" {
		t.Errorf("got error %v of an object of another type", err)
	}
}
