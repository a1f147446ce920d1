package e2e

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

// The informer for a resource is that of its kind, and no other.
func TestForResource(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, _ := connect(t, shared)
	create(ctx, t, client.StableV1().CronTabs(ns), newCronTab("nightly"))
	_, err := client.StableV1().CronRuns(ns).Create(ctx, &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly-1"}, Spec: v1.CronRunSpec{Image: "image:v1", ScheduledTime: metav1.Now()},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = client.StableV1().CronTabClasses().Create(ctx, &v1.CronTabClass{
		ObjectMeta: metav1.ObjectMeta{Name: ns}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1"},
	}, metav1.CreateOptions{})
	must(t, err)

	factory := newFactory(client, ns)
	stable := factory.Stable().V1()
	for resource, kind := range map[string]struct {
		informer cache.SharedIndexInformer
		key      string
		object   runtime.Object
	}{
		"crontabs":       {stable.CronTabs().Informer(), ns + "/nightly", &v1.CronTab{}},
		"cronruns":       {stable.CronRuns().Informer(), ns + "/nightly-1", &v1.CronRun{}},
		"crontabclasses": {stable.CronTabClasses().Informer(), ns, &v1.CronTabClass{}},
	} {
		generic, err := factory.ForResource(v1.SchemeGroupVersion.WithResource(resource))
		must(t, err)
		if generic.Informer().GetIndexer() != kind.informer.GetIndexer() {
			t.Errorf("the informer for %s is not that of its kind", resource)
		}
		start(ctx, t, factory)
		stored, exists, err := generic.Informer().GetIndexer().GetByKey(kind.key)
		must(t, err)
		if !exists || reflect.TypeOf(stored) != reflect.TypeOf(kind.object) {
			t.Errorf("the informer for %s has %T at %s, want %T", resource, stored, kind.key, kind.object)
		}
		listed, err := generic.Lister().List(labels.Everything())
		must(t, err)
		for _, object := range listed {
			if reflect.TypeOf(object) != reflect.TypeOf(kind.object) {
				t.Errorf("the lister for %s has a %T", resource, object)
			}
		}
	}
}

// The options of a factory say what its informers ask the server for, what they keep of it, and how often handlers
// see it.
func TestFactoryOptions(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, requests := connect(t, shared)
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	for _, tier := range []string{"gold", "silver"} {
		c := newCronTab(tier)
		c.Labels, c.Annotations = map[string]string{"tier": tier}, map[string]string{"note": tier}
		create(ctx, t, crontabs, c)
	}
	_, err := writer.StableV1().CronRuns(ns).Create(ctx, &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{Name: "run", Labels: map[string]string{"tier": "gold"}},
		Spec:       v1.CronRunSpec{Image: "image:v1", ScheduledTime: metav1.Now()},
	}, metav1.CreateOptions{})
	must(t, err)

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(ns),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "tier=gold" }),
		informers.WithTransform(func(object any) (any, error) {
			if object, ok := object.(metav1.Object); ok {
				object.SetAnnotations(nil)
			}
			return object, nil
		}),
		informers.WithCustomResyncConfig(map[metav1.Object]time.Duration{&v1.CronTab{}: time.Second}))
	unchanged := make(chan string, 1000)
	_, err = factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(handlerFuncs{
		UpdateFunc: func(old, c *v1.CronTab) {
			if old.ResourceVersion == c.ResourceVersion {
				unchanged <- "CronTab " + c.Name
			}
		},
	})
	must(t, err)
	_, err = factory.Stable().V1().CronRuns().TypedInformer().AddTypedEventHandler(informersv1.CronRunHandlerFuncs{
		UpdateFunc: func(_, run *v1.CronRun) { unchanged <- "CronRun " + run.Name },
	})
	must(t, err)
	start(ctx, t, factory)

	create(ctx, t, crontabs, func() *v1.CronTab {
		c := newCronTab("later")
		c.Labels, c.Annotations = map[string]string{"tier": "gold"}, map[string]string{"note": "later"}
		return c
	}())
	create(ctx, t, crontabs, newCronTab("unlabelled"))
	holds(ctx, t, factory.Stable().V1().CronTabs().Informer().GetStore(), "gold=image:v1", "later=image:v1")
	cached, err := factory.Stable().V1().CronTabs().Lister().List(labels.Everything())
	must(t, err)
	for _, c := range cached {
		expect(t, "annotations of "+c.Name+" in the cache", len(c.Annotations), 0)
		stored, err := crontabs.Get(ctx, c.Name, metav1.GetOptions{})
		must(t, err)
		expect(t, "annotations of "+c.Name+" on the server", stored.Annotations["note"], c.Name)
	}
	for _, sent := range requests.all() {
		expect(t, fmt.Sprintf("the selector of %s of %s", sent.verb(), sent.path), sent.query.Get("labelSelector"), "tier=gold")
	}
	for seen := map[string]int{}; seen["CronTab gold"] < 3; {
		name := receive(ctx, t, unchanged)
		if seen[name]++; name == "CronRun run" {
			t.Fatal("the resync period of CronTabs is that of CronRuns, too")
		}
	}
}

// Shutdown returns when the last handler has, and not before.
func TestShutdownWaitsForHandlers(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, _ := connect(t, shared)
	create(ctx, t, client.StableV1().CronTabs(ns), newCronTab("nightly"))
	factory := newFactory(client, ns)
	handling, proceed, shutdown := make(chan bool), make(chan bool), make(chan bool)
	_, err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(handlerFuncs{
		AddFunc: func(*v1.CronTab) {
			close(handling)
			<-proceed
		},
	})
	must(t, err)
	running, cancel := context.WithCancel(ctx)
	factory.StartWithContext(running)
	<-handling
	cancel()
	go func() {
		factory.Shutdown()
		close(shutdown)
	}()
	select {
	case <-shutdown:
		t.Error("Shutdown has not waited for a handler")
	case <-time.After(200 * time.Millisecond):
	}
	close(proceed)
	<-shutdown
}
