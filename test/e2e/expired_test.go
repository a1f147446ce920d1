package e2e

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

var apiextensions = schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}

// What happened while they were disconnected is no longer in the server's history, so Reflectors list again, and what
// they find missing they report as a tombstone.
func TestRelistAfterExpiry(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	server := ownServer(t)
	writer, _ := connect(t, server)
	crontabs := writer.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("kept"))
	create(ctx, t, crontabs, newCronTab("lost"))

	proxy, config := newProxy(t, server)
	client, requests := connectWith(t, config)
	listing, watching := newStore(), newStore()
	startReflector(ctx, t, listThenWatch{listWatch(client.StableV1().CronTabs(ns))}, listing)
	startReflector(ctx, t, listWatch(client.StableV1().CronTabs(ns)), watching)
	queue := newDeltas(ctx, t, client.StableV1().CronTabs(ns))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	handled := make(chan any, 100)
	_, err := factory.Stable().V1().CronTabs().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { handled <- obj },
	})
	must(t, err)
	start(ctx, t, factory)
	holds(ctx, t, queue.known, "kept=image:v1", "lost=image:v1") // its Reflector may be later than the factory's
	lost := setImage(ctx, t, crontabs, "lost", "image:v2")
	for _, store := range []cache.Store{listing, watching, queue.known, factory.Stable().V1().CronTabs().Informer().GetStore()} {
		holds(ctx, t, store, "kept=image:v1", "lost=image:v2")
	}

	requests.forget()
	proxy.cut()
	remove(ctx, t, crontabs, "lost")
	create(ctx, t, crontabs, newCronTab("new"))
	direct, err := server.config()
	must(t, err)
	expire(ctx, t, direct, crontabs, lost.ResourceVersion)
	proxy.listen(t)
	for _, store := range []cache.Store{listing, watching, queue.known, factory.Stable().V1().CronTabs().Informer().GetStore()} {
		holds(ctx, t, store, "kept=image:v1", "new=image:v1")
	}
	expect(t, "lists anew", len(requests.all("list")) > 0, true)
	expect(t, "watches with a list anew", slices.ContainsFunc(requests.all("watch"), func(r request) bool {
		return r.query.Has("sendInitialEvents")
	}), true)

	tombstone, ok := receive(ctx, t, handled).(cache.DeletedFinalStateUnknown)
	if !ok || tombstone.Key != ns+"/lost" {
		t.Fatalf("got deletion of %#v, want a tombstone of %s/lost", tombstone, ns)
	}
	expect(t, "the last state that was seen", tombstone.Obj.(*v1.CronTab).Spec.Image, "image:v2")
	expect(t, "deltas of what was lost", queue.of(ns+"/lost"), []string{"Replaced image:v1", "Updated image:v2", "Deleted tombstone image:v2"})
	expect(t, "deltas of what was kept", queue.of(ns+"/kept"), []string{"Replaced image:v1", "Replaced image:v1"})
}
