package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	clients "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
)

// deltas is a DeltaFIFO that a Reflector fills, and what came out of it.
type deltas struct {
	known cache.Store // the objects as of the last delta
	fifo  *cache.DeltaFIFO

	mu   sync.Mutex
	seen map[string][]string
}

// newDeltas handles what comes out of the queue until the test ends.
func newDeltas(ctx context.Context, t *testing.T, crontabs clients.CronTabInterface) *deltas {
	t.Helper()
	d := &deltas{known: newStore(), seen: map[string][]string{}}
	d.fifo = cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: d.known, EmitDeltaTypeReplaced: true})
	beside(ctx, t, func(ctx context.Context) {
		go func() {
			<-ctx.Done()
			d.fifo.Close()
		}()
		for {
			if _, err := d.fifo.Pop(func(obj any, _ bool) error { return d.handle(obj.(cache.Deltas)) }); err != nil {
				return // closed
			}
		}
	})
	startReflector(ctx, t, listWatch(crontabs), d.fifo)
	return d
}

func (d *deltas) handle(list cache.Deltas) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, delta := range list {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(delta.Object)
		if err != nil {
			return err
		}
		text := string(delta.Type)
		object := delta.Object
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			text, object = text+" tombstone", tombstone.Obj
		}
		d.seen[key] = append(d.seen[key], text+" "+object.(*v1.CronTab).Spec.Image)
		if delta.Type == cache.Deleted {
			err = d.known.Delete(object)
		} else {
			err = d.known.Update(object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the deltas of one key, oldest first.
func (d *deltas) of(key string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen[key])
}

func TestDeltaFIFO(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, _ := connect(t, shared)
	crontabs := client.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("before"))
	d := newDeltas(ctx, t, crontabs)
	holds(ctx, t, d.known, "before=image:v1")

	create(ctx, t, crontabs, newCronTab("nightly"))
	for i := range 5 {
		setImage(ctx, t, crontabs, "nightly", fmt.Sprintf("image:v%d", i+2))
	}
	holds(ctx, t, d.known, "before=image:v1", "nightly=image:v6")
	must(t, d.fifo.Resync())
	eventually(ctx, t, "both are synced", func() bool { return len(d.of(ns+"/nightly")) == 7 && len(d.of(ns+"/before")) == 2 })
	remove(ctx, t, crontabs, "nightly")
	holds(ctx, t, d.known, "before=image:v1")
	must(t, d.fifo.Replace(nil, ""))
	holds(ctx, t, d.known)

	expect(t, "deltas of what was there before", d.of(ns+"/before"), []string{"Replaced image:v1", "Sync image:v1", "Deleted tombstone image:v1"})
	expect(t, "deltas of what came later", d.of(ns+"/nightly"), []string{"Added image:v1", "Updated image:v2", "Updated image:v3",
		"Updated image:v4", "Updated image:v5", "Updated image:v6", "Sync image:v6", "Deleted image:v6"})
}

// Whatever many writers do at the same time, the handlers of a generated informer get what was done to each key, all of
// it and in order.
func TestHandlersGetKeysInOrder(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, _ := connect(t, shared)
	crontabs := client.StableV1().CronTabs(ns)
	factory := newFactory(client, ns)
	var mu sync.Mutex
	got := map[string][]string{}
	record := func(name, what string) {
		mu.Lock()
		defer mu.Unlock()
		got[name] = append(got[name], what)
	}
	_, err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(handlerFuncs{
		AddFunc:    func(c *v1.CronTab) { record(c.Name, "add "+c.ResourceVersion) },
		UpdateFunc: func(old, c *v1.CronTab) { record(c.Name, "update "+old.ResourceVersion+" "+c.ResourceVersion) },
		DeleteFunc: func(c deletedCronTab) { record(c.GetName(), "delete") },
	})
	must(t, err)
	start(ctx, t, factory)

	var want sync.Map
	var writers sync.WaitGroup
	for i := range 20 {
		writers.Go(func() {
			name := fmt.Sprintf("crontab-%02d", i)
			version := create(ctx, t, crontabs, newCronTab(name)).ResourceVersion
			list := []string{"add " + version}
			for j := range 10 {
				next := setImage(ctx, t, crontabs, name, fmt.Sprintf("image:v%d", j+2)).ResourceVersion
				list = append(list, "update "+version+" "+next)
				version = next
			}
			remove(ctx, t, crontabs, name)
			want.Store(name, append(list, "delete"))
		})
	}
	writers.Wait()
	for name, list := range want.Range {
		seen := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(got[name.(string)])
		}
		eventually(ctx, t, "the deletion is handled", func() bool { return slices.Contains(seen(), "delete") })
		expect(t, "what the handler got for "+name.(string), seen(), list.([]string))
	}
}
