package fakeapi_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/fakeapi"
)

// TestWatchStarts checks with which events watches start, for all options.
func TestWatchStarts(t *testing.T) {
	const notOlder = metav1.ResourceVersionMatchNotOlderThan
	for _, test := range []struct {
		name string
		opts metav1.ListOptions
		want []string
		err  string
	}{
		{"no version", metav1.ListOptions{}, []string{"ADDED a", "ADDED b"}, ""},
		{"any version", metav1.ListOptions{ResourceVersion: "0"}, []string{"ADDED a", "ADDED b"}, ""},
		{"bookmarks", metav1.ListOptions{AllowWatchBookmarks: true}, []string{"ADDED a", "ADDED b", "BOOKMARK"}, ""},
		{"initial events", metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: notOlder, AllowWatchBookmarks: true}, []string{"ADDED a", "ADDED b", "BOOKMARK"}, ""},
		{"initial events of one", metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: notOlder, FieldSelector: "metadata.name=b"}, []string{"ADDED b"}, ""},
		{"no initial events", metav1.ListOptions{SendInitialEvents: new(false), ResourceVersionMatch: notOlder}, nil, ""},
		{"first version", metav1.ListOptions{ResourceVersion: "1"}, []string{"ADDED a", "ADDED gone", "ADDED b", "MODIFIED a", "DELETED gone"}, ""},
		{"version of the first object", metav1.ListOptions{ResourceVersion: "2"}, []string{"ADDED gone", "ADDED b", "MODIFIED a", "DELETED gone"}, ""},
		{"last version", metav1.ListOptions{ResourceVersion: "6"}, nil, ""},
		{"future version", metav1.ListOptions{ResourceVersion: "99"}, nil, ""},
		{"initial events of a future version", metav1.ListOptions{ResourceVersion: "99", SendInitialEvents: new(true), ResourceVersionMatch: notOlder}, []string{"ERROR Timeout", "END"}, ""},
		{"malformed version", metav1.ListOptions{ResourceVersion: "soon"}, nil, `resourceVersion: Invalid value: "soon"`},
		{"match without initial events", metav1.ListOptions{ResourceVersion: "1", ResourceVersionMatch: notOlder}, nil, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"},
		{"initial events without match", metav1.ListOptions{SendInitialEvents: new(true)}, nil, "sendInitialEvents requires setting resourceVersionMatch"},
		{"unknown field", metav1.ListOptions{FieldSelector: "spec.suspend=true"}, nil, "field label not supported: spec.suspend"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, client := newWorld(t)
				c := client.StableV1().CronTabs("team")
				for _, name := range []string{"a", "gone", "b"} {
					must(c.Create(t.Context(), crontab(name), metav1.CreateOptions{}))(t)
				}
				must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{}))(t)
				if err := c.Delete(t.Context(), "gone", metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				w, err := c.Watch(t.Context(), test.opts)
				if test.err != "" {
					if err == nil {
						t.Fatal("there is no error")
					}
					reason(t, err, apierrors.ReasonForError(err), test.err)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer w.Stop()
				equal(t, "events", events(w), test.want)
				if test.name == "future version" || len(test.want) > 0 && test.want[len(test.want)-1] == "END" {
					return
				}
				must(c.Create(t.Context(), crontab("b2"), metav1.CreateOptions{}))(t)
				want := []string{"ADDED b2"}
				if test.name == "initial events of one" {
					want = nil
				}
				equal(t, "later events", events(w), want)
			})
		})
	}
}

// TestWatchEvents checks the objects of events.
func TestWatchEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := newWorld(t, fakeapi.WithObjects(crontab("a")))
		c := client.StableV1().CronTabs("team")
		w := must(c.Watch(t.Context(), metav1.ListOptions{AllowWatchBookmarks: true}))(t)
		defer w.Stop()
		first := next(t, w).Object.(*stablev1.CronTab)
		equal(t, "added", first, must(c.Get(t.Context(), "a", metav1.GetOptions{}))(t))
		bookmark := next(t, w)
		equal(t, "bookmark", bookmark, watch.Event{Type: watch.Bookmark, Object: &stablev1.CronTab{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: first.ResourceVersion, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}}})
		first.Labels = map[string]string{"spoilt": ""} // which is nobody else's

		for _, w := range []watch.Interface{
			must(api.Dynamic().Resource(crontabs).Watch(t.Context(), metav1.ListOptions{AllowWatchBookmarks: true}))(t),
			must(api.Metadata().Resource(crontabs).Watch(t.Context(), metav1.ListOptions{AllowWatchBookmarks: true}))(t),
		} {
			equal(t, "events", events(w), []string{"ADDED a", "BOOKMARK"})
			w.Stop()
		}

		must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{}))(t)
		modified := next(t, w)
		equal(t, "modified", modified, watch.Event{Type: watch.Modified, Object: must(c.Get(t.Context(), "a", metav1.GetOptions{}))(t)})
		if err := c.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		deleted := next(t, w)
		want := modified.Object.(*stablev1.CronTab)
		want.ResourceVersion = must(c.List(t.Context(), metav1.ListOptions{}))(t).ResourceVersion
		equal(t, "deleted", deleted, watch.Event{Type: watch.Deleted, Object: want})
	})
}

// TestWatchSelects checks that objects come and go as they enter and leave the selection.
func TestWatchSelects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newWorld(t)
		c := client.StableV1().CronTabs("team")
		byLabel := must(c.Watch(t.Context(), metav1.ListOptions{LabelSelector: "tier=gold"}))(t)
		defer byLabel.Stop()
		byField := must(c.Watch(t.Context(), metav1.ListOptions{FieldSelector: "spec.image=alpine"}))(t)
		defer byField.Stop()
		elsewhere := must(client.StableV1().CronTabs("other").Watch(t.Context(), metav1.ListOptions{}))(t)
		defer elsewhere.Stop()
		everywhere := must(client.StableV1().CronTabs("").Watch(t.Context(), metav1.ListOptions{}))(t)
		defer everywhere.Stop()
		must(c.Create(t.Context(), crontab("a"), metav1.CreateOptions{}))(t)
		for i, patch := range []string{
			`{"metadata":{"labels":{"tier":"gold"}}}`,
			`{"spec":{"image":"alpine"}}`,
			`{"metadata":{"labels":{"tier":"silver"}}}`,
			`{"spec":{"image":"busybox"}}`,
			`{"metadata":{"labels":{"tier":"gold"}},"spec":{"image":"alpine"}}`,
		} {
			ct := must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
			if i == 2 {
				equal(t, "events", events(byField), []string{"ADDED a", "MODIFIED a"})
				next(t, byLabel)
				next(t, byLabel)
				left := next(t, byLabel)
				got := left.Object.(*stablev1.CronTab)
				if left.Type != watch.Deleted || got.Labels["tier"] != "gold" || got.ResourceVersion != ct.ResourceVersion {
					t.Errorf("left the selection: %s %+v, at version %s", left.Type, got, ct.ResourceVersion)
				}
			}
		}
		if err := c.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		equal(t, "by label", events(byLabel), []string{"ADDED a", "DELETED a"})
		equal(t, "by field", events(byField), []string{"DELETED a", "ADDED a", "DELETED a"})
		equal(t, "elsewhere", events(elsewhere), nil)
		equal(t, "everywhere", len(events(everywhere)), 7)
	})
}

// TestWatchEnds checks how watches end: by Stop, after their time, by the context and by the driver.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := newWorld(t, fakeapi.WithObjects(crontab("a")))
		c := client.StableV1().CronTabs("team")
		stopped := must(c.Watch(t.Context(), metav1.ListOptions{}))(t)
		stopped.Stop()
		stopped.Stop()
		equal(t, "stopped", events(stopped), []string{"END"})

		start := time.Now()
		timed := must(c.Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: new(int64(100)), AllowWatchBookmarks: true}))(t)
		equal(t, "timed", events(timed), []string{"ADDED a", "BOOKMARK"})
		must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{}))(t)
		equal(t, "timed", events(timed), []string{"MODIFIED a"})
		if e := <-timed.ResultChan(); e.Type != watch.Bookmark || time.Since(start) != time.Minute {
			t.Errorf("event %s after %v, want a bookmark after a minute", e.Type, time.Since(start))
		}
		if e := <-timed.ResultChan(); e.Type != watch.Bookmark || time.Since(start) != 98*time.Second {
			t.Errorf("event %s after %v, want a bookmark two seconds before the end", e.Type, time.Since(start))
		}
		if e, ok := <-timed.ResultChan(); ok {
			t.Errorf("event %s after the last bookmark", e.Type)
		}
		equal(t, "time", time.Since(start), 100*time.Second)

		ctx, cancel := context.WithCancel(t.Context())
		bound := must(api.Dynamic().Resource(crontabs).Watch(ctx, metav1.ListOptions{ResourceVersion: "99"}))(t)
		equal(t, "bound", events(bound), nil)
		cancel()
		equal(t, "bound", events(bound), []string{"END"})
		if _, err := api.Dynamic().Resource(crontabs).List(ctx, metav1.ListOptions{}); err != context.Canceled {
			t.Errorf("list with a cancelled context: %v", err)
		}
		if _, err := api.Metadata().Resource(crontabs).Watch(ctx, metav1.ListOptions{}); err != context.Canceled {
			t.Errorf("watch with a cancelled context: %v", err)
		}

		ended := must(c.Watch(t.Context(), metav1.ListOptions{}))(t)
		must(c.Create(t.Context(), crontab("b"), metav1.CreateOptions{}))(t)
		api.EndWatches()
		must(c.Create(t.Context(), crontab("c"), metav1.CreateOptions{}))(t)
		equal(t, "ended", events(ended), []string{"ADDED a", "ADDED b", "END"})

		version := must(c.List(t.Context(), metav1.ListOptions{}))(t).ResourceVersion
		expired := must(c.Watch(t.Context(), metav1.ListOptions{ResourceVersion: version}))(t)
		api.ExpireVersions()
		equal(t, "expired", events(expired), []string{"END"})
		again := must(c.Watch(t.Context(), metav1.ListOptions{ResourceVersion: version}))(t)
		equal(t, "again", events(again), []string{"ERROR Expired", "END"})
	})
}

// TestWatchNeverBlocks checks that writers do not wait for watchers, and that nothing is lost.
func TestWatchNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newWorld(t)
		c := client.StableV1().CronTabs("team")
		w := must(c.Watch(t.Context(), metav1.ListOptions{}))(t)
		defer w.Stop()
		for i := range 1000 {
			must(c.Create(t.Context(), crontab(fmt.Sprint("ct-", i)), metav1.CreateOptions{}))(t)
		}
		got := events(w)
		for i, e := range got {
			if want := fmt.Sprint("ADDED ct-", i); e != want {
				t.Fatalf("event %d is %s, want %s", i, e, want)
			}
		}
		equal(t, "number of events", len(got), 1000)
	})
}

// TestInformers runs informers of all clients on one API. They have the same objects, after its versions have expired
// as well, and those of clients that can do so never list.
func TestInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := newWorld(t, fakeapi.WithObjects(crontab("a"), crontab("b")))
		kubernetes, dynamic, metadata := newKubernetes(api), api.Dynamic(), api.Metadata()
		ctx, cancel := context.WithCancel(t.Context())
		stable := externalversions.NewSharedInformerFactory(client, 0)
		core := informers.NewSharedInformerFactory(kubernetes, 0)
		dynamicFactory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic, 0)
		metadataFactory := metadatainformer.NewSharedInformerFactory(metadata, 0)
		stores := map[string]cache.Store{
			"typed":      stable.Stable().V1().CronTabs().Informer().GetStore(),
			"dynamic":    dynamicFactory.ForResource(crontabs).Informer().GetStore(),
			"metadata":   metadataFactory.ForResource(crontabs).Informer().GetStore(),
			"kubernetes": core.Core().V1().ConfigMaps().Informer().GetStore(),
		}
		stable.Start(ctx.Done())
		core.Start(ctx.Done())
		dynamicFactory.Start(ctx.Done())
		metadataFactory.Start(ctx.Done())
		synctest.Wait()

		c := client.StableV1().CronTabs("team")
		change := func(name string) {
			t.Helper()
			must(c.Create(ctx, crontab(name), metav1.CreateOptions{}))(t)
			must(kubernetes.CoreV1().ConfigMaps("team").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))(t)
			time.Sleep(time.Minute) // for the backoff of reflectors
			synctest.Wait()
			want := len(must(c.List(ctx, metav1.ListOptions{}))(t).Items)
			for kind, store := range stores {
				n := want
				if kind == "kubernetes" {
					n -= 2 // a and b
				}
				if len(store.List()) != n {
					t.Errorf("after %s, the %s informer has %d objects, want %d", name, kind, len(store.List()), n)
				}
			}
		}
		change("first")
		api.EndWatches()
		change("second")
		watchesAlone := clientfeatures.FeatureGates().Enabled(clientfeatures.WatchListClient) // by default, from v0.35 on
		for name, actions := range map[string][]clienttesting.Action{"typed": client.Actions(), "dynamic": dynamic.Actions(), "metadata": metadata.Actions()} {
			for _, action := range actions {
				if watchesAlone && action.GetVerb() == "list" && action.GetNamespace() == "" {
					t.Errorf("the %s informer lists", name)
				}
			}
		}
		api.ExpireVersions()
		change("last")
		cancel()
		stable.Shutdown()
		core.Shutdown()
		dynamicFactory.Shutdown()
		metadataFactory.Shutdown()
	})
}
