package fakeapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"
)

// RESTConfig returns a new configuration for clients that are not fakes: generated clientsets, the clients and managers
// of controller-runtime, and discovery clients. The API answers their requests in memory, without a network. Unlike a
// fake clientset, such a client passes on everything in a request. The rate of requests is not limited.
//
//	client, err := client.New(api.RESTConfig(), client.Options{Scheme: scheme})
//
// If an error given to [API.Fail] has no status, such as io.ErrUnexpectedEOF, it breaks the connection: clients get it
// in a [url.Error].
func (a *API) RESTConfig() *rest.Config {
	return &rest.Config{
		Host:          "http://fakeapi",
		Transport:     transport{a},
		QPS:           -1,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: runtime.ContentTypeJSON, ContentType: runtime.ContentTypeJSON},
	}
}

// transport sends requests to an API.
type transport struct{ api *API }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(rq *http.Request) (*http.Response, error) {
	var data []byte
	if rq.Body != nil {
		defer rq.Body.Close()
		var err error
		if data, err = io.ReadAll(rq.Body); err != nil {
			return nil, err
		}
	}
	if err := rq.Context().Err(); err != nil {
		return nil, err
	}
	result, err := t.api.answer(rq, data)
	if err := rq.Context().Err(); err != nil {
		if w, ok := result.(*stream); ok {
			w.Close()
		}
		return nil, err
	}
	if err != nil {
		return errorResponse(rq, err)
	}
	if w, ok := result.(*stream); ok {
		return response(rq, http.StatusOK, runtime.ContentTypeJSON, w), nil
	}
	code := http.StatusOK
	if rq.Method == http.MethodPost {
		code = http.StatusCreated
	}
	return jsonResponse(rq, code, result)
}

func response(rq *http.Request, code int, contentType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(code) + " " + http.StatusText(code), StatusCode: code, Request: rq, Body: body, ContentLength: -1,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {contentType}},
	}
}

func jsonResponse(rq *http.Request, code int, result any) (*http.Response, error) {
	data, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return response(rq, code, runtime.ContentTypeJSON, io.NopCloser(bytes.NewReader(data))), nil
}

// errorResponse returns the response for an error. An error without a status is an error of the connection.
func errorResponse(rq *http.Request, err error) (*http.Response, error) {
	var withStatus apierrors.APIStatus
	if !errors.As(err, &withStatus) {
		return nil, err
	}
	status := withStatus.Status()
	var after int32
	if d := status.Details; d != nil {
		after = d.RetryAfterSeconds
		if len(d.Causes) > 0 && d.Causes[0].Type == metav1.CauseTypeUnexpectedServerResponse {
			return response(rq, int(status.Code), "text/plain; charset=utf-8", io.NopCloser(strings.NewReader(d.Causes[0].Message))), nil
		}
	}
	r, err := jsonResponse(rq, int(status.Code), withKind(&status))
	if err == nil && after > 0 {
		r.Header.Set("Retry-After", strconv.Itoa(int(after)))
	}
	return r, err
}

// withKind returns a copy of a status with kind and apiVersion.
func withKind(status *metav1.Status) *metav1.Status {
	status = status.DeepCopy()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

// A target is what the URL of a request refers to.
type target struct {
	gvr                          schema.GroupVersionResource
	namespace, name, subresource string
}

// parseTarget parses the path of a URL, /api/v1/... or /apis/group/version/...
func parseTarget(path string) (t target, ok bool) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case steps[0] == "api" && len(steps) > 2:
		t.gvr.Version, steps = steps[1], steps[2:]
	case steps[0] == "apis" && len(steps) > 3:
		t.gvr.Group, t.gvr.Version, steps = steps[1], steps[2], steps[3:]
	default:
		return t, false
	}
	if steps[0] == "namespaces" && len(steps) > 2 && steps[2] != "status" && steps[2] != "finalize" {
		t.namespace, steps = steps[1], steps[2:]
	}
	t.gvr.Resource = steps[0]
	if len(steps) > 1 {
		t.name = steps[1]
	}
	if len(steps) > 2 {
		t.subresource = strings.Join(steps[2:], "/")
	}
	return t, true
}

// answer returns the result of a request: a value to be encoded as JSON, or a stream.
func (a *API) answer(rq *http.Request, data []byte) (any, error) {
	s, err := wireShapeFor(rq.Header.Get("Accept"))
	if err != nil {
		return nil, err
	}
	t, ok := parseTarget(rq.URL.Path)
	if !ok {
		if document := a.document(rq.URL.Path); document != nil && rq.Method == http.MethodGet {
			return document, nil
		}
		return nil, notServed(rq.Method, schema.GroupResource{}, "")
	}
	c := &client{api: a, ctx: rq.Context(), shape: s}
	action, err := a.action(t, rq, data)
	if err != nil {
		return nil, err
	}
	if action, ok := action.(clienttesting.WatchActionImpl); ok {
		_, w, err := watchReactor{c}.React(action)
		if err != nil {
			return nil, err
		}
		return newStream(rq.Context(), w), nil
	}
	_, obj, err := c.react(action)
	if err != nil || obj != nil {
		return obj, err
	}
	return withKind(&metav1.Status{Status: metav1.StatusSuccess}), nil
}

// action returns the action for a request.
func (a *API) action(t target, rq *http.Request, data []byte) (clienttesting.Action, error) {
	query := rq.URL.Query()
	base := func(verb string) clienttesting.ActionImpl {
		return clienttesting.ActionImpl{Verb: verb, Resource: t.gvr, Namespace: t.namespace, Subresource: t.subresource}
	}
	manager := managerOf(rq.UserAgent())
	switch rq.Method {
	case http.MethodGet:
		if t.name != "" {
			opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_GetOptions)
			return clienttesting.GetActionImpl{ActionImpl: base("get"), Name: t.name, GetOptions: opts}, err
		}
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions)
		if opts.Watch {
			return clienttesting.WatchActionImpl{ActionImpl: base("watch"), ListOptions: opts}, err
		}
		return clienttesting.ListActionImpl{ActionImpl: base("list"), ListOptions: opts}, err
	case http.MethodPost:
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_CreateOptions)
		if err != nil {
			return nil, err
		}
		obj, err := readBody(rq.Header.Get("Content-Type"), data)
		opts.FieldManager = cmp.Or(opts.FieldManager, manager)
		return clienttesting.CreateActionImpl{ActionImpl: base("create"), Name: t.name, Object: obj, CreateOptions: opts}, err
	case http.MethodPut:
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_UpdateOptions)
		if err != nil {
			return nil, err
		}
		obj, err := readBody(rq.Header.Get("Content-Type"), data)
		if err != nil {
			return nil, err
		}
		if err := checkName(obj.GetName(), t.name); err != nil && obj.err == nil && a.resources[t.gvr] != nil {
			return nil, err
		}
		opts.FieldManager = cmp.Or(opts.FieldManager, manager)
		return clienttesting.UpdateActionImpl{ActionImpl: base("update"), Object: obj, UpdateOptions: opts}, nil
	case http.MethodPatch:
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_PatchOptions)
		kind := rq.Header.Get("Content-Type")
		if !strings.HasPrefix(kind, string(types.ApplyYAMLPatchType)) {
			opts.FieldManager = cmp.Or(opts.FieldManager, manager)
		}
		return clienttesting.PatchActionImpl{ActionImpl: base("patch"), Name: t.name, PatchType: types.PatchType(kind), Patch: data, PatchOptions: opts}, err
	case http.MethodDelete:
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_DeleteOptions)
		if err == nil && len(data) > 0 {
			opts, err = readDeleteOptions(rq.Header.Get("Content-Type"), data)
		}
		if err != nil {
			return nil, err
		}
		if t.name != "" {
			return clienttesting.DeleteActionImpl{ActionImpl: base("delete"), Name: t.name, DeleteOptions: opts}, nil
		}
		listOpts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions)
		return clienttesting.DeleteCollectionActionImpl{ActionImpl: base("delete-collection"), DeleteOptions: opts, ListOptions: listOpts}, err
	}
	return nil, apierrors.NewMethodNotSupported(t.gvr.GroupResource(), strings.ToLower(rq.Method))
}

// fromQuery reads the options of a request from its URL.
func fromQuery[T any](query url.Values, convert func(*url.Values, *T, conversion.Scope) error) (opts T, err error) {
	if err := convert(&query, &opts, nil); err != nil {
		return opts, apierrors.NewBadRequest(err.Error())
	}
	return opts, nil
}

// A body is an object in a request.
type body struct {
	unstructured.Unstructured
	text []byte // as JSON
	err  error  // set if the body is not an object
}

// MarshalJSON implements json.Marshaler.
func (b *body) MarshalJSON() ([]byte, error) { return b.text, nil }

// readBody reads the object in a request. If the body is not an object, the error is returned later, by code that knows
// the expected kind.
func readBody(contentType string, data []byte) (*body, error) {
	if len(data) > maxBody {
		return nil, tooLargeBody()
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	b := &body{text: data}
	switch kind {
	case runtime.ContentTypeProtobuf:
		obj, _, err := kubernetesscheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		b.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		b.text = encode(b.Object)
		return b, err
	case runtime.ContentTypeYAML:
		if b.text, b.err = yaml.YAMLToJSON(data); b.err != nil {
			b.text = data
			return b, nil
		}
	case runtime.ContentTypeJSON, "":
	default:
		return nil, unsupportedMediaType(strings.Join([]string{runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf}, ", "))
	}
	if err := utiljson.Unmarshal(b.text, &b.Object); err != nil {
		_, b.err = serializer.SimpleMetaFactory{}.Interpret(b.text)
		if b.err == nil {
			b.err = err
		}
	}
	return b, nil
}

func readDeleteOptions(contentType string, data []byte) (opts metav1.DeleteOptions, err error) {
	b, err := readBody(contentType, data)
	if err != nil {
		return opts, err
	}
	if err = b.err; err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(b.Object, &opts)
	}
	if err != nil {
		return opts, apierrors.NewBadRequest(err.Error())
	}
	return opts, nil
}

// wireShapeFor returns a shape that a client accepts.
func wireShapeFor(accept string) (shape, error) {
	if accept == "" {
		return wireShape{}, nil
	}
	for clause := range strings.SplitSeq(accept, ",") {
		kind, parameters, err := mime.ParseMediaType(clause)
		if err != nil || kind != runtime.ContentTypeJSON && kind != "application/*" && kind != "*/*" {
			continue
		}
		switch parameters["as"] {
		case "":
			return wireShape{}, nil
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			return wireMetadataShape{}, nil
		}
	}
	return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable,
		Message: "only the following media types are accepted: " + runtime.ContentTypeJSON,
	}}
}

// wireShape is the shape of results in JSON.
type wireShape struct{ dynamicShape }

func (s wireShape) list(r *resource, listMeta metav1.ListMeta, objects []*object) (runtime.Object, error) {
	list, err := s.dynamicShape.list(r, listMeta, objects)
	if err == nil && r.standard { // a server sends the kind of these only once
		for _, item := range list.(*unstructured.UnstructuredList).Items {
			delete(item.Object, "kind")
			delete(item.Object, "apiVersion")
		}
	}
	return list, err
}

func (wireShape) checkURL(namespace, name string, required bool) error {
	return metadataShape{}.checkURL(namespace, name, required) // the server checks the name
}

func (wireShape) notServed(method string, gr schema.GroupResource, name string) error {
	return notServed(method, gr, name)
}

func (s wireShape) other(obj runtime.Object) (runtime.Object, error) {
	if status, ok := obj.(*metav1.Status); ok {
		return withKind(status), nil
	}
	return s.dynamicShape.other(obj)
}

// wireMetadataShape is the shape of results in JSON for clients that request only metadata.
type wireMetadataShape struct{ metadataShape }

var partialObjectMetadata = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: metav1.SchemeGroupVersion.String()}

func (s wireMetadataShape) object(r *resource, o *object) (runtime.Object, error) {
	obj, err := s.metadataShape.object(r, o)
	if err == nil {
		obj.(*metav1.PartialObjectMetadata).TypeMeta = partialObjectMetadata
	}
	return obj, err
}

func (s wireMetadataShape) other(obj runtime.Object) (runtime.Object, error) {
	obj, err := s.metadataShape.other(obj)
	if err == nil {
		obj.(*metav1.PartialObjectMetadata).TypeMeta = partialObjectMetadata
	}
	return obj, err
}

func (s wireMetadataShape) list(r *resource, listMeta metav1.ListMeta, objects []*object) (runtime.Object, error) {
	obj, err := s.metadataShape.list(r, listMeta, objects)
	if err != nil {
		return nil, err
	}
	list := obj.(*metav1.PartialObjectMetadataList)
	list.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: metav1.SchemeGroupVersion.String()}
	for i := range list.Items { // a server sends the kind of these only once
		list.Items[i].TypeMeta = metav1.TypeMeta{}
	}
	return list, nil
}

func (s wireMetadataShape) bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error) {
	obj, err := s.metadataShape.bookmark(r, version, annotations)
	if err == nil {
		obj.(*metav1.PartialObjectMetadata).TypeMeta = partialObjectMetadata
	}
	return obj, err
}
