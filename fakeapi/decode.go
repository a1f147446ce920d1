package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// newDraft converts what a client has sent to what is stored. The object is the caller's to give away. A validation of
// fields that is Strict makes unknown fields an error.
func newDraft(r *resource, obj runtime.Object, validation string) (*draft, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		d, unknown, err := decode(r, u.Object)
		kind := d.GetKind()
		if kind == "" {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v", r.kind.Kind, err))
		}
		if err == nil && len(unknown) > 0 && validation == metav1.FieldValidationStrict {
			err = runtime.NewStrictDecodingError(unknown)
		}
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, d.GroupVersionKind().Version, r.kind.Kind, err))
		}
		r.complete(d)
		return d, nil
	}
	d := &draft{}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	d.managed = accessor.GetManagedFields()
	accessor.SetManagedFields(nil)
	if d.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(obj); err != nil {
		return nil, err
	}
	if _, ok := d.Object["metadata"].(map[string]any); !ok {
		d.Object["metadata"] = map[string]any{}
	}
	d.SetGroupVersionKind(r.kind)
	r.complete(d)
	return d, nil
}

// decode makes a draft of a JSON object, without the fields that the kind does not have, which it returns as errors. The
// draft has a kind even if there is an error.
func decode(r *resource, content map[string]any) (d *draft, unknown []error, err error) {
	d = &draft{}
	d.Object, _ = cloneValue(content).(map[string]any)
	if d.Object == nil {
		d.Object = map[string]any{}
	}
	if d.GetKind() == "" {
		data, _ := json.Marshal(d.Object)
		//lint:ignore ST1005 as a server says it
		return d, nil, fmt.Errorf("Object 'Kind' is missing in '%s'", data)
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
	d.managed, metadata.ManagedFields = metadata.ManagedFields, nil
	if d.Object["metadata"], err = runtime.DefaultUnstructuredConverter.ToUnstructured(&metadata); err != nil {
		return d, nil, err
	}
	if d.GroupVersionKind() != r.kind {
		return d, unknown, nil // which validation is going to tell
	}
	obj, err := r.scheme.New(r.kind)
	if err != nil {
		return d, nil, err
	}
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(d.Object, obj, true)
	strict, isStrict := runtime.AsStrictDecodingError(err)
	switch {
	case isStrict:
		for _, err := range strict.Errors() {
			unknown = append(unknown, err)
			prune(d.Object, err.Error())
		}
	case err != nil && r.standard:
		return d, nil, err
	case err != nil:
		d.mistake = typeMistake(d.Object, obj)
		return d, unknown, nil
	}
	if r.standard {
		kind := d.GroupVersionKind()
		if d.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(obj); err != nil {
			return d, nil, err
		}
		d.SetGroupVersionKind(kind)
	}
	return d, unknown, nil
}

// prune removes the field that an error names as unknown.
func prune(content map[string]any, message string) {
	path, err := strconv.Unquote(strings.TrimPrefix(message, "unknown field "))
	if err != nil {
		return
	}
	steps := strings.Split(path, ".")
	var v any = content
	for i, step := range steps {
		name, index, indexed := strings.Cut(step, "[")
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if i == len(steps)-1 {
			delete(m, step)
			return
		}
		v = m[name]
		for indexed {
			var number string
			number, index, _ = strings.Cut(index, "]")
			n, err := strconv.Atoi(number)
			list, ok := v.([]any)
			if err != nil || !ok || n >= len(list) {
				return
			}
			v = list[n]
			index, indexed = strings.CutPrefix(index, "[")
		}
	}
}

// typeMistake says which field has a value of another type than that of the kind.
func typeMistake(content map[string]any, obj runtime.Object) *field.Error {
	data, err := json.Marshal(content)
	if err == nil {
		err = json.Unmarshal(data, obj)
	}
	var mistake *json.UnmarshalTypeError
	if !errors.As(err, &mistake) {
		return field.InternalError(nil, fmt.Errorf("%v", err))
	}
	got, _, _ := strings.Cut(mistake.Value, " ")
	got = map[string]string{"bool": "boolean"}[got] + map[bool]string{true: got}[got != "bool"]
	return field.TypeInvalid(field.NewPath(mistake.Field), got,
		fmt.Sprintf("%s in body must be of type %s: %q", mistake.Field, jsonType(mistake.Type), got))
}

// jsonType is the name that OpenAPI has for the type of a value.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return "object"
	}
	return "integer"
}
