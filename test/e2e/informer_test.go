package e2e

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

type (
	handlerFuncs   = informersv1.CronTabHandlerFuncs
	deletedCronTab = informersv1.DeletedCronTab
)

// newFactory returns a factory whose informers see one namespace.
func newFactory(client versioned.Interface, namespace string) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
}

// start runs a factory until the test ends. It returns when the caches are full.
func start(ctx context.Context, t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	factory.StartWithContext(ctx)
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	must(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
}

// A calls is a handler that keeps what it was called with: "add a", "update a", "delete a".
type calls struct {
	mu   sync.Mutex
	list []string
}

func (c *calls) handler() handlerFuncs {
	return handlerFuncs{
		AddFunc:    func(obj *v1.CronTab) { c.add("add " + obj.Name) },
		UpdateFunc: func(_, obj *v1.CronTab) { c.add("update " + obj.Name) },
		DeleteFunc: func(obj deletedCronTab) { c.add("delete " + obj.GetName()) },
	}
}

func (c *calls) add(call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, call)
}

func (c *calls) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

// wait returns when the handler was called n times.
func (c *calls) wait(ctx context.Context, t *testing.T, n int) []string {
	t.Helper()
	eventually(ctx, t, "the handler was called often enough", func() bool { return len(c.all()) >= n })
	return c.all()
}

// However many ask a factory for an informer, and add handlers, the server is asked once.
func TestInformersAreShared(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, requests := connect(t, shared)
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("before"))

	factory := newFactory(client, ns)
	var first, second, late calls
	informer := factory.Stable().V1().CronTabs().TypedInformer()
	_, err := informer.AddTypedEventHandler(first.handler())
	must(t, err)
	generic, err := factory.ForResource(v1.SchemeGroupVersion.WithResource("crontabs")) // another caller
	must(t, err)
	registration, err := generic.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { second.add("add " + obj.(*v1.CronTab).Name) },
	})
	must(t, err)
	start(ctx, t, factory)
	start(ctx, t, factory) // which changes nothing
	create(ctx, t, crontabs, newCronTab("after"))
	for _, handler := range []*calls{&first, &second} {
		expect(t, "calls", handler.wait(ctx, t, 2), []string{"add before", "add after"})
	}

	// A late handler is told of all that is there, and then of the same as the others.
	_, err = informer.AddTypedEventHandler(late.handler())
	must(t, err)
	told := late.wait(ctx, t, 2)
	slices.Sort(told)
	expect(t, "calls of the late handler", told, []string{"add after", "add before"})

	// One that is removed is told of nothing more.
	must(t, generic.Informer().RemoveEventHandler(registration))
	setImage(ctx, t, crontabs, "after", "image:v2")
	remove(ctx, t, crontabs, "before")
	expect(t, "calls", first.wait(ctx, t, 4), []string{"add before", "add after", "update after", "delete before"})
	expect(t, "calls of the late handler", late.wait(ctx, t, 4)[2:], []string{"update after", "delete before"})
	expect(t, "calls of the handler that was removed", second.all(), []string{"add before", "add after"})

	expect(t, "requests", describe(requests.all()), []string{"watch resourceVersionMatch=NotOlderThan sendInitialEvents=true"})
}

// The resync period has handlers called again with what is there, for which nobody asks the server.
func TestResync(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, requests := connect(t, shared)
	create(ctx, t, client.StableV1().CronTabs(ns), newCronTab("nightly"))
	requests.forget()
	factory := informers.NewSharedInformerFactoryWithOptions(client, time.Second, informers.WithNamespace(ns))
	unchanged := make(chan bool, 100)
	_, err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(handlerFuncs{
		UpdateFunc: func(old, c *v1.CronTab) { unchanged <- old.ResourceVersion == c.ResourceVersion },
	})
	must(t, err)
	start(ctx, t, factory)
	for range 2 {
		expect(t, "an update without a change", receive(ctx, t, unchanged), true)
	}
	expect(t, "requests", len(requests.all()), 1)
}

// Shutdown waits for all that a factory has started. Not in parallel, or others' goroutines would count.
func TestShutdownLeavesNoGoroutine(t *testing.T) {
	ctx, ns := limit(t), namespace(t)
	config, err := shared.config()
	must(t, err)
	before := goleak.IgnoreCurrent()

	// A transport of its own, the connections of which can be closed.
	tls, err := rest.TLSConfigFor(config)
	must(t, err)
	transport := &http.Transport{TLSClientConfig: tls, ForceAttemptHTTP2: true}
	client, err := versioned.NewForConfig(&rest.Config{Host: config.Host, BearerToken: config.BearerToken, Transport: transport})
	must(t, err)
	create(ctx, t, client.StableV1().CronTabs(ns), newCronTab("nightly"))

	factory := newFactory(client, ns)
	var handled calls
	_, err = factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(handled.handler())
	must(t, err)
	factory.Stable().V1().CronTabClasses().Informer()
	running, cancel := context.WithCancel(ctx)
	factory.StartWithContext(running)
	must(t, factory.WaitForCacheSyncWithContext(running).AsError())
	handled.wait(ctx, t, 1)

	cancel()
	factory.Shutdown()
	eventually(ctx, t, "there is no goroutine left", func() bool {
		transport.CloseIdleConnections() // which they are only after a moment
		err := goleak.Find(before)
		if err != nil {
			t.Log(err)
		}
		return err == nil
	})
	_, err = factory.Stable().V1().CronTabs().Lister().List(labels.Everything())
	must(t, err) // the cache outlives the informer
}
