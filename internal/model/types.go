package model

import (
	"go/token"
	"slices"
)

// MetaV1 is the import path of the package of ObjectMeta and its like.
const MetaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// PublishedMetaV1 are the structs of that package for which every client-go has apply configurations.
var PublishedMetaV1 = []string{
	"Condition", "DeleteOptions", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta",
	"OwnerReference", "TypeMeta",
}

// TypeKind is what a Go type is made of.
type TypeKind int

// The kinds of types. Aliases do not occur: they are what they stand for.
const (
	Unknown   TypeKind = iota // could not be read from syntax
	Basic                     // string, bool, int32, ...; Name says which
	Struct                    // a named struct (Struct is set), or an anonymous one (Fields is set)
	Named                     // a named type that is no struct; Elem is what it is declared as
	Slice                     // []Elem
	Array                     // [Len]Elem
	Map                       // map[Key]Elem
	Pointer                   // *Elem
	Interface                 // any interface, named or not
	Func                      // functions and channels, which JSON cannot hold
)

// Type is the type of a field, as far as generators need to know it.
type Type struct {
	Kind TypeKind
	Name TypeRef // of named types; of basic types the Name alone
	Args []*Type // type arguments of an instance of a generic type

	Elem *Type
	Key  *Type
	Len  string // as written

	Struct *StructType // what a named struct is made of; nil for structs of packages that are not looked into
	Fields []*Field    // all of an anonymous struct

	Markers []Marker // above the declaration of a named type that is no struct
	Methods Methods  // of a named type that is no struct
}

// Behind returns what a pointer points to, however many there are one behind the other, or else the type itself.
func (t *Type) Behind() *Type {
	for t.Kind == Pointer {
		t = t.Elem
	}
	return t
}

// StructType is a named struct that fields of the API's kinds lead to, or a kind itself. An instance of a generic struct
// is one of its own.
type StructType struct {
	TypeRef
	Args     []*Type   // type arguments of an instance of a generic struct
	Package  *Package  // nil where the package is not among the input
	Version  *Version  // nil where it gets no apply configuration
	Resource *Resource // nil where it is no kind

	// Published is the import path of a package that has an apply configuration for the struct already; "" where there
	// is none, or none is known.
	Published string

	Pos     token.Position
	Doc     []string // comment lines, markers left out
	Markers []Marker
	Methods Methods
	Fields  []*Field // all of them, in order
}

// Methods is what the methods of a type say about its form in JSON, where that is not what encoding/json makes of it.
type Methods struct {
	JSON bool // it has MarshalJSON or UnmarshalJSON
	Text bool // it has MarshalText or UnmarshalText

	// What its OpenAPISchemaType and OpenAPISchemaFormat return: "string" and "date-time"; "" where it has none, or nil.
	OpenAPIType, OpenAPIFormat string
}

// BuilderName returns the name of the struct's apply configuration, less its suffix: the struct's own, exported, with the
// names of the type arguments that it has.
func (s *StructType) BuilderName() string {
	name := exported(s.Name)
	for _, arg := range s.Args {
		name += arg.goName()
	}
	return name
}

// goName makes a part of a Go name of a type, for different types of a package different ones.
func (t *Type) goName() string {
	switch {
	case t.Kind == Slice:
		return t.Elem.goName() + "List"
	case t.Kind == Array:
		return t.Elem.goName() + "Array" + t.Len
	case t.Kind == Map && t.Key.Name == TypeRef{Name: "string"}:
		return t.Elem.goName() + "Map"
	case t.Kind == Map:
		return t.Elem.goName() + "By" + t.Key.goName()
	case t.Kind == Pointer:
		return t.Elem.goName() + "Pointer"
	case t.Kind == Interface && t.Name.Name == "":
		return "Any"
	case t.Kind == Struct && t.Name.Name == "":
		name := "Struct"
		for _, f := range t.JSONFields() {
			name += f.Name + f.Type.goName()
		}
		return name
	}
	name := exported(t.Name.Name)
	for _, arg := range t.Args {
		name += arg.goName()
	}
	return name
}

// IsRoot reports whether the kind's client applies it, be it by a method of +genclient:method, so that it has an apply
// configuration, and all structs in it have.
func (r *Resource) IsRoot() bool {
	applies := func(m Method) bool { return m.Verb == VerbApply && m.Input == r.Type() }
	return !r.Package.Off(ApplySwitch) &&
		(r.Verbs.Has(VerbApply) || r.Verbs.Has(VerbApplyStatus) || slices.ContainsFunc(r.Methods, applies))
}
