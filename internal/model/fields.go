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

	// Type is the type of the field. For a field that JSON ignores, only the package of the field is read: its type is
	// Unknown if it belongs to another package, and has no fields if it is a struct.
	Type    *Type
	Doc     []string // comment lines without markers
	Markers []Marker
}

// Marker is a marker above a field or type that describes its schema, such as listType=map. Name has no leading "+". If
// Value is the value of a default, a reference of the form ref(Constant) has been replaced with the constant's value in
// JSON.
type Marker struct {
	Name, Value string
	Pos         token.Position
}

// json returns the JSON tag of the field. It is called very often, so it first tries the usual position of the tag,
// which is before all others.
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
		return false // whatever the tag is
	}
	return tag != "-"
}

// JSON returns the name of the field in JSON. It is "" for an Inline field.
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

// Inline reports whether the field is embedded in JSON, too, so that its fields are fields of the enclosing struct.
func (f *Field) Inline() bool {
	tag, _ := f.json()
	name, _, _ := strings.Cut(tag, ",")
	return name == "" && f.Embedded && f.Type.Deref().Kind == Struct
}

// Untagged reports whether the field has no JSON tag.
func (f *Field) Untagged() bool {
	_, tagged := f.json()
	return !tagged
}

// OmitEmpty reports whether the JSON tag has the option "omitempty"; "omitzero" does not count.
func (f *Field) OmitEmpty() bool { return f.option("omitempty") }

// Quoted reports whether the option "string" of the JSON tag takes effect: the field is a Boolean, number or string, or a pointer to one, that does not
// marshal itself.
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

// JSONFields returns the fields that are part of the JSON form, in order. It leaves out fields of input packages with
// an Unwritable type.
func (s *StructType) JSONFields() []*Field {
	seen := seenByJSON(s.Fields)
	if s.Package != nil {
		seen = slices.DeleteFunc(seen, func(f *Field) bool { return f.Type.Unwritable() != nil })
	}
	return seen
}

// JSONFields returns the fields of a struct that are part of its JSON form, in order. For a named struct it is
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

// Unwritable returns the part of a type for which generated code has no syntax, or nil if it can write the whole type.
// Unexported types are written as their underlying types.
func (t *Type) Unwritable() *Type { return t.unwritable(nil, 0) }

// unwritable is like Unwritable, but skips unexported types in seen. depth is the number of unexported types around the
// type.
func (t *Type) unwritable(seen *[]*Type, depth int) *Type {
	fields := t.Fields // of a struct without a name
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

// MaxParts is the largest number of types that may replace a type without a name, or one whose name generated code
// cannot use. Nobody writes as many by hand, and the limit keeps generated code proportional to its input.
const MaxParts = 1000

// MaxEmbedded is the largest depth to which structs may be embedded in each other. Each of them has the fields of all
// that it embeds.
const MaxEmbedded = 32

// maxLevels is the largest depth to which unexported types may be nested.
const maxLevels = 16

// Unfolds reports whether an unexported type can be written as its underlying type, in which further unexported types
// are replaced in the same way. That is so if it does not contain itself and is not too large.
func (t *Type) Unfolds() bool {
	sizes := map[*Type]int{} // sizes of the parts; 0 for those being visited
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

// IsStandard reports whether a package belongs to the standard library, which kubegen does not read.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
