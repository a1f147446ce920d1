package crontabtypes_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2/textlogger"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	applyv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests use a clientset for an API server in memory whose watches can be held.

// held delays the events of watches while they are held.
type held struct {
	lock     sync.Mutex
	open     chan struct{} // closed while watches are not held
	versions bool          // answers to deletions contain the version, as in Kubernetes 1.38
	created  string        // the version in answers to creations, as if the server was restored; "" for the real one
	requests atomic.Int64
}

// mostRequests is more than any test sends. After that, requests take an hour of the test's clock, so that a store that
// asks without a pause makes the test fail, which would otherwise never end.
const mostRequests = 2_000

func (h *held) hold() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.open = make(chan struct{})
}

func (h *held) release() { close(h.gate()) }

func (h *held) gate() chan struct{} {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.open
}

// roundTripper is a function that sends requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (h *held) wrap(base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if h.requests.Add(1) > mostRequests {
			time.Sleep(time.Hour)
		}
		response, err := base.RoundTrip(request)
		// These are the watches of informers.
		if query := request.URL.Query(); err == nil && query.Get("watch") != "" && query.Get("timeoutSeconds") != "3" {
			response.Body = &heldBody{response.Body, h, request.Context()}
		}
		if err == nil && h.versions && request.Method == http.MethodDelete {
			return withVersion(base, response)
		}
		if err == nil && h.created != "" && request.Method == http.MethodPost {
			return createdAt(h.created, response)
		}
		return response, err
	})
}

// createdAt changes the version in the answer to a creation.
func createdAt(version string, response *http.Response) (*http.Response, error) {
	object := &unstructured.Unstructured{}
	if err := json.NewDecoder(response.Body).Decode(&object.Object); err != nil {
		return nil, err
	}
	object.SetResourceVersion(version)
	text, err := json.Marshal(object.Object)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return response, err
}

// withVersion adds the version of the server to a Status.
func withVersion(base http.RoundTripper, response *http.Response) (*http.Response, error) {
	status := &metav1.Status{}
	if err := json.NewDecoder(response.Body).Decode(status); err != nil || status.Kind != "Status" {
		return nil, fmt.Errorf("got %v, %v, want a Status", status, err)
	}
	list := response.Request.Clone(response.Request.Context())
	list.Method, list.Body, list.URL.Path = http.MethodGet, nil, path.Dir(list.URL.Path)
	present, err := base.RoundTrip(list)
	if err != nil {
		return nil, err
	}
	if err := json.NewDecoder(present.Body).Decode(&struct{ Metadata *metav1.ListMeta }{&status.ListMeta}); err != nil {
		return nil, err
	}
	text, err := json.Marshal(status)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return response, err
}

type heldBody struct {
	io.ReadCloser
	held *held
	ctx  context.Context
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	select {
	case <-b.held.gate():
	case <-b.ctx.Done():
	}
	return n, err
}

// consistent is a controller's view of a server: a clientset, and informers in whose caches its writes are awaited.
type consistent struct {
	*testing.T
	api     *fakeapi.API
	config  *rest.Config
	watches *held
	writes  *consistency.Store
	client  stablev1.StableV1Interface
	factory informers.SharedInformerFactory
	metrics *counted
	log     *bytes.Buffer
}

// counted records the measurements of a store.
type counted struct {
	stale, seen []string
	waited      time.Duration // the longest
}

func (c *counted) Stale(resource schema.GroupResource) { c.stale = append(c.stale, resource.Resource) }
func (c *counted) Seen(resource schema.GroupResource, waited time.Duration) {
	c.seen, c.waited = append(c.seen, resource.Resource), max(c.waited, waited)
}

// newConsistent returns a view of a server with some objects and informers for CronTabs and CronRuns. start starts
// the informers.
func newConsistent(t *testing.T, objects []runtime.Object, options ...informers.SharedInformerOption) *consistent {
	t.Helper()
	c := &consistent{T: t, metrics: &counted{}, watches: &held{}, log: &bytes.Buffer{}}
	c.api = newServer(objects...)
	c.config = c.api.RESTConfig()
	c.watches.hold()
	c.watches.release()
	c.config.Wrap(c.watches.wrap)
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(c.log)))
	c.writes = consistency.NewStore(consistency.WithMetrics(c.metrics), consistency.WithLogger(logger))
	c.writes.Wrap(c.config)
	client, err := versioned.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	c.client = client.StableV1()
	c.factory = informers.NewSharedInformerFactoryWithOptions(client, 0, append(options, informers.WithConsistency(c.writes))...)
	c.factory.Stable().V1().CronTabs().Informer()
	c.factory.Stable().V1().CronRuns().Informer()
	return c
}

func newServer(objects ...runtime.Object) *fakeapi.API {
	return fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(objects...))
}

// start starts the informers, waits until their caches are full, and holds their watches.
func (c *consistent) start() {
	c.Helper()
	run(c.T, c.factory)
	synctest.Wait()
	c.watches.hold()
}

// awaits checks the writes that caches lack for a name, such as "cronruns east/nightly-1", perhaps followed by "
// deleted" or " unknown".
func (c *consistent) awaits(name cache.ObjectName, want ...string) {
	c.Helper()
	err := c.writes.EnsureReady(name)
	var stale *consistency.StaleError
	if err != nil && !errors.As(err, &stale) {
		c.Fatalf("got error %v, want a StaleError", err)
	}
	var got []string
	if stale != nil {
		for _, w := range stale.Writes {
			text := strings.TrimSpace(w.Resource.Resource + " " + w.Object.String())
			switch {
			case w.Unknown:
				text += " unknown"
			case w.Deleted:
				text += " deleted"
			}
			got = append(got, text)
		}
		if stale.Name != name {
			c.Errorf("the error is for %v, want %v", stale.Name, name)
		}
	}
	if !slices.Equal(got, want) {
		c.Errorf("for %v the caches lack %q, want %q", name, got, want)
	}
}

// must ends the test if err is not nil.
func (c *consistent) must(_ any, err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// elsewhere returns a client of the same server whose writes the store does not observe.
func (c *consistent) elsewhere() stablev1.StableV1Interface {
	return versioned.NewForConfigOrDie(c.api.RESTConfig()).StableV1()
}

// create creates a CronRun owned by nightly.
func (c *consistent) create(name string) {
	c.Helper()
	c.must(c.client.CronRuns("east").Create(c.Context(), ownedRun(name), metav1.CreateOptions{}))
}

// touch changes a CronTab.
func (c *consistent) touch(client stablev1.StableV1Interface, namespace, name string) {
	c.Helper()
	c.must(client.CronTabs(namespace).Patch(c.Context(), name, types.MergePatchType, []byte(`{"spec":{"image":"`+rand.Text()+`"}}`), metav1.PatchOptions{}))
}

// settled checks that nothing is awaited any more once watches are released. It holds them again.
func (c *consistent) settled() {
	c.Helper()
	c.watches.release()
	synctest.Wait()
	if _, ok := c.factory.Stable().V1().CronTabs().Informer().GetIndexer().(interface{ LastStoreSyncResourceVersion() string }); !ok {
		for range 3 { // before client-go v0.36
			time.Sleep(5 * time.Second)
			_ = c.writes.EnsureReady(nightlyName)
		}
	}
	if n := c.writes.Len(); n != 0 {
		c.Errorf("%d objects with writes are left, want none", n)
	}
	c.awaits(nightlyName)
	c.watches.hold()
}

var (
	cronTabs  = v1.SchemeGroupVersion.WithResource("crontabs").GroupResource()
	cronRuns  = v1.SchemeGroupVersion.WithResource("cronruns").GroupResource()
	noObjects []runtime.Object
)

// newView returns a view of a server with CronTabs named nightly. Its informers have started, and their watches are
// held.
func newView(t *testing.T, options ...informers.SharedInformerOption) *consistent {
	t.Helper()
	c := newConsistent(t, []runtime.Object{newCronTab("east", "nightly"), newCronTab("west", "nightly"), newCronTab("south", "nightly")}, options...)
	c.start()
	return c
}

var nightlyName = cache.NewObjectName("east", "nightly")

// ownedRun returns a CronRun owned by the CronTab nightly.
func ownedRun(name string) *v1.CronRun {
	return &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: name, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "nightly", UID: "1"}}}}
}

// TestOwnWrites checks for each kind of write that caches are stale until they have it.
func TestOwnWrites(t *testing.T) {
	finalized := newCronTab("east", "kept")
	finalized.Finalizers = []string{"example.com/keep"}
	changed := func(c *consistent) *v1.CronTab {
		crontab, err := c.client.CronTabs("east").Get(c.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			c.Fatal(err)
		}
		crontab.Spec.Image = "other"
		crontab.Status.Replicas = 7
		return crontab
	}
	self := []string{"crontabs east/nightly"}
	tests := []struct {
		name  string
		write func(*consistent) error
		of    cache.ObjectName // nightly if empty
		want  []string
	}{
		{name: "create", want: []string{"cronruns east/new"}, write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return err
		}},
		{name: "create, for the object itself", of: cache.NewObjectName("east", "new"), want: []string{"cronruns east/new"}, write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return err
		}},
		{name: "create, for another owner", of: cache.NewObjectName("east", "hourly"), write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return err
		}},
		{name: "create, for an owner in another namespace", of: cache.NewObjectName("west", "nightly"), write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return err
		}},
		{name: "create, for an owner without a namespace", of: cache.NewObjectName("", "nightly"), want: []string{"cronruns east/new"}, write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return err
		}},
		{name: "create with a generated name", want: []string{"cronruns east/new-GENERATED"}, write: func(c *consistent) error {
			run := ownedRun("")
			run.GenerateName = "new-"
			_, err := c.client.CronRuns("east").Create(c.Context(), run, metav1.CreateOptions{})
			return err
		}},
		{name: "update", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").Update(c.Context(), changed(c), metav1.UpdateOptions{})
			return err
		}},
		{name: "update status", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").UpdateStatus(c.Context(), changed(c), metav1.UpdateOptions{})
			return err
		}},
		{name: "patch", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").Patch(c.Context(), "nightly", types.MergePatchType, []byte(`{"spec":{"image":"other"}}`), metav1.PatchOptions{})
			return err
		}},
		{name: "patch of a subresource", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").Patch(c.Context(), "nightly", types.MergePatchType, []byte(`{"status":{"replicas":3}}`), metav1.PatchOptions{}, "status")
			return err
		}},
		{name: "apply", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").Apply(c.Context(), applyv1.CronTab("nightly", "east").
				WithSpec(applyv1.CronTabSpec().WithImage("other")), metav1.ApplyOptions{FieldManager: "test", Force: true})
			return err
		}},
		{name: "apply status", want: self, write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").ApplyStatus(c.Context(), applyv1.CronTab("nightly", "east").
				WithStatus(applyv1.CronTabStatus().WithReplicas(3)), metav1.ApplyOptions{FieldManager: "test", Force: true})
			return err
		}},
		{name: "update scale", want: self, write: func(c *consistent) error {
			scale, err := c.client.CronTabs("east").GetScale(c.Context(), "nightly", metav1.GetOptions{})
			if err != nil {
				return err
			}
			scale.Spec.Replicas = 5
			_, err = c.client.CronTabs("east").UpdateScale(c.Context(), "nightly", scale, metav1.UpdateOptions{})
			return err
		}},
		{name: "delete", want: []string{"crontabs east/nightly deleted"}, write: func(c *consistent) error {
			return c.client.CronTabs("east").Delete(c.Context(), "nightly", metav1.DeleteOptions{})
		}},
		{name: "delete with a finalizer", of: cache.NewObjectName("east", "kept"), want: []string{"crontabs east/kept deleted"}, write: func(c *consistent) error {
			return c.client.CronTabs("east").Delete(c.Context(), "kept", metav1.DeleteOptions{})
		}},
		{name: "delete what was just created", want: []string{"cronruns east/new deleted"}, write: func(c *consistent) error {
			_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
			return errors.Join(err, c.client.CronRuns("east").Delete(c.Context(), "new", metav1.DeleteOptions{}))
		}},
		{name: "recreate", want: self, write: func(c *consistent) error {
			err := c.client.CronTabs("east").Delete(c.Context(), "nightly", metav1.DeleteOptions{})
			_, err2 := c.client.CronTabs("east").Create(c.Context(), newCronTab("east", "nightly"), metav1.CreateOptions{})
			return errors.Join(err, err2)
		}},
		{name: "no-op", write: func(c *consistent) error {
			crontab := changed(c)
			crontab.Spec.Image = newCronTab("east", "nightly").Spec.Image
			_, err := c.client.CronTabs("east").Update(c.Context(), crontab, metav1.UpdateOptions{})
			return err
		}},
		{name: "conflict", write: func(c *consistent) error {
			crontab := changed(c)
			crontab.ResourceVersion = "1"
			_, err := c.client.CronTabs("east").Update(c.Context(), crontab, metav1.UpdateOptions{})
			if !apierrors.IsConflict(err) {
				return errors.New("no conflict")
			}
			return nil
		}},
		{name: "dry run", write: func(c *consistent) error {
			_, err := c.client.CronTabs("east").Update(c.Context(), changed(c), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}},
		{name: "dry run of a deletion", write: func(c *consistent) error {
			return c.client.CronTabs("east").Delete(c.Context(), "nightly", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		}},
		{name: "deletion of what is not there", write: func(c *consistent) error {
			if err := c.client.CronTabs("east").Delete(c.Context(), "other", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
				return err
			}
			return nil
		}},
		{name: "a kind without an informer", of: cache.NewObjectName("", "small"), write: func(c *consistent) error {
			_, err := c.client.CronTabClasses().Create(c.Context(), &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}}, metav1.CreateOptions{})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				nightly := newCronTab("east", "nightly")
				nightly.Spec.Replicas = new(int32(1))
				c := newConsistent(t, []runtime.Object{nightly, finalized.DeepCopy()})
				c.start()
				if err := test.write(c); err != nil {
					t.Fatal(err)
				}
				if test.of.Name == "" {
					test.of = nightlyName
				}
				for i, want := range test.want {
					if prefix, ok := strings.CutSuffix(want, "GENERATED"); ok {
						runs, err := c.client.CronRuns("east").List(t.Context(), metav1.ListOptions{})
						if err != nil || len(runs.Items) != 1 {
							t.Fatal(runs, err)
						}
						test.want[i] = strings.TrimSuffix(prefix, "new-") + runs.Items[0].Name
					}
				}
				if n := c.writes.Len(); test.want == nil && strings.HasPrefix(test.name, "no-op") && n != 0 {
					t.Errorf("%d objects with writes, want none", n)
				}
				c.awaits(test.of, test.want...)
				c.settled()
				c.awaits(test.of)
			})
		})
	}
}
