//go:build go1.25

package consistency_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2/textlogger"

	"github.com/kubegen/kubegen/consistency"
)

// These tests use stores with informers whose caches they fill, and requests whose answers they choose. Tests with
// clients and informers of generated code are in examples/crontab-types.

// A view is a store that a controller of CronTabs and CronRuns uses.
type view struct {
	*testing.T
	writes *consistency.Store
	log    *bytes.Buffer
	runs   *stub  // the informer of CronRuns, nil if there is none
	token  string // of rawClients
}

// newStore returns a view without informers.
func newStore(t *testing.T) *view {
	v := &view{T: t, log: &bytes.Buffer{}}
	v.writes = consistency.NewStore(consistency.WithLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(v.log)))))
	return v
}

// newView returns a view with informers of CronTabs and CronRuns whose caches are empty.
func newView(t *testing.T) *view {
	v := newStore(t)
	v.watch(cronTabs, consistency.Scope{}).lists("10")
	v.runs = v.watch(cronRuns, consistency.Scope{})
	v.runs.lists("10")
	return v
}

// watch makes the store watch an informer with an empty cache.
func (v *view) watch(resource schema.GroupResource, scope consistency.Scope) *stub {
	v.Helper()
	s := &stub{indexer: newIndexer()}
	v.must(nil, v.writes.Watch(resource, s, scope))
	return s
}

var (
	cronTabs    = schema.GroupResource{Group: "stable.example.com", Resource: "crontabs"}
	cronRuns    = schema.GroupResource{Group: "stable.example.com", Resource: "cronruns"}
	nightlyName = cache.NewObjectName("east", "nightly")
)

// A stub is an informer whose cache the test fills.
type stub struct {
	cache.SharedIndexInformer
	indexer  cache.Indexer
	received string
	listing  bool // it has not synced yet
	ended    bool
}

func (s *stub) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return nil, nil
}
func (s *stub) HasSynced() bool                 { return !s.listing }
func (s *stub) IsStopped() bool                 { return s.ended }
func (s *stub) LastSyncResourceVersion() string { return s.received }
func (s *stub) GetIndexer() cache.Indexer       { return s.indexer }

// lists makes the informer list some objects at a version. Its cache contains them at once.
func (s *stub) lists(version string, objects ...any) {
	s.received = version
	_ = s.indexer.Replace(objects, version)
}

// An indexer is a cache that knows its version, with all releases of client-go.
type indexer struct {
	cache.Indexer
	version atomic.Value
}

func newIndexer() *indexer {
	return &indexer{Indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
}

func (i *indexer) Add(obj any) error    { return i.changed(obj, i.Indexer.Add(obj)) }
func (i *indexer) Update(obj any) error { return i.changed(obj, i.Indexer.Update(obj)) }
func (i *indexer) Delete(obj any) error { return i.changed(obj, i.Indexer.Delete(obj)) }

func (i *indexer) changed(obj any, err error) error {
	i.Bookmark(obj.(metav1.Object).GetResourceVersion())
	return err
}

func (i *indexer) Replace(objects []any, version string) error {
	err := i.Indexer.Replace(objects, version)
	i.Bookmark(version)
	return err
}

// Bookmark notes that the cache has reached a version.
func (i *indexer) Bookmark(version string) { i.version.Store(version) }

func (i *indexer) LastStoreSyncResourceVersion() string {
	version, _ := i.version.Load().(string)
	return version
}

// awaits checks the writes that caches lack for a name, such as "cronruns east/nightly-1", perhaps followed by "
// deleted" or " unknown".
func (c *view) awaits(name cache.ObjectName, want ...string) {
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

// untracked checks that writes for a name can never be awaited.
func (c *view) untracked(name cache.ObjectName, want string) {
	c.Helper()
	var untracked *consistency.CacheError
	if err := c.writes.EnsureReady(name); !errors.As(err, &untracked) || err.Error() != want {
		c.Errorf("got error %v, want %s", err, want)
	}
	if err := c.writes.WaitUntilReady(c.Context(), name); !errors.As(err, &untracked) {
		c.Errorf("the wait ended with %v", err)
	}
}

// ready waits until nothing is awaited for a name. A store that waits for ever fails the test after an hour of its
// clock.
func (c *view) ready(name cache.ObjectName) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), time.Hour)
	defer cancel()
	c.must(nil, c.writes.WaitUntilReady(ctx, name))
}

// must ends the test if err is not nil.
func (c *view) must(_ any, err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// ownedRun returns a CronRun owned by the CronTab nightly.
func ownedRun(name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "CronRun"}, ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: name, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "nightly", UID: "1"}}}}
}

// roundTripper is a function that sends requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// A response is the answer of a server.
type response struct {
	code        int
	contentType string
	body        string
	err         error // returned after the text of the body
}

// A rawClient sends requests through the transport of a store. The function answer is the server.
type rawClient struct {
	*view
	host   string // of the client's config
	answer func(*http.Request) (*response, error)
}

// send sends a request. It returns the text of the answer, and the error of the request or of reading the answer.
func (r rawClient) send(method, path string, header http.Header, body string) (string, error) {
	r.Helper()
	config := &rest.Config{Host: r.host, BearerToken: r.token, Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
		answer, err := r.answer(request)
		if err != nil {
			return nil, err
		}
		text := io.MultiReader(strings.NewReader(answer.body), failing{answer.err})
		return &http.Response{StatusCode: answer.code, Header: http.Header{"Content-Type": {answer.contentType}}, Body: io.NopCloser(text), Request: request}, nil
	})}
	r.writes.Wrap(config)
	client, err := rest.HTTPClientFor(config)
	r.must(nil, err)
	request, err := http.NewRequestWithContext(r.Context(), method, "http://server"+path, bytes.NewReader([]byte(body)))
	r.must(nil, err)
	for name, values := range header {
		request.Header[name] = values
	}
	result, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer result.Body.Close()
	text, err := io.ReadAll(result.Body)
	return string(text), err
}

// record collects the requests of a store, which may send several at once.
type record struct {
	lock sync.Mutex
	urls []string
}

func (r *record) add(url string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.urls = append(r.urls, url)
}

// sorted returns the requests in the order of their URLs.
func (r *record) sorted() []string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Sorted(slices.Values(r.urls))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// answers returns a client whose server answers all requests in the same way.
func (c *view) answers(code int, contentType, body string) rawClient {
	return rawClient{c, "http://server", func(*http.Request) (*response, error) { return &response{code, contentType, body, nil}, nil }}
}

const (
	cronrunsPath = "/apis/stable.example.com/v1/namespaces/east/cronruns"
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
	cborType     = "application/cbor"
)

// An encodable is an object, list or Status that contains its kind.
type encodable interface {
	runtime.Object
	Marshal() ([]byte, error)
}

// encoded returns an object in JSON, CBOR or protobuf.
func encoded(t *testing.T, contentType string, obj encodable) string {
	t.Helper()
	encode := func() ([]byte, error) { return json.Marshal(obj) }
	prefix := ""
	switch contentType {
	case cborType:
		encode = func() ([]byte, error) { return direct.Marshal(obj) }
	case protobufType:
		raw, err := obj.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		apiVersion, kind := obj.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
		encode, prefix = (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}).Marshal, "k8s\x00"
	}
	text, err := encode()
	if err != nil {
		t.Fatal(err)
	}
	return prefix + string(text)
}

// partial returns the metadata of a CronRun owned by nightly, at a version.
func partial(name, version string) *metav1.PartialObjectMetadata {
	object := ownedRun(name)
	object.UID, object.ResourceVersion = types.UID("of "+name), version
	return object
}

// ask waits until the store asks the server for an outcome.
func (c *view) ask(unknown string) {
	c.Helper()
	c.awaits(nightlyName, unknown)
	time.Sleep(time.Second - time.Nanosecond)
	c.awaits(nightlyName, unknown)
	time.Sleep(time.Nanosecond)
	_ = c.writes.EnsureReady(nightlyName) // starts a list
	synctest.Wait()
}

// expect compares lists of texts.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
