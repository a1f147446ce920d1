package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	clients "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
)

// listWatch is what generated informers give their Reflector.
func listWatch(crontabs clients.CronTabInterface) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return crontabs.List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return crontabs.Watch(ctx, opts)
		},
	}
}

// listThenWatch keeps Reflectors from getting the list as part of the watch.
type listThenWatch struct{ *cache.ListWatch }

func (listThenWatch) IsWatchListSemanticsUnSupported() bool { return true }

// startReflector runs a Reflector until the test ends.
func startReflector(ctx context.Context, t *testing.T, lw cache.ListerWatcher, store cache.ReflectorStore) *cache.Reflector {
	t.Helper()
	reflector := cache.NewReflectorWithOptions(lw, &v1.CronTab{}, store, cache.ReflectorOptions{})
	beside(ctx, t, reflector.RunWithContext)
	return reflector
}

// beside runs a function beside the test, until the test ends or the context that is returned is cancelled.
func beside(ctx context.Context, t *testing.T, f func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// holds waits until a store has exactly the objects named, each with the image named after "=" if there is one.
func holds(ctx context.Context, t *testing.T, store cache.Store, want ...string) {
	t.Helper()
	slices.Sort(want)
	eventually(ctx, t, fmt.Sprintf("the store holds %q", want), func() bool {
		var got []string
		for _, obj := range store.List() {
			crontab := obj.(*v1.CronTab)
			got = append(got, crontab.Name+"="+crontab.Spec.Image)
		}
		slices.Sort(got)
		return slices.Equal(got, want)
	})
}

func newStore() cache.Store { return cache.NewStore(cache.MetaNamespaceKeyFunc) }

func setImage(ctx context.Context, t *testing.T, crontabs clients.CronTabInterface, name, image string) *v1.CronTab {
	t.Helper()
	changed, err := crontabs.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"image":%q}}`, image), metav1.PatchOptions{})
	must(t, err)
	return changed
}

func remove(ctx context.Context, t *testing.T, crontabs clients.CronTabInterface, name string) {
	t.Helper()
	must(t, crontabs.Delete(ctx, name, metav1.DeleteOptions{}))
}

func TestReflectorListsThenWatches(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("a"))
	create(ctx, t, crontabs, newCronTab("b"))

	client, requests := connect(t, shared)
	lw := listWatch(client.StableV1().CronTabs(ns))
	list := lw.ListWithContextFunc
	listed := make(chan string, 1)
	lw.ListWithContextFunc = func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		obj, err := list(ctx, opts)
		if err == nil {
			listed <- obj.(*v1.CronTabList).ResourceVersion
		}
		return obj, err
	}
	startReflector(ctx, t, listThenWatch{lw}, store)
	version := receive(ctx, t, listed)
	holds(ctx, t, store, "a=image:v1", "b=image:v1")
	create(ctx, t, crontabs, newCronTab("c"))
	setImage(ctx, t, crontabs, "a", "image:v2")
	remove(ctx, t, crontabs, "b")
	holds(ctx, t, store, "a=image:v2", "c=image:v1")
	expect(t, "requests", describe(requests.all()), []string{"list resourceVersion=0 limit=500", "watch resourceVersion=" + version})
}

func TestReflectorWatchesList(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("a"))
	last := create(ctx, t, crontabs, newCronTab("b"))

	client, requests := connect(t, shared)
	reflector := startReflector(ctx, t, listWatch(client.StableV1().CronTabs(ns)), store)
	holds(ctx, t, store, "a=image:v1", "b=image:v1")
	eventually(ctx, t, "the bookmark after the initial events has come", func() bool { return reflector.LastSyncResourceVersion() != "" })
	if !notOlder(t, reflector.LastSyncResourceVersion(), last.ResourceVersion) {
		t.Errorf("the list is as of %s, before the last create, %s", reflector.LastSyncResourceVersion(), last.ResourceVersion)
	}
	setImage(ctx, t, crontabs, "a", "image:v2")
	remove(ctx, t, crontabs, "b")
	holds(ctx, t, store, "a=image:v2")
	// It all came in the one watch.
	expect(t, "requests", describe(requests.all()), []string{"watch resourceVersionMatch=NotOlderThan sendInitialEvents=true"})
	expect(t, "allowWatchBookmarks", requests.last().query.Get("allowWatchBookmarks"), "true")
}

func notOlder(t *testing.T, version, than string) bool {
	t.Helper()
	order, err := resourceversion.CompareResourceVersion(version, than)
	must(t, err)
	return order >= 0
}

// While nothing happens that a watch is about, bookmarks keep its resource version new, and the next watch starts
// there.
func TestReflectorFollowsBookmarks(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	client, requests := connect(t, shared)
	lw := listWatch(client.StableV1().CronTabs(ns))
	start := lw.WatchFuncWithContext
	lw.WatchFuncWithContext = func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
		opts.TimeoutSeconds = new(int64(3)) // the server sends a bookmark two seconds before it ends a watch
		return start(ctx, opts)
	}
	reflector := startReflector(ctx, t, lw, store)
	eventually(ctx, t, "it has synced", func() bool { return reflector.LastSyncResourceVersion() != "" })

	writer, _ := connect(t, shared)
	elsewhere := create(ctx, t, writer.StableV1().CronTabs(ns+"-elsewhere"), newCronTab("a"))
	eventually(ctx, t, "a watch starts from a bookmark", func() bool {
		last := requests.last()
		return last.query.Get("resourceVersion") != "" && notOlder(t, last.query.Get("resourceVersion"), elsewhere.ResourceVersion)
	})
	holds(ctx, t, store)
	expect(t, "lists", len(requests.all("list")), 0)
	for _, r := range requests.all()[1:] {
		expect(t, "sendInitialEvents of a later watch", r.query.Has("sendInitialEvents"), false)
	}
}

func TestReflectorResumesAfterCut(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	proxy, config := newProxy(t, shared)
	client, requests := connectWith(t, config)
	startReflector(ctx, t, listWatch(client.StableV1().CronTabs(ns)), store)
	create(ctx, t, crontabs, newCronTab("a"))
	b := create(ctx, t, crontabs, newCronTab("b"))
	holds(ctx, t, store, "a=image:v1", "b=image:v1")

	requests.forget()
	proxy.cut()
	setImage(ctx, t, crontabs, "a", "image:v2")
	remove(ctx, t, crontabs, "b")
	create(ctx, t, crontabs, newCronTab("c"))
	eventually(ctx, t, "it has noticed", func() bool { return len(requests.all()) > 0 })
	proxy.listen(t)
	holds(ctx, t, store, "a=image:v2", "c=image:v1")
	for _, sent := range requests.all() {
		resumes(t, sent, b.ResourceVersion)
	}
}

// resumes checks that a request goes on from what the last one has seen, the resource version given, or from what a
// bookmark has brought since. Whether client-go asks for changes alone or for the state as well depends on how the
// connection broke.
func resumes(t *testing.T, sent request, version string) {
	t.Helper()
	if from := sent.query.Get("resourceVersion"); from == "" || !notOlder(t, from, version) {
		t.Errorf("sent %q, want it to go on from resource version %s", sent.String(), version)
	}
}

func TestReflectorReadsPages(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	writer, _ := connect(t, shared)
	var want []string
	for i := range 25 {
		c := create(ctx, t, writer.StableV1().CronTabs(ns), newCronTab(fmt.Sprintf("crontab-%02d", i)))
		want = append(want, c.Name+"="+c.Spec.Image)
	}
	client, requests := connect(t, shared)
	lw := listWatch(client.StableV1().CronTabs(ns))
	list := lw.ListWithContextFunc
	lw.ListWithContextFunc = func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		if opts.ResourceVersion == "0" {
			opts.ResourceVersion = "" // what the watch cache has it sends whole
		}
		return list(ctx, opts)
	}
	reflector := cache.NewReflector(listThenWatch{lw}, &v1.CronTab{}, store, 0)
	reflector.WatchListPageSize = 10
	beside(ctx, t, reflector.RunWithContext)
	holds(ctx, t, store, want...)
	pages := requests.all("list")
	expect(t, "pages", len(pages), 3)
	for i, page := range pages {
		expect(t, "limit", page.query.Get("limit"), "10")
		expect(t, "there is a continue token", page.query.Has("continue"), i > 0)
	}
}

// Over HTTP/1.1 a watch is one response in chunks, and each event arrives when it happens.
func TestReflectorReadsChunks(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	writer, _ := connect(t, shared)
	config, err := shared.config()
	must(t, err)
	config.NextProtos = []string{"http/1.1"}
	client, requests := connectWith(t, config)
	startReflector(ctx, t, listWatch(client.StableV1().CronTabs(ns)), store)
	var want []string
	for i := range 5 {
		c := create(ctx, t, writer.StableV1().CronTabs(ns), newCronTab(fmt.Sprintf("crontab-%d", i)))
		want = append(want, c.Name+"="+c.Spec.Image)
		holds(ctx, t, store, want...)
	}
	expect(t, "requests", len(requests.all()), 1)
	expect(t, "transfer encoding", requests.last().transferEncoding, []string{"chunked"})
}

func TestReflectorResumesAfterRestart(t *testing.T) {
	t.Parallel()
	ctx, ns, store := limit(t), namespace(t), newStore()
	server := ownServer(t)
	client, requests := connect(t, server)
	crontabs := client.StableV1().CronTabs(ns)
	startReflector(ctx, t, listWatch(crontabs), store)
	create(ctx, t, crontabs, newCronTab("a"))
	last := create(ctx, t, crontabs, newCronTab("b"))
	holds(ctx, t, store, "a=image:v1", "b=image:v1")

	for i, end := range []func() error{server.stop, server.kill} {
		requests.forget()
		must(t, end())
		must(t, server.start())
		writer, _ := connect(t, server)
		image := fmt.Sprintf("image:v%d", i+2)
		changed := setImage(ctx, t, writer.StableV1().CronTabs(ns), "a", image)
		holds(ctx, t, store, "a="+image, "b=image:v1")
		for _, sent := range requests.all() {
			resumes(t, sent, last.ResourceVersion)
		}
		last = changed
	}
}

// expire makes the server end all watches of CronTabs and forget their history, as it does when their definition
// changes: watches from a resource version up to the one given are told that it has expired, 410 Gone.
func expire(ctx context.Context, t *testing.T, config *rest.Config, crontabs clients.CronTabInterface, version string) {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	definitions := client.Resource(apiextensions.WithResource("customresourcedefinitions"))
	_, err = definitions.Patch(ctx, "crontabs.stable.example.com", types.MergePatchType,
		[]byte(`{"spec":{"names":{"categories":["all"]}}}`), metav1.PatchOptions{})
	must(t, err)
	waitExpired(ctx, t, crontabs.Watch, version)
}

// waitExpired returns when a watch from a version is refused as expired.
func waitExpired(ctx context.Context, t *testing.T, start func(context.Context, metav1.ListOptions) (watch.Interface, error), version string) {
	t.Helper()
	eventually(ctx, t, "the history is gone", func() bool {
		events, err := start(ctx, metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: new(int64(1))})
		if err != nil {
			return apierrors.IsResourceExpired(err)
		}
		defer events.Stop()
		event, ok := <-events.ResultChan()
		return ok && event.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(event.Object))
	})
}
