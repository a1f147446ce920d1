package e2e

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
)

// An object is one as JSON has it, whichever client it came from. Paths in it are like "metadata.name".
type object map[string]any

// title returns what a record calls the object.
func (o object) title() string {
	if name := o.string("metadata.name"); name != "" {
		return name
	}
	return o.string("metadata.generateName") + "*"
}

// with returns a copy in which a field has the value. A value of JSON in a string that starts with "[" or "{" is
// parsed.
func (o object) with(path string, value any) object {
	if text, ok := value.(string); ok && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			panic(err)
		}
	}
	if n, ok := value.(int); ok {
		value = int64(n)
	}
	content := runtime.DeepCopyJSON(o)
	if err := unstructured.SetNestedField(content, value, strings.Split(path, ".")...); err != nil {
		panic(fmt.Sprintf("%s: %v", path, err))
	}
	return content
}

// without returns a copy that does not have the field.
func (o object) without(path string) object {
	content := runtime.DeepCopyJSON(o)
	unstructured.RemoveNestedField(content, strings.Split(path, ".")...)
	return content
}

// field returns the value of a field, nil if there is none.
func (o object) field(path string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o, strings.Split(path, ".")...)
	return value
}

// string returns the value of a field that is a string, or "".
func (o object) string(path string) string {
	text, _ := o.field(path).(string)
	return text
}

func (o object) version() string { return o.string("metadata.resourceVersion") }

// items returns the items of a list.
func (o object) items() []object {
	list, _ := o["items"].([]any)
	var items []object
	for _, item := range list {
		if content, ok := item.(map[string]any); ok {
			items = append(items, content)
		}
	}
	return items
}

// toObject returns what the JSON of a value has.
func toObject(v any) (object, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var o map[string]any
	err = json.Unmarshal(data, &o)
	return o, err
}

// fromObject sets a value to what an object has.
func fromObject(o object, to any) {
	data, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		panic(err)
	}
}

// spoil changes everything that a value refers to. What a client was given, or has given, is its caller's: no change of
// it may be seen anywhere else.
func spoil(v any) {
	spoilValue(reflect.ValueOf(v))
}

func spoilValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spoilValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoilValue(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoilValue(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := v.MapIndex(key)
			spoilValue(value)
			if value.Kind() == reflect.Interface {
				value = value.Elem()
			}
			if value.Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf("spoiled").Convert(value.Type()))
			}
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString("spoiled")
		}
	case reflect.Int32, reflect.Int64:
		if v.CanSet() {
			v.SetInt(-1)
		}
	case reflect.Uint8:
		if v.CanSet() {
			v.SetUint('?')
		}
	}
}
