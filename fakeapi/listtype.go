package fakeapi

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A listType describes the lists in a value for server-side apply: which of them are sets, or maps by keys of their
// elements.
type listType struct {
	set      bool
	keys     []string // keys of a map
	elements *listType
	fields   map[string]*listType // fields of an object
	defaults map[string]any       // default values of fields of an object
	values   *listType            // values of an object with arbitrary field names
}

// newListType returns the type of the objects of a resource.
func newListType(r *resource) *listType {
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(r.kind)
	typed, err := r.converter().ObjectToTyped(empty)
	if err != nil {
		return nil
	}
	var root *listType
	_, ofServer := r.rules.(typedRules)
	ofServer = ofServer || r.standard // the schema is the server's; Go types have default values that a definition lacks
	known := map[string]*listType{}   // by the name of the type
	types := listTypesOf(typed.TypeRef(), func(t *listType) { root = t })
	for i := 0; i < len(types.refs); i++ { // the loop appends to types
		ref := types.refs[i]
		if ref.NamedType != nil {
			if t, ok := known[*ref.NamedType]; ok {
				types.found[i](t)
				continue
			}
		}
		t := &listType{}
		atom, ok := typed.Schema().Resolve(ref)
		if !ok || atom.List == nil && atom.Map == nil {
			t = nil // it cannot contain lists
		}
		if ref.NamedType != nil {
			known[*ref.NamedType] = t
		}
		types.found[i](t)
		if ok && atom.List != nil {
			t.setKeys(atom.List.ElementRelationship == "associative", atom.List.Keys)
			types.add(atom.List.ElementType, func(elements *listType) { t.elements = elements })
		}
		if ok && atom.Map != nil {
			t.fields, t.defaults = map[string]*listType{}, map[string]any{}
			for _, f := range atom.Map.Fields {
				if f.Default != nil && ofServer {
					t.defaults[f.Name] = settle(f.Default)
				}
				types.add(f.Type, func(of *listType) { t.fields[f.Name] = of })
			}
			types.add(atom.Map.ElementType, func(values *listType) { t.values = values })
		}
	}
	if root != nil {
		delete(root.fields, "metadata") // metadata is checked elsewhere
	}
	return root
}

// listTypes holds references to types in a schema, and functions that receive their list types.
type listTypes[R any] struct {
	refs  []R
	found []func(*listType)
}

func listTypesOf[R any](ref R, found func(*listType)) *listTypes[R] {
	types := &listTypes[R]{}
	types.add(ref, found)
	return types
}

func (types *listTypes[R]) add(ref R, found func(*listType)) {
	types.refs, types.found = append(types.refs, ref), append(types.found, found)
}

// setKeys makes an associative list a map by keys, or a set if there are none.
func (t *listType) setKeys(associative bool, keys []string) {
	if associative {
		t.set, t.keys = len(keys) == 0, keys
	}
}

// validate returns an error for each element that lacks a key, or has the same keys or value as another element.
func (t *listType) validate(path *field.Path, v any) (errs field.ErrorList) {
	if t == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f, ok := t.fields[name]
			if !ok {
				f = t.values
			}
			errs = append(errs, f.validate(path.Child(name), v[name])...)
		}
	case []any:
		var seen []any
		for i, element := range v {
			if len(t.keys) > 0 {
				m, _ := element.(map[string]any)
				key := t.key(m)
				for _, name := range t.keys {
					if _, ok := key[name]; !ok && m != nil {
						errs = append(errs, field.Required(path.Index(i).Child(name), ""))
					}
				}
				errs = append(errs, duplicate(path.Index(i), &seen, key)...)
			} else if t.set {
				errs = append(errs, duplicate(path.Index(i), &seen, element)...)
			}
			errs = append(errs, t.elements.validate(path.Index(i), element)...)
		}
	}
	return errs
}

// key returns the values of the keys of a map in an element, which can be default values.
func (t *listType) key(element map[string]any) map[string]any {
	key := map[string]any{}
	for _, name := range t.keys {
		if value, ok := element[name]; ok {
			key[name] = value
		} else if value, ok := t.elements.fieldDefault(name); ok && element != nil {
			key[name] = value
		}
	}
	return key
}

// fieldDefault returns the default value of a field.
func (t *listType) fieldDefault(name string) (value any, ok bool) {
	if t != nil {
		value, ok = t.defaults[name]
	}
	return value, ok
}

// keyless returns an error for the first element of a map that has none of its keys, and no default values of keys.
// Apply cannot merge it.
func (t *listType) keyless(path string, v any) error {
	if t == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f, ok := t.fields[name]
			if !ok {
				f = t.values
			}
			if err := f.keyless(path+"."+name, v[name]); err != nil {
				return err
			}
		}
	case []any:
		for i, element := range v {
			if m, ok := element.(map[string]any); ok && len(t.keys) > 0 && len(t.key(m)) == 0 {
				return fmt.Errorf(
					"%s: element %d: associative list with keys has an element that omits all key fields %q (and doesn't have default values for any "+
						"key fields)",
					path, i, t.keys,
				)
			}
			if err := t.elements.keyless(fmt.Sprintf("%s[%d]", path, i), element); err != nil {
				return err
			}
		}
	}
	return nil
}

// duplicate returns an error if v was seen before.
func duplicate(path *field.Path, seen *[]any, v any) field.ErrorList {
	*seen = append(*seen, v)
	times := 0
	for _, s := range *seen {
		if equalValue(s, v) {
			times++
		}
	}
	if times == 2 {
		return field.ErrorList{field.Duplicate(path, v)}
	}
	return nil
}
