package model

import (
	"go/token"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct.
type Field struct {
	Pos      token.Position
	Name     string            // name in Go
	Tag      reflect.StructTag // the whole struct tag, unquoted
	Embedded bool

	// Type is the type of the field. If JSON ignores the field, only types of its own package are read: types of other
	// packages are Unknown, and structs have no fields.
	Type    *Type
	Doc     []string // comment lines without markers
	Markers []Marker
}

// Marker is a marker in a comment.
type Marker struct {
	Name string // without the leading "+"

	// Text is the text of the value, or of the arguments if the marker determines manifests, without surrounding space.
	// In the default of a field, a reference of the form ref(Constant) to a string is replaced with the constant's value
	// in JSON. Reference is the replaced text.
	Text, Reference string
	// Value is the value of a marker that determines manifests: an int, float64, string, bool, []any or map[string]any.
	// JSON values have json.Number in place of int and float64.
	Value any
	// Arguments has the arguments by name. Their values are as in Value.
	Arguments map[string]any

	Pos token.Position
}

// HasMarker reports whether a list of markers contains one with a name.
func HasMarker(list []Marker, name string) bool {
	return slices.ContainsFunc(list, func(m Marker) bool { return m.Name == name })
}

// Written returns the marker with the leading "+" and its Text.
func (m Marker) Written() string {
	if m.Text == "" {
		return "+" + m.Name
	}
	return "+" + m.Name + "=" + m.Text
}

// String returns the value of a string argument, or the value of the marker if name is "". It returns "" if it is
// missing.
func (m Marker) String(name string) string {
	text, _ := m.Arguments[name].(string)
	if name == "" {
		text, _ = m.Value.(string)
	}
	return text
}

// Bool returns the value of a Boolean argument, or false if it is missing.
func (m Marker) Bool(name string) bool {
	value, _ := m.Arguments[name].(bool)
	return value
}

// Strings returns the value of an argument that is a list of strings, or the value of the marker if name is "".
func (m Marker) Strings(name string) []string {
	list, _ := m.Arguments[name].([]any)
	if name == "" {
		list, _ = m.Value.([]any)
	}
	var found []string
	for _, element := range list {
		found = append(found, element.(string))
	}
	return found
}

// json returns the JSON tag of the field. Because it is called very often, it first tries the usual place, the
// beginning of the struct tag.
func (f *Field) json() (tag string, ok bool) {
	if rest, first := strings.CutPrefix(string(f.Tag), `json:"`); first {
		if tag, _, ok := strings.Cut(rest, `"`); ok && strings.IndexByte(tag, '\\') < 0 {
			return tag, true
		}
	}
	return f.Tag.Lookup("json")
}

// InJSON reports whether the field is part of the JSON form: it has a JSON tag other than "-", or is an embedded struct
// without a tag.
func (f *Field) InJSON() bool {
	tag, tagged := f.json()
	switch {
	case !tagged:
		return f.Embedded && f.Type.Deref().Kind == Struct
	case !f.Embedded && !token.IsExported(f.Name):
		return false // even if it has a tag
	}
	return tag != "-"
}

// JSON returns the name of the field in JSON. It returns "" for an Inline field.
func (f *Field) JSON() string {
	tag, _ := f.json()
	switch name, _, _ := strings.Cut(tag, ","); {
	case name != "":
		return name
	case f.Inline():
		return ""
	}
	return f.Name
}

// Inline reports whether the JSON form has the fields of the field's struct in place of the field.
func (f *Field) Inline() bool { return f.Unnamed() && f.Type.Deref().Kind == Struct }

// Unnamed reports whether the field is embedded and its JSON tag has no name. If the field's type is not a struct, its
// name in JSON is the name of the type, unless the methods of the type determine the JSON form of the whole struct.
func (f *Field) Unnamed() bool {
	tag, _ := f.json()
	name, _, _ := strings.Cut(tag, ",")
	return name == "" && f.Embedded
}

// Untagged reports whether the field has no JSON tag.
func (f *Field) Untagged() bool {
	_, tagged := f.json()
	return !tagged
}

// OmitEmpty reports whether the JSON tag has the option "omitempty"; "omitzero" does not count.
func (f *Field) OmitEmpty() bool { return f.option("omitempty") }

// OmitZero reports whether the JSON tag has the option "omitzero".
func (f *Field) OmitZero() bool { return f.option("omitzero") }

// Quoted reports whether the option "string" of the JSON tag has an effect: on a Boolean, number or string, or a
// pointer to one, whose type has no MarshalJSON or MarshalText.
func (f *Field) Quoted() bool {
	if !f.option("string") {
		return false
	}
	t := f.Type
	if t.Kind == Pointer {
		t = t.Elem
	}
	if t.Methods.JSON || t.Methods.Text {
		return false
	}
	return t.Underlying().Kind == Basic || t.Kind == Unknown && t.Name == TypeRef{Path: "time", Name: "Duration"}
}

func (f *Field) option(name string) bool {
	tag, _ := f.json()
	_, options, _ := strings.Cut(tag, ",")
	return slices.Contains(strings.Split(options, ","), name)
}

// JSONFields returns the fields that are part of the JSON form, in order. In input packages, it omits fields with an
// Unwritable type.
func (s *StructType) JSONFields() []*Field {
	seen := seenByJSON(s.Fields)
	if s.Package != nil {
		seen = slices.DeleteFunc(seen, func(f *Field) bool { return f.Type.Unwritable() != nil })
	}
	return seen
}

// JSONFields returns the fields of a struct that are part of its JSON form, in order. For a named struct it calls
// StructType.JSONFields. It returns nil for other types.
func (t *Type) JSONFields() []*Field {
	if t.Struct != nil {
		return t.Struct.JSONFields()
	}
	return seenByJSON(t.Fields)
}

func seenByJSON(fields []*Field) []*Field {
	var seen []*Field
	for _, f := range fields {
		if f.InJSON() {
			seen = append(seen, f)
		}
	}
	return seen
}

// Unwritable returns the part of a type that generated code cannot express in Go syntax, or nil if it can express the
// whole type. Unexported types are replaced with their underlying types.
func (t *Type) Unwritable() *Type { return t.unwritable(nil, 0) }

// unwritable is like Unwritable, but skips unexported types in seen. depth is the number of enclosing unexported types.
func (t *Type) unwritable(seen *[]*Type, depth int) *Type {
	fields := t.Fields // of an anonymous struct
	if t.Name.Name != "" && !token.IsExported(t.Name.Name) && (t.Kind == Named || t.Struct != nil && t.Struct.Package == nil) {
		if seen == nil {
			seen = new([]*Type)
		}
		if depth++; depth > maxLevels || len(*seen) > MaxParts || slices.Contains(*seen, t) {
			return nil
		}
		*seen = append(*seen, t)
		if t.Kind == Named {
			return t.Elem.unwritable(seen, depth)
		}
		fields = t.Struct.Fields
	}
	switch t.Kind {
	case Func:
		return t
	case Unknown:
		if t.Name.Name == "" || t.Elem == nil && (t.Name.Path == "" || !IsStandard(t.Name.Path)) {
			return t
		}
	case Slice, Array, Pointer:
		return t.Elem.unwritable(seen, depth)
	case Map:
		if bad := t.Key.unwritable(seen, depth); bad != nil {
			return bad
		}
		return t.Elem.unwritable(seen, depth)
	case Struct:
		for _, f := range seenByJSON(fields) {
			if bad := f.Type.unwritable(seen, depth); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// MaxParts is the largest number of types in the expansion of an anonymous type, or of a type whose name generated code
// cannot use. Hand-written types stay below it; it keeps the size of generated code proportional to its input.
const MaxParts = 1000

// MaxEmbedded is the greatest depth of structs embedded in each other. Each of them repeats the fields of all structs
// that it embeds.
const MaxEmbedded = 32

// maxLevels is the greatest depth of nested unexported types.
const maxLevels = 16

// Unfolds reports whether an unexported type can be replaced with its underlying type, and unexported types in that
// with theirs. It cannot if it contains itself or if the result has more than MaxParts types.
func (t *Type) Unfolds() bool {
	sizes := map[*Type]int{} // sizes of the parts; 0 while a part is being visited
	var size func(part *Type, level int) int
	size = func(part *Type, level int) int {
		known, seen := sizes[part]
		switch {
		case part == t && seen, level > maxLevels:
			return MaxParts + 1
		case seen:
			return known
		}
		sizes[part] = 0
		sum := 1
		if !token.IsExported(part.Name.Name) && part.Name.Name != "" {
			level++
		}
		for _, inner := range part.parts() {
			if sum += size(inner, level); sum > MaxParts {
				break
			}
		}
		sizes[part] = sum
		return sum
	}
	return size(t, 0) <= MaxParts
}

// parts returns the types that occur in the Go syntax of a type.
func (t *Type) parts() (list []*Type) {
	switch {
	case token.IsExported(t.Name.Name):
		return t.Args
	case t.Kind == Map:
		return []*Type{t.Key, t.Elem}
	case t.Elem != nil:
		return []*Type{t.Elem}
	}
	for _, f := range t.JSONFields() {
		list = append(list, f.Type)
	}
	return list
}

// IsStandard reports whether a package belongs to the standard library.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
