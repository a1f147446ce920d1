package fakeapi

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// An object is one version of a stored object. It never changes, so versions share their equal parts.
type object struct {
	key      string
	revision uint64
	content  map[string]any              // in the form of JSON, without metadata.managedFields
	managed  []metav1.ManagedFieldsEntry // metadata.managedFields
	empty    []string                    // fields of metadata that were applied empty; compared with the next write
	views    atomic.Pointer[view]        // converted Go objects
	loaded   atomic.Pointer[loaded]      // the object in other versions of the kind

	// converted is true if the object was written in another version, so that defaults of the stored version may be
	// missing. A server sets them when it reads the object.
	converted bool
}

func (o *object) metadata() map[string]any {
	m, _ := o.content["metadata"].(map[string]any)
	return m
}

func (o *object) name() string      { s, _ := o.metadata()["name"].(string); return s }
func (o *object) namespace() string { s, _ := o.metadata()["namespace"].(string); return s }

// labels returns the labels. The caller must not modify them.
func (o *object) labels() map[string]any {
	m, _ := o.metadata()["labels"].(map[string]any)
	return m
}

// at returns the object with another revision.
func (o *object) at(revision uint64) *object {
	return o.draft().object(revision)
}

// draft returns a draft for the next version, which initially has the same content.
func (o *object) draft() *draft {
	d := &draft{key: o.key, managed: o.managed, converted: o.converted}
	d.Object = o.content
	d.own()
	return d
}

// A draft is a new version of an object that is not stored yet. The field managers of apimachinery work on it. It keeps
// managedFields separately, because encoding and decoding them takes longer than everything else. Values below the top
// level and below metadata may be shared with stored objects, so they are replaced, never modified.
type draft struct {
	unstructured.Unstructured
	key     string
	managed []metav1.ManagedFieldsEntry
	empty   []string // as in object
	foreign bool     // was not decoded into the Go type of its kind; values may have other types

	converted bool // as in object
}

// own copies the maps that a draft may modify.
func (d *draft) own() {
	d.Object = maps.Clone(d.Object)
	if d.Object == nil {
		d.Object = map[string]any{}
	}
	metadata, _ := d.Object["metadata"].(map[string]any)
	if metadata = maps.Clone(metadata); metadata == nil {
		metadata = map[string]any{}
	}
	d.Object["metadata"] = metadata
}

func (d *draft) metadata() map[string]any {
	m, _ := d.Object["metadata"].(map[string]any)
	return m
}

// GetManagedFields and SetManagedFields implement metav1.Object.
func (d *draft) GetManagedFields() []metav1.ManagedFieldsEntry        { return slices.Clone(d.managed) }
func (d *draft) SetManagedFields(managed []metav1.ManagedFieldsEntry) { d.managed = managed }

// DeepCopyObject implements runtime.Object. The copy shares values that no draft modifies.
func (d *draft) DeepCopyObject() runtime.Object {
	c := &draft{key: d.key, managed: d.managed, foreign: d.foreign}
	c.Object = d.Object
	c.own()
	return c
}

// object converts the draft to an object. The draft must not be used afterwards.
func (d *draft) object(revision uint64) *object {
	metadata := d.metadata()
	delete(metadata, "managedFields")
	if revision == 0 {
		delete(metadata, "resourceVersion")
	} else {
		metadata["resourceVersion"] = formatRevision(revision)
	}
	return &object{key: d.key, revision: revision, content: d.Object, managed: d.managed, empty: d.empty, converted: d.converted}
}

// full returns the content with metadata.managedFields. The caller may only modify the top level and metadata.
func (o *object) full() map[string]any {
	d := o.draft()
	if len(o.managed) > 0 {
		d.metadata()["managedFields"] = encodeManaged(o.managed)
	}
	return d.Object
}

func encodeManaged(managed []metav1.ManagedFieldsEntry) []any {
	entries := make([]any, 0, len(managed))
	for i := range managed {
		entry, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&managed[i])
		if err != nil {
			panic(err) // ManagedFieldsEntry has no field that cannot be encoded
		}
		entries = append(entries, entry)
	}
	return entries
}

// roundTimes reduces times to their precision in JSON.
func roundTimes(managed []metav1.ManagedFieldsEntry) {
	for i, entry := range managed {
		if entry.Time != nil {
			managed[i].Time = &metav1.Time{Time: entry.Time.Truncate(time.Second).Local()}
		}
	}
}

// equalManaged reports whether managedFields are equal. If times is false, their times are ignored.
func equalManaged(x, y []metav1.ManagedFieldsEntry, times bool) bool {
	return slices.EqualFunc(x, y, func(x, y metav1.ManagedFieldsEntry) bool {
		if times && !x.Time.Equal(y.Time) {
			return false
		}
		if x.Manager != y.Manager || x.Operation != y.Operation || x.APIVersion != y.APIVersion || x.FieldsType != y.FieldsType ||
			x.Subresource != y.Subresource {
			return false
		}
		if x.FieldsV1 == nil || y.FieldsV1 == nil {
			return x.FieldsV1 == y.FieldsV1
		}
		return x.FieldsV1.String() == y.FieldsV1.String()
	})
}

// equalValue reports whether two JSON values are equal.
func equalValue(x, y any) bool {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && maps.EqualFunc(x, y, equalValue)
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, equalValue)
	default:
		switch y.(type) {
		case map[string]any, []any:
			return false
		}
		return x == y
	}
}

// equalBut reports whether the top levels of two objects are equal, except for some fields.
func equalBut(x, y map[string]any, except ...string) bool {
	for _, pair := range [][2]map[string]any{{x, y}, {y, x}} {
		for k, v := range pair[0] {
			if slices.Contains(except, k) {
				continue
			}
			w, ok := pair[1][k]
			if !ok || !equalValue(v, w) {
				return false
			}
		}
	}
	return true
}

// cloneValue returns a deep copy of a JSON value.
func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return nil
		}
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = cloneValue(e)
		}
		return c
	case []any:
		if v == nil {
			return nil
		}
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneValue(e)
		}
		return c
	default:
		return v
	}
}
