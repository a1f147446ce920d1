package crontabtypes_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// TestOptionsForKinds checks that options for one kind affect only that kind.
func TestOptionsForKinds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		labelled := func(c *v1.CronTab, tier string) *v1.CronTab {
			c.Labels, c.Annotations = map[string]string{"tier": tier}, map[string]string{"note": tier}
			return c
		}
		newRun := func(tier string) *v1.CronRun {
			return &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: tier,
				Labels: map[string]string{"tier": tier}, Annotations: map[string]string{"note": tier}}}
		}
		_, client := newAPI(labelled(newCronTab("east", "gold"), "gold"), labelled(newCronTab("east", "silver"), "silver"), newRun("gold"), newRun("silver"))
		var tweaked []string
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithTweakListOptions(func(opts *metav1.ListOptions) { opts.LabelSelector = "tier" }),
			informers.WithTweakListOptionsFor[*v1.CronTab](func(opts *metav1.ListOptions) {
				tweaked = append(tweaked, opts.LabelSelector)
				opts.LabelSelector += "=gold"
			}),
			informers.WithTransform(func(obj any) (any, error) {
				obj.(metav1.Object).SetAnnotations(map[string]string{"note": "all"})
				return obj, nil
			}),
			informers.WithTransformFor(func(c *v1.CronTab) (*v1.CronTab, error) {
				c.Annotations = map[string]string{"note": "crontabs"}
				return c, nil
			}),
			informers.WithResyncFor[*v1.CronTab](time.Minute))
		resyncs := map[string]int{}
		crontabs, runs := factory.Stable().V1().CronTabs(), factory.Stable().V1().CronRuns()
		_, err := crontabs.TypedInformer().AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
			UpdateFunc: func(_, c *v1.CronTab) { resyncs["crontab "+c.Name]++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = runs.TypedInformer().AddTypedEventHandler(stablev1informers.CronRunHandlerFuncs{
			UpdateFunc: func(_, run *v1.CronRun) { resyncs["run "+run.Name]++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		run(t, factory)
		synctest.Wait()

		gold, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, gold, err, "east/gold")
		all, err := runs.Lister().List(labels.Everything())
		expectKeys(t, all, err, "east/gold", "east/silver")
		for _, selector := range tweaked {
			expect(t, []string{selector}, "tier")
		}
		expect(t, []string{gold[0].Annotations["note"], all[0].Annotations["note"], all[1].Annotations["note"]}, "crontabs", "all", "all")

		create(t, client, labelled(newCronTab("east", "more"), "gold"))
		create(t, client, labelled(newCronTab("east", "other"), "bronze"))
		gold, err = crontabs.Lister().List(labels.Everything())
		expectKeys(t, gold, err, "east/gold", "east/more")
		time.Sleep(150 * time.Second)
		synctest.Wait()
		expect(t, slices.Sorted(maps.Keys(resyncs)), "crontab gold", "crontab more")
		if resyncs["crontab gold"] != 2 {
			t.Errorf("got %d resyncs in two and a half minutes, want one a minute", resyncs["crontab gold"])
		}
	})
}

// TestOptionsForOwnInformer checks that an informer created by a function of the caller has the options that the
// factory sets, and sends the requests that it chooses itself.
func TestOptionsForOwnInformer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, client := newAPI(newCronTab("east", "a"), newCronTab("west", "a"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east"),
			informers.WithTweakListOptionsFor[*v1.CronTab](func(opts *metav1.ListOptions) { opts.LabelSelector = "tier=gold" }),
			informers.WithTransformFor(func(c *v1.CronTab) (*v1.CronTab, error) { c.Spec.Image = "none"; return c, nil }),
			informers.WithResyncFor[*v1.CronTab](time.Minute))
		var period time.Duration
		factory.InformerFor(&v1.CronTab{}, func(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
			period = resync
			return stablev1informers.NewCronTabInformer(client, metav1.NamespaceAll, resync, cache.Indexers{})
		})
		run(t, factory)
		synctest.Wait()
		found, err := factory.Stable().V1().CronTabs().Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/a", "west/a")
		if period != time.Minute || found[0].Spec.Image != "none" {
			t.Errorf("got resync period %v and image %s, want those of the options", period, found[0].Spec.Image)
		}
	})
}

// TestWithoutManagedFields checks for which kinds the options drop managedFields, whether objects come from a list or a
// watch, and that functions of other options are called afterwards.
func TestWithoutManagedFields(t *testing.T) {
	managers := func(o metav1.Object) string {
		names := []string{}
		for _, entry := range o.GetManagedFields() {
			names = append(names, entry.Manager)
		}
		return strings.Join(names, " ")
	}
	noted := func(o metav1.Object) { o.SetAnnotations(map[string]string{"note": "saw " + managers(o)}) }
	all := informers.WithTransform(func(obj any) (any, error) { noted(obj.(metav1.Object)); return obj, nil })
	one := informers.WithTransformFor(func(c *v1.CronTab) (*v1.CronTab, error) { noted(c); return c, nil })
	dropped, droppedOne := informers.WithoutManagedFields(), informers.WithoutManagedFieldsFor[*v1.CronTab]()
	for _, test := range []struct {
		options       []informers.SharedInformerOption
		crontabs, run string // managers in the cache, and what the function saw
	}{
		{nil, "test, ", "test, "},
		{[]informers.SharedInformerOption{dropped}, ", ", ", "},
		{[]informers.SharedInformerOption{droppedOne}, ", ", "test, "},
		{[]informers.SharedInformerOption{informers.WithoutManagedFieldsFor[*v1.CronRun](), droppedOne}, ", ", ", "},
		{[]informers.SharedInformerOption{dropped, all}, ", saw ", ", saw "},
		{[]informers.SharedInformerOption{all, dropped}, ", saw ", ", saw "},
		{[]informers.SharedInformerOption{one, dropped}, ", saw ", ", "},
		{[]informers.SharedInformerOption{droppedOne, all, one}, ", saw ", "test, saw test"},
	} {
		bubble(t, func(t *testing.T) {
			_, client := newAPI()
			opts := metav1.CreateOptions{FieldManager: "test"}
			stable := client.StableV1()
			createBoth := func(name string) {
				crontab := newCronTab("east", name)
				_, err1 := stable.CronTabs("east").Create(t.Context(), crontab, opts)
				_, err2 := stable.CronRuns("east").Create(t.Context(), &v1.CronRun{ObjectMeta: crontab.ObjectMeta}, opts)
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			createBoth("listed")
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, test.options...)
			own := func(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
				return stablev1informers.NewCronRunInformer(client, metav1.NamespaceAll, resync, cache.Indexers{})
			}
			crontabs, runs := factory.Stable().V1().CronTabs().Informer(), factory.InformerFor(&v1.CronRun{}, own)
			run(t, factory)
			synctest.Wait()
			createBoth("watched")
			for name, informer := range map[string]cache.SharedIndexInformer{test.crontabs: crontabs, test.run: runs} {
				var got []string
				for _, obj := range informer.GetStore().List() {
					object := obj.(metav1.Object)
					got = append(got, managers(object)+", "+object.GetAnnotations()["note"])
				}
				expect(t, got, name, name)
			}
		})
	}
}

// transformed is an informer that remembers its transform.
type transformed struct {
	cache.SharedIndexInformer
	transform cache.TransformFunc
}

func (i *transformed) SetTransform(transform cache.TransformFunc) error {
	i.transform = transform
	return i.SharedIndexInformer.SetTransform(transform)
}

// TestWithoutManagedFieldsTwice checks that a tombstone, and an object that is in a cache, are not written to (the race
// detector would report it), and that the errors of other transforms are returned.
func TestWithoutManagedFieldsTwice(t *testing.T) {
	informer := &transformed{}
	bad := errors.New("bad")
	options := []informers.SharedInformerOption{informers.WithoutManagedFields(), informers.WithTransform(func(obj any) (any, error) {
		if obj == nil {
			return nil, bad
		}
		return obj, nil
	})}
	informers.NewSharedInformerFactoryWithOptions(fake.NewSimpleClientset(), 0, options...).InformerFor(&v1.CronTab{},
		func(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
			informer.SharedIndexInformer = stablev1informers.NewCronTabInformer(client, metav1.NamespaceAll, resync, cache.Indexers{})
			return informer
		})
	crontab, kept := newCronTab("east", "nightly"), newCronTab("east", "weekly")
	crontab.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "test"}}
	kept.ManagedFields = slices.Clone(crontab.ManagedFields)
	tombstone := cache.DeletedFinalStateUnknown{Key: "east/weekly", Obj: kept}
	if _, err := informer.transform(crontab); err != nil || crontab.ManagedFields != nil {
		t.Errorf("got error %v and managedFields %v", err, crontab.ManagedFields)
	}
	var readers sync.WaitGroup
	readers.Go(func() {
		for range 100 {
			_, _ = crontab.DeepCopy(), kept.DeepCopy()
		}
	})
	if _, err := informer.transform(nil); !errors.Is(err, bad) {
		t.Errorf("got error %v, want the error of the transform", err)
	}
	for _, obj := range []any{crontab, tombstone} {
		if got, err := informer.transform(obj); err != nil || got != obj {
			t.Errorf("got %v, %v for %v", got, err, obj)
		}
	}
	readers.Wait()
	if len(kept.ManagedFields) != 1 {
		t.Error("the object of a tombstone was changed")
	}
}

// TestWithoutManagedFieldsShared checks that factories can share options while their caches are read, filled and filled
// again, and that tombstones have the objects of the cache.
func TestWithoutManagedFieldsShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI()
		create(t, client, newCronTab("east", "nightly"))
		create(t, client, newCronTab("east", "weekly"))
		options := []informers.SharedInformerOption{informers.WithoutManagedFields(), informers.WithoutManagedFieldsFor[*v1.CronTab](),
			informers.WithResyncFor[*v1.CronTab](time.Second)}
		var factories sync.WaitGroup
		for range 2 {
			factories.Go(func() {
				factory := informers.NewSharedInformerFactoryWithOptions(client, 0, options...)
				crontabs := factory.Stable().V1().CronTabs()
				quiet(t, crontabs.Informer())
				var unknown atomic.Int32
				_, err := crontabs.TypedInformer().AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
					DeleteFunc: func(c stablev1informers.DeletedCronTab) {
						if unknown.Add(1); c.FinalStateUnknown == nil || c.OptionalObj == nil || c.OptionalObj.ManagedFields != nil {
							t.Errorf("got deletion %+v", c)
						}
					},
				})
				if err != nil {
					t.Error(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				factory.StartWithContext(ctx)
				defer factory.Shutdown()
				defer cancel()
				for range 600 {
					found, err := crontabs.Lister().List(labels.Everything())
					if err != nil {
						t.Error(err)
					}
					for _, c := range found {
						if c.DeepCopy().ManagedFields != nil {
							t.Errorf("%s is in the cache with its managed fields", c.Name)
						}
					}
					time.Sleep(100 * time.Millisecond)
				}
				if n := unknown.Load(); n != 1 {
					t.Errorf("the handler received %d deletions, want one", n)
				}
			})
		}
		time.Sleep(10 * time.Second)
		api.Fail(fakeapi.Requests{Verb: "watch"}, 2, apierrors.NewTooManyRequests("busy", 0))
		api.EndWatches()
		if err := client.StableV1().CronTabs("east").Delete(t.Context(), "weekly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		api.ExpireVersions()
		factories.Wait()
	})
}

// TestUseWithoutManagedFields checks what the comment of WithoutManagedFields says: an update with such an object keeps
// the managedFields of the server, and extracting from it returns nothing.
func TestUseWithoutManagedFields(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, client := newAPI()
		crontabs := client.StableV1().CronTabs("east")
		applied := apply.CronTab("nightly", "east").WithSpec(apply.CronTabSpec().WithImage("image"))
		if _, err := crontabs.Apply(t.Context(), applied, metav1.ApplyOptions{FieldManager: "owner"}); err != nil {
			t.Fatal(err)
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithoutManagedFields())
		lister := factory.Stable().V1().CronTabs().Lister()
		run(t, factory)
		synctest.Wait()
		cached, err := lister.CronTabs("east").Get("nightly")
		if err != nil {
			t.Fatal(err)
		}
		changed := cached.DeepCopy()
		changed.Labels = map[string]string{"tier": "gold"}
		if _, err := crontabs.Update(t.Context(), changed, metav1.UpdateOptions{FieldManager: "updater"}); err != nil {
			t.Fatal(err)
		}
		stored, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(stored.ManagedFields) != 2 {
			t.Errorf("got managedFields %v after an update, want those of owner and updater", stored.ManagedFields)
		}
		for _, c := range []*v1.CronTab{cached, stored} {
			extracted, err := apply.ExtractCronTab(c, "owner")
			if err != nil || (extracted.Spec != nil) != (c == stored) {
				t.Errorf("extracted %+v, %v", extracted, err)
			}
		}
	})
}

// TestNamespacesForKind checks that the namespaces of an informer are requested one by one, and that other informers
// are not affected.
func TestNamespacesForKind(t *testing.T) {
	for _, test := range []struct {
		namespaces    []string
		requested     []string
		crontabs      []string
		streamedLists bool // lists by watch requests
	}{
		{nil, []string{"north"}, []string{"north/a"}, true},
		{[]string{"east"}, []string{"east"}, []string{"east/a"}, true},
		{[]string{"west", "east", "west"}, []string{"east", "west"}, []string{"east/a", "west/a"}, false},
		{[]string{"east", ""}, []string{""}, []string{"east/a", "north/a", "west/a"}, true},
	} {
		bubble(t, func(t *testing.T) {
			_, client := newAPI(newCronTab("east", "a"), newCronTab("north", "a"), newCronTab("west", "a"),
				&v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "north", Name: "a"}})
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("north"),
				informers.WithNamespacesFor[*v1.CronTab](test.namespaces...))
			crontabs, runs := factory.Stable().V1().CronTabs().Lister(), factory.Stable().V1().CronRuns().Lister()
			run(t, factory)
			synctest.Wait()
			got, err := crontabs.List(labels.Everything())
			expectKeys(t, got, err, test.crontabs...)
			found, err := runs.List(labels.Everything())
			expectKeys(t, found, err, "north/a")

			watched, lists := map[string]bool{}, 0
			for _, action := range client.Actions() {
				if action.GetResource().Resource != "crontabs" {
					continue
				}
				watched[action.GetNamespace()] = true
				if action.GetVerb() == "list" {
					lists++
				}
			}
			expect(t, slices.Sorted(maps.Keys(watched)), test.requested...)
			if streamed := lists == 0; streamed != test.streamedLists {
				t.Errorf("%q: got %d lists; it is %t that watches may start with them", test.namespaces, lists, test.streamedLists)
			}
		})
	}
}

// TestNamespacesThroughChurn checks that, whatever happens to the watches, the cache for several namespaces has the
// objects of the server, and no handler sees an object go back to an older version.
func TestNamespacesThroughChurn(t *testing.T) {
	for seed := range uint64(30) {
		bubble(t, func(t *testing.T) {
			api, client := newAPI()
			namespaces := []string{"east", "north", "west"}
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab](namespaces[:2]...))
			informer := factory.Stable().V1().CronTabs().TypedInformer()
			quiet(t, informer)
			seen := map[string]uint64{}
			see := func(what string, c *v1.CronTab) {
				version, err := strconv.ParseUint(c.ResourceVersion, 10, 64)
				if key := c.Namespace + "/" + c.Name; err != nil || version < seen[key] {
					t.Errorf("%s of %s has version %s after %d", what, key, c.ResourceVersion, seen[key])
				} else {
					seen[key] = version
				}
			}
			_, err := informer.AddTypedEventHandler(stablev1informers.CronTabHandlerFuncs{
				AddFunc:    func(c *v1.CronTab) { see("add", c) },
				UpdateFunc: func(_, c *v1.CronTab) { see("update", c) },
				DeleteFunc: func(c stablev1informers.DeletedCronTab) { see("delete", c.OptionalObj) },
			})
			if err != nil {
				t.Fatal(err)
			}
			run(t, factory)
			random := rand.New(rand.NewPCG(seed, seed))
			for range 60 {
				switch crontabs := client.StableV1().CronTabs(namespaces[random.IntN(3)]); random.IntN(10) {
				case 0:
					api.EndWatches()
				case 1:
					api.ExpireVersions()
				case 2:
					api.Fail(fakeapi.Requests{Verb: "watch", Namespace: "north"}, 1, apierrors.NewTooManyRequests("busy", 0))
					api.EndWatches()
				case 3:
					synctest.Wait()
				case 4:
					time.Sleep(time.Minute)
				case 5, 6:
					_ = crontabs.Delete(t.Context(), fmt.Sprint(random.IntN(3)), metav1.DeleteOptions{})
				default:
					name := fmt.Sprint(random.IntN(3))
					c, err := crontabs.Get(t.Context(), name, metav1.GetOptions{})
					if err == nil {
						c.Spec.Image = fmt.Sprint("image:", random.IntN(1000))
						_, err = crontabs.Update(t.Context(), c, metav1.UpdateOptions{})
					} else {
						c = newCronTab("", name)
						_, err = crontabs.Create(t.Context(), c, metav1.CreateOptions{})
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			var want, got []string
			for _, namespace := range namespaces[:2] {
				list, err := client.StableV1().CronTabs(namespace).List(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range list.Items {
					want = append(want, c.Namespace+"/"+c.Name+" "+c.ResourceVersion)
				}
			}
			for _, c := range informer.GetStore().List() {
				c := c.(*v1.CronTab)
				got = append(got, c.Namespace+"/"+c.Name+" "+c.ResourceVersion)
			}
			slices.Sort(got)
			slices.Sort(want)
			expect(t, got, want...)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestNamespacesGoOn checks that when an informer for several namespaces watches or lists again, each namespace
// continues from its own last version, not from that of another one.
func TestNamespacesGoOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI()
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		quiet(t, factory.Stable().V1().CronTabs().Informer())
		run(t, factory)
		synctest.Wait()
		create(t, client, newCronTab("west", "first"))
		create(t, client, newCronTab("east", "second"))
		var lists, watches []string
		for _, namespace := range []string{"east", "west"} {
			list, err := client.StableV1().CronTabs(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			at := namespace + " " + list.Items[0].ResourceVersion
			lists, watches = append(lists, "list "+at), append(watches, "watch "+at)
		}
		requested := func() (got []string) {
			time.Sleep(10 * time.Second) // no bookmark arrives in this time
			synctest.Wait()
			for _, action := range client.Actions() {
				switch action := action.(type) {
				case clienttesting.ListActionImpl:
					got = append(got, "list "+action.Namespace+" "+action.ListOptions.ResourceVersion)
				case clienttesting.WatchActionImpl:
					got = append(got, "watch "+action.Namespace+" "+action.ListOptions.ResourceVersion)
				}
			}
			client.ClearActions()
			return got
		}
		client.ClearActions()
		api.EndWatches()
		expect(t, requested(), watches...)

		api.Fail(fakeapi.Requests{Verb: "watch", Namespace: "west"}, 1, forbidden("crontabs"))
		api.EndWatches()
		latest := strings.TrimPrefix(watches[0], "watch east ")
		if got := factory.Stable().V1().CronTabs().Informer().LastSyncResourceVersion(); got != latest {
			t.Errorf("the informer is at version %s, want %s, of whatever namespace", got, latest)
		}
		expect(t, requested(), slices.Concat(watches, lists, []string{"watch east " + latest, "watch west " + latest})...)
	})
}

// TestNamespacesWithoutPermission checks that a cache stays empty without permission for one of its namespaces, even of
// objects in others.
func TestNamespacesWithoutPermission(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "a"), newCronTab("north", "a"), newCronTab("west", "a"))
		denied := 10
		api.Fail(fakeapi.Requests{Verb: "list", Namespace: "west"}, denied, forbidden("crontabs"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		run(t, factory)
		ctx, _ := waiting(t, 10*time.Second)
		if err := informers.WaitForCaches(ctx, factory); !apierrors.IsForbidden(err) {
			t.Errorf("got error %v for a cache without permission, want Forbidden", err)
		}
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err)

		ctx, _ = waiting(t, time.Hour)
		if err := informers.WaitForCaches(ctx, factory); err != nil {
			t.Fatal(err)
		}
		found, err = crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/a", "west/a")
		found, err = crontabs.Lister().CronTabs("north").List(labels.Everything())
		expectKeys(t, found, err)
		if _, err := crontabs.Lister().CronTabs("north").Get("a"); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v for an object of another namespace, want NotFound", err)
		}
	})
}

// TestAwaitedResources checks that an informer that awaits its resource retries without errors until the resource
// exists, and then fills its cache.
func TestAwaitedResources(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		var served atomic.Bool
		failLists(client, "crontabs", func() error {
			if served.Load() {
				return nil
			}
			return absent("crontabs")
		})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources())
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		ctx, log := waiting(t, time.Hour)
		ctx, cancel := context.WithCancel(ctx)
		factory.StartWithContext(ctx)
		t.Cleanup(func() { cancel(); factory.Shutdown() })
		ctx, _ = waiting(t, 90*time.Second)
		err := informers.WaitForCaches(ctx, factory)
		if err == nil || !strings.Contains(err.Error(), "crontabs.stable.example.com/v1: the server does not have the resource") || !apierrors.IsNotFound(err) {
			t.Errorf("got error %v for a resource that is not there", err)
		}
		if lists := listsOf(client); lists != 5+7 { // after 0, 1, 3, 7, 15, 25, ..., 85 seconds
			t.Errorf("got %d lists in 90 seconds, want 12", lists)
		}
		if lines := strings.Count(log.String(), "] \"Waiting for the server to have a resource\" resource=\"crontabs.stable.example.com/v1\"\n"); lines != 1 {
			t.Errorf("got %d lines of log about the wait, want one, in %s", lines, log)
		}
		served.Store(true)
		ctx, _ = waiting(t, 15*time.Second)
		if err := informers.WaitForCaches(ctx, factory); err != nil {
			t.Error(err)
		}
		one, err := crontabs.Lister().CronTabs("east").Get("nightly")
		expectKeys(t, []*v1.CronTab{one}, err, "east/nightly")
	})
}

// TestAwaitedResourcesRemoved checks that an informer also awaits a resource that was removed temporarily.
func TestAwaitedResourcesRemoved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "nightly"))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources())
		crontabs := factory.Stable().V1().CronTabs()
		errs := 0
		if err := crontabs.Informer().SetWatchErrorHandler(func(*cache.Reflector, error) { errs++ }); err != nil {
			t.Fatal(err)
		}
		run(t, factory)
		synctest.Wait()
		for _, verb := range []string{"watch", "list"} {
			api.Fail(fakeapi.Requests{Verb: verb, Resource: "crontabs"}, map[string]int{"watch": 1, "list": 20}[verb], absent("crontabs"))
		}
		api.EndWatches()
		time.Sleep(10 * time.Minute)
		create(t, client, newCronTab("east", "weekly"))
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/nightly", "east/weekly")
		if errs > 1 { // the error of the watch
			t.Errorf("got %d errors while the resource was removed, want one", errs)
		}
	})
}

// TestAwaitedResourcesEnd checks that an informer stops waiting for its resource when it ends, and does not wait
// because of other errors.
func TestAwaitedResourcesEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		failLists(client, "crontabs", func() error { return absent("crontabs") })
		failLists(client, "cronruns", func() error { return forbidden("cronruns") })
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources())
		var errs []string
		for _, informer := range []cache.SharedIndexInformer{factory.Stable().V1().CronTabs().Informer(), factory.Stable().V1().CronRuns().Informer()} {
			if err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { errs = append(errs, string(apierrors.ReasonForError(err))) }); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		factory.StartWithContext(ctx)
		synctest.Wait()
		expect(t, errs, "Forbidden")
		cancel()
		factory.Shutdown() // the bubble must have no goroutines left
	})
}

// listsOf returns the number of list requests.
func listsOf(client *fake.Clientset) (n int) {
	for _, action := range client.Actions() {
		if _, ok := action.(clienttesting.ListAction); ok {
			n++
		}
	}
	return n
}
