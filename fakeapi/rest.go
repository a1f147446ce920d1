package fakeapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
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
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// RESTConfig returns a new configuration for clients other than fakes: generated clientsets, the clients and managers
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
		Transport:     transport{a, false},
		QPS:           -1,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: runtime.ContentTypeJSON, ContentType: runtime.ContentTypeJSON},
	}
}

// transport sends requests to an API.
type transport struct {
	api   *API
	admin bool // requests are not authorized
}

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
	c := &client{api: t.api, ctx: rq.Context(), admin: t.admin}
	result, err := c.answer(rq, data)
	if err := rq.Context().Err(); err != nil {
		if w, ok := result.(*stream); ok {
			w.Close()
		}
		return nil, err
	}
	response, err := c.respond(rq, result, err)
	if err != nil {
		return nil, err
	}
	for _, header := range warningHeaders(c.warnings) {
		response.Header.Add("Warning", header)
	}
	if rq.Method == http.MethodHead {
		response.Body.Close()
		response.Body = http.NoBody
	}
	return response, nil
}

// respond returns the response for the result of a request.
func (c *client) respond(rq *http.Request, result any, err error) (*http.Response, error) {
	if err != nil {
		return c.errorResponse(rq, err)
	}
	switch result := result.(type) {
	case *stream:
		return response(rq, http.StatusOK, runtime.ContentTypeJSON, result), nil
	case text:
		return response(rq, http.StatusOK, textType, io.NopCloser(strings.NewReader(string(result)))), nil
	}
	code := cmp.Or(c.code, http.StatusOK)
	if rq.Method == http.MethodPost {
		code = http.StatusCreated
	}
	return encodedResponse(rq, code, c.form, result)
}

// textType is the media type of texts.
const textType = "text/plain; charset=utf-8"

// A text is a result in plain text.
type text string

func response(rq *http.Request, code int, contentType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(code) + " " + http.StatusText(code), StatusCode: code, Request: rq, Body: body, ContentLength: -1,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {contentType}},
	}
}

func encodedResponse(rq *http.Request, code int, f form, result any) (*http.Response, error) {
	data, mediaType, err := f.encode(result)
	if err != nil {
		return nil, err
	}
	return response(rq, code, mediaType, io.NopCloser(bytes.NewReader(data))), nil
}

// errorResponse returns the response for an error. An error without a status is an error of the connection.
func (c *client) errorResponse(rq *http.Request, err error) (*http.Response, error) {
	var withStatus apierrors.APIStatus
	if !errors.As(err, &withStatus) {
		return nil, err
	}
	status := withStatus.Status()
	var after int32
	if d := status.Details; d != nil {
		after = d.RetryAfterSeconds
		if len(d.Causes) > 0 && d.Causes[0].Type == metav1.CauseTypeUnexpectedServerResponse {
			return response(rq, int(status.Code), textType, io.NopCloser(strings.NewReader(d.Causes[0].Message+"\n"))), nil
		}
	}
	r, err := encodedResponse(rq, int(status.Code), c.failure, withKind(&status))
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

// A target identifies the resource or object in the URL of a request.
type target struct {
	gvr                          schema.GroupVersionResource
	namespace, name, subresource string
	watch                        bool // a path of the form /api/v1/watch/...
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
	if steps[0] == "watch" && len(steps) > 1 {
		t.watch, steps = true, steps[1:]
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

// verb returns the verb of a request for the target, or "" if the method has none. For a watch, it returns list.
func (t target) verb(rq *http.Request) string {
	one, all := "", ""
	switch method(rq) {
	case http.MethodGet:
		one, all = "get", "list"
	case http.MethodPost:
		one, all = "create", "create"
	case http.MethodPut:
		one, all = "update", "update"
	case http.MethodPatch:
		one, all = "patch", "patch"
	case http.MethodDelete:
		one, all = "delete", "deletecollection"
	}
	if t.name == "" || t.watch {
		return all
	}
	return one
}

// answer returns the result of an HTTP request: a value to encode, a text, or a stream.
func (c *client) answer(rq *http.Request, data []byte) (any, error) {
	c.form, c.failure = negotiate(rq)
	t, ok := parseTarget(rq.URL.Path)
	if err := t.checkTimeout(rq); err != nil {
		return nil, err
	}
	by := sender{user: c.api.user}
	if c.admin {
		by = sender{admin: true}
	}
	if err := c.api.permitHTTP(by, t, ok, rq); err != nil {
		return nil, err
	}
	r := c.api.resources[t.gvr]
	if !ok {
		document := c.api.document(rq.URL.Path)
		if document == nil || method(rq) != http.MethodGet {
			return nil, notServed(rq.Method, schema.GroupResource{}, "")
		}
		c.form = c.failure // documents are not converted either
		if _, ok := document.(text); !ok && c.form.mediaType == "" {
			return nil, notAcceptable(acceptedTypes)
		}
		return document, nil
	}
	c.shape = wireShape{}
	if err := c.checkTarget(r, t, rq); err != nil {
		return nil, err
	}
	action, err := c.api.action(t, rq, data)
	_, watching := action.(clienttesting.WatchActionImpl)
	switch {
	case watching && (c.form.mediaType == runtime.ContentTypeYAML || c.form.mediaType == ""):
		return nil, notAcceptable(watchTypes)
	case c.form.mediaType == "":
		return nil, notAcceptable(acceptedTypes)
	case err != nil:
		return nil, err
	}
	c.shape = c.form.shape()
	if action, ok := action.(clienttesting.WatchActionImpl); ok {
		_, w, err := watchReactor{c}.React(action)
		if err != nil {
			return nil, err
		}
		return newStream(rq.Context(), w), nil
	}
	_, obj, err := c.react(action)
	return obj, err
}

// checkTarget returns an error for a request that the server does not route to a resource, or whose method has no
// handler in the resource.
func (c *client) checkTarget(r *resource, t target, rq *http.Request) error {
	route := request{verb: t.verb(rq), name: t.name, namespace: t.namespace, subresource: t.subresource}
	switch {
	case r != nil && r.serves(route):
		c.warn(r.deprecation)
		if route.verb == "" {
			return apierrors.NewMethodNotSupported(t.gvr.GroupResource(), "")
		}
	case r != nil || route.verb != "":
		return notServed(rq.Method, t.gvr.GroupResource(), t.name)
	default:
		return nil
	}
	err := c.check(r, t.gvr, route)
	if route.verb == "patch" && (err == nil || t.name == "") {
		err = cmp.Or(r.checkPatchType(patchType(rq.Header.Get("Content-Type"))), err) // before the name
	}
	return clientError(err)
}

// checkTimeout returns an error for a timeout in the URL that is not a duration. Watches have another timeout.
func (t target) checkTimeout(rq *http.Request) error {
	query := rq.URL.Query()
	timeout, watch := query.Get("timeout"), query["watch"]
	if timeout == "" || t.watch || len(watch) > 0 && watch[0] != "false" && watch[0] != "0" {
		return nil
	}
	if _, err := time.ParseDuration(timeout); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid timeout specified in the request URL - %v", err))
	}
	return nil
}

// method returns the method of a request. HEAD is GET without the body.
func method(rq *http.Request) string {
	if rq.Method == http.MethodHead {
		return http.MethodGet
	}
	return rq.Method
}

// action returns the action for a request.
func (a *API) action(t target, rq *http.Request, data []byte) (clienttesting.Action, error) {
	query := rq.URL.Query()
	base := func(verb string) clienttesting.ActionImpl {
		return clienttesting.ActionImpl{Verb: verb, Resource: t.gvr, Namespace: t.namespace, Subresource: t.subresource}
	}
	manager := managerOf(rq.UserAgent())
	switch method(rq) {
	case http.MethodGet:
		if t.name != "" && !t.watch {
			opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_GetOptions)
			return clienttesting.GetActionImpl{ActionImpl: base("get"), Name: t.name, GetOptions: opts}, err
		}
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions)
		if t.watch && t.name != "" {
			opts.FieldSelector = strings.Join(slices.DeleteFunc([]string{"metadata.name=" + t.name, opts.FieldSelector}, func(s string) bool { return s == "" }), ",")
		}
		if opts.Watch || t.watch {
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
		if err == nil {
			err = validateUpdateOptions(&opts) // before the type of the body
		}
		if err != nil {
			return nil, err
		}
		obj, err := readBody(rq.Header.Get("Content-Type"), data)
		if err != nil {
			return nil, err
		}
		obj.name = t.name
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
		return a.deleteAction(t, rq, data)
	}
	return nil, apierrors.NewMethodNotSupported(t.gvr.GroupResource(), "") // the method has no verb
}

// deleteAction returns the action for a request to delete an object or a collection.
func (a *API) deleteAction(t target, rq *http.Request, data []byte) (_ clienttesting.Action, err error) {
	action := clienttesting.DeleteCollectionActionImpl{
		ActionImpl: clienttesting.ActionImpl{Verb: "delete-collection", Resource: t.gvr, Namespace: t.namespace, Subresource: t.subresource},
	}
	query := rq.URL.Query()
	if t.name == "" {
		if action.ListOptions, err = a.deletedList(t, query); err != nil {
			return nil, err
		}
	}
	if len(data) > 0 { // options in the URL are then ignored
		action.DeleteOptions, err = readDeleteOptions(rq.Header.Get("Content-Type"), data)
	} else {
		action.DeleteOptions, err = fromQuery(query, metav1.Convert_url_Values_To_v1_DeleteOptions)
	}
	if err != nil || t.name == "" {
		return action, err
	}
	action.Verb = "delete"
	return clienttesting.DeleteActionImpl{ActionImpl: action.ActionImpl, Name: t.name, DeleteOptions: action.DeleteOptions}, nil
}

// deletedList returns the options that select the objects of a request to delete a collection. A server checks them
// before it reads the body.
func (a *API) deletedList(t target, query url.Values) (opts metav1.ListOptions, err error) {
	if opts, err = fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions); err != nil {
		return opts, err
	}
	if err := validateListOptions(opts); err != nil {
		return opts, err
	}
	if r := a.resources[t.gvr]; r != nil {
		_, err = r.selector(t.namespace, opts)
	}
	return opts, err
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
	sent []byte
	name string // of the object in the URL of an update
	err  error  // set if the body is not an object

	duplicates []error // for each duplicate field
}

// MarshalJSON implements json.Marshaler.
func (b *body) MarshalJSON() ([]byte, error) { return b.text, nil }

// readBody reads the object in a request. If the body is not an object, code that knows the expected kind returns the
// error later.
func readBody(contentType string, data []byte) (*body, error) {
	if len(data) > maxBody {
		return nil, tooLargeBody()
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	b := &body{text: data, sent: data}
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
		if _, err := yaml.YAMLToJSONStrict(data); err != nil {
			b.duplicates = append(b.duplicates, err)
		}
	case runtime.ContentTypeJSON, "":
	default:
		return nil, unsupportedMediaType(acceptedTypes)
	}
	if err := utiljson.Unmarshal(b.text, &b.Object); err != nil {
		_, b.err = serializer.SimpleMetaFactory{}.Interpret(b.text)
		if b.err == nil {
			b.err = err
		}
		return b, nil
	}
	if duplicates, err := kjson.UnmarshalStrict(b.text, &map[string]any{}); err == nil {
		b.duplicates = append(b.duplicates, duplicates...)
	}
	return b, nil
}

// readDeleteOptions reads the options in the body of a request to delete.
func readDeleteOptions(contentType string, data []byte) (opts metav1.DeleteOptions, err error) {
	if len(data) > maxBody {
		return opts, tooLargeBody()
	}
	mediaType, _, _ := mime.ParseMediaType(cmp.Or(contentType, runtime.ContentTypeJSON))
	known, ok := runtime.SerializerInfoForMediaType(metascheme.Codecs.SupportedMediaTypes(), mediaType)
	if !ok || mediaType == "" {
		return opts, unsupportedMediaType(acceptedTypes)
	}
	kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	obj, _, err := metascheme.Codecs.DecoderToVersion(known.Serializer, kind.GroupVersion()).Decode(data, &kind, &opts)
	switch {
	case err != nil:
		return opts, apierrors.NewBadRequest(schemeName.ReplaceAllLiteralString(err.Error(), "in scheme "+strconv.Quote(serverScheme)))
	case obj != runtime.Object(&opts):
		return opts, apierrors.NewBadRequest("decoded object cannot be converted to DeleteOptions")
	}
	return opts, nil
}

// schemeName matches the name of a scheme in errors. It is the source position where the scheme was created.
var schemeName = regexp.MustCompile(`in scheme ".*?"`)

// wireShape is the shape of results in JSON.
type wireShape struct{ dynamicShape }

func (s wireShape) list(r *resource, listMeta metav1.ListMeta, objects []*object) (runtime.Object, error) {
	list, err := s.dynamicShape.list(r, listMeta, objects)
	if err == nil && r.standard { // a server does not send the kind of these items
		for _, item := range list.(*unstructured.UnstructuredList).Items {
			delete(item.Object, "kind")
			delete(item.Object, "apiVersion")
		}
	}
	return list, err
}

func (wireShape) checkURL(namespace, name string, required bool) error {
	if required && name == "" {
		return apierrors.NewBadRequest("name must be provided")
	}
	return metadataShape{}.checkURL(namespace, name, false) // the server checks the name
}

func (wireShape) notServed(method string, gr schema.GroupResource, name string) error {
	return notServed(method, gr, name)
}

func (wireShape) other(obj runtime.Object) (runtime.Object, error) {
	if status, ok := obj.(*metav1.Status); ok {
		return withKind(status), nil
	}
	return obj, nil
}
