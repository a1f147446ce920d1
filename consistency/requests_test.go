//go:build go1.25

package consistency_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kubegen/kubegen/consistency"
)

// These tests check what a store learns from requests and their answers.

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
		{"Status of an object without informers", "DELETE", strings.Replace(cronrunsPath, "cronruns", "others", 1) + "/a", status, nil},
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
					cached := partial("cached", "100")
					c.must(nil, c.runs.indexer.Add(cached))
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
				c.must(nil, c.writes.Watch(schema.GroupResource{Resource: "pods"}, c.runs, consistency.Scope{}))
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
				cached := partial("cached", "100")
				c.must(nil, c.runs.indexer.Add(cached))
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
		cached := partial("cached", "100")
		c.must(nil, c.runs.indexer.Add(cached))
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
		"/api/v1/nodes/a/proxy/api/v1/nodes/b":         {"nodes b", "/api/v1/nodes/a/proxy/api/v1/nodes?fieldSelector=metadata.name%3Db"},
	} {
		for _, host := range []string{"http://server", "http://server/clusters/a", "http://server/clusters/a/", "http://server/apis/of/a", "server", "server:80"} {
			bubble(t, func(t *testing.T) {
				c := newView(t)
				for _, resource := range []string{"pods", "namespaces", "nodes"} {
					c.must(nil, c.writes.Watch(schema.ParseGroupResource(resource), c.runs, consistency.Scope{}))
				}
				var listed record
				prefix := ""
				if _, path, ok := strings.Cut(strings.TrimPrefix(host, "http://"), "/"); ok {
					prefix = "/" + strings.TrimSuffix(path, "/")
				}
				raw := rawClient{c, host, func(request *http.Request) (*response, error) {
					if request.Method == http.MethodGet {
						listed.add(request.URL.RequestURI())
						return &response{200, jsonType, `{"kind": "List"}`, nil}, nil
					}
					return &response{503, jsonType, "{}", nil}, nil
				}}
				raw.must(raw.send(http.MethodPatch, prefix+path, nil, ""))
				err := c.writes.EnsureReady(nightlyName)
				if err == nil || !strings.HasSuffix(err.Error(), ": "+want.object+" with unknown outcome since 0s") {
					t.Errorf("%s: got %v, want %s", path, err, want.object)
				}
				c.ready(nightlyName)
				expect(t, slices.Compact(listed.sorted()), prefix+want.list)
			})
		}
	}
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

func (c closer) CloseIdleConnections() { *c.closed = true }

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

// A body that can be read again is closed afterwards. One that cannot may name any owner.
func TestBodiesOfRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		config := &rest.Config{Host: "http://server", Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })}
		c.writes.Wrap(config)
		transport, err := rest.TransportFor(config)
		c.must(nil, err)
		read, closed := 0, 0
		for _, test := range []struct {
			again func() (io.ReadCloser, error)
			want  []string
		}{
			{func() (io.ReadCloser, error) {
				read++
				return struct {
					io.Reader
					io.Closer
				}{strings.NewReader("{}"), closes{&closed}}, nil
			}, nil},
			{func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }, []string{"cronruns east/a unknown"}},
			{nil, []string{"cronruns east/a unknown"}},
		} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://server"+cronrunsPath+"/a", strings.NewReader("{}"))
			c.must(nil, err)
			request.GetBody = test.again
			if response, err := transport.RoundTrip(request); err == nil {
				c.must(nil, response.Body.Close())
				t.Error("the write has not failed")
			}
			c.awaits(nightlyName, test.want...)
			c.writes.Clear(cache.NewObjectName("east", "a"))
			synctest.Wait()
		}
		if read != 1 || closed != read {
			t.Errorf("the body was read %d times and closed %d times, want once", read, closed)
		}
	})
}

type closes struct{ count *int }

func (c closes) Close() error { *c.count++; return nil }

// While a write is under way, the objects that it may concern are stale.
func TestWritesUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(nil, c.runs.indexer.Add(partial("cached", "1")))
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

// A write remains under way when a later one has ended.
func TestWriteThatEndsLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		answered := map[string]chan struct{}{cronrunsPath + "/a": make(chan struct{}), cronrunsPath + "/b": make(chan struct{})}
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			<-answered[request.URL.Path]
			return &response{409, jsonType, "{}", nil}, nil
		}}
		a, b := cache.NewObjectName("east", "a"), cache.NewObjectName("east", "b")
		for _, name := range []cache.ObjectName{a, b} {
			go func() { c.must(raw.send(http.MethodPut, cronrunsPath+"/"+name.Name, nil, "{}")) }()
			synctest.Wait()
		}
		close(answered[cronrunsPath+"/b"])
		synctest.Wait()
		c.awaits(a, "cronruns east/a")
		c.awaits(b)
		close(answered[cronrunsPath+"/a"])
		synctest.Wait()
		c.awaits(a)
	})
}

// A server may serve APIs below other paths, and groups below a root with any name. The store recognizes the groups of
// its informers there.
func TestOtherRoots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.must(nil, c.writes.Watch(schema.GroupResource{Resource: "pods"}, c.runs, consistency.Scope{}))
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

// Versions in answers that are not numbers cannot be compared. This is an error, and logged once for each kind.
func TestVersionsThatAreNoNumbers(t *testing.T) {
	for _, version := range []string{"01", "", "0", "012", "+12", "-12", "v12", "1.5", "184467440737095516160"} {
		bubble(t, func(t *testing.T) {
			c := newView(t)
			crontab := partial("nightly", "18446744073709551615")
			c.writes.WroteAt(cronTabs, crontab)
			c.awaits(nightlyName, "crontabs east/nightly")
			for range 2 {
				crontab.ResourceVersion = version
				c.writes.WroteAt(cronTabs, crontab)
				c.untracked(nightlyName, fmt.Sprintf("own writes of crontabs.stable.example.com cannot be awaited: the resource version %q in the answer to a write is not a number", version))
			}
			if n := strings.Count(c.log.String(), `"Own writes cannot be awaited" resource="crontabs.stable.example.com" reason="the resource version`); n != 1 {
				t.Errorf("got %d lines, want one:\n%s", n, c.log)
			}
		})
	}
}
