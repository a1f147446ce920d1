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

	// Type is the field's type. For a field that JSON ignores, only the field's own package is read: types of other
	// packages are Unknown, and structs have no fields.
	Type    *Type
	Doc     []string // comment lines without markers
	Markers []Marker
}

// Marker is a marker above a field or type that describes its schema, such as listType=map. Name has no leading "+". In
// the Value of a default, ref(Constant) is replaced with the constant's value in JSON.
type Marker struct {
	Name, Value string
	Pos         token.Position
}

// json returns the JSON tag of the field. It is asked for so often that the usual place of it, before other tags, matters.
func (f *Field) json() (tag string, ok bool) {
	if rest, first := strings.CutPrefix(string(f.Tag), `json:"`); first {
		if tag, _, ok := strings.Cut(rest, `"`); ok && strings.IndexByte(tag, '\\') < 0 {
			return tag, true
		}
	}
	return f.Tag.Lookup("json")
}

// InJSON reports whether the field is in JSON: it has a JSON tag other than "-", or embeds a struct without a tag.
func (f *Field) InJSON() bool {
	tag, tagged := f.json()
	switch {
	case !tagged:
		return f.Embedded && f.Type.Deref().Kind == Struct
	case !f.Embedded && !token.IsExported(f.Name):
		return false // whatever the tag
	}
	return tag != "-"
}

// JSON returns the name of the field in JSON, "" if it is Inline.
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

// Inline reports whether the field is embedded and its fields are fields of the enclosing struct in JSON, too.
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

// Quoted reports whether the JSON tag has the option "string".
func (f *Field) Quoted() bool { return f.option("string") }

func (f *Field) option(name string) bool {
	tag, _ := f.json()
	_, options, _ := strings.Cut(tag, ",")
	return slices.Contains(strings.Split(options, ","), name)
}

// JSONFields returns the fields of a named struct that are in JSON, in order. Fields of input packages with an
// Unwritable type are omitted.
func (s *StructType) JSONFields() []*Field {
	seen := seenByJSON(s.Fields)
	if s.Package != nil {
		seen = slices.DeleteFunc(seen, func(f *Field) bool { return f.Type.Unwritable() != nil })
	}
	return seen
}

// JSONFields returns the fields of a struct that are in JSON, in order, like StructType.JSONFields for a named one, and
// nil for other types.
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

// Unwritable returns the part of a type that cannot be written in generated code, or nil. Types that are not exported are
// written as what they are declared as.
func (t *Type) Unwritable() *Type { return t.unwritable(nil, 0) }

// unwritable is Unwritable, but returns nil for the unexported types that were seen. depth is how many of these the type is
// within.
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

// MaxParts is how many types may take the place of one that has no name, or none that can be written. It is more than anybody
// writes by hand, and keeps generated code proportional to its input.
const MaxParts = 1000

// MaxEmbedded is how many structs may be embedded in each other. Every one of them has the fields of all that it embeds.
const MaxEmbedded = 32

// maxLevels is how many of them may be within each other.
const maxLevels = 16

// Unfolds reports whether a type that is not exported can be written as what it is declared as, where other types that are not
// exported are replaced in the same way: it does not occur in that itself, and it is not too large.
func (t *Type) Unfolds() bool {
	sizes := map[*Type]int{} // of the parts; 0 for those that are being visited
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

// parts returns the types that are named where a type is written.
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

// IsStandard reports whether a package belongs to the standard library, which is never read.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
