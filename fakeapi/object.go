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

// An object is one version of a stored object. It never changes: versions share what is equal in them.
type object struct {
	key      string
	revision uint64
	content  map[string]any              // as JSON has it, without metadata.managedFields
	managed  []metav1.ManagedFieldsEntry // metadata.managedFields
	empty    []string                    // fields of metadata that were applied empty, which only the next write tells
	views    atomic.Pointer[view]        // Go objects that it has been converted to
}

func (o *object) metadata() map[string]any {
	m, _ := o.content["metadata"].(map[string]any)
	return m
}

func (o *object) name() string      { s, _ := o.metadata()["name"].(string); return s }
func (o *object) namespace() string { s, _ := o.metadata()["namespace"].(string); return s }

// labels returns the labels, which the caller must not change.
func (o *object) labels() map[string]any {
	m, _ := o.metadata()["labels"].(map[string]any)
	return m
}

// at returns the object with another revision.
func (o *object) at(revision uint64) *object {
	return o.draft().object(revision)
}

// draft returns a draft of the next version, which is equal so far.
func (o *object) draft() *draft {
	d := &draft{key: o.key, managed: o.managed}
	d.Object = o.content
	d.own()
	return d
}

// A draft is a version in the making. It is what the field managers of apimachinery work on, with managedFields apart from
// the rest, because encoding and decoding them takes longer than everything else. What is below the top level and
// metadata may be shared with stored objects: it is replaced, never changed.
type draft struct {
	unstructured.Unstructured
	key     string
	managed []metav1.ManagedFieldsEntry
	empty   []string // as in object
	foreign bool     // does not come from the Go type of its kind, so that values may be of other types
}

// own makes the maps that a draft may change its own.
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

// GetManagedFields and SetManagedFields are those of metav1.Object.
func (d *draft) GetManagedFields() []metav1.ManagedFieldsEntry        { return slices.Clone(d.managed) }
func (d *draft) SetManagedFields(managed []metav1.ManagedFieldsEntry) { d.managed = managed }

// DeepCopyObject is that of runtime.Object. The copy shares what no draft changes.
func (d *draft) DeepCopyObject() runtime.Object {
	c := &draft{key: d.key, managed: d.managed, foreign: d.foreign}
	c.Object = d.Object
	c.own()
	return c
}

// object completes a draft, which must not be used any more.
func (d *draft) object(revision uint64) *object {
	metadata := d.metadata()
	delete(metadata, "managedFields")
	delete(metadata, "selfLink")
	if revision == 0 {
		delete(metadata, "resourceVersion")
	} else {
		metadata["resourceVersion"] = formatRevision(revision)
	}
	return &object{key: d.key, revision: revision, content: d.Object, managed: d.managed, empty: d.empty}
}

// full returns the content with metadata.managedFields. The caller may change the top level and metadata, nothing else.
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

// roundTimes gives times the precision that they have in JSON.
func roundTimes(managed []metav1.ManagedFieldsEntry) {
	for i, entry := range managed {
		if entry.Time != nil {
			managed[i].Time = &metav1.Time{Time: entry.Time.Truncate(time.Second).Local()}
		}
	}
}

// equalManaged compares managedFields, without or with their times.
func equalManaged(x, y []metav1.ManagedFieldsEntry, times bool) bool {
	return slices.EqualFunc(x, y, func(x, y metav1.ManagedFieldsEntry) bool {
		if times && !x.Time.Equal(y.Time) {
			return false
		}
		if x.Manager != y.Manager || x.Operation != y.Operation || x.APIVersion != y.APIVersion || x.FieldsType != y.FieldsType || x.Subresource != y.Subresource {
			return false
		}
		if x.FieldsV1 == nil || y.FieldsV1 == nil {
			return x.FieldsV1 == y.FieldsV1
		}
		return x.FieldsV1.String() == y.FieldsV1.String()
	})
}

// equalValue compares JSON values.
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

// equalBut compares the top level of two objects except for some fields.
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

// cloneValue copies a JSON value.
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
