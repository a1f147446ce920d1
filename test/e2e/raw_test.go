package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// A Widget has several versions, which are equal.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Image    string            `json:"image,omitempty"`
	Replicas *int32            `json:"replicas,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
	Ports    []WidgetPort      `json:"ports,omitempty"`
}

type WidgetPort struct {
	Port int32  `json:"port"`
	Name string `json:"name,omitempty"`
}

type WidgetStatus struct {
	Replicas int32  `json:"replicas,omitempty"`
	Phase    string `json:"phase,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (w *Widget) DeepCopyObject() runtime.Object {
	data, err := json.Marshal(w)
	if err != nil {
		panic(err)
	}
	c := &Widget{}
	if err := json.Unmarshal(data, c); err != nil {
		panic(err)
	}
	return c
}

var (
	widgetGroup    = "widgets.example.com"
	widgetVersions = []string{"v1", "v1beta1", "v1alpha1"}
)

const widgetDefinitions = "testdata/widgets"

// newWidgetAPIs returns functions that make APIs of widgets: one with the rules of their definition, and one that knows the Go type alone.
func newWidgetAPIs(t *testing.T) map[string]func() *fakeapi.API {
	t.Helper()
	scheme, none := runtime.NewScheme(), map[schema.GroupVersionResource]fakeapi.Rules{}
	for _, version := range widgetVersions {
		gv := schema.GroupVersion{Group: widgetGroup, Version: version}
		scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &Widget{})
		none[gv.WithResource("widgets")] = nil
	}
	options, err := crdvalidation.Options(scheme, widgetDefinitions)
	must(t, err)
	return map[string]func() *fakeapi.API{
		"with rules":    func() *fakeapi.API { return fakeapi.New(options...) },
		"without rules": func() *fakeapi.API { return fakeapi.New(append(slices.Clip(options), fakeapi.WithRules(none))...) },
	}
}

// A rawRequest is an HTTP request. In its URL and body, UID(path) and VERSION(path) stand for the UID and the resource version of the object
// that is stored at a path.
type rawRequest struct {
	method string
	path   string // with a query
	body   string
	header string // one or more lines
}

func (rq rawRequest) String() string {
	return strings.TrimSpace(strings.Join([]string{rq.method, rq.path, strings.ReplaceAll(rq.header, "\n", "; "), rq.body}, " "))
}

// A rawSide is a server, or what takes its place, as HTTP clients see it.
type rawSide struct {
	transport http.RoundTripper
	host      string
	pace      pacer
	aliases   map[string]string // of UIDs and versions
}

func newRawSide(t *testing.T, config *rest.Config, pace pacer) *rawSide {
	t.Helper()
	transport, err := rest.TransportFor(config)
	must(t, err)
	return &rawSide{transport: transport, host: config.Host, pace: pace, aliases: map[string]string{}}
}

var references = regexp.MustCompile(`(UID|VERSION)\(([^)]*)\)`)

// resolve replaces references to stored objects.
func (s *rawSide) resolve(ctx context.Context, text string) string {
	return references.ReplaceAllStringFunc(text, func(ref string) string {
		m := references.FindStringSubmatch(ref)
		_, _, body, err := s.roundTrip(ctx, rawRequest{method: "GET", path: m[2]})
		var o struct{ Metadata metav1.ObjectMeta }
		if err != nil || json.Unmarshal([]byte(body), &o) != nil || o.Metadata.UID == "" {
			return "1"
		}
		if m[1] == "UID" {
			return string(o.Metadata.UID)
		}
		return o.Metadata.ResourceVersion
	})
}

func (s *rawSide) roundTrip(ctx context.Context, rq rawRequest) (status string, header http.Header, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, rq.method, s.host+rq.path, strings.NewReader(rq.body))
	if err != nil {
		return "", nil, "", err
	}
	request.Header.Set("User-Agent", "raw/1")
	for line := range strings.SplitSeq(rq.header, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			request.Header.Set(name, value)
		}
	}
	s.pace.before()
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		return "", nil, "", err
	}
	s.pace.after()
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.Status, response.Header, string(data), err
}

// send sends a request and returns what is compared of its answer.
func (s *rawSide) send(ctx context.Context, rq rawRequest) string {
	rq.path, rq.body = s.resolve(ctx, rq.path), s.resolve(ctx, rq.body)
	status, header, body, err := s.roundTrip(ctx, rq)
	if err != nil {
		return "error " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintln(&b, status)
	for _, name := range []string{"Content-Type", "Warning", "Retry-After", "Allow", "Location"} {
		for _, value := range header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String() + s.normal(body)
}

var (
	rawVersions     = regexp.MustCompile(`(resourceVersion\\*": ?\\*"|resourceVersion: "|ResourceVersion in (?:precondition|object meta): |ResourceVersion in (?:the precondition|record) \(|resource version: |[cC]urrent: )(\d+)`)
	storageVersions = regexp.MustCompile(`,"storageVersionHash":"[^"]*"|\n +storageVersionHash: .*|  storageVersionHash: .*\n`)
	rawTokens       = regexp.MustCompile(`("continue": ?"|continue: )[0-9A-Za-z_-]{10,}`)
	rawTimes        = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// sorted returns a body whose errors are in order. A server returns those of a schema in no fixed one.
func sorted(body string) string {
	var status metav1.Status
	if json.Unmarshal([]byte(body), &status) != nil || status.Reason != metav1.StatusReasonInvalid || status.Details == nil || len(status.Details.Causes) < 2 {
		return body
	}
	head, _, _ := strings.Cut(status.Message, " is invalid: [")
	status.Message = head + " is invalid: SORTED"
	slices.SortFunc(status.Details.Causes, func(x, y metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(x.Field, y.Field), cmp.Compare(x.Message, y.Message))
	})
	data, err := json.Marshal(status)
	if err != nil {
		return body
	}
	return string(data)
}

// normal returns a body in which UIDs and versions are replaced by their order, and times by one time.
func (s *rawSide) normal(body string) string {
	body = uids.ReplaceAllStringFunc(body, func(uid string) string { return s.alias("uid", uid) })
	body = sorted(body)
	body = storageVersions.ReplaceAllString(body, "")
	body = rawTokens.ReplaceAllString(body, "${1}TOKEN")
	body = rawTimes.ReplaceAllString(body, "TIME")
	return rawVersions.ReplaceAllStringFunc(body, func(text string) string {
		m := rawVersions.FindStringSubmatch(text)
		return m[1] + s.alias("version", m[2])
	})
}

// alias returns the name of a value.
func (s *rawSide) alias(kind, value string) string {
	if value == "0" || value == "1" {
		return value
	}
	key := kind + " " + value
	if s.aliases[key] == "" {
		s.aliases[key] = fmt.Sprintf("%s-%d", kind, len(s.aliases))
	}
	return s.aliases[key]
}

// sendAll sends requests one after the other.
func (s *rawSide) sendAll(ctx context.Context, requests []rawRequest) (answers []string) {
	for _, rq := range requests {
		answers = append(answers, s.send(ctx, rq))
	}
	return answers
}

// compareRaw sends requests to a server and to fakeapi, and returns their answers.
func compareRaw(t *testing.T, config *rest.Config, newAPI func() *fakeapi.API, requests []rawRequest) (want, got []string) {
	t.Helper()
	seconds := timed(t, func(pace *stopwatch) {
		side := newRawSide(t, config, pace)
		side.clear(t)
		side.warmUp(t)
		want = side.sendAll(t.Context(), requests)
	})
	inBubble(t, seconds, func(t *testing.T, pace *replay) {
		side := newRawSide(t, newAPI().RESTConfig(), pace)
		side.warmUp(t)
		got = side.sendAll(t.Context(), requests)
	})
	return want, got
}

// clear removes all widgets.
func (s *rawSide) clear(t *testing.T) {
	t.Helper()
	quiet := *s
	quiet.pace = &replay{}
	all := "/apis/" + widgetGroup + "/v1/widgets"
	_, _, body, err := quiet.roundTrip(t.Context(), rawRequest{method: "GET", path: all})
	must(t, err)
	var list struct {
		Items []metav1.PartialObjectMetadata
	}
	must(t, json.Unmarshal([]byte(body), &list))
	for _, item := range list.Items {
		path := "/apis/" + widgetGroup + "/v1/namespaces/" + url.PathEscape(item.Namespace) + "/widgets/" + url.PathEscape(item.Name)
		for _, rq := range []rawRequest{
			{"PATCH", path, `{"metadata":{"finalizers":null}}`, "Content-Type: application/merge-patch+json"},
			{"DELETE", path, "", ""},
		} {
			_, _, _, err := quiet.roundTrip(t.Context(), rq)
			must(t, err)
		}
	}
}

// warmUp writes something, so that no version that comes later is as low as those that requests name.
func (s *rawSide) warmUp(t *testing.T) {
	t.Helper()
	quiet := *s
	quiet.pace = &replay{}
	for _, rq := range []rawRequest{newWidget("v1", "first", ""), {"DELETE", widgets("v1", "/first"), "", ""}} {
		_, _, _, err := quiet.roundTrip(t.Context(), rq)
		must(t, err)
	}
}
