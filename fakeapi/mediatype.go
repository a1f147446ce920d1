package fakeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// A form is a form of results that a client accepts.
type form struct {
	mediaType string // application/json or application/yaml; "" if the client accepts none of the API's
	pretty    bool
	as        string // kind to which objects are converted, such as PartialObjectMetadata, or ""
	group     string // group of that kind
	version   string // version of that kind
	protobuf  bool   // the client prefers protobuf
}

// negotiate returns the forms of the result of a request and of an error. Errors are not converted to other kinds.
func negotiate(rq *http.Request) (result, failure form) {
	for _, clause := range clauses(rq.Header.Get("Accept")) {
		f := form{
			mediaType: clause.mediaType, pretty: clause.parameters["pretty"] == "1" || isPretty(rq),
			as: clause.parameters["as"], group: clause.parameters["g"], version: clause.parameters["v"], protobuf: result.protobuf,
		}
		switch clause.mediaType {
		case runtime.ContentTypeProtobuf:
			result.protobuf = result.protobuf || result.mediaType == ""
			continue
		case "application/*", "*/*":
			f.mediaType = runtime.ContentTypeJSON
		case runtime.ContentTypeJSON, runtime.ContentTypeYAML:
		default:
			continue
		}
		if stream := clause.parameters["stream"]; stream != "" && (stream != "watch" || f.mediaType == runtime.ContentTypeYAML) {
			continue
		}
		if !f.converts() && failure.mediaType == "" {
			failure = f
		}
		if result.mediaType == "" && f.convertible() {
			result = f
		}
	}
	return result, failure
}

// converts reports whether objects are converted to another kind.
func (f form) converts() bool { return f.as != "" || f.group != "" || f.version != "" }

// convertible reports whether the API can convert objects to the kind of the form.
func (f form) convertible() bool {
	partial := f.as == "PartialObjectMetadata" || f.as == "PartialObjectMetadataList"
	return !f.converts() || partial && f.group == metav1.GroupName && (f.version == "v1" || f.version == "v1beta1")
}

// A clause is one of the media types in an Accept header.
type clause struct {
	mediaType  string
	parameters map[string]string
	quality    float64
}

// clauses returns the media types in an Accept header, in the order of a server's attempts.
func clauses(accept string) (all []clause) {
	if accept == "" {
		accept = runtime.ContentTypeJSON
	}
	for text := range strings.SplitSeq(accept, ",") {
		if c, ok := parseClause(text); ok {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(x, y clause) int {
		if x.before(y) {
			return -1
		}
		return 1
	})
	return all
}

// before reports whether a server tries a media type before another one, which precedes it in the header.
func (c clause) before(earlier clause) bool {
	kind, sub, _ := strings.Cut(c.mediaType, "/")
	otherKind, otherSub, _ := strings.Cut(earlier.mediaType, "/")
	return c.quality > earlier.quality || kind != "*" && otherKind == "*" || sub != "*" && otherSub == "*"
}

// parseClause parses a media type like servers, which do not normalize it.
func parseClause(text string) (c clause, ok bool) {
	mediaType, rest, _ := strings.Cut(text, ";")
	kind, sub, _ := strings.Cut(strings.Trim(mediaType, " "), "/")
	kind = strings.Trim(kind, " ")
	switch {
	case sub == "" && kind == "*":
		sub = "*"
	case sub == "", strings.Contains(sub, "/"):
		return c, false
	}
	c = clause{kind + "/" + strings.Trim(sub, " "), map[string]string{}, 1}
	for parameter := range strings.SplitSeq(rest, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		switch name = strings.Trim(name, " "); {
		case value == "", strings.Contains(value, "="):
		case name == "q":
			c.quality, _ = strconv.ParseFloat(value, 32)
		default:
			c.parameters[name] = strings.Trim(value, " ")
		}
	}
	return c, true
}

// isPretty reports whether a client is likely to show the response to a person, regardless of the header Accept.
func isPretty(rq *http.Request) bool {
	if query := rq.URL.Query().Get("pretty"); query != "" {
		pretty, _ := strconv.ParseBool(query)
		return pretty
	}
	return slices.ContainsFunc([]string{"curl", "Wget", "Mozilla/5.0"}, func(tool string) bool {
		return strings.HasPrefix(rq.UserAgent(), tool)
	})
}

// encode returns a value in the form, and the media type of the result.
func (f form) encode(v any) (data []byte, mediaType string, err error) {
	if data, err = json.Marshal(v); err != nil {
		return nil, "", err
	}
	switch {
	case f.mediaType == runtime.ContentTypeYAML:
		data, err = yaml.JSONToYAML(data)
		return data, runtime.ContentTypeYAML, err
	case f.pretty, f.mediaType == "":
		var b bytes.Buffer
		err = json.Indent(&b, data, "", "  ")
		return b.Bytes(), runtime.ContentTypeJSON, err
	}
	return append(data, '\n'), runtime.ContentTypeJSON, nil
}

// shape returns the shape of objects in the form.
func (f form) shape() shape {
	if f.as == "" {
		return wireShape{}
	}
	return wireMetadataShape{form: f}
}

// Media types of responses, and of the events of watches.
const (
	acceptedTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	watchTypes    = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
)

// notAcceptable returns the error for a client that accepts none of some media types.
func notAcceptable(accepted string) error {
	return notAcceptableError("only the following media types are accepted: " + accepted)
}

func notAcceptableError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: message,
	}}
}

// wireMetadataShape is the shape of results for clients that request only metadata.
type wireMetadataShape struct {
	metadataShape
	form
}

func (s wireMetadataShape) kind(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: metav1.GroupName + "/" + s.version}
}

// partial adds the kind to a converted object.
func (s wireMetadataShape) partial(obj runtime.Object, err error) (runtime.Object, error) {
	if partial, ok := obj.(*metav1.PartialObjectMetadata); ok && err == nil {
		partial.TypeMeta = s.kind("PartialObjectMetadata")
	}
	return obj, err
}

func (s wireMetadataShape) object(r *resource, o *object) (runtime.Object, error) {
	if s.as == "PartialObjectMetadataList" {
		return nil, errNoList
	}
	return s.partial(s.metadataShape.object(r, o))
}

// errNoList is the error for an object that a client requested as a list.
var errNoList = fmt.Errorf("content is not a list")

func (s wireMetadataShape) other(obj runtime.Object) (runtime.Object, error) {
	if _, ok := obj.(*metav1.Status); !ok && s.as == "PartialObjectMetadataList" {
		return nil, notAcceptableError(fmt.Sprintf("you requested %s, but the requested object is not a list (%T)", s.as, obj))
	}
	return s.partial(s.metadataShape.other(obj))
}

func (s wireMetadataShape) list(r *resource, m listMeta, objects []*object) (runtime.Object, error) {
	if s.as == "PartialObjectMetadata" {
		list := "*unstructured.UnstructuredList"
		if r.standard {
			list = "*" + r.kind.Version + "." + r.kind.Kind + "List"
		}
		return nil, notAcceptableError(fmt.Sprintf("you requested %s, but the requested object is a list (%s)", s.as, list))
	}
	obj, err := s.metadataShape.list(r, m, objects)
	if err != nil {
		return nil, err
	}
	list := obj.(*metav1.PartialObjectMetadataList)
	list.TypeMeta = s.kind("PartialObjectMetadataList")
	if len(list.Items) == 0 {
		list.Items = nil
	}
	for i := range list.Items {
		if !s.protobuf { // in protobuf, only the list has a kind
			list.Items[i].TypeMeta = s.kind("PartialObjectMetadata")
		}
	}
	return list, nil
}

func (s wireMetadataShape) bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error) {
	return s.partial(s.metadataShape.bookmark(r, version, annotations))
}

func (wireMetadataShape) checkURL(namespace, name string, required bool) error {
	return wireShape{}.checkURL(namespace, name, required)
}

func (wireMetadataShape) notServed(method string, gr schema.GroupResource, name string) error {
	return wireShape{}.notServed(method, gr, name)
}
