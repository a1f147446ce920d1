package fakeapi

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A typeConversion converts objects between the Go types of the versions of a kind, with the functions in the scheme
// and the methods that package conversion of controller-runtime declares.
type typeConversion struct {
	scheme *runtime.Scheme
	kinds  []schema.GroupVersionKind             // all versions, including the internal one
	direct map[[2]schema.GroupVersionKind]stepOf // conversions without a version between
	hub    schema.GroupVersionKind               // zero without a hub
}

// A stepOf converts one Go object to another one.
type stepOf func(in, out runtime.Object) error

// newTypeConversion returns nil if the Go types cannot be converted.
func newTypeConversion(scheme *runtime.Scheme, gk schema.GroupKind) *typeConversion {
	c := &typeConversion{scheme: scheme, direct: map[[2]schema.GroupVersionKind]stepOf{}}
	for kind := range scheme.AllKnownTypes() {
		if kind.GroupKind() == gk {
			c.kinds = append(c.kinds, kind)
		}
	}
	slices.SortFunc(c.kinds, func(x, y schema.GroupVersionKind) int { return cmp.Compare(x.Version, y.Version) })
	for _, from := range c.kinds {
		in, err := scheme.New(from)
		if err != nil {
			return nil
		}
		if isHub(in) && c.hub.Empty() {
			c.hub = from
		}
		for _, to := range c.kinds {
			out, err := scheme.New(to)
			if err != nil {
				return nil
			}
			if step := stepBetween(scheme, in, out); step != nil && from != to {
				c.direct[[2]schema.GroupVersionKind{from, to}] = step
			}
		}
	}
	if len(c.direct) == 0 {
		return nil
	}
	c.addShared()
	return c
}

// addShared adds conversions between versions with the same Go type.
func (c *typeConversion) addShared() {
	types := c.scheme.AllKnownTypes()
	for _, from := range c.kinds {
		for _, to := range c.kinds {
			pair := [2]schema.GroupVersionKind{from, to}
			if from != to && types[from] == types[to] && c.direct[pair] == nil {
				c.direct[pair] = func(in, out runtime.Object) error {
					reflect.ValueOf(out).Elem().Set(reflect.ValueOf(in).Elem())
					return nil
				}
			}
		}
	}
}

func isHub(obj runtime.Object) bool {
	_, ok := obj.(interface{ Hub() })
	return ok
}

// stepBetween returns how an object becomes one of another Go type, or nil.
func stepBetween(scheme *runtime.Scheme, in, out runtime.Object) stepOf {
	switch {
	case isHub(out) && callable(reflect.ValueOf(in).MethodByName("ConvertTo"), out):
		return func(in, out runtime.Object) error { return call(reflect.ValueOf(in).MethodByName("ConvertTo"), out) }
	case isHub(in) && callable(reflect.ValueOf(out).MethodByName("ConvertFrom"), in):
		return func(in, out runtime.Object) error { return call(reflect.ValueOf(out).MethodByName("ConvertFrom"), in) }
	case registered(scheme, in, out):
		return func(in, out runtime.Object) error { return scheme.Convert(in, out, nil) }
	}
	return nil
}

var errorType = reflect.TypeFor[error]()

// callable reports whether a method takes a hub and returns an error. The type of its parameter is an interface of
// another module.
func callable(method reflect.Value, hub runtime.Object) bool {
	if !method.IsValid() {
		return false
	}
	t := method.Type()
	return t.NumIn() == 1 && reflect.TypeOf(hub).AssignableTo(t.In(0)) && t.NumOut() == 1 && t.Out(0) == errorType
}

func call(method reflect.Value, hub runtime.Object) error {
	err, _ := method.Call([]reflect.Value{reflect.ValueOf(hub)})[0].Interface().(error)
	return err
}

// Types that no scheme can convert.
type (
	anIn  struct{}
	anOut struct{}
)

// registered reports whether a scheme has a function that converts between the types of two empty objects. A scheme
// does not list its functions, so this compares its error with the error for types without a function.
func registered(scheme *runtime.Scheme, in, out runtime.Object) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = true // a function that does not take empty objects
		}
	}()
	err := scheme.Convert(in.DeepCopyObject(), out.DeepCopyObject(), nil)
	if err == nil {
		return true
	}
	unknown := scheme.Convert(&anIn{}, &anOut{}, nil).Error()
	name := func(v any) string { return reflect.TypeOf(v).Elem().String() }
	return err.Error() != strings.NewReplacer(name(&anIn{}), name(in), name(&anOut{}), name(out)).Replace(unknown)
}

// convert implements the function of a versioner.
func (c *typeConversion) convert(content map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	result, err := c.converted(content, to)
	if err != nil {
		return nil, fmt.Errorf("failed: %w", err)
	}
	return result, nil
}

func (c *typeConversion) converted(content map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	apiVersion, _ := content["apiVersion"].(string)
	from := schema.FromAPIVersionAndKind(apiVersion, to.Kind)
	way := c.way(from, to)
	if way == nil {
		return nil, fmt.Errorf("the scheme cannot convert %v to %v", from, to)
	}
	obj, err := c.scheme.New(from)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, obj); err != nil {
		return nil, err
	}
	for _, next := range way {
		out, err := c.scheme.New(next)
		if err != nil {
			return nil, err
		}
		if err := c.direct[[2]schema.GroupVersionKind{from, next}](obj, out); err != nil {
			return nil, err
		}
		obj, from = out, next
	}
	result, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	result["apiVersion"], result["kind"] = to.ToAPIVersionAndKind()
	return result, nil
}

// way returns the versions of the steps from one version to another, or nil if there is no way.
func (c *typeConversion) way(from, to schema.GroupVersionKind) []schema.GroupVersionKind {
	if c.direct[[2]schema.GroupVersionKind{from, to}] != nil {
		return []schema.GroupVersionKind{to}
	}
	for _, between := range c.kinds {
		if c.direct[[2]schema.GroupVersionKind{from, between}] != nil && c.direct[[2]schema.GroupVersionKind{between, to}] != nil {
			return []schema.GroupVersionKind{between, to}
		}
	}
	return nil
}
