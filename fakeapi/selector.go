package fakeapi

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// A selectableField is a field that field selectors can use.
type selectableField struct {
	name   string   // name in selectors
	path   []string // path in objects
	absent string   // value for objects without the field
}

// selectable returns the fields at paths. In PATH=VALUE, VALUE is the value for objects without the field.
func selectable(paths ...string) (fields []selectableField) {
	for _, path := range paths {
		name, absent, _ := strings.Cut(strings.TrimPrefix(path, "."), "=")
		fields = append(fields, selectableField{name: name, path: strings.Split(name, "."), absent: absent})
	}
	return fields
}

func (f selectableField) of(o *object) string {
	var v any = o.content
	for _, step := range f.path {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	if v == nil {
		return f.absent
	}
	return fmt.Sprint(v)
}

// selectableFields returns the fields of a resource that field selectors can use.
func selectableFields(r *resource, more []string) []selectableField {
	fields := selectable("metadata.name")
	if r.namespaced {
		fields = append(fields, selectable("metadata.namespace")...)
	}
	return slices.Concat(fields, r.selectable, selectable(more...))
}

// A selector selects objects of a resource.
type selector struct {
	namespace string // "" for all
	labels    labels.Selector
	fields    fields.Selector
	used      []selectableField // fields in the field selector
	shard     *shard            // nil for all
}

func (r *resource) selector(namespace string, opts metav1.ListOptions) (*selector, error) {
	s := &selector{namespace: namespace}
	var err error
	if s.labels, err = labels.Parse(opts.LabelSelector); err != nil {
		return nil, badSelector(err)
	}
	if s.fields, err = fields.ParseSelector(opts.FieldSelector); err != nil {
		return nil, badSelector(err)
	}
	for _, req := range s.fields.Requirements() {
		i := slices.IndexFunc(r.fields, func(f selectableField) bool { return f.name == req.Field })
		if i < 0 {
			return nil, apierrors.NewBadRequest("field label not supported: " + req.Field)
		}
		s.used = append(s.used, r.fields[i])
		if req.Field == "metadata.namespace" && namespace == "" && req.Operator == "=" {
			s.namespace = req.Value
		}
	}
	return s, nil
}

// empty reports whether the selector selects all objects of its namespace.
func (s *selector) empty() bool { return s.labels.Empty() && s.fields.Empty() && s.shard == nil }

func (s *selector) matches(o *object) bool {
	if o == nil || s.namespace != "" && o.namespace() != s.namespace || !s.shard.matches(o) {
		return false
	}
	if !s.labels.Empty() && !s.labels.Matches(labelSet(o.labels())) {
		return false
	}
	if s.fields.Empty() {
		return true
	}
	set := make(fields.Set, len(s.used))
	for _, f := range s.used {
		set[f.name] = f.of(o)
	}
	return s.fields.Matches(set)
}

// labelSet holds labels in JSON form.
type labelSet map[string]any

func (s labelSet) Has(label string) bool   { _, ok := s[label]; return ok }
func (s labelSet) Get(label string) string { v, _ := s[label].(string); return v }
func (s labelSet) Lookup(label string) (string, bool) {
	v, ok := s[label].(string)
	return v, ok
}
