package fakeapi

import (
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

// newDraft converts the object that a client has sent to the form in which it is stored. The caller gives up obj.
func newDraft(r *resource, obj runtime.Object, validation fieldValidation) (*draft, error) {
	var content map[string]any
	var text func() []byte
	var duplicates []error
	switch obj := obj.(type) {
	case *body:
		if obj.err != nil {
			return nil, undecodable(r, &draft{}, unrecognized{obj.err, obj.text})
		}
		content, text, duplicates = obj.Object, func() []byte { return obj.text }, obj.duplicates
	case *unstructured.Unstructured:
		sent, err := onWire(obj.Object)
		if err != nil {
			return nil, localError{err}
		}
		content, _ = sent.(map[string]any)
		text = func() []byte { return append(encode(obj.Object), '\n') }
	}
	if text != nil {
		d, unknown, err := decode(r, content, text)
		if err == nil {
			err = validation.check(slices.Concat(duplicates, unknown))
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
	if !r.standard && r.rules == nil {
		r.valueType().dropNulls(d.Object) // JSON has null for zero times
	}
	r.complete(d)
	return d, nil
}

// undecodable is the error for an object that cannot be decoded.
func undecodable(r *resource, d *draft, err error) error {
	var unrecognized unrecognized
	if errors.As(err, &unrecognized) {
		return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", r.kind.Kind, err, summary(unrecognized.body)))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", d.GetKind(), d.GroupVersionKind().Version, r.kind.Kind, err))
}

// unrecognized is the error for a body without kind or apiVersion.
type unrecognized struct {
	error
	body []byte
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

func encode(v any) []byte {
	data, _ := json.Marshal(v) // a value decoded from JSON can be encoded
	return data
}

// decode converts a JSON object, which it modifies, to a draft. It removes the fields that the kind does not have, and
// returns an error for each. body returns the text of the object for error messages.
func decode(r *resource, content map[string]any, body func() []byte) (d *draft, unknown []error, err error) {
	d = &draft{foreign: true}
	d.Object = content
	if d.Object == nil {
		d.Object = map[string]any{}
	}
	kind, apiVersion := d.Object["kind"], d.Object["apiVersion"]
	if _, err := schema.ParseGroupVersion(d.GetAPIVersion()); err != nil || notText(kind) || notText(apiVersion) {
		text := body()
		_, err := serializer.SimpleMetaFactory{}.Interpret(text)
		return d, nil, unrecognized{err, text}
	}
	if kind == nil || kind == "" {
		text := body()
		return d, nil, unrecognized{fmt.Errorf("Object 'Kind' is missing in '%s'", text), text} //lint:ignore ST1005 as a server says it
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
				unknown = append(unknown, fmt.Errorf("unknown field %q", "metadata."+field.FieldPath()))
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
	if d.GroupVersionKind() != r.kind {
		return d, unknown, nil // a later check returns the error
	}
	if !r.standard {
		return d, append(unknown, r.coerce(d)...), nil
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

// coerce removes null fields, and fields that the kind of a custom resource does not have. It returns an error for each
// of the latter.
func (r *resource) coerce(d *draft) (unknown []error) {
	t := r.valueType()
	paths := t.prune("", d.Object)
	slices.Sort(paths)
	for _, path := range paths {
		unknown = append(unknown, fmt.Errorf("unknown field %q", path))
	}
	if r.rules == nil { // rules handle nulls themselves
		t.dropNulls(d.Object)
	}
	return unknown
}

func notText(v any) bool {
	_, ok := v.(string)
	return v != nil && !ok
}
