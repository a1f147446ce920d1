package crontabtypes_test

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// A copy has everything that the original has, and shares nothing with it.
func TestDeepCopy(t *testing.T) {
	var types []reflect.Type
	for _, kind := range kinds {
		types = append(types, reflect.TypeOf(kind.object).Elem(), reflect.TypeOf(kind.list).Elem())
		for _, of := range kind.structs {
			types = append(types, reflect.TypeOf(of))
		}
	}
	for _, of := range types {
		t.Run(of.String(), func(t *testing.T) {
			originals := []reflect.Value{filled(of), reflect.New(of)}
			for field := range of.Fields() { // each one alone
				one := reflect.New(of)
				new(filler).fill(one.Elem().FieldByIndex(field.Index))
				originals = append(originals, one)
			}
			for _, original := range originals {
				clone := original.MethodByName("DeepCopy").Call(nil)[0]
				expectCopy(t, original, clone)
				into := filled(of)
				original.MethodByName("DeepCopyInto").Call([]reflect.Value{into})
				expectCopy(t, original, into)
				if object, ok := original.Interface().(runtime.Object); ok {
					expectCopy(t, original, reflect.ValueOf(object.DeepCopyObject()))
				}
			}
			none := reflect.Zero(reflect.PointerTo(of))
			if clone := none.MethodByName("DeepCopy").Call(nil)[0]; !clone.IsNil() {
				t.Errorf("the copy of nil is %v", clone)
			}
			if object, ok := none.Interface().(runtime.Object); ok && object.DeepCopyObject() != nil {
				t.Errorf("the copy of nil is the object %v", object.DeepCopyObject())
			}
		})
	}
}

func expectCopy(t *testing.T, original, clone reflect.Value) {
	t.Helper()
	if !reflect.DeepEqual(original.Interface(), clone.Interface()) {
		t.Errorf("got copy %+v\nof %+v", clone, original)
	} else if path := shared(original, clone); path != "" {
		t.Errorf("the copy shares %s", path)
	}
}

// shared returns the path of memory that two equal values share, or "".
func shared(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if !a.IsNil() && a.Pointer() == b.Pointer() {
			return a.Type().String()
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		if !a.IsNil() {
			return shared(a.Elem(), b.Elem())
		}
	case reflect.Slice:
		for i := range a.Len() {
			if path := shared(a.Index(i), b.Index(i)); path != "" {
				return "[]." + path
			}
		}
	case reflect.Struct:
		for field, value := range a.Fields() {
			if path := shared(value, b.FieldByIndex(field.Index)); path != "" && field.IsExported() { // time.Time shares its location
				return field.Name + "." + path
			}
		}
	}
	return ""
}
