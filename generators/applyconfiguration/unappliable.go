package applyconfiguration

import "github.com/kubegen/kubegen/internal/model"

// unappliable returns the part of a type that sigs.k8s.io/structured-merge-diff cannot read, and what to use instead,
// or "" if it can read all of it. It does not look into named structs, whose fields are checked separately.
func unappliable(t *model.Type, depth int) (what, instead string) {
	if depth > 16 { // it contains itself
		return "", ""
	}
	depth++
	switch t.Kind {
	case model.Basic:
		if t.Name.Name == "uint64" || t.Name.Name == "uintptr" {
			return "a " + t.Name.Name, "an int64"
		}
	case model.Array:
		return "an array", "a slice"
	case model.Pointer:
		switch t.Elem.Kind {
		case model.Pointer:
			return "a pointer to a pointer", "a plain pointer"
		case model.Interface:
			return "a pointer to an interface", "the interface itself"
		}
		return unappliable(t.Elem, depth)
	case model.Named:
		switch {
		case t.Methods.JSON:
		case t.Methods.Text && !isString(t, 0):
			return textOnly, textInstead
		default:
			return unappliable(t.Elem, depth)
		}
	case model.Slice:
		return unappliable(t.Elem, depth)
	case model.Map:
		if !isString(t.Key, 0) {
			return "a map with keys other than strings", "a map with string keys"
		}
		return unappliable(t.Elem, depth)
	case model.Struct:
		if t.Struct != nil && t.Struct.Methods.Text && !t.Struct.Methods.JSON {
			return textOnly, textInstead
		}
		if t.Struct == nil {
			for _, f := range t.JSONFields() {
				if what, instead = unappliable(f.Type, depth); what != "" {
					return what, instead
				}
			}
		}
	}
	return "", ""
}

// runtime.DefaultUnstructuredConverter of apimachinery runs before structured-merge-diff, and calls only the methods
// for JSON.
const (
	textOnly    = "a type with MarshalText but no MarshalJSON"
	textInstead = "a string, or give the type MarshalJSON and UnmarshalJSON"
)

// isString reports whether the underlying type of a type is string.
func isString(t *model.Type, depth int) bool {
	if t.Kind == model.Named && depth < 16 {
		return isString(t.Elem, depth+1)
	}
	return t.Kind == model.Basic && t.Name.Name == "string" || t.Kind == model.Unknown // of a package that is not read
}
