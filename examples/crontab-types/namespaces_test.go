package crontabtypes_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
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
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// Lists and watches of one namespace of a kind are those of the namespace.
func TestOneNamespace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(population()...)
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("west"), informers.WithNamespacesFor[*v1.CronTab]("east"),
			informers.WithTweakListOptions(onlyGold))
		crontabs := factory.Stable().V1().CronTabs().Lister()
		start(t, factory)
		expect(t, requested(client), `list v1 crontabs "east" "tier=gold"`, `watch v1 crontabs "east" "tier=gold"`)
		found, err := crontabs.List(labels.Everything())
		expectKeys(t, found, err, "east/gold")
	})
	for _, verb := range []string{"list", "watch"} { // which may fail
		bubble(t, func(t *testing.T) {
			client := fake.NewSimpleClientset(population()...)
			if verb == "list" {
				failLists(client, "crontabs", func() error { return forbidden("crontabs") })
			} else {
				client.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, forbidden("crontabs") })
			}
			for _, namespaces := range [][]string{{"east"}, {"east", "west"}} {
				factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab](namespaces...))
				errs := 0
				if err := factory.Stable().V1().CronTabs().Informer().SetWatchErrorHandler(func(*cache.Reflector, error) { errs++ }); err != nil {
					t.Fatal(err)
				}
				run(t, factory)
				time.Sleep(time.Minute)
				synctest.Wait()
				if errs == 0 {
					t.Errorf("%q: got no errors of %s", namespaces, verb)
				}
			}
		})
	}
}

// Lists of several namespaces have all pages of each.
func TestNamespacesPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, client := newAPI(append(population(), newCronTab("east", "another"), newCronTab("west", "another"))...)
		list, err := client.StableV1().CronTabs("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		client.ClearActions()
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"),
			informers.WithTweakListOptionsFor[*v1.CronTab](func(opts *metav1.ListOptions) {
				if opts.TimeoutSeconds == nil { // of a list
					opts.Limit, opts.ResourceVersion, opts.ResourceVersionMatch = 2, list.ResourceVersion, metav1.ResourceVersionMatchExact
				}
			}))
		crontabs := factory.Stable().V1().CronTabs().Lister()
		start(t, factory)
		found, err := crontabs.List(labels.Everything())
		expectKeys(t, found, err, "east/another", "east/gold", "east/plain", "west/another", "west/gold", "west/plain")
		var lists []string
		for _, action := range client.Actions() {
			if list, ok := action.(clienttesting.ListActionImpl); ok {
				lists = append(lists, fmt.Sprintf("%s limit=%d continue=%t exact=%t", list.Namespace, list.ListOptions.Limit, list.ListOptions.Continue != "", list.ListOptions.ResourceVersionMatch != ""))
			}
		}
		expect(t, lists, "east limit=2 continue=false exact=true", "east limit=2 continue=true exact=false", "west limit=2 continue=false exact=true", "west limit=2 continue=true exact=false")
	})
}

// slowWatch takes a second to stop. It counts the watches of its namespace that have not.
type slowWatch struct {
	*watch.RaceFreeFakeWatcher
	open *atomic.Int32
	once sync.Once
}

func (w *slowWatch) Stop() {
	w.once.Do(func() {
		time.Sleep(time.Second)
		w.RaceFreeFakeWatcher.Stop()
		w.open.Add(-1)
	})
}

// When the watch of one namespace ends, those of the others begin again, too, each where it was, and never two at once.
func TestNamespacesEndTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		watches := map[string][]*slowWatch{}
		open := map[string]*atomic.Int32{"east": {}, "west": {}}
		client.PrependWatchReactor("crontabs", func(action clienttesting.Action) (bool, watch.Interface, error) {
			namespace := action.GetNamespace()
			watcher := &slowWatch{RaceFreeFakeWatcher: watch.NewRaceFreeFake(), open: open[namespace]}
			watches[namespace] = append(watches[namespace], watcher)
			if n := open[namespace].Add(1); n > 1 {
				t.Errorf("there are %d watches of %s at once", n, namespace)
			}
			return true, watcher, nil
		})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		start(t, factory)
		bookmark := newCronTab("", "")
		bookmark.ResourceVersion = "55"
		watches["west"][0].Action(watch.Bookmark, bookmark)
		watches["east"][0].Add(newCronTab("east", "without version"))
		time.Sleep(10 * time.Second) // after less, client-go would list again
		synctest.Wait()
		if got := crontabs.Informer().LastSyncResourceVersion(); got == "55" {
			t.Error("the version of a bookmark of one namespace is taken for that of all")
		}
		watches["west"][0].RaceFreeFakeWatcher.Stop()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if len(watches["east"]) != 2 || len(watches["west"]) != 2 || !watches["east"][0].IsStopped() {
			t.Errorf("got %d and %d watches; the first of the others has ended: %t", len(watches["east"]), len(watches["west"]), watches["east"][0].IsStopped())
		}
		var versions []string
		for _, action := range client.Actions() {
			if action, ok := action.(clienttesting.WatchActionImpl); ok {
				versions = append(versions, action.Namespace+" "+action.ListOptions.ResourceVersion)
			}
		}
		expect(t, versions[2:], "east 1", "west 55")
		watches["east"][1].Add(newCronTab("east", "new"))
		synctest.Wait()
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/new", "east/without version")
	})
}

// An event that comes when another namespace's watch has failed is not lost: the next watch begins in front of it.
func TestNamespacesLoseNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		var events []*v1.CronTab // of west, in the order of their versions
		var lock sync.Mutex
		watches := map[string]*watch.RaceFreeFakeWatcher{}
		client.PrependWatchReactor("crontabs", func(action clienttesting.Action) (bool, watch.Interface, error) {
			lock.Lock()
			defer lock.Unlock()
			watcher := watch.NewRaceFreeFake()
			watches[action.GetNamespace()] = watcher
			if since, err := strconv.Atoi(action.(clienttesting.WatchActionImpl).ListOptions.ResourceVersion); err != nil {
				t.Error(err)
			} else if action.GetNamespace() == "west" {
				for _, event := range events[min(max(since-100, 0), len(events)):] {
					watcher.Add(event)
				}
			}
			return true, watcher, nil
		})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		run(t, factory)
		synctest.Wait()
		var want []string
		for i := range 50 { // for which of the two comes first is by chance
			crontab := newCronTab("west", fmt.Sprint(100+i))
			crontab.ResourceVersion = fmt.Sprint(101 + i)
			want = append(want, "west/"+crontab.Name)
			lock.Lock()
			events = append(events, crontab)
			watches["west"].Add(crontab)
			watches["east"].Error(&apierrors.NewTooManyRequests("busy", 0).ErrStatus)
			lock.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		lists := listsOf(client)
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, want...)
		if lists != 2 {
			t.Errorf("got %d lists, after which there is nothing to lose", lists)
		}
	})
}

// When versions have expired, the lists of all namespaces are of the latest one.
func TestNamespacesAfterExpiry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "a"), newCronTab("west", "a"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		run(t, factory)
		synctest.Wait()
		create(t, client, newCronTab("west", "b"))
		client.ClearActions()
		api.Fail(fakeapi.Requests{Verb: "watch"}, 2, apierrors.NewResourceExpired("expired"))
		api.Fail(fakeapi.Requests{Verb: "list"}, 1, apierrors.NewResourceExpired("expired"))
		api.EndWatches()
		time.Sleep(time.Minute)
		synctest.Wait()
		var lists []string
		for _, action := range client.Actions() {
			if list, ok := action.(clienttesting.ListActionImpl); ok && list.ListOptions.ResourceVersion == "" {
				lists = append(lists, list.Namespace)
			}
		}
		expect(t, lists, "east", "west")
	})
}

// A watch in place of a list awaits its resource. A later one does not: then the resource is listed.
func TestAwaitedResourcesOfWatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "nightly"))
		api.Fail(fakeapi.Requests{Verb: "watch", Resource: "crontabs"}, 3, absent("crontabs"))
		api.Fail(fakeapi.Requests{Verb: "list", Resource: "crontabs"}, 1000, forbidden("crontabs"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources())
		crontabs := factory.Stable().V1().CronTabs()
		var errs atomic.Int32
		if err := crontabs.Informer().SetWatchErrorHandler(func(*cache.Reflector, error) { errs.Add(1) }); err != nil {
			t.Fatal(err)
		}
		run(t, factory)
		time.Sleep(10 * time.Second) // 1 + 2 + 4 and some
		synctest.Wait()
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/nightly")
		if errs.Load() > 0 {
			t.Errorf("got %d errors while the resource was awaited", errs.Load())
		}
		begun := time.Now()
		api.Fail(fakeapi.Requests{Verb: "watch", Resource: "crontabs"}, 1, absent("crontabs"))
		api.EndWatches()
		client.ClearActions()
		for errs.Load() == 0 && time.Since(begun) < time.Minute {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if errs.Load() == 0 {
			t.Error("a watch that goes on awaits the resource, too")
		}

		// Without the option nothing is awaited.
		api, client = newAPI()
		api.Fail(fakeapi.Requests{Verb: "watch", Resource: "crontabs"}, 1, absent("crontabs"))
		factory = informers.NewSharedInformerFactory(client, 0)
		quiet(t, factory.Stable().V1().CronTabs().Informer())
		run(t, factory)
		synctest.Wait()
		if !slices.ContainsFunc(client.Actions(), func(action clienttesting.Action) bool { return action.GetVerb() == "list" }) {
			t.Error("no list after a watch whose resource is not there")
		}
	})
}

// The transform of a kind replaces that of all kinds, whichever option comes first.
func TestTransformForKindReplaces(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			_, client := newAPI(population()...)
			var all, own []string
			options := []informers.SharedInformerOption{
				informers.WithTransform(func(obj any) (any, error) {
					all = append(all, fmt.Sprintf("%T", obj))
					return obj, nil
				}),
				informers.WithTransformFor(func(c *v1.CronTabClass) (*v1.CronTabClass, error) {
					own = append(own, c.Name)
					return c, nil
				}),
			}
			if reverse {
				slices.Reverse(options)
			}
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, options...)
			factory.Stable().V1().CronTabClasses().Informer()
			start(t, factory)
			expect(t, all)
			expect(t, slices.Compact(slices.Sorted(slices.Values(own))), "gold", "plain") // client-go calls it twice
			factory.Stable().V1().CronTabs().Informer()
			start(t, factory)
			if len(all) == 0 || slices.Contains(all, "*v1.CronTabClass") {
				t.Errorf("the transform of all kinds was called with %q, want CronTabs", all)
			}
		})
	}
}

// An informer for several namespaces does not try to watch without a list, with the clients that offer it: while a
// list is not answered, there is no watch and no error.
func TestNamespacesListFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, client := newAPI(population()...)
		answer := make(chan bool)
		client.PrependReactor("list", "crontabs", func(clienttesting.Action) (bool, runtime.Object, error) { <-answer; return false, nil, nil })
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		factory.Stable().V1().CronTabs().Informer()
		run(t, factory)
		ctx, _ := waiting(t, time.Minute)
		want := "waiting for caches: context deadline exceeded\ncrontabs.stable.example.com/v1: the server has not sent all objects yet"
		if err := informers.WaitForCaches(ctx, factory); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		close(answer)
		ctx, _ = waiting(t, time.Minute)
		if err := informers.WaitForCaches(ctx, factory); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		var verbs []string
		for _, action := range client.Actions() {
			verbs = append(verbs, action.GetVerb()+" "+action.GetNamespace())
		}
		expect(t, verbs[:min(2, len(verbs))], "list east", "list west")
	})
}

// A transform may fail, and what it cannot transform is not in the cache. Handlers learn of deletions that were missed.
func TestTransformForKinds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "good"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransformFor(func(c *v1.CronTab) (*v1.CronTab, error) {
			if c.Name == "bad" {
				return c, errors.New("bad")
			}
			return c, nil
		}))
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		var deleted []string
		if _, err := crontabs.TypedInformer().AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
			DeleteFunc: func(c stablev1informers.DeletedCronTab) { deleted = append(deleted, c.GetKey()) },
		}); err != nil {
			t.Fatal(err)
		}
		run(t, factory)
		synctest.Wait()
		api.Fail(fakeapi.Requests{Verb: "watch"}, 2, errors.New("no connection"))
		api.EndWatches()
		if err := client.StableV1().CronTabs("east").Delete(t.Context(), "good", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		api.ExpireVersions()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		expect(t, deleted, "east/good")
		create(t, client, newCronTab("east", "better"))
		create(t, client, newCronTab("east", "bad"))
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/better")
	})
}
