package fakeapi

import (
	"bytes"
	"encoding/json"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Releases of apimachinery use different major versions of structured-merge-diff, and no build tag can select one. This
// package therefore does not import it: the types are inferred from functions and interfaces of package managedfields.

// allowDuplicates is the option of a type converter that accepts lists with duplicate keys.
const allowDuplicates = 0

// typeConverter is managedfields.TypeConverter with options O and values V.
type typeConverter[O, V any] interface {
	ObjectToTyped(obj runtime.Object, opts ...O) (*V, error)
	TypedToObject(value *V) (runtime.Object, error)
}

// A converter makes type converters treat drafts as unstructured objects. For each kind, and therefore for each version
// of a resource, it uses the first converter that knows the kind. The last one knows every kind.
type converter[O, V any, C typeConverter[O, V]] struct {
	all   []C
	known map[schema.GroupVersionKind]C // converters used so far
}

func newConverter[O, V any, C typeConverter[O, V]](all []C) converter[O, V, C] {
	return converter[O, V, C]{all: all, known: map[schema.GroupVersionKind]C{}}
}

// of returns the converter for a kind.
func (c converter[O, V, C]) of(kind schema.GroupVersionKind) C {
	if found, ok := c.known[kind]; ok {
		return found
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(kind)
	last := len(c.all) - 1
	for _, candidate := range c.all[:last] {
		if _, err := candidate.ObjectToTyped(empty); err == nil {
			c.known[kind] = candidate
			return candidate
		}
	}
	return c.all[last]
}

func (c converter[O, V, C]) ObjectToTyped(obj runtime.Object, opts ...O) (*V, error) {
	if d, ok := obj.(*draft); ok {
		obj = &d.Unstructured
	}
	return c.of(obj.GetObjectKind().GroupVersionKind()).ObjectToTyped(obj, opts...)
}

func (c converter[O, V, C]) TypedToObject(value *V) (runtime.Object, error) {
	obj, err := c.all[0].TypedToObject(value) // all of them do the same
	if err != nil {
		return nil, err
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, nil
	}
	d := &draft{foreign: true}
	d.Object = u.Object
	if metadata, ok := u.Object["metadata"]; !ok || metadata != nil { // it is null if a merge has removed all of it
		d.own()
	}
	return d, nil
}

// fieldSet is a pointer to a set of fields S.
type fieldSet[S any] interface {
	*S
	FromJSON(r io.Reader) error
	RecursiveDifference(other *S) *S
}

// fieldFilter is a filter of such sets.
type fieldFilter[S any] interface{ Filter(set *S) *S }

// without is a filter that removes fields with everything below them.
type without[S any, P fieldSet[S]] struct{ fields *S }

func (w without[S, P]) Filter(set *S) *S { return P(set).RecursiveDifference(w.fields) }

// ignoring returns the last argument of a function that creates field managers. It makes them ignore the top-level
// fields with these names in these versions.
func ignoring[A1, A2, A3, A4, A5, A6, A7, R any, V ~string, F fieldFilter[S], S any, P fieldSet[S]](
	_ func(A1, A2, A3, A4, A5, A6, A7, map[V]F) (R, error), versions []schema.GroupVersion, names []string,
) map[V]F {
	if len(names) == 0 {
		return nil
	}
	fields := map[string]any{}
	for _, name := range names {
		fields["f:"+name] = struct{}{}
	}
	data, _ := json.Marshal(fields) // cannot fail
	set := P(new(S))
	if err := set.FromJSON(bytes.NewReader(data)); err != nil {
		panic(err)
	}
	ignored := map[V]F{}
	for _, version := range versions {
		ignored[V(version.String())] = any(without[S, P]{set}).(F)
	}
	return ignored
}
