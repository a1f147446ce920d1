package v1

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "stable.example.com", Version: "v1"}

func AddToScheme(scheme *runtime.Scheme) error {
	for _, obj := range kinds {
		scheme.AddKnownTypes(SchemeGroupVersion, obj)
	}
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

func (in *Marked) DeepCopyObject() runtime.Object    { return deepCopy(in) }
func (in *Embedding) DeepCopyObject() runtime.Object { return deepCopy(in) }

// deepCopy copies exported fields deeply. Other fields are assigned.
func deepCopy[T any](in *T) *T {
	out := new(T)
	reflect.ValueOf(out).Elem().Set(copied(reflect.ValueOf(in).Elem()))
	return out
}

func copied(in reflect.Value) reflect.Value {
	out := reflect.New(in.Type()).Elem()
	out.Set(in)
	switch in.Kind() {
	case reflect.Pointer:
		if !in.IsNil() {
			out.Set(reflect.New(in.Type().Elem()))
			out.Elem().Set(copied(in.Elem()))
		}
	case reflect.Interface:
		if !in.IsNil() {
			out.Set(copied(in.Elem()))
		}
	case reflect.Slice:
		if !in.IsNil() {
			out.Set(reflect.MakeSlice(in.Type(), in.Len(), in.Len()))
		}
		fallthrough
	case reflect.Array:
		for i := range in.Len() {
			out.Index(i).Set(copied(in.Index(i)))
		}
	case reflect.Map:
		if !in.IsNil() {
			out.Set(reflect.MakeMap(in.Type()))
		}
		for _, key := range in.MapKeys() {
			out.SetMapIndex(key, copied(in.MapIndex(key)))
		}
	case reflect.Struct:
		for i := range in.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(copied(in.Field(i)))
			}
		}
	}
	return out
}
