package fakeapi

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdtyped "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// manager returns the field manager of a subresource, or of the resource itself if it is empty.
func (r *resource) manager(subresource string) (*managedfields.FieldManager, error) {
	if m, ok := r.managers.Load(subresource); ok {
		return m.(*managedfields.FieldManager), nil
	}
	ignored := map[fieldpath.APIVersion]fieldpath.Filter{}
	if paths := r.resetFields(subresource); len(paths) > 0 {
		ignored[fieldpath.APIVersion(r.gvr.GroupVersion().String())] = fieldpath.NewExcludeSetFilter(fieldpath.NewSet(paths...))
	}
	gv := r.kind.GroupVersion()
	m, err := managedfields.NewDefaultCRDFieldManager(r.converter(), objects{}, objects{}, objects{}, r.kind, gv, subresource, ignored)
	if err != nil {
		return nil, err
	}
	r.managers.Store(subresource, m)
	return m, nil
}

// resetFields are the fields that requests for a subresource cannot set, so that they do not become their owners.
func (r *resource) resetFields(subresource string) []fieldpath.Path {
	switch {
	case subresource == "" && r.hasStatus():
		return []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	case subresource == "status" && r.standard:
		return []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
	case subresource == "status":
		return []fieldpath.Path{fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec")}
	}
	return nil
}

// newTypeConverter returns the first converter that knows the kind of a resource.
func newTypeConverter(converters []managedfields.TypeConverter, r *resource) managedfields.TypeConverter {
	if r.standard {
		converters = append(converters[:len(converters):len(converters)], applyconfigurations.NewTypeConverter(kubernetesscheme.Scheme))
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(r.kind)
	for _, c := range converters {
		if _, err := c.ObjectToTyped(empty); err == nil {
			return converter{c}
		}
	}
	return converter{managedfields.NewDeducedTypeConverter()}
}

// converter lets a type converter see a draft as what it is: unstructured.
type converter struct{ managedfields.TypeConverter }

func (c converter) ObjectToTyped(obj runtime.Object, opts ...smdtyped.ValidationOptions) (*smdtyped.TypedValue, error) {
	if d, ok := obj.(*draft); ok {
		obj = &d.Unstructured
	}
	return c.TypeConverter.ObjectToTyped(obj, opts...)
}

func (c converter) TypedToObject(value *smdtyped.TypedValue) (runtime.Object, error) {
	obj, err := c.TypeConverter.TypedToObject(value)
	if err != nil {
		return nil, err
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, nil
	}
	d := &draft{}
	d.Object = u.Object
	d.own()
	return d, nil
}

// objects is what field managers need to handle drafts: they have no defaults, and versions differ in nothing but apiVersion.
type objects struct{}

func (objects) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	d := &draft{}
	d.own()
	d.SetGroupVersionKind(kind)
	return d, nil
}

func (objects) Default(runtime.Object) {}

func (objects) Convert(in, out, context any) error {
	return fmt.Errorf("fakeapi: cannot convert %T to %T", in, out)
}

func (objects) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (objects) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	d, ok := in.(*draft)
	gv, isVersion := target.(schema.GroupVersion)
	if !ok || !isVersion {
		return nil, fmt.Errorf("fakeapi: cannot convert %T to %v", in, target)
	}
	if d.GetAPIVersion() == gv.String() {
		return d, nil
	}
	c := &draft{key: d.key, managed: d.managed}
	c.Object = maps.Clone(d.Object)
	c.SetAPIVersion(gv.String())
	return c, nil
}
