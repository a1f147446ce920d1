package applyconfiguration

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// unappliable returns the part of a type that sigs.k8s.io/structured-merge-diff or runtime.DefaultUnstructuredConverter
// of apimachinery cannot read or set, and an alternative, or "". It does not examine the fields of named structs of the
// input, which are checked separately.
func unappliable(t *model.Type) (what, instead string) {
	return appliability{}.of(t, 0)
}

// appliability has the visited structs.
type appliability map[*model.StructType]bool

func (a appliability) of(t *model.Type, depth int) (what, instead string) {
	if depth > 16 { // the type contains itself
		return "", ""
	}
	depth++
	switch t.Kind {
	case model.Unknown:
		switch {
		case t.Standard != nil:
			return a.of(t.Standard, depth)
		case t.Elem != nil:
			return a.of(t.Elem, depth)
		}
	case model.Basic:
		switch t.Name.Name {
		case "uint64", "uintptr":
			return "a " + t.Name.Name, "an int64"
		case "complex64", "complex128":
			return "a " + t.Name.Name, "a string"
		}
	case model.Array:
		return "an array", "a slice"
	case model.Pointer:
		switch t.Elem.Underlying().Kind {
		case model.Pointer:
			return "a pointer to a pointer", "a plain pointer"
		case model.Interface:
			return "a pointer to an interface", "the interface itself"
		}
		return a.of(t.Elem, depth)
	case model.Named:
		switch {
		case t.Methods.JSON:
		case t.Methods.Text && !isString(t, 0):
			return textOnly, textInstead
		default:
			return a.of(t.Elem, depth)
		}
	case model.Slice:
		return a.of(t.Elem, depth)
	case model.Map:
		switch {
		case !isString(t.Key, 0):
			return "a map with keys other than strings", "a map with string keys"
		case unaddressable(t.Elem, 0):
			return "a map of values whose MarshalJSON has a pointer receiver",
				"a map of pointers, or give MarshalJSON a receiver that is not a pointer"
		}
		return a.of(t.Elem, depth)
	case model.Struct:
		return a.ofStruct(t, depth)
	}
	return "", ""
}

func (a appliability) ofStruct(t *model.Type, depth int) (what, instead string) {
	methods := methodSet(t)
	switch {
	case methods.JSON, t.Struct != nil && a[t.Struct]:
		return "", ""
	case methods.Text:
		return textOnly, textInstead
	case t.Struct != nil && t.Struct.Package != nil:
		return "", ""
	case t.Struct != nil:
		a[t.Struct] = true
	}
	fields := t.Fields
	if t.Struct != nil {
		fields = t.Struct.Fields
	}
	for _, f := range fields {
		if cannotBeSet(f) {
			return "a struct with unexported fields", "another type, or one with MarshalJSON and UnmarshalJSON"
		}
		if f.InJSON() || f.Untagged() {
			if what, instead := a.of(f.Type, depth); what != "" {
				return what, instead
			}
		}
	}
	return "", ""
}

// cannotBeSet reports whether reflection cannot set a field: it is unexported, or embeds a pointer to an unexported
// struct. The fields of an unexported struct embedded by value can be set. The converter also sets fields outside the
// JSON form, to their zero values.
func cannotBeSet(f *model.Field) bool {
	if token.IsExported(f.Name) {
		return false
	}
	return !f.Embedded || !f.Inline() && !f.Untagged() || f.Type.IsPointer()
}

// unaddressable reports whether values of a type contain values whose MarshalJSON has a pointer receiver, other than in
// slices and behind pointers. Values in maps are not addressable, so this method cannot be called.
func unaddressable(t *model.Type, depth int) bool {
	switch {
	case depth > 16:
		return false
	case t.Kind == model.Unknown && t.Standard != nil:
		return unaddressable(t.Standard, depth+1)
	case t.Kind == model.Named:
		return t.Methods.JSONPointer || !t.Methods.JSON && unaddressable(t.Elem, depth+1)
	case t.Kind != model.Struct:
		return false
	}
	if methods := methodSet(t); methods.JSON {
		return methods.JSONPointer
	}
	return slices.ContainsFunc(t.JSONFields(), func(f *model.Field) bool { return unaddressable(f.Type, depth+1) })
}

// methodSet returns the methods of a type that determine its JSON form, including methods promoted from embedded
// fields. If there are two at the same depth, Go promotes neither.
func methodSet(t *model.Type) (found model.Methods) {
	level, seen := []*model.Type{t}, map[*model.StructType]bool{}
	for depth := 0; len(level) > 0 && depth < model.MaxEmbedded && !(found.JSON && found.Text); depth++ {
		var next []*model.Type
		json, text := 0, 0
		var here model.Methods
		for _, t := range level {
			if t = t.Deref(); t.Kind == model.Unknown && t.Standard != nil {
				t = t.Standard
			}
			own := t.Methods
			if t.Struct != nil {
				own = t.Struct.Methods
			}
			if own.JSON {
				json++
				here.JSON, here.JSONPointer = true, own.JSONPointer
			}
			if own.Text {
				text++
				here.Text = true
			}
			if t.Struct == nil || seen[t.Struct] {
				continue
			}
			seen[t.Struct] = true
			for _, f := range t.Struct.Fields {
				if f.Embedded {
					next = append(next, f.Type)
				}
			}
		}
		if json == 1 && !found.JSON {
			found.JSON, found.JSONPointer = true, here.JSONPointer
		}
		if text == 1 {
			found.Text = true
		}
		if json > 1 || text > 1 {
			break
		}
		level = next
	}
	return found
}

// runtime.DefaultUnstructuredConverter only calls the JSON methods.
const (
	textOnly    = "a type with MarshalText but no MarshalJSON"
	textInstead = "a string, or give the type MarshalJSON and UnmarshalJSON"
)

// isString reports whether the underlying type of a type is string.
func isString(t *model.Type, depth int) bool {
	if t.Kind == model.Named && depth < 16 {
		return isString(t.Elem, depth+1)
	}
	if t.Kind == model.Unknown && t.Standard != nil && depth < 16 {
		return isString(t.Standard, depth+1)
	}
	return t.Kind == model.Basic && t.Name.Name == "string" || t.Kind == model.Unknown // of a package that is not read
}
