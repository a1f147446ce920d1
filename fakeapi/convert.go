package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// A shape determines the Go types of the objects returned to a client.
type shape interface {
	// object returns an object, which the caller may modify.
	object(r *resource, o *object) (runtime.Object, error)
	// list returns a list of objects.
	list(r *resource, meta listMeta, objects []*object) (runtime.Object, error)
	// bookmark returns an object with a resource version and annotations, but nothing else.
	bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error)
	// other returns an object of a kind other than the resource's, such as a Scale. The caller must not use obj
	// afterwards.
	other(obj runtime.Object) (runtime.Object, error)
	// checkURL returns an error if the namespace or name cannot be part of a URL. If required is true, the name must
	// not be empty.
	checkURL(namespace, name string, required bool) error
	// notServed returns the error for a URL that is not served.
	notServed(method string, gr schema.GroupResource, name string) error
}

// checkSegments returns an error if a client would refuse to send the namespace or the name.
func checkSegments(namespace, name string) error {
	if problems := rest.IsValidPathSegmentName(namespace); len(problems) > 0 {
		return localError{fmt.Errorf("invalid namespace %q: %v", namespace, problems)}
	}
	if problems := rest.IsValidPathSegmentName(name); len(problems) > 0 {
		return localError{fmt.Errorf("invalid resource name %q: %v", name, problems)}
	}
	return nil
}

var (
	errNoName   = localError{errors.New("resource name may not be empty")} // in generated clients
	errNameless = localError{errors.New("name is required")}               // in other clients
)

// A view is a stored object converted to a Go object. All views of an object form a list.
type view struct {
	scheme *runtime.Scheme
	kind   schema.GroupVersionKind
	obj    runtime.Object
	next   *view
}

// typedShape is the shape for generated clientsets.
type typedShape struct{ scheme *runtime.Scheme }

func (t typedShape) object(r *resource, o *object) (runtime.Object, error) {
	obj, err := t.shared(r, o)
	if err != nil {
		return nil, err
	}
	return obj.DeepCopyObject(), nil
}

// shared returns the Go object for a stored object. It must not be modified.
func (t typedShape) shared(r *resource, o *object) (runtime.Object, error) {
	views := o.views.Load()
	for v := views; v != nil; v = v.next {
		if v.scheme == t.scheme && v.kind == r.kind {
			return v.obj, nil
		}
	}
	obj, err := t.scheme.New(r.kind)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.content, obj); err != nil {
		return nil, fmt.Errorf("fakeapi: %s %s is not a %T: %w", r.gvr.Resource, o.key, obj, err)
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	accessor.SetManagedFields(o.managed)
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	o.views.CompareAndSwap(views, &view{scheme: t.scheme, kind: r.kind, obj: obj, next: views})
	return obj, nil
}

func (t typedShape) list(r *resource, m listMeta, objects []*object) (runtime.Object, error) {
	list, err := t.scheme.New(r.kind.GroupVersion().WithKind(r.kind.Kind + "List"))
	if err != nil {
		return nil, err
	}
	items := make([]runtime.Object, 0, len(objects))
	for _, o := range objects {
		obj, err := t.object(r, o)
		if err != nil {
			return nil, err
		}
		if !r.standard {
			// In lists, the server sends the kind of each custom resource, and decoders keep it.
			obj.GetObjectKind().SetGroupVersionKind(r.kind)
		}
		items = append(items, obj)
	}
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	return list, m.set(list)
}

// listMeta is the metadata of a list.
type listMeta struct {
	metav1.ListMeta
	shard *shard // that the list is restricted to, or nil
}

// set sets the metadata of a list.
func (m listMeta) set(list runtime.Object) error {
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	accessor.SetResourceVersion(m.ResourceVersion)
	accessor.SetContinue(m.Continue)
	accessor.SetRemainingItemCount(m.RemainingItemCount)
	if m.shard == nil {
		return nil
	}
	info := map[string]any{"selector": m.shard.String()}
	if u, ok := list.(*unstructured.UnstructuredList); ok {
		return unstructured.SetNestedField(u.Object, info, "metadata", "shardInfo")
	}
	return json.Unmarshal(encode(map[string]any{"metadata": map[string]any{"shardInfo": info}}), list) // no effect before v0.36 of apimachinery
}

func (t typedShape) bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error) {
	obj, err := t.scheme.New(r.kind)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(version)
	accessor.SetAnnotations(annotations)
	return obj, nil
}

func (t typedShape) other(obj runtime.Object) (runtime.Object, error) {
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

func (typedShape) checkURL(namespace, name string, required bool) error {
	if required && name == "" {
		return errNoName
	}
	return checkSegments(namespace, name)
}

func (typedShape) notServed(method string, gr schema.GroupResource, name string) error {
	return notServed(method, gr, name)
}

// dynamicShape is the shape for dynamic clients.
type dynamicShape struct{}

func (dynamicShape) object(r *resource, o *object) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: cloneValue(o.full()).(map[string]any)}
	u.SetGroupVersionKind(r.kind)
	return u, nil
}

func (s dynamicShape) list(r *resource, m listMeta, objects []*object) (runtime.Object, error) {
	list := &unstructured.UnstructuredList{Items: make([]unstructured.Unstructured, 0, len(objects))}
	list.SetGroupVersionKind(r.kind.GroupVersion().WithKind(r.kind.Kind + "List"))
	for _, o := range objects {
		obj, err := s.object(r, o)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, *obj.(*unstructured.Unstructured))
	}
	return list, m.set(list)
}

func (dynamicShape) bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(r.kind)
	u.SetResourceVersion(version)
	if len(annotations) > 0 {
		u.SetAnnotations(annotations)
	}
	return u, nil
}

func (dynamicShape) other(obj runtime.Object) (runtime.Object, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

func (dynamicShape) checkURL(namespace, name string, required bool) error {
	if required && name == "" {
		return errNameless
	}
	return checkSegments(namespace, name)
}

func (dynamicShape) notServed(method string, gr schema.GroupResource, name string) error {
	return notServed(method, schema.GroupResource{}, "")
}

// metadataShape is the shape for metadata clients.
type metadataShape struct{}

func (metadataShape) object(r *resource, o *object) (runtime.Object, error) {
	obj := &metav1.PartialObjectMetadata{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.metadata(), &obj.ObjectMeta); err != nil {
		return nil, err
	}
	for _, entry := range o.managed {
		obj.ManagedFields = append(obj.ManagedFields, *entry.DeepCopy())
	}
	return obj, nil
}

func (s metadataShape) list(r *resource, m listMeta, objects []*object) (runtime.Object, error) {
	list := &metav1.PartialObjectMetadataList{Items: make([]metav1.PartialObjectMetadata, 0, len(objects))}
	for _, o := range objects {
		obj, err := s.object(r, o)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, *obj.(*metav1.PartialObjectMetadata))
	}
	return list, m.set(list)
}

func (metadataShape) bookmark(r *resource, version string, annotations map[string]string) (runtime.Object, error) {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version, Annotations: annotations}}, nil
}

func (metadataShape) other(obj runtime.Object) (runtime.Object, error) {
	if status, ok := obj.(*metav1.Status); ok {
		return withKind(status), nil
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	return meta.AsPartialObjectMetadata(accessor), nil
}

func (metadataShape) checkURL(namespace, name string, required bool) error {
	if required && name == "" {
		return errNameless
	}
	if problems := rest.IsValidPathSegmentName(name); len(problems) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(problems, ";")))
	}
	return nil
}

func (metadataShape) notServed(method string, gr schema.GroupResource, name string) error {
	return dynamicShape{}.notServed(method, gr, name)
}
