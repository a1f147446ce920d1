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

	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// A Widget is the Go type of all versions of the kinds Widget, Gadget and Gizmo.
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
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
	Name     string `json:"name,omitempty"`
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

const (
	widgetGroup       = "widgets.example.com"
	widgetDefinitions = "testdata/widgets" // of all rawKinds
)

// A rawKind is a kind in several versions.
type rawKind struct {
	group, name, resource string
	versions              []string // the first of which is v1
	translate             *strings.Replacer
	valid, odd            string // more fields of a spec
	ruled                 bool   // its definition has rules that the Go type does not have
}

var (
	widgetKind = rawKind{group: widgetGroup, name: "Widget", resource: "widgets", versions: []string{"v1", "v1beta1", "v1alpha1"}, translate: strings.NewReplacer()}
	gadgetKind = rawKind{group: "gadgets.example.com", name: "Gadget", resource: "gadgets", versions: []string{"v1", "v2"}, translate: strings.NewReplacer(
		widgetGroup, "gadgets.example.com", "/namespaces/east/widgets", "/gadgets", "/widgets", "/gadgets", `"Widget`, `"Gadget`, "v1beta1", "v2", "v1alpha1", "v2")}
	gizmoKind = rawKind{group: "gizmos.example.com", name: "Gizmo", resource: "gizmos", versions: []string{"v1", "v1beta1"}, translate: strings.NewReplacer(
		widgetGroup, "gizmos.example.com", "/widgets", "/gizmos", `"Widget`, `"Gizmo`, "v1alpha1", "v1beta1"), valid: "\n" + validEmbedded, odd: "\n" + oddEmbedded, ruled: true}
	rawKinds = []rawKind{widgetKind, gadgetKind, gizmoKind}
)

// request returns the request for the kind that corresponds to one for widgets.
func (k rawKind) request(rq rawRequest) rawRequest {
	rq.path, rq.body = k.translate.Replace(rq.path), k.translate.Replace(rq.body)
	return rq
}

// A rawAPI is a way of making APIs of rawKinds.
type rawAPI struct {
	name  string
	ruled bool // it has the rules of the kinds' definitions
	make  func() *fakeapi.API
}

// rawAPIs returns two: with the rules of the kinds' definitions, and with the Go type alone.
func rawAPIs(t *testing.T) []rawAPI {
	t.Helper()
	scheme, none := runtime.NewScheme(), map[schema.GroupVersionResource]fakeapi.Rules{}
	for _, k := range rawKinds {
		for _, version := range k.versions {
			gv := schema.GroupVersion{Group: k.group, Version: version}
			scheme.AddKnownTypeWithName(gv.WithKind(k.name), &Widget{})
			none[gv.WithResource(k.resource)] = nil
		}
	}
	options, err := crdvalidation.Options(scheme, widgetDefinitions)
	must(t, err)
	return []rawAPI{
		{"with rules", true, func() *fakeapi.API { return fakeapi.New(options...) }},
		{"without rules", false, func() *fakeapi.API { return fakeapi.New(append(slices.Clip(options), fakeapi.WithRules(none))...) }},
	}
}

// A rawRequest is an HTTP request. In its URL and body, UID(path) and VERSION(path) stand for the UID and the
// resource version of the object that is stored at a path, and CONTINUE(path) for the token with which a list goes
// on.
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
	kind      rawKind
	transport http.RoundTripper
	host      string
	pace      pacer
	aliases   map[string]string // of UIDs and versions
	fresh     map[string]bool   // API versions of which nothing has changed since their objects were listed
}

func newRawSide(t *testing.T, k rawKind, config *rest.Config, pace pacer) *rawSide {
	t.Helper()
	transport, err := rest.TransportFor(config)
	must(t, err)
	return &rawSide{kind: k, transport: transport, host: config.Host, pace: pace, aliases: map[string]string{}, fresh: map[string]bool{}}
}

var references = regexp.MustCompile(`(UID|VERSION|CONTINUE)(?:\(|%28)([^)%]*|[^)]*?)(?:\)|%29)`)

// resolve replaces references to stored objects.
func (s *rawSide) resolve(ctx context.Context, text string) string {
	return references.ReplaceAllStringFunc(text, func(ref string) string {
		m := references.FindStringSubmatch(ref)
		path, err := url.PathUnescape(m[2])
		if err != nil {
			return "1"
		}
		_, _, body, err := s.roundTrip(ctx, rawRequest{method: "GET", path: path})
		if m[1] == "CONTINUE" {
			var list struct{ Metadata metav1.ListMeta }
			if err != nil || json.Unmarshal([]byte(body), &list) != nil {
				return "1"
			}
			return list.Metadata.Continue
		}
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

// catchUp lists the objects of the API version of a path, unless nothing has changed since it did so before. A server
// answers that when its cache of the version has all that was written. Until then, a list from the cache can lack it,
// and a patch that was tried on an old object can leave a warning behind.
func (s *rawSide) catchUp(ctx context.Context, path string) error {
	group := "/apis/" + s.kind.group + "/"
	rest, ok := strings.CutPrefix(path, group)
	version, _, named := strings.Cut(rest, "/")
	if !ok || !named || s.fresh[version] {
		return nil
	}
	quiet := *s
	quiet.pace = &replay{}
	_, _, _, err := quiet.roundTrip(ctx, rawRequest{method: "GET", path: group + version + "/" + s.kind.resource})
	s.fresh[version] = true
	return err
}

// send sends a request and returns what is compared of its answer.
func (s *rawSide) send(ctx context.Context, rq rawRequest) string {
	if err := s.catchUp(ctx, rq.path); err != nil {
		return "error " + err.Error()
	}
	if rq.method != "GET" && rq.method != "HEAD" {
		clear(s.fresh)
	}
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
	storageVersions = regexp.MustCompile(`,\s*"storageVersionHash": ?"[^"]*"|\n +storageVersionHash: .*|  storageVersionHash: .*\n`)
	rawNames        = regexp.MustCompile(`\bg-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
	// Where a line breaks depends on how long versions are.
	yamlMessages = regexp.MustCompile(`(?m)^message: (.*\n)(  .*\n)*`)
	yamlBreaks   = regexp.MustCompile(`\n  `)
	// Which of several fields is the first that cannot be merged is left to chance.
	rawMergeErrors = regexp.MustCompile(`(?m:^(message: ).*(failed to (?:create|convert) [a-z ]*\([^)]*\): ).*$)|(failed to (?:create|convert) [a-z ]*\([^)]*\): )(?:[^"\\]|\\.)*`)
	rawTokens      = regexp.MustCompile(`("continue": ?"|continue: )[0-9A-Za-z_-]{10,}`)
	rawTimes       = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// sorted returns a body whose errors are in order. A server returns those of a schema, and conflicts, in no fixed one.
func sorted(body string) string {
	var status metav1.Status
	if yaml.Unmarshal([]byte(body), &status) != nil || status.Kind != "Status" || status.Details == nil || len(status.Details.Causes) < 2 {
		return body
	}
	head, _, _ := strings.Cut(status.Message, ": ")
	status.Message = head + ": SORTED"
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
	body = yamlMessages.ReplaceAllStringFunc(sorted(body), func(text string) string { return yamlBreaks.ReplaceAllString(text, " ") })
	body = storageVersions.ReplaceAllString(body, "")
	body = rawNames.ReplaceAllString(body, "g-NAME")
	body = rawMergeErrors.ReplaceAllString(body, "${1}${2}${3}ERRORS")
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

// serverAnswers returns the answers of a server to requests, and the seconds in which they were sent.
func serverAnswers(t *testing.T, k rawKind, config *rest.Config, requests []rawRequest) (answers []string, seconds []int64) {
	t.Helper()
	seconds = timed(t, func(pace *stopwatch) {
		side := newRawSide(t, k, config, pace)
		side.clear(t)
		side.warmUp(t)
		answers = side.sendAll(t.Context(), requests)
	})
	return answers, seconds
}

// fakeapiAnswers returns the answers of fakeapi to requests that are sent in the same seconds as those to a server.
func fakeapiAnswers(t *testing.T, k rawKind, api *fakeapi.API, requests []rawRequest, seconds []int64) (answers []string) {
	t.Helper()
	inBubble(t, seconds, func(t *testing.T, pace *replay) {
		side := newRawSide(t, k, api.RESTConfig(), pace)
		side.warmUp(t)
		answers = side.sendAll(t.Context(), requests)
	})
	return answers
}

// clear removes all objects.
func (s *rawSide) clear(t *testing.T) {
	t.Helper()
	quiet := *s
	quiet.pace = &replay{}
	_, _, body, err := quiet.roundTrip(t.Context(), s.kind.request(rawRequest{method: "GET", path: widgets("v1")}))
	must(t, err)
	var list struct {
		Items []metav1.PartialObjectMetadata
	}
	must(t, json.Unmarshal([]byte(body), &list))
	for _, item := range list.Items {
		path := widgets("v1", "/", url.PathEscape(item.Name))
		for _, rq := range []rawRequest{{"PATCH", path, `{"metadata":{"finalizers":null}}`, mergePatch}, {"DELETE", path, "", ""}} {
			_, _, _, err := quiet.roundTrip(t.Context(), s.kind.request(rq))
			must(t, err)
		}
	}
}

// warmUp writes something, so that no version that comes later is as low as those that requests name.
func (s *rawSide) warmUp(t *testing.T) {
	t.Helper()
	quiet := *s
	quiet.pace = &replay{}
	for _, rq := range []rawRequest{{"POST", widgets("v1"), widget("v1", "first", "}"), ""}, {"DELETE", widgets("v1", "/first"), "", ""}} {
		status, _, body, err := quiet.roundTrip(t.Context(), s.kind.request(rq))
		must(t, err)
		if !strings.HasPrefix(status, "20") {
			t.Fatalf("%s is answered by %s", s.kind.request(rq), body)
		}
	}
}

// firstDifference returns the places at which two texts differ first.
func firstDifference(want, got string) string {
	n := 0
	for n < len(want) && n < len(got) && want[n] == got[n] {
		n++
	}
	from := max(0, n-40)
	return fmt.Sprintf("server:  %q\nfakeapi: %q", want[from:min(len(want), n+400)], got[from:min(len(got), n+400)])
}
