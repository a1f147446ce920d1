package crdinstall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// A server has one definition, which it serves at once, and no objects. Applied definitions replace that which it has.
type server struct {
	live  map[string]any
	asked []string // the changes that requests have made
}

func newServer(t *testing.T, live map[string]any) (*server, *rest.Config) {
	t.Helper()
	s := &server{live: live}
	_ = unstructured.SetNestedSlice(live, []any{
		map[string]any{"type": "NamesAccepted", "status": "True"}, map[string]any{"type": "Established", "status": "True"},
	}, "status", "conditions")
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	return s, &rest.Config{Host: listening.URL}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	var answer any
	path := strings.TrimPrefix(r.URL.Path, "/apis/")
	switch group, below, _ := strings.Cut(path, "/"); {
	case group == migrations.Group:
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
	case group == definitions.Group && r.Method == http.MethodPatch:
		var patch map[string]any
		_ = json.NewDecoder(r.Body).Decode(&patch)
		s.change(types.PatchType(r.Header.Get("Content-Type")), patch)
		answer = s.live
	case group == definitions.Group:
		answer = s.live
	case strings.Contains(below, "/"):
		answer = map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
	case strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf):
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		_, _ = fmt.Fprint(w, "k8s\x00")
		return
	default:
		answer = map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": path, "resources": []any{map[string]any{"name": "crontabs"}}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// change applies a definition, or patches the status.
func (s *server) change(kind types.PatchType, patch map[string]any) {
	if kind != types.ApplyPatchType {
		stored, _, _ := unstructured.NestedStringSlice(patch, "status", "storedVersions")
		s.asked = append(s.asked, "stored "+and(stored))
		_ = unstructured.SetNestedStringSlice(s.live, stored, "status", "storedVersions")
		return
	}
	d := definition{&unstructured.Unstructured{Object: patch}}
	var names []string
	for _, v := range d.versions() {
		names = append(names, nameOf(v))
	}
	slices.Sort(names)
	strategy, _, _ := unstructured.NestedString(patch, "spec", "conversion", "strategy")
	s.asked = append(s.asked, strings.TrimSpace("apply "+and(names)+" "+strategy))
	patch["status"] = s.live["status"]
	s.live = patch
}

// TestAwaitProtobuf waits for a definition with the config of a program whose typed clients use protobuf.
func TestAwaitProtobuf(t *testing.T) {
	_, config := newServer(t, decode(t, crontabsIn(`{"name":"v1","served":true,"storage":true}`, ``)).Object)
	config.ContentType = runtime.ContentTypeProtobuf
	in, err := newInstaller(config, settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.served(t.Context(), "crontabs.stable.example.com"); err != nil {
		t.Errorf("the definition is not served: %v", err)
	}
}

// TestContext installs with a context that is done.
func TestContext(t *testing.T) {
	_, config := newServer(t, decode(t, crontabsIn(`{"name":"v1","served":true,"storage":true}`, ``)).Object)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the lease is lost")
	cancel(cause)
	if _, err := Install(ctx, config, fstest.MapFS{"a.yaml": {Data: []byte(crontabs)}}); !errors.Is(err, cause) {
		t.Errorf("the error is %v, want %v", err, cause)
	}
}

// crontabsIn returns a definition with some versions, and further fields of the spec.
func crontabsIn(versions, more string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},` +
		`"spec":{"group":"stable.example.com","names":{"plural":"crontabs","kind":"CronTab"},"versions":[` + versions + `]` + more + `}}`
}

// TestMigrate migrates the objects of definitions whose next release lacks versions or a conversion webhook, and
// compares what is applied.
func TestMigrate(t *testing.T) {
	const (
		last    = `{"name":"v1","served":true,"storage":true}`
		both    = `{"name":"v1beta1","served":true,"storage":false},` + last
		trial   = `{"name":"v2alpha1","served":true,"storage":true},{"name":"v1","served":true,"storage":false}`
		webhook = `,"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://127.0.0.1:1/"},"conversionReviewVersions":["v1"]}}`
		none    = `,"conversion":{"strategy":"None"}`
	)
	for _, test := range []struct{ name, theirs, stored, ours, want string }{
		{"a version that no release has any more", crontabsIn(trial, ""), `["v1","v2alpha1"]`, crontabsIn(last, ""),
			"apply v1, v2alpha1; stored v1; apply v1"},
		{"with the version", crontabsIn(both, webhook), `["v1beta1","v1"]`, crontabsIn(both, ""),
			"apply v1, v1beta1 Webhook; stored v1; apply v1, v1beta1"},
		{"without the version", crontabsIn(both, webhook), `["v1beta1","v1"]`, crontabsIn(last, none),
			"apply v1, v1beta1 Webhook; stored v1; apply v1 None"},
		{"with objects in one version", crontabsIn(both, webhook), `["v1"]`, crontabsIn(last, ""), "apply v1"},
		{"a version that neither has", crontabsIn(last, ""), `["v1alpha1","v1"]`, crontabsIn(last, ""),
			"crdinstall: crontabs.stable.example.com: status.storedVersions names v1alpha1, which the installed definition lacks"},
		{"a webhook that goes on", crontabsIn(both, none), `["v1beta1","v1"]`, crontabsIn(last, webhook),
			"apply v1, v1beta1 Webhook; stored v1; apply v1 Webhook"},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := decode(t, test.theirs)
			live.annotate(ReleaseAnnotation, "v1.3.0")
			live.Object["status"] = map[string]any{"storedVersions": decode(t, `{"a":`+test.stored+`}`).Object["a"]}
			s, config := newServer(t, live.Object)
			_, err := Install(t.Context(), config, fstest.MapFS{"a.json": {Data: []byte(test.ours)}}, Migrate(), Release("v1.4.0"))
			got := strings.Join(s.asked, "; ")
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestRepeat installs with a server that fails to answer the first requests of each kind, in every way that may pass.
func TestRepeat(t *testing.T) {
	const versions = `{"name":"v1beta1","served":true,"storage":false},{"name":"v1","served":true,"storage":true}`
	live := decode(t, crontabsIn(versions, ``))
	live.annotate(ReleaseAnnotation, "v1.3.0")
	live.Object["status"] = map[string]any{"storedVersions": []any{"v1beta1", "v1"}}
	s, config := newServer(t, live.Object)
	var lock sync.Mutex
	failures := map[string]int{}
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		request := r.Method + " " + r.URL.Path
		switch failures[request]++; failures[request] {
		case 1, 2, 3, 4:
			w.Header().Set("Content-Type", runtime.ContentTypeJSON)
			code := []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests}[failures[request]-1]
			w.WriteHeader(code)
			_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not now","code":%d}`, code)
		case 5:
			panic(http.ErrAbortHandler) // closes the connection
		default:
			s.ServeHTTP(w, r)
		}
	}))
	failing.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(failing.Close)
	config.Host = failing.URL
	next := fstest.MapFS{"a.json": {Data: []byte(crontabsIn(`{"name":"v1","served":true,"storage":true}`, ``))}}
	results, err := Install(t.Context(), config, next, Migrate(), Release("v1.4.0"))
	if want := "[apply v1, v1beta1 stored v1 apply v1]"; err != nil || fmt.Sprint(s.asked) != want {
		t.Errorf("got %v %v %v, want %s", s.asked, results, err, want)
	}

	failing.Close()
	if _, err := Install(t.Context(), config, next, Timeout(time.Millisecond)); !utilnet.IsConnectionRefused(err) {
		t.Errorf("without a server, the error is %v", err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("it takes too long"))
	defer cancel()
	if _, err := Install(ctx, config, next); err == nil || !strings.Contains(err.Error(), "it takes too long") {
		t.Errorf("with a context that ends, the error is %v", err)
	}
}

// TestRepeatEnds ends a context while a step waits for a server, between requests and during one.
func TestRepeatEnds(t *testing.T) {
	ends, waits := errors.New("the program ends"), pending{error: errors.New("it has not ended")}
	for _, during := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		in := &installer{settings: settings{timeout: time.Minute}}
		requests := 0
		err := in.repeat(ctx, func() error {
			if requests++; requests == 1 {
				return waits
			}
			if cancel(ends); during {
				return fmt.Errorf("Get: %w", ctx.Err())
			}
			return waits
		})
		if !errors.Is(err, ends) || !errors.As(err, new(pending)) {
			t.Errorf("during a request %t: the error is %v", during, err)
		}
	}
}
