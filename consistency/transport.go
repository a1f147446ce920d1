package consistency

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// Wrap makes the store observe the writes of all clients that are made from config afterwards, such as generated
// clientsets and client-go's. Writes are requests to create, update, patch, apply or delete objects and their
// subresources. Dry runs and requests that the server rejects do not count.
//
// The outcome of a write is unknown if the connection breaks or the server fails. The store then asks the server,
// with the credentials of the config, until a list shows the outcome or the server can no longer carry out the write.
// Until then, the object and its owners are stale.
func (s *Store) Wrap(config *rest.Config) {
	prefix := ""
	if host, _, err := rest.DefaultServerUrlFor(config); err == nil { // otherwise no client can be made from config
		prefix = strings.Trim(host.Path, "/")
	}
	config.Wrap(func(base http.RoundTripper) http.RoundTripper {
		own := rest.CopyConfig(config)
		client := sync.OnceValues(func() (*http.Client, error) { return rest.HTTPClientFor(own) })
		return &transport{s, base, prefix, client}
	})
}

// transport sends requests and reports writes to the store.
type transport struct {
	store  *Store
	base   http.RoundTripper
	prefix string                       // the beginning of the paths of all requests, without slashes around it
	client func() (*http.Client, error) // for requests of the store itself, because base does not renew credentials
}

// WrappedRoundTripper returns the transport below this one.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.base }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet || request.Method == http.MethodHead {
		if strings.Contains(request.URL.RawQuery, "watch=") { // the watch of an informer
			if at, ok := t.targetOf(request); ok {
				t.store.locate(at.resource, at.source)
			}
		}
		return t.base.RoundTrip(request)
	}
	w, ok := t.writeOf(request)
	if !ok {
		return t.base.RoundTrip(request)
	}
	t.store.begin(w)
	defer t.store.end(w)
	response, err := t.base.RoundTrip(request)
	if err != nil {
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "dial" { // the request may have been sent
			t.store.doubt(w, t.store.limit)
		}
		return nil, err
	}
	switch code := response.StatusCode; {
	case code >= http.StatusInternalServerError:
		t.store.doubt(w, t.store.limitOf(response))
	case code < http.StatusMultipleChoices:
		text, err := peek(response)
		if err != nil || !w.tell(t.store, response.Header.Get("Content-Type"), text) {
			t.store.doubt(w, 0) // the server has carried out the write
		}
	}
	return response, nil
}

// peek reads the body of an answer, which can be read again afterwards, with the same error at the end.
func peek(response *http.Response) ([]byte, error) {
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), failing{err}))
	return text, err
}

// failing is the end of a body: it returns the error with which the body broke off, or io.EOF if err is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }
