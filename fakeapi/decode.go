package fakeapi

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kjson "sigs.k8s.io/json"
)

// newDraft converts an object sent by a client to the stored form. The caller must not use obj afterwards.
func newDraft(r *resource, obj runtime.Object, validation fieldValidation) (*draft, error) {
	var content map[string]any
	var text func() (json, sent []byte)
	var duplicates []error
	switch obj := obj.(type) {
	case *body:
		if obj.err != nil {
			return nil, undecodable(r, &draft{}, unrecognized{obj.err, obj.sent})
		}
		content, text, duplicates = obj.Object, func() (json, sent []byte) { return obj.text, obj.sent }, obj.duplicates
	case *unstructured.Unstructured:
		sent, err := onWire(obj.Object)
		if err != nil {
			return nil, localError{err}
		}
		content, _ = sent.(map[string]any)
		text = sentAs(func() []byte { return append(encode(obj.Object), '\n') })
	}
	if text != nil {
		d, unknown, err := decode(r, content, text)
		if err == nil {
			err = validation.check(slices.Concat(duplicates, unknown))
		}
		if errors.As(err, &missingKind{}) && validation.directive == metav1.FieldValidationIgnore && !r.standard {
			err = r.assumeKind(d, text)
		}
		if err != nil {
			return nil, undecodable(r, d, err)
		}
		r.complete(d)
		return d, nil
	}
	if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, undecodable(r, &draft{}, unrecognized{io.EOF, nil})
	}
	d := &draft{}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if managed := accessor.GetManagedFields(); len(managed) > 0 {
		d.managed = managed
	}
	accessor.SetManagedFields(nil)
	if d.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(obj); err != nil {
		return nil, err
	}
	if _, ok := d.Object["metadata"].(map[string]any); !ok {
		d.Object["metadata"] = map[string]any{}
	}
	d.SetGroupVersionKind(r.kind)
	if _, ok := r.rules.(decodingRules); ok {
		unknown, err := r.coerce(d)
		if err == nil {
			err = validation.check(unknown)
		}
		if err != nil {
			return nil, undecodable(r, d, err)
		}
	} else if !r.standard && r.rules == nil {
		r.valueType().dropNulls(d.Object) // zero times are null in JSON
	}
	r.complete(d)
	return d, nil
}

// undecodable is the error for an object that cannot be decoded.
func undecodable(r *resource, d *draft, err error) error {
	var unrecognized unrecognized
	if errors.As(err, &unrecognized) {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the object provided is unrecognized (must be of type %s): %v (%s)", r.kind.Kind, err, summary(unrecognized.body),
		))
	}
	want := r.kind.Kind
	if runtime.IsStrictDecodingError(err) && !r.standard {
		want = d.GetKind() // the server has decoded the object, and expects the decoded kind
	}
	return apierrors.NewBadRequest(fmt.Sprintf(
		"%s in version %q cannot be handled as a %s: %v", d.GetKind(), d.GroupVersionKind().Version, want, err,
	))
}

// unrecognized is the error for a body without kind or apiVersion.
type unrecognized struct {
	error
	body []byte
}

func (err unrecognized) Unwrap() error { return err.error }

// missingKind is the error for a body without a kind.
type missingKind struct{ body []byte }

func (err missingKind) Error() string {
	return fmt.Sprintf("Object 'Kind' is missing in '%s'", err.body)
}

// assumeKind sets the kind of a draft like a server that does not look for unknown fields and therefore only notices a
// missing kind after decoding the body. It returns the error of that server.
func (r *resource) assumeKind(d *draft, body func() (json, sent []byte)) error {
	text, _ := body()
	kind, err := serializer.SimpleMetaFactory{}.Interpret(text)
	if err != nil {
		return err
	}
	kind.Kind = cmp.Or(kind.Kind, r.kind.Kind)
	if kind.Version == "" && (kind.Group == "" || kind.Group == r.kind.Group) {
		kind.Group, kind.Version = r.kind.Group, r.kind.Version
	}
	d.SetGroupVersionKind(*kind)
	return missingKind{text}
}

// summary returns the beginning of a body, for error messages.
func summary(body []byte) string {
	const most = 30
	text := func(b []byte) string { return hex.EncodeToString(b) }
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{':
		text = func(b []byte) string { return string(b) }
	}
	if len(body) > most {
		return text(body[:most]) + " ..."
	}
	return text(body)
}

// sentAs returns a function that returns the text of an object sent as JSON.
func sentAs(text func() []byte) func() (json, sent []byte) {
	return func() (json, sent []byte) {
		json = text()
		return json, json
	}
}

func encode(v any) []byte {
	data, _ := json.Marshal(v) // a value decoded from JSON can be encoded
	return data
}

// decode converts a JSON object, which it modifies, to a draft. It removes unknown fields of the kind, and returns an
// error for each. body returns the text of the object, as JSON and as sent, for error messages.
func decode(r *resource, content map[string]any, body func() (json, sent []byte)) (d *draft, unknown []error, err error) {
	d = &draft{foreign: true}
	d.Object = content
	if d.Object == nil {
		d.Object = map[string]any{}
	}
	kind, apiVersion := d.Object["kind"], d.Object["apiVersion"]
	if _, err := schema.ParseGroupVersion(d.GetAPIVersion()); err != nil || notText(kind) || notText(apiVersion) {
		text, sent := body()
		_, err := serializer.SimpleMetaFactory{}.Interpret(text)
		return d, nil, unrecognized{err, sent}
	}
	if kind == nil || kind == "" {
		_, sent := body()
		return d, nil, unrecognized{missingKind{sent}, sent}
	}
	if _, ok := d.Object["apiVersion"]; ok && apiVersion == nil {
		_, _, err := unstructured.NestedString(d.Object, "apiVersion")
		return d, nil, err
	}
	var metadata metav1.ObjectMeta
	if in, ok := d.Object["metadata"]; ok {
		data, err := json.Marshal(in)
		if err != nil {
			return d, nil, err
		}
		strict, err := kjson.UnmarshalStrict(data, &metadata)
		if err != nil {
			return d, nil, err
		}
		for _, err := range strict {
			if field, ok := err.(kjson.FieldError); ok {
				unknown = append(unknown, r.unknownField("metadata."+field.FieldPath()))
			}
		}
	}
	if len(metadata.ManagedFields) > 0 || r.standard {
		d.managed = metadata.ManagedFields
	}
	metadata.ManagedFields = nil
	if d.Object["metadata"], err = runtime.DefaultUnstructuredConverter.ToUnstructured(&metadata); err != nil {
		return d, nil, err
	}
	kindOf := d.GroupVersionKind()
	if !r.standard && kindOf.GroupKind() == r.kind.GroupKind() && slices.Contains(r.versions, kindOf.GroupVersion()) {
		more, err := r.coerce(d)
		return d, append(unknown, more...), err
	}
	if kindOf != r.kind {
		return d, unknown, nil // a later check returns the error
	}
	obj, err := r.scheme.New(r.kind)
	if err != nil {
		return d, nil, err
	}
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(d.Object, obj, true)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		unknown = append(unknown, strict.Errors()...)
	} else if err != nil {
		return d, nil, err
	}
	gvk := d.GroupVersionKind()
	if d.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(obj); err != nil {
		return d, nil, err
	}
	d.SetGroupVersionKind(gvk)
	return d, unknown, nil
}

// coerce removes null fields of a custom resource and fields that its rules or, without rules, its Go type do not have.
// It returns an error for each unknown field, and an error for an object that cannot be decoded.
func (r *resource) coerce(d *draft) (unknown []error, err error) {
	var paths []string
	if rules, ok := r.rules.(decodingRules); ok {
		paths, err = rules.Decode(d.Object)
	} else {
		t := r.valueType()
		paths = t.prune("", d.Object)
		slices.Sort(paths)
		if r.rules == nil { // rules handle nulls themselves
			t.dropNulls(d.Object)
		}
	}
	for _, path := range paths {
		unknown = append(unknown, r.unknownField(path))
	}
	return unknown, err
}

// unknownField returns the error for a field that the kind does not have. A server does not escape the path of a
// field of a custom resource.
func (r *resource) unknownField(path string) error {
	if r.standard {
		return fmt.Errorf("unknown field %q", path)
	}
	return fmt.Errorf(`unknown field "%s"`, path)
}

func notText(v any) bool {
	_, ok := v.(string)
	return v != nil && !ok
}
