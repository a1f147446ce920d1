package fakeapi

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// A resource is one served version of an API resource.
type resource struct {
	gvr          schema.GroupVersionResource
	kind         schema.GroupVersionKind
	namespaced   bool
	verbs        []string
	subresources map[string]metav1.APIResource
	scheme       *runtime.Scheme // has the Go type of the kind
	standard     bool            // resource of Kubernetes itself rather than a custom resource
	traits
	fields      []selectableField
	scale       *scalePaths // nil without a scale subresource
	rules       Rules       // may be nil
	deprecation string      // warning to clients of the version
	*collection

	valueType func() *valueType // type of the objects
	listType  func() *listType  // list type of the objects
	converter func() managedfields.TypeConverter
	managers  map[string]*managedfields.FieldManager // by subresource
	owned     map[string][]metav1.ManagedFieldsEntry // managedFields of an owner of the whole object, by the object's shape and the owner
}

func newResource(
	c *config, s served, gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, in metav1.APIResource, stored *collection,
) *resource {
	r := &resource{
		gvr:          gvr,
		kind:         gvk,
		namespaced:   in.Namespaced,
		verbs:        in.Verbs,
		subresources: map[string]metav1.APIResource{},
		scheme:       s.scheme,
		standard:     s.standard,
		traits:       customTraits,
		scale:        newScalePaths(c.scale[gvr]),
		rules:        c.rules[gvr],
		deprecation:  c.deprecated[gvr],
		collection:   stored,
		managers:     map[string]*managedfields.FieldManager{},
		owned:        map[string][]metav1.ManagedFieldsEntry{},
	}
	if r.standard {
		r.traits = standardTraits[gvr.GroupResource()]
		maps.Copy(r.subresources, unlisted[gvr.GroupResource()])
	}
	r.fields = selectableFields(r, c.selectable[gvr])
	r.valueType = sync.OnceValue(func() *valueType {
		obj, err := r.scheme.New(r.kind)
		if err != nil {
			return &valueType{}
		}
		return newValueType(obj)
	})
	r.listType = sync.OnceValue(func() *listType { return newListType(r) })
	r.converter = sync.OnceValue(func() managedfields.TypeConverter { return newTypeConverter(c.converters, r) })
	return r
}

// hasStatus reports whether the status can only be written through the status subresource.
func (r *resource) hasStatus() bool {
	_, ok := r.subresources["status"]
	return ok
}

// scaling returns the paths of the scale subresource. It is an error if the paths for a custom resource are missing.
func (r *resource) scaling() (*scalePaths, error) {
	if r.scale == nil && r.standard {
		return standardScale, nil
	}
	if r.scale == nil {
		return nil, fmt.Errorf("fakeapi: %s/scale is served, but its fields are not known; add them by WithScalePaths", r.gvr.GroupResource())
	}
	return r.scale, nil
}

// key returns the key of an object. The objects of a resource are sorted by key.
func (r *resource) key(namespace, name string) string {
	if !r.namespaced {
		return name
	}
	return namespace + "/" + name
}

// registry is the prefix of all keys in the storage of a server.
const registry = "/registry"

// path returns the storage key of an object in a server. It appears in some errors.
func (r *resource) path(key string) string {
	if r.standard {
		return registry + "/" + r.gvr.Resource + "/" + key
	}
	return strings.Join([]string{registry, r.gvr.Group, r.gvr.Resource, key}, "/")
}

// groupKind returns the GroupKind of the resource in some errors. Its Kind is the name of the resource.
func (r *resource) groupKind() schema.GroupKind {
	return schema.GroupKind{Group: r.gvr.Group, Kind: r.gvr.Resource}
}
