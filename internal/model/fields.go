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
	Name     string            // in Go
	Tag      reflect.StructTag // the whole struct tag, unquoted
	Embedded bool

	// Type is what the field is of. That of a field that JSON does not see is read as far as its own package tells: types
	// of other packages are Unknown, and structs have no fields.
	Type    *Type
	Doc     []string // comment lines, markers left out
	Markers []Marker
}

// Marker is a marker above a field or type that says something about its schema, such as listType=map; the name is
// without the leading "+". A default of ref(Constant) has the constant's value in JSON in its place.
type Marker struct{ Name, Value string }

// InJSON reports whether JSON sees the field: it has a JSON tag other than "-", or embeds a struct without a tag.
func (f *Field) InJSON() bool {
	tag, tagged := f.Tag.Lookup("json")
	switch {
	case !tagged:
		return f.Embedded && f.Type.Behind().Kind == Struct
	case !f.Embedded && !token.IsExported(f.Name):
		return false // a tag changes nothing about that
	}
	return tag != "-"
}

// JSON returns the name of the field in JSON, "" where it is Inline.
func (f *Field) JSON() string {
	switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
	case name != "":
		return name
	case f.Inline():
		return ""
	}
	return f.Name
}

// Inline reports whether the field is embedded, and its fields are those of the struct around it in JSON as well.
func (f *Field) Inline() bool {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "" && f.Embedded && f.Type.Behind().Kind == Struct
}

// Untagged reports whether the field has no JSON tag.
func (f *Field) Untagged() bool {
	_, tagged := f.Tag.Lookup("json")
	return !tagged
}

// OmitEmpty reports whether the JSON tag has the option "omitempty"; "omitzero" is another one.
func (f *Field) OmitEmpty() bool { return f.option("omitempty") }

// Quoted reports whether the JSON tag has the option "string".
func (f *Field) Quoted() bool { return f.option("string") }

func (f *Field) option(name string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), name)
}

// JSONFields returns the fields of a named struct that JSON sees, in order. Fields of the input that Unwritable says no
// code can be generated for are not among them.
func (s *StructType) JSONFields() []*Field {
	seen := seenByJSON(s.Fields)
	if s.Package != nil {
		seen = slices.DeleteFunc(seen, func(f *Field) bool { return f.Type.Unwritable() != nil })
	}
	return seen
}

// JSONFields returns the fields of a struct that JSON sees, in order, as StructType.JSONFields does for a named one; none for
// other types.
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

// Unwritable returns the part of a type that cannot be written in generated code, or nil.
func (t *Type) Unwritable() *Type {
	switch t.Kind {
	case Func:
		return t
	case Unknown:
		if t.Name.Name == "" || t.Elem == nil && (t.Name.Path == "" || !IsStandard(t.Name.Path)) {
			return t
		}
	case Slice, Array, Pointer:
		return t.Elem.Unwritable()
	case Map:
		if bad := t.Key.Unwritable(); bad != nil {
			return bad
		}
		return t.Elem.Unwritable()
	case Struct:
		if t.Struct == nil {
			for _, f := range seenByJSON(t.Fields) {
				if bad := f.Type.Unwritable(); bad != nil {
					return bad
				}
			}
		}
	}
	return nil
}

// IsStandard reports whether a package is of the standard library, which is not looked into.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
