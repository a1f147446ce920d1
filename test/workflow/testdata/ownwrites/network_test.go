package ownwrites

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kubegen/kubegen/fakeapi"
)

// A network connects controllers with a server. It delays the events of watches and simulates behavior that fakeapi
// lacks.
type network struct {
	versions bool          // answers to deletions contain the version, as in Kubernetes 1.38
	lost     bool          // the answers of writes are lost
	late     time.Duration // the delay of writes; clients give up at once
	slow     time.Duration // the delay of answers to writes

	lock   sync.Mutex
	server *rest.Config
	base   http.RoundTripper // to the server
	open   chan struct{}     // closed while the events of watches are not delayed
	cut    chan struct{}     // closed when the present watches break
}

func newNetwork() *network {
	n := &network{open: make(chan struct{}), cut: make(chan struct{})}
	close(n.open)
	return n
}

// use connects the network to a server.
func (n *network) use(tb testing.TB, api *fakeapi.API) {
	config := api.RESTConfig()
	base, err := rest.TransportFor(config)
	must(tb, err)
	n.lock.Lock()
	defer n.lock.Unlock()
	n.server, n.base = config, base
}

// config returns a config for clients that reach the server through the network.
func (n *network) config() *rest.Config {
	config := rest.CopyConfig(n.server)
	config.Wrap(func(http.RoundTripper) http.RoundTripper { return n })
	return config
}

// hold delays the events of watches until release is called.
func (n *network) hold() {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.open = make(chan struct{})
}

func (n *network) release() {
	n.lock.Lock()
	defer n.lock.Unlock()
	close(n.open)
}

// breakWatches ends all watches. Their delayed events are lost.
func (n *network) breakWatches() {
	n.lock.Lock()
	defer n.lock.Unlock()
	close(n.cut)
	n.cut = make(chan struct{})
}

func (n *network) present() (base http.RoundTripper, open, cut chan struct{}) {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.base, n.open, n.cut
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	base, _, _ := n.present()
	switch query := request.URL.Query(); {
	case query.Get("watch") != "":
		from, _ := strconv.Atoi(query.Get("resourceVersion")) // "" is 0
		switch version, err := versionOf(base, request, request.URL.Path); {
		case err != nil:
			return nil, err
		case from > version:
			return expired(request), nil
		}
		response, err := base.RoundTrip(request)
		if err == nil && query.Get("timeoutSeconds") != "3" { // the watch of an informer
			response.Body = n.events(request, response.Body)
		}
		return response, err
	case request.Method == http.MethodGet:
		return base.RoundTrip(request)
	case n.late > 0:
		later := request.Clone(context.WithoutCancel(request.Context()))
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		later.Body = io.NopCloser(bytes.NewReader(body))
		time.AfterFunc(n.late, func() { _, _ = base.RoundTrip(later) })
		return nil, context.DeadlineExceeded
	}
	response, err := base.RoundTrip(request)
	time.Sleep(n.slow)
	switch {
	case err == nil && n.lost:
		return nil, io.ErrUnexpectedEOF
	case err == nil && n.versions && request.Method == http.MethodDelete:
		return withVersion(base, response)
	}
	return response, err
}

// versionOf returns the version of a server, from a list.
func versionOf(base http.RoundTripper, request *http.Request, path string) (int, error) {
	list := request.Clone(request.Context())
	list.Method, list.Body, list.URL.Path, list.URL.RawQuery = http.MethodGet, nil, path, ""
	response, err := base.RoundTrip(list)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	content := struct{ Metadata metav1.ListMeta }{}
	if err := json.NewDecoder(response.Body).Decode(&content); err != nil {
		return 0, err
	}
	return strconv.Atoi(content.Metadata.ResourceVersion)
}

// expired returns the answer to a watch from a version that the server does not have.
func expired(request *http.Request) *http.Response {
	text, _ := json.Marshal(apierrors.NewResourceExpired("the version is not known").Status())
	return &http.Response{StatusCode: http.StatusGone, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: request}
}

// withVersion adds the version of the server to a Status.
func withVersion(base http.RoundTripper, response *http.Response) (*http.Response, error) {
	status := &metav1.Status{}
	if err := json.NewDecoder(response.Body).Decode(status); err != nil || status.Kind != "Status" {
		return nil, fmt.Errorf("got %v, %v, want a Status", status, err)
	}
	version, err := versionOf(base, response.Request, path.Dir(response.Request.URL.Path))
	if err != nil {
		return nil, err
	}
	status.ResourceVersion = strconv.Itoa(version)
	text, err := json.Marshal(status)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return response, err
}

// events passes on the events of a watch unless they are delayed. It adds a bookmark every minute.
func (n *network) events(request *http.Request, body io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(request.Context())
	base, _, cut := n.present()
	go func() {
		defer cancel()
		lines := bufio.NewReader(body)
		for {
			line, err := lines.ReadBytes('\n')
			_, open, _ := n.present()
			select {
			case <-open:
			case <-cut:
				in.CloseWithError(io.ErrUnexpectedEOF)
				return
			case <-ctx.Done():
				in.CloseWithError(ctx.Err())
				return
			}
			if len(line) > 0 {
				_, _ = in.Write(line)
			}
			if err != nil {
				in.CloseWithError(err)
				return
			}
		}
	}()
	go func() {
		for wait(ctx, time.Minute) {
			version, err := versionOf(base, request, request.URL.Path)
			if err != nil || !wait(ctx, time.Second) { // until earlier events have passed
				return
			}
			_, open, _ := n.present()
			select {
			case <-open:
				kind := map[string]string{"crontabs": "CronTab", "cronruns": "CronRun"}[path.Base(request.URL.Path)]
				_, _ = fmt.Fprintf(in, `{"type":"BOOKMARK","object":{"apiVersion":"stable.example.com/v1","kind":%q,"metadata":{"resourceVersion":"%d"}}}`+"\n", kind, version)
			default:
			}
		}
	}()
	return &stream{out, body, cancel}
}

// wait waits for d. It reports whether ctx has not ended before.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// A stream is the body of a watch.
type stream struct {
	*io.PipeReader
	body   io.Closer
	cancel func()
}

func (s *stream) Close() error {
	s.cancel()
	_ = s.PipeReader.Close()
	return s.body.Close()
}
