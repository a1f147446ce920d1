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
	if rq.Method == "" { // which clients may leave out
		rq = rq.WithContext(rq.Context())
		rq.Method = http.MethodGet
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
		if len(d.Causes) > 0 && d.Causes[0].Type == metav1.CauseTypeUnexpectedServerResponse && d.Causes[0].Field == "" {
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

// A target is the resource or object that a request is for, and what the request does with it. Both the authorizer and
// the execution of the request depend on the target alone.
type target struct {
	verb                         string // "" if the method has none
	gvr                          schema.GroupVersionResource
	namespace, name, subresource string
	selected                     string // name of the only object that a list or watch selects, or ""
}

// verbs has the verbs of HTTP methods for an object. HEAD is GET without the body.
var verbs = map[string]string{
	http.MethodGet: "get", http.MethodHead: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch",
	http.MethodDelete: "delete",
}

// targetOf returns the target of a request for a path like /api/v1/... or /apis/group/version/... For other paths, ok
// is false. A path can name the verb, for all methods: /api/v1/watch/... and /api/v1/proxy/..., which nothing serves.
func targetOf(rq *http.Request) (t target, ok bool, err error) {
	steps := strings.Split(strings.Trim(rq.URL.Path, "/"), "/")
	switch {
	case steps[0] == "api" && len(steps) > 2:
		t.gvr.Version, steps = steps[1], steps[2:]
	case steps[0] == "apis" && len(steps) > 3:
		t.gvr.Group, t.gvr.Version, steps = steps[1], steps[2], steps[3:]
	default:
		return t, false, nil
	}
	t.verb = verbs[rq.Method]
	if steps[0] == "watch" || steps[0] == "proxy" {
		if len(steps) < 2 {
			return t, true, malformedPath(rq)
		}
		t.verb, steps = steps[0], steps[1:]
	}
	if steps[0] == "namespaces" && len(steps) > 2 && steps[2] != "status" && steps[2] != "finalize" {
		t.namespace, steps = steps[1], steps[2:]
	}
	t.gvr.Resource = steps[0]
	if len(steps) > 1 {
		t.name = steps[1]
	}
	if len(steps) > 2 && t.verb != "proxy" {
		t.subresource = strings.Join(steps[2:], "/")
	}
	switch {
	case t.name != "":
	case t.verb == "delete":
		t.verb = "deletecollection"
	case t.verb == "get":
		opts, err := fromQuery(rq.URL.Query(), metav1.Convert_url_Values_To_v1_ListOptions)
		if t.verb = "list"; opts.Watch {
			t.verb = "watch"
		}
		if err == nil {
			t.selected = selectedName(opts)
		}
	}
	return t, true, nil
}

// malformedPath returns the error for a path that ends where a resource must follow.
func malformedPath(rq *http.Request) error {
	uri := rq.URL.RequestURI()
	message := fmt.Sprintf(
		"Internal Server Error: %q: failed to create RequestInfo: unable to determine kind and namespace from url, %v", uri, uri,
	)
	return apierrors.NewGenericServerResponse(
		http.StatusInternalServerError, rq.Method, schema.GroupResource{}, "", escaped.Replace(message), 0, true,
	)
}

// answer returns the result of an HTTP request: a value to encode, a text, or a stream.
func (c *client) answer(rq *http.Request, data []byte) (any, error) {
	c.form, c.failure = negotiate(rq)
	t, ok, err := targetOf(rq)
	if err == nil {
		err = t.checkTimeout(rq)
	}
	if err != nil {
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
		if document == nil || verbs[rq.Method] != "get" {
			return nil, notServed(rq.Method, schema.GroupResource{}, "")
		}
		c.form = c.failure // documents are not converted either
		if _, ok := document.(text); !ok && c.form.mediaType == "" {
			return nil, notAcceptable(acceptedTypes)
		}
		return document, nil
	}
	c.shape, c.shard = wireShape{}, rq.URL.Query().Get("shardSelector")
	if err := c.checkTarget(r, t, rq); err != nil {
		return nil, err
	}
	action, err := c.api.action(t, rq, data)
	_, watching := action.(clienttesting.WatchActionImpl)
	switch {
	case c.form.mediaType == "":
		return nil, notAcceptable(acceptedTypes)
	case watching && c.form.mediaType == runtime.ContentTypeYAML:
		return nil, notAcceptable(watchTypes)
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

// checkTarget returns an error for a request that the server does not route to a resource, or whose verb has no handler
// in the resource.
func (c *client) checkTarget(r *resource, t target, rq *http.Request) error {
	route := request{verb: t.verb, name: t.name, namespace: t.namespace, subresource: t.subresource}
	if r == nil || !r.serves(route) || strings.HasPrefix(rq.URL.Path, "//") {
		return notServed(rq.Method, t.gvr.GroupResource(), t.name)
	}
	c.warn(r.deprecation)
	err := c.check(r, t.gvr, route)
	if t.verb == "patch" && (err == nil || t.name == "") {
		err = cmp.Or(r.checkPatchType(patchType(rq.Header.Get("Content-Type"))), err) // before the name
	}
	if t.verb == "watch" && r.standard && verbs[rq.Method] != "get" {
		err = apierrors.NewMethodNotSupported(t.gvr.GroupResource(), t.verb) // only custom resources have watches with other methods
	}
	return clientError(err)
}

// checkTimeout returns an error for a timeout in the URL that is not a duration. Watches have another timeout.
func (t target) checkTimeout(rq *http.Request) error {
	timeout := rq.URL.Query().Get("timeout")
	if timeout == "" || t.verb == "watch" || t.verb == "proxy" {
		return nil
	}
	if _, err := time.ParseDuration(timeout); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid timeout specified in the request URL - %v", err))
	}
	return nil
}

// action returns the action for a request.
func (a *API) action(t target, rq *http.Request, data []byte) (clienttesting.Action, error) {
	query := rq.URL.Query()
	base := clienttesting.ActionImpl{Verb: t.verb, Resource: t.gvr, Namespace: t.namespace, Subresource: t.subresource}
	manager := managerOf(rq.UserAgent())
	switch t.verb {
	case "get":
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_GetOptions)
		return clienttesting.GetActionImpl{ActionImpl: base, Name: t.name, GetOptions: opts}, err
	case "list":
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions)
		return clienttesting.ListActionImpl{ActionImpl: base, ListOptions: opts}, err
	case "watch":
		opts, err := a.watchOptions(t, query)
		return clienttesting.WatchActionImpl{ActionImpl: base, ListOptions: opts}, err
	case "create":
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_CreateOptions)
		if err != nil {
			return nil, err
		}
		obj, err := readBody(rq.Header.Get("Content-Type"), data)
		opts.FieldManager = cmp.Or(opts.FieldManager, manager)
		return clienttesting.CreateActionImpl{ActionImpl: base, Name: t.name, Object: obj, CreateOptions: opts}, err
	case "update":
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
		return clienttesting.UpdateActionImpl{ActionImpl: base, Object: obj, UpdateOptions: opts}, nil
	case "patch":
		opts, err := fromQuery(query, metav1.Convert_url_Values_To_v1_PatchOptions)
		kind := rq.Header.Get("Content-Type")
		if !strings.HasPrefix(kind, string(types.ApplyYAMLPatchType)) {
			opts.FieldManager = cmp.Or(opts.FieldManager, manager)
		}
		return clienttesting.PatchActionImpl{ActionImpl: base, Name: t.name, PatchType: types.PatchType(kind), Patch: data, PatchOptions: opts},
			err
	case "delete", "deletecollection":
		return a.deleteAction(t, rq, data)
	}
	return nil, apierrors.NewMethodNotSupported(t.gvr.GroupResource(), t.verb)
}

// watchOptions returns the options of a watch. A watch of the object in the URL selects it alone.
func (a *API) watchOptions(t target, query url.Values) (opts metav1.ListOptions, err error) {
	if t.name == "" {
		return fromQuery(query, metav1.Convert_url_Values_To_v1_ListOptions)
	}
	if opts, err = a.listOptions(t, query); err != nil {
		return opts, err
	}
	if opts.FieldSelector == "" {
		opts.FieldSelector = "metadata.name=" + t.name
	} else if selectedName(opts) != t.name {
		err = apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return opts, err
}

// deleteAction returns the action for a request to delete an object or a collection.
func (a *API) deleteAction(t target, rq *http.Request, data []byte) (_ clienttesting.Action, err error) {
	action := clienttesting.DeleteCollectionActionImpl{
		ActionImpl: clienttesting.ActionImpl{Verb: "delete-collection", Resource: t.gvr, Namespace: t.namespace, Subresource: t.subresource},
	}
	query := rq.URL.Query()
	if t.name == "" { // a server checks the selection before it reads the body
		if action.ListOptions, err = a.listOptions(t, query); err != nil {
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

// listOptions returns the options in the URL that select objects, and checks them.
func (a *API) listOptions(t target, query url.Values) (opts metav1.ListOptions, err error) {
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
	b := &body{text: data, sent: data}
	switch bodyType(contentType) {
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
	case runtime.ContentTypeJSON:
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

// bodyType returns the media type in the header of a body, or "" if the header is malformed.
func bodyType(contentType string) string {
	mediaType, _, err := mime.ParseMediaType(cmp.Or(contentType, runtime.ContentTypeJSON))
	if err != nil { // also with a media type, if a parameter is malformed
		return ""
	}
	return mediaType
}

// readDeleteOptions reads the options in the body of a request to delete.
func readDeleteOptions(contentType string, data []byte) (opts metav1.DeleteOptions, err error) {
	if len(data) > maxBody {
		return opts, tooLargeBody()
	}
	mediaType := bodyType(contentType)
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

func (s wireShape) list(r *resource, m listMeta, objects []*object) (runtime.Object, error) {
	list, err := s.dynamicShape.list(r, m, objects)
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
