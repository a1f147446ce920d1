package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A recorder keeps the requests that a client sends.
type recorder struct {
	mu       sync.Mutex
	requests []*request
}

// A request is one that was sent, and how it was answered.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte

	// What the server said; nothing while it has not answered, or if the connection broke.
	status           int
	responseHeader   http.Header
	transferEncoding []string
}

// verb is what Kubernetes calls the request: "get", "list", "watch" and so on.
func (r *request) verb() string {
	switch r.method {
	case http.MethodGet:
		if r.query.Get("watch") == "true" {
			return "watch"
		}
		if r.name() == "" {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if r.name() == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return r.method
}

// name returns the name of the object in the path, with its subresource: "nightly/status".
func (r *request) name() string {
	_, rest, _ := strings.Cut(r.path, "/v1/")
	parts := strings.Split(rest, "/")
	if parts[0] == "namespaces" {
		parts = parts[2:]
	}
	return strings.Join(parts[1:], "/")
}

// String returns "list resourceVersion=0", the verb and what of the query tells one list or watch from another.
func (r *request) String() string {
	text := r.verb()
	for _, key := range []string{"resourceVersion", "resourceVersionMatch", "sendInitialEvents", "limit", "continue", "labelSelector", "fieldSelector"} {
		if r.query.Has(key) {
			text += " " + key + "=" + r.query.Get(key)
		}
	}
	return text
}

func (r *recorder) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(out *http.Request) (*http.Response, error) {
		sent := &request{method: out.Method, path: out.URL.Path, query: out.URL.Query(), header: out.Header.Clone()}
		if out.Body != nil {
			body, err := io.ReadAll(out.Body)
			if err != nil {
				return nil, err
			}
			sent.body = body
			out = out.Clone(out.Context())
			out.Body = io.NopCloser(bytes.NewReader(body))
		}
		r.mu.Lock()
		r.requests = append(r.requests, sent)
		r.mu.Unlock()

		response, err := next.RoundTrip(out)
		if err == nil {
			r.mu.Lock()
			sent.status, sent.responseHeader, sent.transferEncoding = response.StatusCode, response.Header.Clone(), response.TransferEncoding
			r.mu.Unlock()
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// all returns copies of the requests so far that any of the verbs is for, or simply all of them.
func (r *recorder) all(verbs ...string) []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []request
	for _, sent := range r.requests {
		if len(verbs) == 0 || slices.Contains(verbs, sent.verb()) {
			list = append(list, *sent)
		}
	}
	return list
}

// forget leaves out what was sent so far.
func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

// last returns the request that was sent last.
func (r *recorder) last() request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.requests[len(r.requests)-1]
}

// describe returns what was sent, for comparisons.
func describe(requests []request) []string {
	var list []string
	for _, r := range requests {
		list = append(list, r.String())
	}
	return list
}

// nameIn returns the name of the object in a body.
func nameIn(body []byte) string {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(body, &object); err != nil {
		return err.Error()
	}
	return object.Name
}
