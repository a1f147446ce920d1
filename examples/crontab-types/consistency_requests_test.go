package crontabtypes_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests check what a store learns from requests, and how it handles unknown outcomes.

// A response is the answer of a server.
type response struct {
	code        int
	contentType string
	body        string
	err         error // returned after the text of the body
}

// A rawClient sends requests through the transport of a store. The function answer is the server.
type rawClient struct {
	*consistent
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
func (c *consistent) answers(code int, contentType, body string) rawClient {
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
	object := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "CronRun"}, ObjectMeta: ownedRun(name).ObjectMeta}
	object.UID, object.ResourceVersion = types.UID("of "+name), version
	return object
}

// TestAnswers checks what the store reads from answers.
func TestAnswers(t *testing.T) {
	deleting := partial("cached", "1000")
	deleting.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "CronRunList"}, Items: []metav1.PartialObjectMetadata{*partial("a", "1000"), *partial("cached", "1000")}}
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status"}, Status: metav1.StatusSuccess}
	ofCached := status.DeepCopy()
	ofCached.Details = &metav1.StatusDetails{UID: "of cached"}
	ofAnother := status.DeepCopy()
	ofAnother.Details = &metav1.StatusDetails{UID: "of another"}
	at1000, anotherAt1000 := ofCached.DeepCopy(), ofAnother.DeepCopy()
	at1000.ResourceVersion, anotherAt1000.ResourceVersion = "1000", "1000"
	unreadable := ofCached.DeepCopy()
	unreadable.ResourceVersion = "x"
	table := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1000"}}
	furniture := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "furniture.example.com/v1"}}
	review := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "TokenReview"}}
	tests := []struct {
		name, method, path string
		body               encodable
		want               []string
	}{
		{"object", "POST", cronrunsPath, partial("a", "1000"), []string{"cronruns east/a"}},
		{"Table", "POST", cronrunsPath, table, []string{"cronruns east/ unknown"}},
		{"Table of a deletion", "DELETE", cronrunsPath + "/cached", table, []string{"cronruns east/cached unknown"}},
		{"Table of a collection", "DELETE", cronrunsPath, table, []string{"cronruns east/ unknown"}},
		{"object of another group with the name of Tables", "POST", cronrunsPath, furniture, nil},
		{"object that is being deleted", "PUT", cronrunsPath + "/cached", deleting, []string{"cronruns east/cached deleted"}},
		{"object, of a deletion", "DELETE", cronrunsPath + "/cached", partial("cached", "1000"), []string{"cronruns east/cached deleted"}},
		{"object in the version that is cached", "PUT", cronrunsPath + "/cached", partial("cached", "100"), nil},
		{"object that is not stored", "POST", cronrunsPath, review, nil},
		{"Status", "DELETE", cronrunsPath + "/cached", status, []string{"cronruns east/cached deleted"}},
		{"Status with UID", "DELETE", cronrunsPath + "/cached", ofCached, []string{"cronruns east/cached deleted"}},
		{"Status with the UID of an object before or after", "DELETE", cronrunsPath + "/cached", ofAnother, []string{"cronruns east/cached unknown"}},
		{"Status with UID and version", "DELETE", cronrunsPath + "/cached", at1000, []string{"cronruns east/cached deleted"}},
		{"Status with another UID and a later version", "DELETE", cronrunsPath + "/cached", anotherAt1000, []string{"cronruns east/cached deleted"}},
		{"Status with a version that is not a number", "DELETE", cronrunsPath + "/cached", unreadable, []string{"cronruns east/cached deleted"}},
		{"Status of an object that is not cached", "DELETE", cronrunsPath + "/a", status, nil},
		{"list", "DELETE", cronrunsPath, list, []string{"cronruns east/cached deleted"}},
		{"Status of a collection", "DELETE", cronrunsPath, status, []string{"cronruns east/ unknown"}},
		{"Status of an eviction", "POST", cronrunsPath + "/cached/eviction", status, []string{"cronruns east/cached unknown"}},
		{"Status of the deletion of a subresource", "DELETE", cronrunsPath + "/cached/lock", status, []string{"cronruns east/cached unknown"}},
		{"object, of a subresource", "POST", cronrunsPath + "/a/status", partial("a", "1000"), []string{"cronruns east/a"}},
	}
	for _, contentType := range []string{jsonType, cborType, protobufType} {
		for _, test := range tests {
			t.Run(contentType+"/"+test.name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					c := newView(t)
					cached := &v1.CronRun{ObjectMeta: partial("cached", "100").ObjectMeta}
					c.must(nil, c.factory.Stable().V1().CronRuns().Informer().GetIndexer().Add(cached))
					raw := c.answers(201, contentType+"; charset=x", encoded(t, contentType, test.body))
					text, err := raw.send(test.method, test.path, nil, "")
					if err != nil || text != encoded(t, contentType, test.body) {
						t.Errorf("the client got the answer %q, %v", text, err)
					}
					c.awaits(nightlyName, test.want...)
					synctest.Wait()
				})
			})
		}
		t.Run(contentType+"/no answer", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				for _, body := range []string{"", "{", "k8s\x00\xff", "k8s", encoded(t, contentType, partial("a", "1000"))[1:]} {
					raw := c.answers(200, contentType, body)
					if text, err := raw.send("PUT", cronrunsPath+"/a", nil, ""); err != nil || text != body {
						t.Errorf("the client got the answer %q, %v", text, err)
					}
					c.awaits(nightlyName, "cronruns east/a unknown")
					c.writes.Clear(nightlyName)
					synctest.Wait()
				}
			})
		})
	}
	t.Run("malformed items", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			c := newView(t)
			text, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "CronRunList"}, Raw: []byte("\x0a\x00\x12\x01\xff")}).Marshal()
			c.must(nil, err)
			for contentType, body := range map[string]string{protobufType: "k8s\x00" + string(text), jsonType: `{"kind": "CronRunList", "metadata": {}, "items": 7}`} {
				c.must(c.answers(200, contentType, body).send("DELETE", cronrunsPath, nil, ""))
				c.awaits(nightlyName, "cronruns east/ unknown")
				c.writes.Clear(nightlyName)
				synctest.Wait()
			}
		})
	})
	for _, path := range []string{"", "/a"} {
		t.Run("malformed answer to "+path, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				text, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "CronRun"}, Raw: []byte("\xff")}).Marshal()
				c.must(nil, err)
				c.must(c.answers(200, protobufType, "k8s\x00"+string(text)).send("DELETE", cronrunsPath+path, nil, ""))
				c.awaits(cache.NewObjectName("east", "a"), "cronruns east"+cmp.Or(path, "/")+" unknown")
				synctest.Wait()
			})
		})
	}
}

// An answer that breaks off is an error for the client, and the outcome of the write is unknown.
func TestAnswerBreaksOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		broken := errors.New("broken")
		whole := encoded(t, jsonType, partial("a", "1000"))
		raw := rawClient{c, "http://server", func(*http.Request) (*response, error) { return &response{200, jsonType, whole, broken}, nil }}
		if text, err := raw.send("PUT", cronrunsPath+"/a", nil, ""); text != whole || !errors.Is(err, broken) {
			t.Errorf("the client got %q, %v", text, err)
		}
		raw.answer = func(*http.Request) (*response, error) { return nil, broken }
		if _, err := raw.send("GET", cronrunsPath+"/a", nil, ""); !errors.Is(err, broken) {
			t.Errorf("the client got %v", err)
		}
		c.awaits(nightlyName, "cronruns east/a unknown")
		synctest.Wait()
	})
}

// TestRequestsThatWriteNothing checks that nothing is awaited after requests that write nothing or that fail.
func TestRequestsThatWriteNothing(t *testing.T) {
	object := encoded(t, jsonType, partial("a", "1000"))
	pods := "/api/v1/namespaces/east/pods/a/"
	tests := []struct {
		method, path string
		code         int
	}{
		{"GET", cronrunsPath + "/a", 200}, {"HEAD", cronrunsPath + "/a", 200}, {"POST", cronrunsPath + "?dryRun=All", 201},
		{"PUT", cronrunsPath + "/a", 301}, {"PUT", cronrunsPath + "/a", 400}, {"PUT", cronrunsPath + "/a", 409}, {"PUT", cronrunsPath + "/a", 429},
		{"POST", "/", 200}, {"POST", "/version", 200}, {"POST", "/api/v1", 200}, {"POST", "/apis/stable.example.com/v1", 200},
		{"POST", "/apis/stable.example.com", 200}, {"POST", "/pods/a", 500}, {"POST", "/api/pods/a", 500}, {"POST", "/other/example.com/v1/namespaces/east/cronruns", 200},
		{"GET", cronrunsPath + "/a", 500}, {"POST", pods + "exec", 500}, {"POST", pods + "attach", 500}, {"POST", pods + "portforward", 500},
		{"POST", pods + "proxy/x/y", 500}, {"DELETE", pods + "proxy", 500}, {"POST", pods + "token", 500}, {"POST", pods + "log", 500},
		{"POST", pods + "exec", 200}, {"POST", cronrunsPath + "/a/proxy/x", 200},
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.method+test.path, "/", " "), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				c.must(nil, c.writes.Watch(schema.GroupResource{Resource: "pods"}, c.factory.Stable().V1().CronRuns().Informer(), consistency.Scope{}))
				c.must(c.answers(test.code, jsonType, object).send(test.method, test.path, nil, ""))
				c.awaits(nightlyName)
			})
		})
	}
}

// The options in the body of a deletion determine whether it is a dry run.
func TestDryRunOfDeletion(t *testing.T) {
	for _, contentType := range []string{jsonType, cborType, protobufType} {
		for _, dryRun := range []bool{false, true} {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				cached := &v1.CronRun{ObjectMeta: partial("cached", "100").ObjectMeta}
				c.must(nil, c.factory.Stable().V1().CronRuns().Informer().GetIndexer().Add(cached))
				options := &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions"}}
				want := []string{"cronruns east/cached deleted"}
				if dryRun {
					options.DryRun, want = []string{metav1.DryRunAll}, nil
				}
				raw := c.answers(200, jsonType, `{"kind": "Status"}`)
				raw.must(raw.send("DELETE", cronrunsPath+"/cached", http.Header{"Content-Type": {contentType}}, encoded(t, contentType, options)))
				c.awaits(nightlyName, want...)
			})
		}
	}
	bubble(t, func(t *testing.T) { // a body without options
		c := newView(t)
		cached := &v1.CronRun{ObjectMeta: partial("cached", "100").ObjectMeta}
		c.must(nil, c.factory.Stable().V1().CronRuns().Informer().GetIndexer().Add(cached))
		for _, contentType := range []string{jsonType, protobufType} {
			raw := c.answers(200, jsonType, `{"kind": "Status"}`)
			raw.must(raw.send("DELETE", cronrunsPath+"/cached", http.Header{"Content-Type": {contentType}}, "x"))
			c.awaits(nightlyName, "cronruns east/cached deleted")
			c.writes.Clear(nightlyName)
		}
	})
}

// The paths of servers may have a prefix, and resources may be in the core group or cluster-scoped. After a write
// with unknown outcome, the store lists the collection of the object.
func TestPaths(t *testing.T) {
	for path, want := range map[string]struct{ object, list string }{
		cronrunsPath + "/a":                            {"cronruns.stable.example.com east/a", cronrunsPath + "?fieldSelector=metadata.name%3Da"},
		cronrunsPath:                                   {"cronruns.stable.example.com east/", cronrunsPath},
		"/apis/stable.example.com/v2/cronruns/a":       {"cronruns.stable.example.com a", "/apis/stable.example.com/v2/cronruns?fieldSelector=metadata.name%3Da"},
		"/apis/stable.example.com/v1/cronruns/a/scale": {"cronruns.stable.example.com a", "/apis/stable.example.com/v1/cronruns?fieldSelector=metadata.name%3Da"},
		"/api/v1/namespaces/east/pods/a/resize":        {"pods east/a", "/api/v1/namespaces/east/pods?fieldSelector=metadata.name%3Da"},
		"/api/v1/namespaces/east/pods":                 {"pods east/", "/api/v1/namespaces/east/pods"},
		"/api/v1/namespaces/a":                         {"namespaces a", "/api/v1/namespaces?fieldSelector=metadata.name%3Da"},
		"/api/v1/namespaces/a/status":                  {"namespaces a", "/api/v1/namespaces?fieldSelector=metadata.name%3Da"},
		"/api/v1/namespaces/a/finalize":                {"namespaces a", "/api/v1/namespaces?fieldSelector=metadata.name%3Da"},
		"/apis/stable.example.com/v2/cronruns/a%3Ab":   {"cronruns.stable.example.com a:b", "/apis/stable.example.com/v2/cronruns?fieldSelector=metadata.name%3Da%3Ab"},
		"/api/v1/nodes/":                               {"nodes", "/api/v1/nodes"},
	} {
		for _, host := range []string{"http://server", "http://server/clusters/a", "http://server/clusters/a/", "server", "server:80"} {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				for _, resource := range []string{"pods", "namespaces", "nodes"} {
					c.must(nil, c.writes.Watch(schema.ParseGroupResource(resource), c.factory.Stable().V1().CronRuns().Informer(), consistency.Scope{}))
				}
				var listed record
				prefix := ""
				if strings.Contains(host, "/clusters") {
					prefix = "/clusters/a"
				}
				raw := rawClient{c, host, func(request *http.Request) (*response, error) {
					if request.Method == http.MethodGet {
						listed.add(strings.TrimPrefix(request.URL.RequestURI(), prefix))
						return &response{200, jsonType, `{"kind": "List"}`, nil}, nil
					}
					return &response{503, jsonType, "{}", nil}, nil
				}}
				raw.must(raw.send(http.MethodPatch, prefix+path, nil, ""))
				err := c.writes.EnsureReady(nightlyName)
				if err == nil || !strings.HasSuffix(err.Error(), ": "+want.object+" with unknown outcome since 0s") {
					t.Errorf("%s: got %v, want %s", path, err, want.object)
				}
				c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
				expect(t, slices.Compact(listed.sorted()), want.list)
			})
		}
	}
}

// TestUnknownOutcome checks that the object of a write with unknown outcome and its owners are stale until a list
// shows the outcome or the server can no longer carry out the write. After that, they await the state in the list.
func TestUnknownOutcome(t *testing.T) {
	any := fakeapi.Requests{Resource: "cronruns"}
	server := apierrors.NewInternalError(errors.New("out of order"))
	change := func(c *consistent) error {
		_, err := c.client.CronRuns("east").Patch(c.Context(), "old", types.MergePatchType, []byte(`{"spec":{"image":"x"}}`), metav1.PatchOptions{})
		return err
	}
	update := func(c *consistent) error {
		run, err := c.client.CronRuns("east").Get(c.Context(), "old", metav1.GetOptions{})
		c.must(run, err)
		run.Spec.Image = "x"
		_, err = c.client.CronRuns("east").Update(c.Context(), run, metav1.UpdateOptions{})
		return err
	}
	add := func(c *consistent) error {
		_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
		return err
	}
	addAny := func(c *consistent) error {
		run := ownedRun("")
		run.GenerateName = "new-"
		_, err := c.client.CronRuns("east").Create(c.Context(), run, metav1.CreateOptions{})
		return err
	}
	remove := func(c *consistent) error {
		return c.client.CronRuns("east").Delete(c.Context(), "old", metav1.DeleteOptions{})
	}
	removeAll := func(c *consistent) error {
		return c.client.CronRuns("east").DeleteCollection(c.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
	}
	broken, failed := func(a *fakeapi.API) { a.FailAfter(any, 1, io.ErrUnexpectedEOF) }, func(a *fakeapi.API) { a.FailAfter(any, 1, server) }
	for _, test := range []struct {
		name    string
		fault   func(*fakeapi.API)
		write   func(*consistent) error
		unknown string
		limit   time.Duration
		want    []string
	}{
		{"create, and the connection breaks", broken, add, "cronruns east/new", time.Second, []string{"cronruns east/new"}},
		{"create, and the server fails", failed, add, "cronruns east/new", time.Second, []string{"cronruns east/new"}},
		{"create, without effect", func(a *fakeapi.API) { a.Fail(any, 1, io.ErrUnexpectedEOF) }, add, "cronruns east/new", time.Minute, nil},
		{"create with any name", broken, addAny, "cronruns east/", time.Minute, []string{"cronruns east/new-*"}},
		{"patch", broken, change, "cronruns east/old", time.Minute, []string{"cronruns east/old"}},
		{"patch, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, change, "cronruns east/old", 10 * time.Second, nil},
		{"update", func(a *fakeapi.API) { a.FailAfter(fakeapi.Requests{Verb: "update"}, 1, io.ErrUnexpectedEOF) }, update, "cronruns east/old", time.Second, []string{"cronruns east/old"}},
		{"update, without effect", func(a *fakeapi.API) { a.Fail(fakeapi.Requests{Verb: "update"}, 1, io.ErrUnexpectedEOF) }, update, "cronruns east/old", time.Minute, nil},
		{"delete", failed, remove, "cronruns east/old", time.Second, []string{"cronruns east/old deleted"}},
		{"delete, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, remove, "cronruns east/old", 10 * time.Second, nil},
		{"delete collection", failed, removeAll, "cronruns east/", 10 * time.Second, []string{"cronruns east/finalized deleted", "cronruns east/old deleted"}},
		{"delete collection, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, removeAll, "cronruns east/", 10 * time.Second, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				finalized, west := ownedRun("finalized"), ownedRun("old")
				finalized.Finalizers = []string{"example.com/keep"}
				west.Namespace = "west"
				c := newConsistent(t, []runtime.Object{ownedRun("old"), finalized, west})
				c.start()
				test.fault(c.api)
				if err := test.write(c); err == nil {
					t.Fatal("the write has not failed")
				}
				unknown := test.unknown + " unknown"
				if slices.Contains(test.want, "cronruns east/new-*") {
					list, err := c.elsewhere().CronRuns("east").List(t.Context(), metav1.ListOptions{LabelSelector: "!old"})
					c.must(list, err)
					test.want = []string{"cronruns east/" + list.Items[slices.IndexFunc(list.Items, func(run v1.CronRun) bool { return run.GenerateName != "" })].Name}
				}
				c.awaits(cache.NewObjectName("west", "nightly"))
				c.awaits(cache.NewObjectName("", "nightly"), unknown)
				if strings.HasPrefix(test.name, "delete collection") {
					c.awaits(cache.NewObjectName("east", "other"), unknown)
				} else {
					c.awaits(cache.NewObjectName("east", "other"))
				}
				c.awaits(nightlyName, unknown)
				time.Sleep(time.Second - time.Nanosecond)
				c.awaits(nightlyName, unknown)
				time.Sleep(time.Nanosecond)
				_ = c.writes.EnsureReady(nightlyName) // starts a list
				synctest.Wait()
				if test.limit > time.Second {
					c.awaits(nightlyName, append([]string{unknown}, test.want...)...)
					time.Sleep(test.limit - time.Second - time.Nanosecond)
					c.awaits(nightlyName, append([]string{unknown}, test.want...)...)
					time.Sleep(time.Nanosecond)
					_ = c.writes.EnsureReady(nightlyName)
					synctest.Wait()
				}
				c.awaits(cache.NewObjectName("east", "other"))
				c.awaits(nightlyName, test.want...)
				c.settled()
			})
		})
	}
}

// A wait ends by itself when the outcome is known.
func TestWaitForOutcome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.api.Fail(fakeapi.Requests{Verb: "create"}, 1, io.ErrUnexpectedEOF)
		if _, err := c.client.CronRuns("east").Create(t.Context(), ownedRun("a"), metav1.CreateOptions{}); err == nil {
			t.Fatal("the write has not failed")
		}
		begun := time.Now()
		c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %v, want the minute in which the server can carry out the write", waited)
		}
	})
}

// The store asks the server again, after pauses, until the server answers.
func TestAskingAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		begun := time.Now()
		var asked []string
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodPut {
				return nil, io.ErrUnexpectedEOF
			}
			asked = append(asked, time.Since(begun).String())
			if got := request.Header; got.Get("Authorization") != "Bearer current" || got.Get("Content-Type") != "" || request.ContentLength > 0 || request.Body != nil ||
				got.Get("Impersonate-User") != "jane" ||
				got.Get("Accept") != "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json" {
				t.Errorf("got a list with headers %v and %d bytes", got, request.ContentLength)
			}
			switch len(asked) {
			case 1:
				return nil, io.ErrUnexpectedEOF
			case 2:
				return &response{200, jsonType, `{"kind"`, nil}, nil
			case 3:
				return &response{200, jsonType, `{}`, io.ErrUnexpectedEOF}, nil
			case 4:
				return &response{401, jsonType, `{}`, nil}, nil
			case 5:
				<-request.Context().Done()
				if limit := time.Since(begun).String(); limit != "41s" {
					t.Errorf("an answer is awaited until %s", limit)
				}
				return nil, request.Context().Err()
			case 8:
				return &response{200, jsonType, `{"items": [{"metadata": {"namespace": "east", "name": "a", "uid": "1", "resourceVersion": "1000"}}]}`, nil}, nil
			}
			return &response{500, jsonType, `{}`, nil}, nil
		}}
		c.token = "current"
		header := http.Header{"Authorization": {"Bearer of that time"}, "Impersonate-User": {"jane"}, "Content-Type": {jsonType}}
		if _, err := raw.send(http.MethodPut, cronrunsPath+"/a", header, "{}"); err == nil {
			t.Fatal("the write has not failed")
		}
		for range 3000 {
			_ = c.writes.EnsureReady(cache.NewObjectName("east", "a"))
			synctest.Wait()
			if len(asked) < 8 {
				c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a unknown")
			} else {
				c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a")
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		expect(t, asked, "1s", "3s", "7s", "15s", "31s", "1m0s", "1m30s", "2m0s")
	})
}

// ask waits until the store asks the server for an outcome.
func (c *consistent) ask(unknown string) {
	c.Helper()
	c.awaits(nightlyName, unknown)
	time.Sleep(time.Second - time.Nanosecond)
	c.awaits(nightlyName, unknown)
	time.Sleep(time.Nanosecond)
	_ = c.writes.EnsureReady(nightlyName) // starts a list
	synctest.Wait()
}

// A store that is not allowed to list stops waiting after twice the time that the server may take to carry out the
// write, and logs the answer.
func TestForbiddenToAsk(t *testing.T) {
	for _, code := range []int{401, 403, 404} {
		bubble(t, func(t *testing.T) {
			c := newView(t)
			raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
				if request.Method == http.MethodGet {
					return &response{code, jsonType, `{}`, nil}, nil
				}
				return &response{500, jsonType, `{}`, nil}, nil
			}}
			raw.must(raw.send(http.MethodPut, cronrunsPath+"/a", nil, ""))
			c.awaits(nightlyName, "cronruns east/a unknown")
			begun := time.Now()
			c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
			if waited := time.Since(begun); waited != 2*time.Minute {
				t.Errorf("waited %v", waited)
			}
			text := c.log.String()
			for _, want := range []string{
				`"The server does not tell the outcome of a write: it is not awaited any more" err="the server answers with status `, `resource="cronruns.stable.example.com" object="east/a"`,
				"east/a with unknown outcome (the server answers with status ",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("logged %q, want %q", text, want)
				}
			}
		})
	}
}

// A cached object that a list does not contain has been deleted, unless it is newer than the list.
func TestGoneSinceTheList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		indexer := c.factory.Stable().V1().CronRuns().Informer().GetIndexer()
		for name, version := range map[string]string{"old": "999", "same": "1000", "listed": "998", "newer": "1001"} {
			c.must(nil, indexer.Add(&v1.CronRun{ObjectMeta: partial(name, version).ObjectMeta}))
		}
		west := &v1.CronRun{ObjectMeta: partial("old", "999").ObjectMeta}
		west.Namespace = "west"
		c.must(nil, indexer.Add(west))
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				list := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{*partial("listed", "998")}}
				if request.URL.RawQuery != "" {
					list.Items = nil
				}
				list.ResourceVersion = "1000"
				return &response{200, jsonType, encoded(t, jsonType, list), nil}, nil
			}
			return &response{500, jsonType, `{}`, nil}, nil
		}}
		raw.must(raw.send(http.MethodDelete, cronrunsPath, nil, ""))
		c.ask("cronruns east/ unknown")
		c.awaits(nightlyName, "cronruns east/ unknown", "cronruns east/old deleted", "cronruns east/same deleted")
		c.awaits(cache.NewObjectName("west", "nightly"))
		c.writes.Clear(nightlyName)

		raw.must(raw.send(http.MethodDelete, cronrunsPath+"/old", nil, "")) // the list contains only this object
		c.ask("cronruns east/old unknown")
		c.awaits(nightlyName, "cronruns east/old deleted")
	})
}

// After the deletion of a collection, the list shows the remaining objects, whatever the deletion selected.
func TestDeletionOfSelected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		golden := ownedRun("golden")
		golden.Labels = map[string]string{"tier": "gold"}
		c.must(c.client.CronRuns("east").Create(t.Context(), golden, metav1.CreateOptions{}))
		c.create("other")
		c.settled()
		c.api.FailAfter(fakeapi.Requests{Verb: "deletecollection"}, 1, io.ErrUnexpectedEOF)
		if err := c.client.CronRuns("east").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "tier=gold"}); err == nil {
			t.Error("the connection has not failed")
		}
		c.awaits(nightlyName, "cronruns east/ unknown")
		time.Sleep(time.Minute)
		_ = c.writes.EnsureReady(nightlyName)
		synctest.Wait()
		c.awaits(nightlyName, "cronruns east/golden deleted")
		c.settled()
	})
}

// Among many unknown outcomes, the write that the server can carry out last counts.
func TestLastOfManyOutcomes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		answer := &response{502, "text/html", "no", nil} // from a proxy: the outcome is unknown for a minute
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				return &response{200, jsonType, "{}", nil}, nil
			}
			return answer, nil
		}}
		begun := time.Now()
		for i := range 101 {
			c.must(raw.send(http.MethodPut, fmt.Sprint(cronrunsPath, "/", i), nil, ""))
			answer = &response{500, jsonType, `{"kind": "Status", "apiVersion": "v1"}`, nil}
		}
		c.awaits(nightlyName, "cronruns east/ unknown")
		c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %v, want a minute", waited)
		}
		if _, err := (rawClient{c, "http://server", func(*http.Request) (*response, error) {
			return &response{500, jsonType, "", io.ErrNoProgress}, nil
		}}).send(http.MethodPut, cronrunsPath+"/a", nil, ""); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("got error %v of the answer", err)
		}
	})
}

// Requests outside of APIs are not writes, whatever the answer is.
func TestPathsOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		raw := c.answers(200, jsonType, `{"metadata": {"namespace": "east", "name": "nightly", "uid": "1", "resourceVersion": "none"}}`)
		for _, path := range []string{"/", "/healthz", "/apis", "/apis/stable.example.com", "/api/v1/namespaces/east/services/a/proxy/b"} {
			c.must(raw.send(http.MethodPost, path, nil, "{}"))
		}
		c.awaits(nightlyName)
	})
}

// A write without namespace may concern all namespaces. A resource without informers concerns none. A request that
// was not sent has no effect.
func TestUnknownOutcomeOf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		failed := c.answers(500, jsonType, "{}")
		c.must(failed.send(http.MethodPut, "/apis/stable.example.com/v1/crontabclasses/a", nil, ""))
		c.awaits(nightlyName)
		refused := rawClient{c, "http://server", func(*http.Request) (*response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}}
		if _, err := refused.send(http.MethodPut, cronrunsPath+"/a", nil, ""); err == nil {
			t.Error("the write has not failed")
		}
		c.awaits(nightlyName)
		c.must(failed.send(http.MethodPut, "/apis/stable.example.com/v1/cronruns/a", nil, "")) // as if cluster-scoped
		c.awaits(nightlyName, "cronruns a unknown")
		c.awaits(cache.NewObjectName("", "b"), "cronruns a unknown")
		c.writes.Clear(nightlyName)
		c.awaits(nightlyName)
		reset := rawClient{c, "http://server", func(*http.Request) (*response, error) { return nil, &net.OpError{Op: "read", Err: errors.New("reset")} }}
		if _, err := reset.send(http.MethodPut, cronrunsPath+"/a", nil, ""); err == nil {
			t.Error("the write has not failed")
		}
		c.awaits(nightlyName, "cronruns east/a unknown")
		synctest.Wait()
	})
}

// The transport below the store's can be found, such as to close idle connections.
func TestWrappedTransport(t *testing.T) {
	closed := false
	config := &rest.Config{Host: "http://server", Transport: closer{&closed}}
	consistency.NewStore().Wrap(config)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	utilnet.CloseIdleConnectionsFor(client.Transport)
	if !closed {
		t.Error("the connections are not closed")
	}
}

type closer struct{ closed *bool }

func (closer) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }
func (c closer) CloseIdleConnections()                         { *c.closed = true }

// Requests are passed on unchanged, with and without a body, and the bodies of answers to writes are closed.
func TestRequestsAreLeftAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		closed := 0
		config := &rest.Config{Host: "http://a b", Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
			body := struct {
				io.Reader
				io.Closer
			}{strings.NewReader("{}"), closes{&closed}}
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: request}, nil
		})}
		c.writes.Wrap(config)
		config.Host = "http://server"
		transport, err := rest.TransportFor(config)
		c.must(nil, err)
		for _, method := range []string{http.MethodDelete, http.MethodPut} {
			request, err := http.NewRequestWithContext(t.Context(), method, "http://server"+cronrunsPath+"/a?x=y", nil)
			c.must(nil, err)
			request.Header.Set("Accept", "x")
			response, err := transport.RoundTrip(request)
			c.must(nil, err)
			if closed != 1 {
				t.Errorf("%s: the answer was closed %d times, want once", method, closed)
			}
			closed = 0
			if request.Method != method || request.URL.String() != "http://server"+cronrunsPath+"/a?x=y" || len(request.Header) != 1 || request.Header.Get("Accept") != "x" {
				t.Errorf("the request has become %v", request)
			}
			c.must(nil, response.Body.Close())
			c.writes.Clear(nightlyName)
		}
	})
}

type closes struct{ count *int }

func (c closes) Close() error { *c.count++; return nil }

// One of two unknown outcomes may be known before the other. One list shows both outcomes for the same object.
func TestTwoUnknownOutcomes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		var lists atomic.Int32
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			switch {
			case request.Method != http.MethodGet:
				return &response{500, jsonType, `{"kind": "Status", "apiVersion": "v1"}`, nil}, nil
			case strings.Contains(request.URL.Path, "/west/"):
				return &response{500, jsonType, "{}", nil}, nil
			}
			lists.Add(1)
			return &response{200, jsonType, "{}", nil}, nil
		}}
		c.must(raw.send(http.MethodPut, strings.Replace(cronrunsPath, "east", "west", 1)+"/a", nil, ""))
		c.must(raw.send(http.MethodPut, cronrunsPath+"/a", nil, ""))
		c.must(raw.send(http.MethodPut, cronrunsPath+"/b", nil, ""))
		c.must(raw.send(http.MethodPut, "/apis/stable.example.com/v1/namespaces/east/crontabs/b", nil, ""))
		c.awaits(nightlyName, "cronruns east/a unknown", "cronruns east/b unknown", "crontabs east/b unknown")
		begun := time.Now()
		c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
		if waited := time.Since(begun); waited != 10*time.Second {
			t.Errorf("waited %v, want the time in which storage may carry out what the server has given up", waited)
		}
		if n := lists.Load(); n != 3*4 {
			t.Errorf("got %d lists, want 12: each after 1, 3, 7 and 10 seconds", n)
		}
		c.awaits(cache.NewObjectName("west", "nightly"), "cronruns west/a unknown")
		synctest.Wait()

		begun = time.Now()
		for i := range 100 {
			c.must(raw.send(http.MethodPut, fmt.Sprint(cronrunsPath, "/", i), nil, ""))
			time.Sleep(time.Millisecond)
		}
		if n := len(strings.Split(c.writes.EnsureReady(nightlyName).Error(), ",")); n != 100 {
			t.Errorf("%d outcomes are unknown, want 100", n)
		}
		time.Sleep(500 * time.Millisecond)
		c.must(raw.send(http.MethodPut, cronrunsPath+"/100", nil, "")) // from now on, one list replaces all
		c.awaits(nightlyName, "cronruns east/ unknown")
		var stale *consistency.StaleError
		if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) || !stale.Writes[0].Since.Equal(begun) {
			t.Errorf("got %v, want since %v", err, begun)
		}
		c.must(raw.send(http.MethodPut, cronrunsPath+"/101", nil, ""))
		c.awaits(nightlyName, "cronruns east/ unknown", "cronruns east/101 unknown")
		c.writes.Clear(nightlyName)
		time.Sleep(time.Minute)
		if n := lists.Load(); n != 3*4 {
			t.Errorf("got %d lists, want none for what was cleared", n-3*4)
		}
	})
}

// While a write is under way, the objects that it may concern are stale.
func TestWritesUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(nil, c.factory.Stable().V1().CronRuns().Informer().GetIndexer().Add(&v1.CronRun{ObjectMeta: partial("cached", "1").ObjectMeta}))
		other := cache.NewObjectName("east", "other")
		for _, test := range []struct {
			method, path, body string
			nightly, other     []string
		}{
			{"POST", cronrunsPath, `{"metadata":{"name":"a","ownerReferences":[{"name":"nightly"}]}}`, []string{"cronruns east/"}, nil},
			{"PUT", cronrunsPath + "/cached", "{}", []string{"cronruns east/cached"}, nil},
			{"DELETE", cronrunsPath + "/cached", "", []string{"cronruns east/cached"}, nil},
			{"DELETE", cronrunsPath + "/other", `{"preconditions":{"uid":"nightly"}}`, nil, []string{"cronruns east/other"}},
			{"DELETE", cronrunsPath, "", []string{"cronruns east/"}, []string{"cronruns east/"}},
			{"POST", strings.Replace(cronrunsPath, "east", "west", 1), `{"metadata":{"ownerReferences":[{"name":"nightly"}]}}`, nil, nil},
			{"POST", strings.Replace(cronrunsPath, "cronruns", "others", 1), `{"metadata":{"ownerReferences":[{"name":"nightly"}]}}`, nil, nil},
			{"POST", cronrunsPath + "?dryRun=All", `{"metadata":{"ownerReferences":[{"name":"nightly"}]}}`, nil, nil},
		} {
			answered := make(chan struct{})
			raw := rawClient{c, "http://server", func(*http.Request) (*response, error) {
				<-answered
				return &response{409, jsonType, "{}", nil}, nil
			}}
			go func() { c.must(raw.send(test.method, test.path, nil, test.body)) }()
			synctest.Wait()
			c.awaits(nightlyName, test.nightly...)
			c.awaits(other, test.other...)
			if test.nightly != nil {
				time.Sleep(time.Millisecond)
				var stale *consistency.StaleError
				if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) || !stale.Writes[0].UnderWay || !strings.HasSuffix(err.Error(), " under way since 1ms") {
					t.Errorf("%s %s: got %v, want that it is under way", test.method, test.path, err)
				}
			}
			waited := make(chan error)
			go func() { waited <- c.writes.WaitUntilReady(t.Context(), nightlyName) }()
			synctest.Wait()
			begun := time.Now()
			close(answered)
			if err := <-waited; err != nil || time.Since(begun) > 0 {
				t.Errorf("%s %s: the wait ended after %v with %v", test.method, test.path, time.Since(begun), err)
			}
			synctest.Wait()
			c.awaits(nightlyName)
			c.awaits(other)
		}
	})
}

// A JSON patch that may change owners concerns all objects of the namespace. One that does not concerns the object.
func TestJSONPatchesWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		other := cache.NewObjectName("east", "other")
		failed := c.answers(500, jsonType, "{}")
		patch := http.Header{"Content-Type": {string(types.JSONPatchType)}}
		c.must(failed.send(http.MethodPatch, cronrunsPath+"/a", patch, `[{"op":"remove","path":"/spec/image"}]`))
		c.awaits(other)
		c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a unknown")
		c.must(failed.send(http.MethodPatch, cronrunsPath+"/a", patch, `[{"op":"remove","path":"/metadata/ownerReferences"}]`))
		c.awaits(other, "cronruns east/a unknown")
		c.writes.Clear(other)
		c.writes.Clear(cache.NewObjectName("east", "a"))
	})
}

// A server may serve APIs below other paths, and groups below a root with any name. The store recognizes the groups of
// its informers there.
func TestOtherRoots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(nil, c.writes.Watch(schema.GroupResource{Resource: "pods"}, c.factory.Stable().V1().CronRuns().Informer(), consistency.Scope{}))
		var listed record
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				listed.add(request.URL.Path)
				return &response{200, jsonType, `{"metadata":{"resourceVersion":"1000"},"items":[]}`, nil}, nil
			}
			return &response{500, jsonType, "{}", nil}, nil
		}}
		const root, core = "/clusters/a/stable.example.com/v1/namespaces/east/cronruns", "/clusters/a/api/v1/namespaces/east/pods"
		c.must(raw.send(http.MethodPut, "/clusters/a/batch/v1/namespaces/east/jobs/a", nil, "{}"))
		c.must(raw.send(http.MethodPut, root+"/a", nil, "{}"))
		c.must(raw.send(http.MethodPut, core+"/a", nil, "{}"))
		a := cache.NewObjectName("east", "a")
		c.awaits(a, "cronruns east/a unknown", "pods east/a unknown")
		time.Sleep(2 * time.Second)
		_ = c.writes.EnsureReady(a)
		synctest.Wait()
		expect(t, listed.sorted(), core, root)
		c.writes.Clear(a)
	})
}

// The outcome of a write to a server behind a proxy is asked of that server.
func TestOutcomesBehindProxies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		var listed record
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				listed.add(request.URL.Path)
				return &response{200, jsonType, `{"metadata":{"resourceVersion":"1000"},"items":[]}`, nil}, nil
			}
			return &response{500, jsonType, "{}", nil}, nil
		}}
		const proxy = "/api/v1/namespaces/south/services/server/proxy"
		c.must(raw.send(http.MethodPut, proxy+cronrunsPath+"/a", nil, "{}"))
		a := cache.NewObjectName("east", "a")
		c.awaits(a, "cronruns east/a unknown")
		time.Sleep(2 * time.Second)
		_ = c.writes.EnsureReady(a)
		synctest.Wait()
		expect(t, listed.sorted(), proxy+cronrunsPath)
		c.writes.Clear(a)
	})
}
