package consistency

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// A source sends requests of the store for the objects of a resource.
type source struct {
	version *url.URL // the URL of the API version
	header  http.Header
	client  func() (*http.Client, error)
}

// query returns the selectors of scope, and a selector for name.Name unless it is "".
func (s *source) query(name cache.ObjectName, scope Scope) url.Values {
	query := url.Values{}
	var terms []string
	if name.Name != "" {
		terms = append(terms, fields.OneTermEqualSelector("metadata.name", name.Name).String())
	}
	if scope.Fields != nil && !scope.Fields.Empty() {
		terms = append(terms, scope.Fields.String())
	}
	if len(terms) > 0 {
		query.Set("fieldSelector", strings.Join(terms, ","))
	}
	if scope.Selector != nil && !scope.Selector.Empty() {
		query.Set("labelSelector", scope.Selector.String())
	}
	if scope.Shard != nil && scope.Shard.String() != "" {
		query.Set("shardSelector", scope.Shard.String())
	}
	return query
}

// list lists the metadata of the objects of a resource, in a namespace or in all. The list is current: without a
// resource version in the request, no cache of the server may answer with less than is stored.
func (s *source) list(ctx context.Context, resource schema.GroupResource, namespace string, query url.Values) (*listing, error) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	body, err := s.get(ctx, resource, namespace, query, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	return readList(runtime.ContentTypeJSON, text)
}

// get sends a request for a collection and returns the body of the answer.
func (s *source) get(
	ctx context.Context, resource schema.GroupResource, namespace string, query url.Values, accept string,
) (io.ReadCloser, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	at := s.version
	if namespace != "" {
		at = at.JoinPath("namespaces", namespace)
	}
	at = at.JoinPath(resource.Resource)
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range s.header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", accept)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		status := metav1.Status{Code: int32(response.StatusCode), Message: "the server answers with status " + response.Status}
		return nil, &apierrors.StatusError{ErrStatus: status}
	}
	return response.Body, nil
}

// isRefusal reports whether the server has rejected a request, in contrast to a failure.
func isRefusal(err error) bool {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return false
	}
	code := status.ErrStatus.Code
	return code >= 400 && code < 500 && code != http.StatusTooManyRequests
}
