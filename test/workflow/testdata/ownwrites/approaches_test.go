package ownwrites

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	clientgo "k8s.io/client-go/util/consistency"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	runtimeclient "sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
)

// An approach is a controller of CronTabs and CronRuns with one way of awaiting its own writes in caches.
type approach interface {
	create(ctx context.Context, run *v1.CronRun) error
	delete(ctx context.Context, name string) error
	deleteAll(ctx context.Context) error

	// disown removes the owners of a CronRun by a patch.
	disown(ctx context.Context, name string) error

	// report writes a number to the status of the CronTab nightly.
	report(ctx context.Context, replicas int) error

	// lead is called when the controller becomes the leader, before its first read.
	lead(ctx context.Context) error

	// read reads the CronTab nightly and its CronRuns from the caches, as at the beginning of a reconcile. If caches
	// lack own writes, it returns an error at once or when ctx ends.
	read(ctx context.Context) (*v1.CronTab, []string, error)
}

// options configure a controller's informer of CronRuns.
type options struct {
	fields fields.Selector // nil for all
}

// approaches lists functions that make controllers for a config, in the order of the columns in docs/consistency.md.
var approaches = []struct {
	name string
	make func(testing.TB, *rest.Config, options) approach
}{
	{"kubegen", newGenerated},
	{"client-go", newNoted},
	{"controller-runtime", newBlocking},
}

const namespace = "east"

var (
	nightly  = types.NamespacedName{Namespace: namespace, Name: "nightly"}
	cronTabs = v1.SchemeGroupVersion.WithResource("crontabs").GroupResource()
	cronRuns = v1.SchemeGroupVersion.WithResource("cronruns").GroupResource()
)

// plain is a controller with a generated clientset and informers that does not await its own writes.
type plain struct {
	client  stablev1.StableV1Interface
	factory externalversions.SharedInformerFactory
}

func newPlain(tb testing.TB, config *rest.Config, o options, more ...externalversions.SharedInformerOption) *plain {
	client, err := versioned.NewForConfig(config)
	must(tb, err)
	if o.fields != nil {
		more = append(more, externalversions.WithTweakListOptionsFor[*v1.CronRun](func(list *metav1.ListOptions) { list.FieldSelector = o.fields.String() }))
	}
	factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, more...)
	factory.Stable().V1().CronTabs().Informer()
	factory.Stable().V1().CronRuns().Informer()
	factory.StartWithContext(tb.Context())
	must(tb, factory.WaitForCacheSyncWithContext(tb.Context()).AsError())
	tb.Cleanup(factory.Shutdown)
	return &plain{client.StableV1(), factory}
}

func (p *plain) create(ctx context.Context, run *v1.CronRun) error {
	_, err := p.client.CronRuns(namespace).Create(ctx, run, metav1.CreateOptions{})
	return err
}

func (p *plain) delete(ctx context.Context, name string) error {
	return p.client.CronRuns(namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

func (p *plain) deleteAll(ctx context.Context) error {
	return p.client.CronRuns(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

const withoutOwners = `{"metadata":{"ownerReferences":null}}`

func (p *plain) disown(ctx context.Context, name string) error {
	_, err := p.client.CronRuns(namespace).Patch(ctx, name, types.MergePatchType, []byte(withoutOwners), metav1.PatchOptions{})
	return err
}

func status(replicas int) []byte { return fmt.Appendf(nil, `{"status":{"replicas":%d}}`, replicas) }

func (p *plain) report(ctx context.Context, replicas int) error {
	_, err := p.client.CronTabs(namespace).Patch(ctx, "nightly", types.MergePatchType, status(replicas), metav1.PatchOptions{}, "status")
	return err
}

func (p *plain) lead(context.Context) error { return nil }

func (p *plain) read(context.Context) (*v1.CronTab, []string, error) {
	crontab, err := p.factory.Stable().V1().CronTabs().Lister().CronTabs(namespace).Get("nightly")
	if err != nil {
		return nil, nil, err
	}
	var runs []string
	for _, obj := range p.factory.Stable().V1().CronRuns().Informer().GetIndexer().List() {
		if run := obj.(*v1.CronRun); isOwned(run) {
			runs = append(runs, run.Name)
		}
	}
	return crontab, runs, nil
}

func isOwned(run *v1.CronRun) bool {
	return slices.ContainsFunc(run.OwnerReferences, func(r metav1.OwnerReference) bool { return r.Name == "nightly" })
}

// generated uses the package that kubegen generates with --with-consistency.
type generated struct {
	*plain
	writes *consistency.Store
}

func newGenerated(tb testing.TB, config *rest.Config, o options) approach {
	writes := consistency.NewStore(consistency.WithLogger(logr.Discard()))
	writes.Wrap(config)
	return &generated{newPlain(tb, config, o, externalversions.WithConsistency(writes)), writes}
}

func (g *generated) lead(ctx context.Context) error { return g.writes.WaitUntilCurrent(ctx) }

func (g *generated) read(ctx context.Context) (*v1.CronTab, []string, error) {
	if err := g.writes.EnsureReady(cache.ObjectName(nightly)); err != nil {
		return nil, nil, err
	}
	return g.plain.read(ctx)
}

// The generated store implements client-go's interface.
var _ clientgo.ConsistencyStore = (*consistency.Owners)(nil)

// noted uses client-go's ConsistencyStore and calls WroteAt after each write whose answer contains a version.
type noted struct {
	*plain
	writes clientgo.ConsistencyStore
	uid    types.UID // of nightly
}

func newNoted(tb testing.TB, config *rest.Config, o options) approach {
	p := newPlain(tb, config, o)
	stable := p.factory.Stable().V1()
	crontab, err := stable.CronTabs().Lister().CronTabs(namespace).Get("nightly")
	must(tb, err)
	return &noted{p, clientgo.NewConsistencyStore(map[groupResource]clientgo.LastSyncRVGetter{
		cronTabs: stable.CronTabs().Informer().GetStore(),
		cronRuns: stable.CronRuns().Informer().GetStore(),
	}), crontab.UID}
}

func (n *noted) wrote(resource groupResource, object interface{ GetResourceVersion() string }, err error) error {
	if err == nil && object.GetResourceVersion() != "" {
		n.writes.WroteAt(nightly, n.uid, resource, object.GetResourceVersion())
	}
	return err
}

func (n *noted) create(ctx context.Context, run *v1.CronRun) error {
	run, err := n.client.CronRuns(namespace).Create(ctx, run, metav1.CreateOptions{})
	return n.wrote(cronRuns, run, err)
}

func (n *noted) delete(ctx context.Context, name string) error {
	result, err := n.client.CronRuns(namespace).DeleteWithResult(ctx, name, metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	answer, err := result.Get()
	if err != nil {
		return err
	}
	object, err := meta.CommonAccessor(answer) // a Status or a CronRun
	return n.wrote(cronRuns, object, err)
}

func (n *noted) disown(ctx context.Context, name string) error {
	run, err := n.client.CronRuns(namespace).Patch(ctx, name, types.MergePatchType, []byte(withoutOwners), metav1.PatchOptions{})
	return n.wrote(cronRuns, run, err)
}

func (n *noted) report(ctx context.Context, replicas int) error {
	crontab, err := n.client.CronTabs(namespace).Patch(ctx, "nightly", types.MergePatchType, status(replicas), metav1.PatchOptions{}, "status")
	return n.wrote(cronTabs, crontab, err)
}

func (n *noted) read(ctx context.Context) (*v1.CronTab, []string, error) {
	if err := n.writes.EnsureReady(nightly); err != nil {
		return nil, nil, err
	}
	return n.plain.read(ctx)
}

// blocking uses controller-runtime's client with EnableReadYourWritesConsistency.
type blocking struct{ client runtimeclient.Client }

func newBlocking(tb testing.TB, config *rest.Config, o options) approach {
	return newCached(tb, config, o, true)
}

func newCached(tb testing.TB, config *rest.Config, o options, consistent bool) *blocking {
	byObject := map[runtimeclient.Object]runtimecache.ByObject{&v1.CronTab{}: {}, &v1.CronRun{}: {Field: o.fields}}
	caches, err := runtimecache.New(config, runtimecache.Options{Scheme: scheme.Scheme, ByObject: byObject})
	must(tb, err)
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- caches.Start(ctx) }()
	tb.Cleanup(func() {
		cancel()
		must(tb, <-ended)
	})
	for object := range byObject {
		_, err := caches.GetInformer(ctx, object, runtimecache.BlockUntilSynced(false))
		must(tb, err)
	}
	if !caches.WaitForCacheSync(ctx) {
		tb.Fatal("the caches have no objects")
	}
	client, err := runtimeclient.New(config, runtimeclient.Options{Scheme: scheme.Scheme,
		Cache: &runtimeclient.CacheOptions{Reader: caches, EnableReadYourWritesConsistency: &consistent}})
	must(tb, err)
	b := &blocking{client}
	_, _, err = b.read(ctx)
	must(tb, err)
	return b
}

func run(name string) *v1.CronRun {
	return &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func (b *blocking) create(ctx context.Context, run *v1.CronRun) error {
	return b.client.Create(ctx, run.DeepCopy())
}
func (b *blocking) delete(ctx context.Context, name string) error {
	return b.client.Delete(ctx, run(name))
}
func (b *blocking) deleteAll(ctx context.Context) error {
	return b.client.DeleteAllOf(ctx, &v1.CronRun{}, runtimeclient.InNamespace(namespace))
}
func (b *blocking) disown(ctx context.Context, name string) error {
	return b.client.Patch(ctx, run(name), runtimeclient.RawPatch(types.MergePatchType, []byte(withoutOwners)))
}
func (b *blocking) report(ctx context.Context, replicas int) error {
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "nightly"}}
	return b.client.Status().Patch(ctx, crontab, runtimeclient.RawPatch(types.MergePatchType, status(replicas)))
}
func (b *blocking) lead(context.Context) error { return nil }

func (b *blocking) read(ctx context.Context) (*v1.CronTab, []string, error) {
	crontab, list := &v1.CronTab{}, &v1.CronRunList{}
	if err := b.client.Get(ctx, nightly, crontab); err != nil {
		return nil, nil, err
	}
	if err := b.client.List(ctx, list, runtimeclient.InNamespace(namespace)); err != nil {
		return nil, nil, err
	}
	var runs []string
	for i := range list.Items {
		if isOwned(&list.Items[i]) {
			runs = append(runs, list.Items[i].Name)
		}
	}
	return crontab, runs, nil
}

// state formats the result of a read, or returns "" after an error.
func state(crontab *v1.CronTab, runs []string, err error) string {
	if err != nil {
		return ""
	}
	slices.Sort(runs)
	return fmt.Sprintf("%d: %s", crontab.Status.Replicas, strings.Join(runs, " "))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// roundTripper is a function that sends requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
