package applyschema

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// follow returns a type in which the part at a path merges as a server merges it, and reports whether this is another
// type. Types on the path are inlined, because they stay as they are elsewhere.
func (d *deriver) follow(a atom, path []string, m model.Merging) (_ atom, changed bool) {
	if len(path) == 0 {
		return mergedAs(a, m)
	}
	var into *typeRef
	switch {
	case path[0] == model.Elements && a.list != nil:
		list := *a.list
		a.list, into = &list, &list.elem
	case path[0] == model.Elements && a.object != nil && a.object.elem != nil:
		object, elem := *a.object, *a.object.elem
		object.elem, a.object, into = &elem, &object, &elem
	case a.object != nil:
		object := *a.object
		i := slices.IndexFunc(object.fields, func(f structField) bool { return f.name == path[0] })
		if i < 0 {
			return a, false
		}
		object.fields = slices.Clone(object.fields)
		a.object, into = &object, &object.fields[i].typ
	default:
		return a, false
	}
	inner, known := into.atom, true
	if into.named != "" {
		inner, known = d.types[into.named]
	}
	if into.relationship != "" && inner.object != nil {
		object := *inner.object
		object.relationship, inner.object = into.relationship, &object
	}
	if inner, changed = d.follow(inner, path[1:], m); changed && known { // otherwise, any value is accepted
		*into = typeRef{atom: inner}
	}
	return a, changed && known
}

// mergedAs returns a type that merges as a server merges it, and reports whether this is another type.
func mergedAs(a atom, m model.Merging) (_ atom, changed bool) {
	switch {
	case m.Type == "array" && a.list != nil:
		list, relationship := *a.list, "atomic"
		if slices.Contains([]string{"map", "set"}, m.ListType) {
			relationship = "associative"
		}
		list.relationship, list.keys = relationship, m.Keys
		return atom{list: &list}, a.list.relationship != relationship || !slices.Equal(a.list.keys, m.Keys)
	case m.Type == "object" && a.object != nil:
		object := *a.object
		if object.relationship = ""; m.MapType == "atomic" {
			object.relationship = m.MapType
		}
		object.fields = slices.DeleteFunc(slices.Clone(object.fields), func(f structField) bool {
			return !f.always && slices.Contains(m.Lost, f.name)
		})
		lost := len(object.fields) < len(a.object.fields)
		if lost && len(object.fields) == 0 && object.elem == nil {
			object.elem = freeForm().object.elem
		}
		return atom{object: &object}, lost || (a.object.relationship == "atomic") != (m.MapType == "atomic")
	}
	return anything(untypedDeduced, "separable"), true
}
