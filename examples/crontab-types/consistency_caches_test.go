package crontabtypes_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientfeatures "k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests check which caches must have a write: of informers with scopes, with transforms, or started separately.

func TestWaitUntilReady(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		if err := c.writes.WaitUntilReady(t.Context(), nightlyName); err != nil {
			t.Errorf("without writes: %v", err)
		}
		c.create("a")
		begun := time.Now()
		go func() {
			time.Sleep(3*time.Second + time.Millisecond)
			c.watches.release()
		}()
		if err := c.writes.WaitUntilReady(t.Context(), nightlyName); err != nil {
			t.Error(err)
		}
		if waited := time.Since(begun); waited != 3*time.Second+time.Millisecond { // the event ends the wait at once
			t.Errorf("waited %v, want 3.001s", waited)
		}
		c.watches.hold()
		c.create("b")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second+50*time.Millisecond, errors.New("enough"))
		defer cancel()
		begun = time.Now()
		err := c.writes.WaitUntilReady(ctx, nightlyName)
		if waited := time.Since(begun); waited != time.Second+50*time.Millisecond {
			t.Errorf("waited %v, want 1.05s", waited)
		}
		var stale *consistency.StaleError
		if !errors.As(err, &stale) || !errors.Is(err, context.Cause(ctx)) {
			t.Fatalf("got error %v, want both its cause and what is awaited", err)
		}
		want := regexp.MustCompile(`^enough: the cache lacks writes for east/nightly: cronruns.stable.example.com east/b at version [0-9]+ since 1s$`)
		if !want.MatchString(err.Error()) {
			t.Errorf("got error %q", err)
		}
	})
}

// The error lists all writes, the oldest first.
func TestStaleErrorText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("b")
		time.Sleep(2 * time.Second)
		c.create("c")
		c.create("a")
		c.must(nil, c.client.CronTabs("east").Delete(t.Context(), "nightly", metav1.DeleteOptions{}))
		time.Sleep(1600 * time.Microsecond)
		err := c.writes.EnsureReady(nightlyName)
		want := regexp.MustCompile(`^the cache lacks writes for east/nightly: cronruns.stable.example.com east/b at version \d+ since 2.002s, ` +
			`cronruns.stable.example.com east/a at version \d+ since 2ms, cronruns.stable.example.com east/c at version \d+ since 2ms, ` +
			`crontabs.stable.example.com east/nightly deleted since 2ms$`)
		if err == nil || !want.MatchString(err.Error()) {
			t.Errorf("got error %v", err)
		}
		c.settled()
	})
}

func TestMetricsAndLogs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		if n := c.writes.Len(); n != 1 {
			t.Errorf("got %d objects, want one", n)
		}
		for range 300 {
			time.Sleep(time.Second)
			c.writes.EnsureReady(nightlyName)
		}
		c.settled()
		waits := regexp.MustCompile(`"Waiting for caches to have own writes" reason="the cache lacks .* since (\w+)"`).FindAllStringSubmatch(c.log.String(), -1)
		var since []string
		for _, wait := range waits {
			since = append(since, wait[1])
		}
		expect(t, since, "5s", "15s", "35s", "1m15s", "2m15s", "3m15s", "4m15s")
		if len(c.metrics.stale) != 300 || c.metrics.stale[7] != "cronruns" {
			t.Errorf("got %d stale caches, want 300 of cronruns", len(c.metrics.stale))
		}
		expect(t, c.metrics.seen, "cronruns")
		if c.metrics.waited != 300*time.Second {
			t.Errorf("waited %v, want 5m", c.metrics.waited)
		}
		c.log.Reset() // a later wait logs from the beginning
		time.Sleep(10 * time.Minute)
		c.create("b")
		for range 20 {
			time.Sleep(time.Second)
			c.writes.EnsureReady(nightlyName)
		}
		if n := strings.Count(c.log.String(), "Waiting"); n != 2 {
			t.Errorf("got %d lines for a wait of 20 seconds, want 2", n)
		}
		c.settled()
	})
}

func TestClear(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		c.touch(c.client, "west", "nightly")
		c.api.Fail(fakeapi.Requests{Verb: "patch"}, 2, apierrors.NewInternalError(errors.New("out of order")))
		for _, namespace := range []string{"east", "south"} {
			patch := []byte(`{"metadata":{"ownerReferences":[{"apiVersion":"stable.example.com/v1","kind":"CronTab","name":"nightly","uid":"1"}]}}`)
			if _, err := c.client.CronRuns(namespace).Patch(t.Context(), "a", types.MergePatchType, patch, metav1.PatchOptions{}); err == nil {
				t.Error("the patch has not failed")
			}
		}
		c.writes.Clear(nightlyName)
		c.awaits(cache.NewObjectName("south", "nightly"), "cronruns south/a unknown")
		c.writes.Clear(cache.NewObjectName("south", "nightly"))
		c.awaits(nightlyName)
		c.awaits(cache.NewObjectName("east", "a"))
		c.awaits(cache.NewObjectName("west", "nightly"), "crontabs west/nightly")
		c.settled()
	})
}

// All owners of an object await a write to it.
func TestOwners(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		for count := range 5 {
			run := ownedRun(fmt.Sprint("run-", count))
			run.OwnerReferences = nil
			for i := range count {
				run.OwnerReferences = append(run.OwnerReferences, metav1.OwnerReference{
					APIVersion: "v1", Kind: "Owner", Name: fmt.Sprint("owner-", i), UID: types.UID(fmt.Sprint(i))})
			}
			c.must(c.client.CronRuns("east").Create(t.Context(), run, metav1.CreateOptions{}))
		}
		for i := range 5 {
			var want []string
			for count := i + 1; count < 5; count++ {
				want = append(want, fmt.Sprintf("cronruns east/run-%d", count))
			}
			c.awaits(cache.NewObjectName("east", fmt.Sprint("owner-", i)), want...)
			c.awaits(cache.NewObjectName("", fmt.Sprint("owner-", i)), want...)
		}
		c.awaits(cache.NewObjectName("eastowner", "-0"))
		c.writes.Clear(cache.NewObjectName("east", "run-4"))
		c.awaits(cache.NewObjectName("", "owner-2"), "cronruns east/run-3")
		again := ownedRun("twice") // owners of different kinds with the same name
		for _, kind := range []string{"A", "B"} {
			again.OwnerReferences = append(again.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: "nightly", UID: types.UID(kind)})
		}
		again.OwnerReferences = append(again.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "C", Name: "other", UID: "c"},
			metav1.OwnerReference{APIVersion: "v1", Kind: "D", Name: "nightly", UID: "d"})
		c.must(c.client.CronRuns("east").Create(t.Context(), again, metav1.CreateOptions{}))
		c.awaits(nightlyName, "cronruns east/twice")
		c.settled()

		c.touch(c.client, "east", "nightly")
		c.awaits(nightlyName, "crontabs east/nightly")
		self := ownedRun("nightly") // the owner has the same name as the object
		c.must(c.client.CronRuns("east").Create(t.Context(), self, metav1.CreateOptions{}))
		c.awaits(nightlyName, "cronruns east/nightly", "crontabs east/nightly")
		c.settled()
	})
}

// If the answer to a deletion reports only success, the owners in the cache or in an earlier write await the
// deletion.
func TestDeletionOfChildren(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		c.settled()
		c.must(nil, c.client.CronRuns("east").Delete(t.Context(), "a", metav1.DeleteOptions{}))
		c.awaits(nightlyName, "cronruns east/a deleted")
		var stale *consistency.StaleError
		if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) || stale.Writes[0].Version != "" {
			t.Errorf("got %v, want no version, which the server has not said", err)
		}
		c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a deleted")
		c.settled()

		c.create("b")
		c.must(nil, c.client.CronRuns("east").Delete(t.Context(), "b", metav1.DeleteOptions{}))
		c.awaits(nightlyName, "cronruns east/b deleted")
		c.create("b")
		c.awaits(nightlyName, "cronruns east/b")
		c.settled()
	})
}

// If the answer to a deletion contains the version of the deletion, caches must reach it, even if they never had the
// object.
func TestVersionsOfDeletions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.watches.versions = true
		c.create("a")
		c.settled()
		c.must(nil, c.client.CronRuns("east").Delete(t.Context(), "a", metav1.DeleteOptions{}))
		c.awaits(nightlyName, "cronruns east/a deleted")
		list, err := c.client.CronRuns("east").List(t.Context(), metav1.ListOptions{})
		c.must(nil, err)
		var stale *consistency.StaleError
		if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) || stale.Writes[0].Version != list.ResourceVersion {
			t.Errorf("got %v, want version %s", err, list.ResourceVersion)
		}
		c.settled()

		other := c.elsewhere()
		c.must(other.CronRuns("east").Create(t.Context(), ownedRun("b"), metav1.CreateOptions{}))
		c.must(nil, c.client.CronRuns("east").Delete(t.Context(), "b", metav1.DeleteOptions{}))
		c.awaits(cache.NewObjectName("east", "b"), "cronruns east/b deleted") // it enters and leaves the cache
		c.settled()

		c.create("c")
		c.settled()
		c.must(nil, other.CronRuns("east").Delete(t.Context(), "c", metav1.DeleteOptions{}))
		c.must(other.CronRuns("east").Create(t.Context(), ownedRun("c"), metav1.CreateOptions{}))
		// This is not the object in the cache.
		c.must(nil, c.client.CronRuns("east").Delete(t.Context(), "c", metav1.DeleteOptions{}))
		c.awaits(nightlyName, "cronruns east/c deleted")
		c.settled()
	})
}

// consistencyStore is the interface ConsistencyStore of client-go v0.38.
type consistencyStore interface {
	WroteAt(owner types.NamespacedName, ownerUID types.UID, resource schema.GroupResource, version string)
	Clear(owner types.NamespacedName, ownerUID types.UID)
	EnsureReady(owner types.NamespacedName) error
}

var _ consistencyStore = (*consistency.Owners)(nil)

// Callers of client-go's interface pass the owner and the version of a write.
func TestStoreOfOwners(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		owners, owner := c.writes.Owners(), types.NamespacedName(nightlyName)
		other := c.elsewhere()
		write := func(name string) string {
			run, err := other.CronRuns("east").Create(t.Context(), ownedRun(name), metav1.CreateOptions{})
			c.must(nil, err)
			return run.ResourceVersion
		}
		first, second := write("a"), write("b")
		owners.WroteAt(owner, "1", cronRuns, second)
		owners.WroteAt(owner, "1", cronRuns, first)
		owners.WroteAt(owner, "2", cronRuns, "")
		c.awaits(nightlyName, "cronruns east/")
		c.awaits(cache.NewObjectName("east", "other"))
		var stale *consistency.StaleError
		if err := owners.EnsureReady(owner); !errors.As(err, &stale) || stale.Writes[0].Version != second {
			t.Errorf("got %v, want version %s", err, second)
		}
		owners.Clear(owner, "2") // the UID of a later owner
		c.awaits(nightlyName, "cronruns east/")
		owners.Clear(owner, "1")
		c.awaits(nightlyName)
		owners.Clear(owner, "1")
		owners.WroteAt(owner, "1", cronRuns, second)
		owners.Clear(owner, "")
		c.awaits(nightlyName)

		owners.WroteAt(owner, "1", cronRuns, write("c"))
		owners.WroteAt(owner, "2", cronTabs, "1000000")
		c.awaits(nightlyName, "crontabs east/") // the first owner no longer exists
		c.create("d")
		c.awaits(nightlyName, "cronruns east/d", "crontabs east/")
		owners.Clear(owner, "2")
		owners.WroteAt(types.NamespacedName{Name: "cluster"}, "3", cronRuns, write("e"))
		c.awaits(cache.ObjectName{Name: "cluster"}, "cronruns")
		c.settled()
		if err := owners.EnsureReady(types.NamespacedName{Name: "cluster"}); err != nil {
			t.Error(err)
		}
		owners.WroteAt(owner, "2", schema.GroupResource{Resource: "others"}, "1000000") // a resource without informers
		c.awaits(nightlyName)
		c.create("f")
		owners.Clear(owner, "2") // the write with this UID is forgotten
		c.awaits(nightlyName, "cronruns east/f")

		c = newConsistent(t, []runtime.Object{newCronTab("east", "nightly")})
		run, err := c.elsewhere().CronRuns("east").Create(t.Context(), ownedRun("a"), metav1.CreateOptions{})
		c.must(nil, err)
		c.writes.Owners().WroteAt(owner, "1", cronRuns, run.ResourceVersion)
		c.awaits(cache.NewObjectName("east", "other"), "cronruns") // the first list must contain it
		c.start()
		c.awaits(nightlyName)
		c.writes.Owners().WroteAt(owner, "1", cronRuns, "1000")
		c.watches.created = "900"
		c.create("new")
		if n := strings.Count(c.log.String(), "versions went back"); n != 1 {
			t.Errorf("logged %d times that versions went back, want once", n)
		}
	})
}

// An object is awaited until its last write has arrived, while events arrive one after the other.
func TestEachVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		c.settled()
		c.touch(c.elsewhere(), "east", "nightly")
		begun := time.Now()
		c.touch(c.client, "east", "nightly")
		time.Sleep(time.Second)
		c.touch(c.client, "east", "nightly")
		var stale *consistency.StaleError
		if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) {
			t.Fatal(err)
		}
		crontab, err := c.client.CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if w := stale.Writes[0]; w.Version != crontab.ResourceVersion || !w.Since.Equal(begun) || w.Resource != cronTabs {
			t.Errorf("awaits %+v, want version %s since %v", w, crontab.ResourceVersion, begun)
		}
		c.settled()
	})
}

// A late answer to an earlier write changes nothing.
func TestAnswersInAnotherOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		before, err := c.client.CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c.touch(c.client, "east", "nightly")
		c.writes.WroteAt(cronTabs, before)
		c.awaits(nightlyName, "crontabs east/nightly")
		c.must(nil, c.client.CronTabs("east").Delete(t.Context(), "nightly", metav1.DeleteOptions{}))
		c.writes.WroteAt(cronTabs, before) // an answer for the same object, which is deleted
		c.awaits(nightlyName, "crontabs east/nightly deleted")
		c.settled()
	})
}

// WroteAt notes the writes of other clients.
func TestWroteAt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		other := c.elsewhere()
		run, err := other.CronRuns("east").Create(t.Context(), ownedRun("a"), metav1.CreateOptions{})
		c.must(nil, err)
		c.awaits(nightlyName)
		c.writes.WroteAt(cronRuns, run)
		c.awaits(nightlyName, "cronruns east/a")
		c.settled()
		c.must(nil, other.CronRuns("east").Delete(t.Context(), "a", metav1.DeleteOptions{}))
		now := metav1.Now()
		run.DeletionTimestamp = &now
		c.writes.WroteAt(cronRuns, run)
		c.awaits(nightlyName, "cronruns east/a deleted")
		c.settled()
	})
	writes := consistency.NewStore()
	written := ownedRun("a")
	written.ResourceVersion = "5"
	writes.WroteAt(cronRuns, written) // the store does not know the resource yet
	if err := writes.EnsureReady(nightlyName); err != nil {
		t.Errorf("without informers, got %v", err)
	}
}

// If another client changes or deletes an object at once, the object appears in the cache in a later version, or
// never.
func TestOthersWrite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("gone")
		c.create("changed")
		c.touch(c.client, "east", "nightly")
		other := c.elsewhere()
		c.must(nil, other.CronRuns("east").Delete(t.Context(), "gone", metav1.DeleteOptions{}))
		c.must(other.CronRuns("east").Patch(t.Context(), "changed", types.MergePatchType, []byte(`{"spec":{"image":"x"}}`), metav1.PatchOptions{}))
		c.must(nil, other.CronTabs("east").Delete(t.Context(), "nightly", metav1.DeleteOptions{}))
		c.awaits(nightlyName, "cronruns east/changed", "cronruns east/gone", "crontabs east/nightly")
		c.settled()
	})
}

// After a watch cannot continue and the informer has listed again, the cache has the writes in the list.
func TestRelist(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		c.create("gone")
		c.must(nil, c.elsewhere().CronRuns("east").Delete(t.Context(), "gone", metav1.DeleteOptions{}))
		c.must(nil, c.client.CronTabs("east").Delete(t.Context(), "nightly", metav1.DeleteOptions{}))
		c.api.ExpireVersions()
		c.awaits(nightlyName, "cronruns east/a", "cronruns east/gone", "crontabs east/nightly deleted")
		c.watches.release()
		time.Sleep(time.Minute)
		c.awaits(nightlyName)
		if n := c.writes.Len(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
	})
}

// An informer selects the objects of its namespaces and selector. Other objects are awaited only if the cache
// contains them.
func TestScopes(t *testing.T) {
	gold := func(opts *metav1.ListOptions) { opts.LabelSelector = "tier=gold" }
	for name, options := range map[string][]informers.SharedInformerOption{
		"of the factory": {informers.WithNamespace("east"), informers.WithTweakListOptions(gold)},
		"of the kind":    {informers.WithNamespacesFor[*v1.CronTab]("east"), informers.WithTweakListOptionsFor[*v1.CronTab](gold)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				golden := newCronTab("east", "golden")
				golden.Labels = map[string]string{"tier": "gold"}
				western := golden.DeepCopy()
				western.Namespace = "west"
				c := newConsistent(t, []runtime.Object{golden, newCronTab("east", "nightly"), western}, options...)
				c.start()
				crontab, err := c.elsewhere().CronTabs("west").Create(t.Context(), &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
				c.must(nil, err)
				crontab.Namespace = "east" // an object that the cache does not contain
				c.writes.WroteAt(cronTabs, crontab)
				c.awaits(cache.NewObjectName("east", "new"))
				crontab.Annotations = map[string]string{"tier": "gold"}
				c.writes.WroteAt(cronTabs, crontab)
				c.awaits(cache.NewObjectName("east", "new"))
				crontab.Labels = map[string]string{"tier": "gold"}
				c.writes.WroteAt(cronTabs, crontab)
				c.awaits(cache.NewObjectName("east", "new"), "crontabs east/new")
				c.writes.Clear(cache.NewObjectName("east", "new"))
				c.touch(c.client, "west", "golden")
				c.awaits(cache.NewObjectName("west", "golden"))
				c.touch(c.client, "east", "nightly") // no cache contains it
				c.awaits(nightlyName)
				c.touch(c.client, "east", "golden")
				c.awaits(cache.NewObjectName("east", "golden"), "crontabs east/golden")
				c.settled()

				label := func(name, tier string) {
					c.must(c.client.CronTabs("east").Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"tier":`+tier+`}}}`), metav1.PatchOptions{}))
				}
				label("golden", "null") // the object leaves the cache
				c.awaits(cache.NewObjectName("east", "golden"), "crontabs east/golden")
				c.settled()
				label("nightly", `"gold"`) // the object enters the cache
				c.awaits(nightlyName, "crontabs east/nightly")
				label("nightly", "null") // the object leaves again before its event arrives
				c.awaits(nightlyName, "crontabs east/nightly")
				c.settled()
			})
		})
	}
}

// The store does not know which fields a selector compares, so it asks the server for the object, with the selector.
func TestFieldSelector(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newConsistent(t, []runtime.Object{newCronTab("east", "golden"), newCronTab("east", "nightly")},
			informers.WithTweakListOptions(func(opts *metav1.ListOptions) { opts.FieldSelector = "metadata.name=golden" }))
		c.start()
		c.touch(c.client, "east", "nightly") // no cache contains it
		c.awaits(nightlyName, "crontabs east/nightly")
		c.watches.release()
		for range 6 { // less than a minute, after which a bookmark comes
			time.Sleep(5 * time.Second)
			_ = c.writes.EnsureReady(nightlyName)
		}
		c.awaits(nightlyName)
		c.watches.hold()
	})
}

// Informers of each version of a kind wait for its writes.
func TestOtherVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newConsistent(t, noObjects)
		c.factory.Stable().V1beta1().CronTabClasses().Informer()
		c.start()
		client, err := versioned.NewForConfig(c.config)
		c.must(nil, err)
		class := &v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}}
		c.must(client.StableV1beta1().CronTabClasses().Create(t.Context(), class, metav1.CreateOptions{}))
		c.awaits(cache.NewObjectName("", "gold"), "crontabclasses gold")
		c.settled()
	})
}

// With several informers, all caches that should contain the object must have the write.
func TestSeveralInformers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t, informers.WithNamespace("east"))
		client, err := versioned.NewForConfig(c.config)
		c.must(nil, err)
		// This factory is for all namespaces.
		late := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithConsistency(c.writes))
		late.Stable().V1().CronTabs().Informer()
		c.watches.release()
		run(t, late)
		synctest.Wait()
		c.watches.hold()
		c.touch(c.client, "west", "nightly")
		c.awaits(cache.NewObjectName("west", "nightly"), "crontabs west/nightly")
		c.touch(c.client, "east", "nightly")
		c.awaits(nightlyName, "crontabs east/nightly")
		// One of the two caches has the write.
		if err := c.factory.Stable().V1().CronTabs().Informer().GetIndexer().Update(get(c, "nightly")); err != nil {
			t.Fatal(err)
		}
		c.awaits(nightlyName, "crontabs east/nightly")
		if err := late.Stable().V1().CronTabs().Informer().GetIndexer().Update(get(c, "nightly")); err != nil {
			t.Fatal(err)
		}
		c.awaits(nightlyName)
		c.settled()
	})
}

func get(c *consistent, name string) *v1.CronTab {
	c.Helper()
	crontab, err := c.client.CronTabs("east").Get(c.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.Fatal(err)
	}
	return crontab
}

// Namespaces that are watched separately reach versions separately.
func TestNamespacesOneByOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newConsistent(t, []runtime.Object{newCronTab("east", "nightly"), newCronTab("west", "nightly"), newCronTab("south", "nightly")},
			informers.WithNamespacesFor[*v1.CronTab]("west", "east"))
		c.touch(c.client, "east", "nightly") // before the first list
		c.awaits(nightlyName, "crontabs")
		c.start()
		c.awaits(nightlyName, "crontabs") // caches have the list only some time after the informer has received it
		c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))

		c.touch(c.client, "east", "nightly")
		c.touch(c.client, "south", "nightly")
		c.awaits(nightlyName, "crontabs east/nightly")
		c.awaits(cache.NewObjectName("south", "nightly"))
		if err := c.factory.Stable().V1().CronTabs().Informer().GetIndexer().Update(get(c, "nightly")); err != nil {
			t.Fatal(err)
		}
		c.awaits(nightlyName)

		c.must(c.client.CronTabs("east").Create(t.Context(), newCronTab("east", "gone"), metav1.CreateOptions{}))
		c.must(nil, c.elsewhere().CronTabs("east").Delete(t.Context(), "gone", metav1.DeleteOptions{}))
		gone := cache.NewObjectName("east", "gone")
		c.awaits(gone, "crontabs east/gone")
		time.Sleep(time.Hour) // while watches are held
		c.awaits(gone, "crontabs east/gone")
		c.watches.release()
		c.must(nil, c.writes.WaitUntilReady(t.Context(), gone))
	})
}

// If caches do not know which version they have reached, an object that does not appear in the cache is awaited until
// the server reports that the informer does not select it, or some seconds after the informer has received the
// version.
func TestCachesWithoutVersions(t *testing.T) {
	clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.AtomicFIFO, false)
	bubble(t, func(t *testing.T) {
		excluding := func(opts *metav1.ListOptions) { opts.FieldSelector = "metadata.name!=excluded" }
		c := newView(t, informers.WithTweakListOptionsFor[*v1.CronRun](excluding))
		c.touch(c.client, "east", "nightly")
		c.awaits(nightlyName, "crontabs east/nightly")
		c.settled()
		// The store cannot ask the server.
		c.api.Fail(fakeapi.Requests{Verb: "list"}, 1000, apierrors.NewInternalError(errors.New("out of order")))
		c.create("excluded")
		time.Sleep(time.Hour)
		c.awaits(nightlyName, "cronruns east/excluded")
		c.must(c.elsewhere().CronRuns("east").Create(t.Context(), ownedRun("other"), metav1.CreateOptions{}))
		c.watches.release()
		synctest.Wait()
		begun := time.Now()
		if err := c.writes.WaitUntilReady(t.Context(), nightlyName); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begun); waited != 10*time.Second {
			t.Errorf("waited %v, want 10 seconds: when the version was received, and twice 5 seconds later", waited)
		}
		if n := c.writes.Len(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
	})
}

// The first list of an informer must reach the last version written before, which the store remembers.
func TestBeforeTheStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newConsistent(t, []runtime.Object{newCronTab("east", "nightly")})
		c.touch(c.client, "east", "nightly")
		c.create("a")
		if n := c.writes.Len(); n != 0 {
			t.Errorf("%d objects are kept for informers that have not started", n)
		}
		time.Sleep(time.Second)
		c.create("b")
		c.awaits(nightlyName, "crontabs", "cronruns")
		c.awaits(cache.NewObjectName("west", "other"), "crontabs", "cronruns") // any name
		if err := c.writes.EnsureReady(nightlyName); !strings.HasSuffix(err.Error(), "crontabs.stable.example.com at version 3 since 1s, cronruns.stable.example.com at version 5 since 0s") {
			t.Errorf("got error %v", err)
		}
		c.start()
		c.awaits(nightlyName)
		c.awaits(nightlyName)
		late := newConsistent(t, []runtime.Object{newCronTab("east", "nightly")})
		crontab := newCronTab("east", "nightly")
		crontab.UID, crontab.ResourceVersion = "1", "4"
		late.writes.WroteAt(cronTabs, crontab)
		late.start()
		late.awaits(nightlyName, "crontabs") // the list has an earlier version
		late.must(late.elsewhere().CronTabs("east").Create(t.Context(), newCronTab("east", "other"), metav1.CreateOptions{}))
		late.touch(late.elsewhere(), "east", "other")
		late.touch(late.elsewhere(), "east", "other")
		late.settled()

		c.must(c.client.CronTabClasses().Create(t.Context(), &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}}, metav1.CreateOptions{}))
		c.awaits(nightlyName)
		c.factory.Stable().V1().CronTabClasses().Informer() // starts later
		c.awaits(nightlyName, "crontabclasses")
		c.watches.release()
		c.factory.StartWithContext(t.Context())
		synctest.Wait()
		c.awaits(nightlyName)
	})
}

// untracked checks that writes for a name can never be awaited.
func (c *consistent) untracked(name cache.ObjectName, want string) {
	c.Helper()
	var untracked *consistency.CacheError
	if err := c.writes.EnsureReady(name); !errors.As(err, &untracked) || err.Error() != want {
		c.Errorf("got error %v, want %s", err, want)
	}
	if err := c.writes.WaitUntilReady(c.Context(), name); !errors.As(err, &untracked) {
		c.Errorf("the wait ended with %v", err)
	}
}

// A write after an informer has stopped never appears in its cache. Another informer of the kind may have it.
func TestInformersThatEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newConsistent(t, []runtime.Object{newCronTab("east", "nightly"), newCronTab("east", "other")})
		ctx, cancel := context.WithCancel(t.Context())
		c.factory.StartWithContext(ctx)
		synctest.Wait()
		c.watches.hold()
		c.create("a")
		c.awaits(nightlyName, "cronruns east/a")
		cancel()
		c.factory.Shutdown()
		c.untracked(nightlyName, "own writes of cronruns.stable.example.com cannot be awaited: its informer has stopped")
		c.awaits(cache.NewObjectName("east", "other"))
		if err := c.writes.Watch(cronTabs, c.factory.Stable().V1().CronTabs().Informer(), consistency.Scope{}); err == nil {
			t.Error("an informer that has ended can be watched")
		}
		c.touch(c.client, "east", "other")
		c.untracked(cache.NewObjectName("east", "other"), "own writes of crontabs.stable.example.com cannot be awaited: its informer has stopped")

		c.watches.release()
		client, err := versioned.NewForConfig(c.config)
		c.must(client, err)
		next := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithConsistency(c.writes))
		next.Stable().V1().CronTabs().Informer()
		next.Stable().V1().CronRuns().Informer()
		run(t, next)
		synctest.Wait()
		c.awaits(nightlyName)
		c.watches.hold()
		c.create("b")
		c.awaits(nightlyName, "cronruns east/b")
		c.watches.release()
		synctest.Wait()
		c.awaits(nightlyName)

		unused := newConsistent(t, noObjects)
		unused.create("a")
		unused.awaits(nightlyName, "cronruns")
		ended, end := context.WithCancel(t.Context())
		end()
		unused.factory.StartWithContext(ended)
		unused.factory.Shutdown()
		unused.awaits(nightlyName)
	})
}

// Versions in caches that are not numbers cannot be compared.
func TestVersionsThatAreNoNumbers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t, informers.WithTransformFor(func(run *v1.CronRun) (*v1.CronRun, error) { run.ResourceVersion = ""; return run, nil }))
		c.create("a") // the cache has no version for the object
		c.awaits(nightlyName, "cronruns east/a")
		c.watches.release()
		synctest.Wait()
		c.untracked(nightlyName, `own writes of cronruns.stable.example.com cannot be awaited: the resource version "" in the cache, perhaps because of a transform, is not a number`)
		c.writes.Clear(nightlyName)
	})
}

// Own writes are awaited in caches without managedFields, and are in them without managedFields.
func TestWritesWithoutManagedFields(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t, informers.WithoutManagedFields())
		c.create("a")
		c.awaits(nightlyName, "cronruns east/a")
		c.watches.release()
		synctest.Wait()
		c.awaits(nightlyName)
		run, err := c.factory.Stable().V1().CronRuns().Lister().CronRuns("east").Get("a")
		if err != nil || run.ManagedFields != nil {
			t.Errorf("got %+v, %v", run, err)
		}
		stored, err := c.client.CronRuns("east").Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil || len(stored.ManagedFields) == 0 {
			t.Errorf("got %+v, %v, want managedFields on the server", stored, err)
		}
	})
}

// A write without effect is not awaited, and not counted as a write that caches lacked.
func TestWritesWithoutEffect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(c.client.CronTabs("east").Patch(t.Context(), "nightly", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}))
		c.awaits(nightlyName)
		if n := c.writes.Len(); n != 0 || len(c.metrics.seen) != 0 {
			t.Errorf("%d objects are awaited, and %d were, want none", n, len(c.metrics.seen))
		}
	})
}

// Records are removed even if nobody asks for them and no event names their objects.
func TestRecordsGo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		excluding := func(opts *metav1.ListOptions) { opts.FieldSelector = "metadata.namespace!=west" }
		c := newView(t, informers.WithTweakListOptionsFor[*v1.CronRun](excluding))
		for i := range 50 {
			run := ownedRun(fmt.Sprint("run-", i))
			run.Namespace = "west"
			c.must(c.client.CronRuns("west").Create(t.Context(), run, metav1.CreateOptions{}))
		}
		c.create("a")
		if n := c.writes.Len(); n != 51 {
			t.Errorf("got %d objects, want 51", n)
		}
		c.watches.release()
		synctest.Wait()
		c.watches.hold()
		if n := c.writes.Len(); n != 50 {
			t.Errorf("got %d objects, want 50, of which no event came", n)
		}
		for i := range 500 {
			c.create(fmt.Sprint("b-", i))
		}
		if n := c.writes.Len(); n > 510 { // each write settles three random records
			t.Errorf("got %d objects, want those of the last 500 writes and few others", n)
		}
		c.awaits(cache.NewObjectName("west", "nightly"))
		c.settled()
	})
}

// A cache that has reached a version later than a write has the write, whatever the version of the object is.
func TestBeyondTheVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		crontab := get(c, "nightly")
		crontab.ResourceVersion = "5" // not the version of the object
		c.writes.WroteAt(cronTabs, crontab)
		c.awaits(nightlyName, "crontabs east/nightly")
		c.touch(c.elsewhere(), "west", "nightly")
		c.touch(c.elsewhere(), "west", "nightly")
		c.watches.release()
		synctest.Wait()
		c.awaits(nightlyName)
		if n := c.writes.Len(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
		c.watches.hold()
	})
}

// Kubernetes' own clientsets and informers work with a store like generated ones.
func TestOtherClientsets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		kube, err := kubernetes.NewForConfig(c.config)
		c.must(nil, err)
		factory := kubeinformers.NewSharedInformerFactory(kube, 0)
		maps, namespaces := factory.Core().V1().ConfigMaps().Informer(), factory.Core().V1().Namespaces().Informer()
		c.must(nil, errors.Join(c.writes.Watch(corev1.Resource("configmaps"), maps, consistency.Scope{}),
			c.writes.Watch(corev1.Resource("namespaces"), namespaces, consistency.Scope{Selector: labels.Everything()})))
		c.watches.release()
		ctx, cancel := context.WithCancel(t.Context())
		factory.StartWithContext(ctx)
		t.Cleanup(func() { cancel(); factory.Shutdown() })
		synctest.Wait()
		c.watches.hold()
		child := &corev1.ConfigMap{ObjectMeta: ownedRun("a").ObjectMeta}
		c.must(kube.CoreV1().ConfigMaps("east").Create(t.Context(), child, metav1.CreateOptions{}))
		c.awaits(nightlyName, "configmaps east/a")
		c.create("a")
		c.awaits(nightlyName, "configmaps east/a", "cronruns east/a")
		c.settled()
		c.must(kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "north"}}, metav1.CreateOptions{}))
		north := cache.NewObjectName("", "north")
		c.awaits(north, "namespaces north")
		c.settled()
		north.Name = "north"
		object, err := kube.CoreV1().Namespaces().Get(t.Context(), "north", metav1.GetOptions{})
		c.must(nil, err)
		object.Status.Phase = corev1.NamespaceTerminating
		c.must(kube.CoreV1().Namespaces().UpdateStatus(t.Context(), object, metav1.UpdateOptions{}))
		c.awaits(north, "namespaces north")
		c.settled()
	})
}

// Many workers write, wait and call EnsureReady at the same time.
func TestManyWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.watches.release()
		var workers sync.WaitGroup
		for w := range 8 {
			workers.Go(func() {
				owner := fmt.Sprint("owner-", w)
				for i := range 50 {
					run := ownedRun(fmt.Sprintf("%s-%d", owner, i))
					run.OwnerReferences[0].Name = owner
					if _, err := c.client.CronRuns("east").Create(t.Context(), run, metav1.CreateOptions{}); err != nil {
						t.Error(err)
					}
					if err := c.writes.WaitUntilReady(t.Context(), cache.NewObjectName("east", owner)); err != nil {
						t.Error(err)
					}
					runs, err := c.factory.Stable().V1().CronRuns().Lister().CronRuns("east").List(labels.Everything())
					own := slices.DeleteFunc(runs, func(run *v1.CronRun) bool { return run.OwnerReferences[0].Name != owner })
					if err != nil || len(own) != i+1 {
						t.Errorf("worker %d sees %d of its runs, %v; want %d", w, len(own), err, i+1)
					}
				}
			})
		}
		workers.Wait()
		synctest.Wait()
		if n := c.writes.Len(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
	})
}

// A new leader waits until its caches have the writes of others.
func TestWaitUntilCurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(nil, c.writes.WaitUntilCurrent(t.Context())) // the caches lack nothing
		c.must(c.elsewhere().CronRuns("east").Create(t.Context(), ownedRun("a"), metav1.CreateOptions{}))
		c.must(nil, c.elsewhere().CronRuns("east").Delete(t.Context(), "a", metav1.DeleteOptions{}))
		c.touch(c.elsewhere(), "east", "nightly")
		c.must(c.elsewhere().CronTabClasses().Create(t.Context(), &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{}))
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("no longer the leader"))
		defer cancel()
		err := c.writes.WaitUntilCurrent(ctx)
		var stale *consistency.StaleError
		if err == nil || !strings.Contains(err.Error(), "no longer the leader") {
			t.Errorf("got error %v while events are held", err)
		} else if errors.As(err, &stale); stale == nil || len(stale.Writes) != 2 {
			t.Errorf("got error %v, want two lists that are behind", err)
		}
		c.watches.release()
		synctest.Wait()
		c.must(nil, c.writes.WaitUntilCurrent(t.Context()))
		if get(c, "nightly").Spec.Image == "" {
			t.Error("the cache lacks the last change")
		}
		c.watches.hold()

		c.api.Fail(fakeapi.Requests{Verb: "list"}, 1, apierrors.NewForbidden(cronRuns, "", errors.New("no")))
		if err := c.writes.WaitUntilCurrent(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot list ") {
			t.Errorf("got error %v, want that of the list", err)
		}
	})
	bubble(t, func(t *testing.T) { // an informer with a client of another config
		c := newConsistent(t, noObjects)
		other := informers.NewSharedInformerFactoryWithOptions(versioned.NewForConfigOrDie(c.api.RESTConfig()), 0)
		informer := other.Stable().V1().CronTabClasses().Informer()
		c.must(nil, c.writes.Watch(v1.Resource("crontabclasses"), informer, consistency.Scope{}))
		run(t, other)
		c.start()
		var unknown *consistency.CacheError
		if err := c.writes.WaitUntilCurrent(t.Context()); !errors.As(err, &unknown) || unknown.Resource.Resource != "crontabclasses" ||
			!strings.Contains(err.Error(), "a client of a config that Wrap has not changed") {
			t.Errorf("got error %v", err)
		}
		c.watches.release()
	})
}

// Owners of an object in a cache await the write that removes them, until the cache has it.
func TestOwnerTakenAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.create("a")
		c.settled()
		c.must(c.client.CronRuns("east").Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`), metav1.PatchOptions{}))
		c.awaits(nightlyName, "cronruns east/a")
		c.settled()
	})
}

// After a restore from a backup, versions go back, and caches are stale until their informers have listed again.
func TestRestore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		for range 10 {
			c.touch(c.client, "east", "nightly")
			c.settled()
		}
		c.must(c.client.CronRuns("east").Create(t.Context(), ownedRun("seen"), metav1.CreateOptions{}))
		c.settled()
		c.create("lost") // the write is awaited
		c.watches.created = "3"
		c.create("new")
		err := c.writes.EnsureReady(nightlyName)
		if want := "cronruns.stable.example.com in the next list, because the server's versions went back, since 0s"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		c.awaits(cache.NewObjectName("east", "any"), "cronruns") // all names are stale
		if n := strings.Count(c.log.String(), "versions went back"); n != 1 {
			t.Errorf("logged %d times that versions went back, want once", n)
		}
	})
}
