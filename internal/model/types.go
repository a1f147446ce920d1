package model

import (
	"go/token"
	"slices"
)

// MetaV1 is the import path of the package with ObjectMeta.
const MetaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// PublishedMetaV1 are the structs of that package for which every client-go has apply configurations.
var PublishedMetaV1 = []string{
	"Condition", "DeleteOptions", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta",
	"OwnerReference", "TypeMeta",
}

// TypeKind is a kind of Go type.
type TypeKind int

// The kinds of types. There is none for aliases, which are resolved.
const (
	Unknown   TypeKind = iota // could not be read from syntax
	Basic                     // string, bool, int32, ...; Name says which
	Struct                    // a named struct (Struct is set), or an anonymous one (Fields is set)
	Named                     // a named type other than a struct; Elem is its underlying type
	Slice                     // []Elem
	Array                     // [Len]Elem
	Map                       // map[Key]Elem
	Pointer                   // *Elem
	Interface                 // any interface, named or not
	Func                      // a function or channel, which JSON cannot represent
	Param                     // a type parameter; Elem is set if only types that assignment copies satisfy its constraint
)

// Type is the type of a field, as far as generators need to know it.
type Type struct {
	Kind TypeKind
	Name TypeRef // of named types; basic types have only the Name
	Args []*Type // type arguments of an instance of a generic type

	Elem *Type
	Key  *Type
	Len  string // as written

	Struct *StructType // of a named struct; nil for structs of packages that are not read
	Fields []*Field    // all of an anonymous struct

	Markers []Marker // above the declaration of a named type other than a struct
	Methods Methods  // of a named type other than a struct

	// Why is why the type is Unknown, in a few words; it may be empty.
	Why string

	// Declared has the methods of a declared type or type parameter that copy it. It is nil where nothing is copied.
	Declared *Declared
}

// Deref returns the type with all leading pointers removed.
func (t *Type) Deref() *Type {
	for t.Kind == Pointer {
		t = t.Elem
	}
	return t
}

// StructType is a kind, or a named struct that a kind contains directly or indirectly. Each instance of a generic
// struct is a StructType.
type StructType struct {
	TypeRef
	Args     []*Type   // type arguments of an instance of a generic struct
	Package  *Package  // nil if the package is not part of the input
	Version  *Version  // nil if it gets no apply configuration
	Resource *Resource // nil if it is not a kind

	// Published is the import path of the package with an existing apply configuration for the struct; "" if none is
	// known.
	Published string

	Pos       token.Position
	Doc       []string // comment lines, markers left out
	Markers   []Marker
	Methods   Methods
	Fields    []*Field // all of them, in order
	DefinedAs *Type    // the struct that it is declared as, which has the same fields; nil if it lists them itself
}

// Methods describes the methods of a type that determine its form in JSON.
type Methods struct {
	JSON bool // it has MarshalJSON or UnmarshalJSON
	Text bool // it has MarshalText or UnmarshalText

	// Results of OpenAPISchemaType and OpenAPISchemaFormat, such as "string" and "date-time"; "" if it lacks the method
	// or returns nil.
	OpenAPIType, OpenAPIFormat string
}

// BuilderName returns the name of the struct's apply configuration without the suffix: the exported name of the struct,
// followed by the names of its type arguments.
func (s *StructType) BuilderName() string {
	name := exported(s.Name)
	for _, arg := range s.Args {
		name += arg.goName()
	}
	return name
}

// goName returns a part of a Go name for a type; different types of a package have different parts.
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

// IsRoot reports whether the kind has an apply configuration, together with all structs in it: its client must have an
// apply verb or an apply method of +genclient:method.
func (r *Resource) IsRoot() bool {
	applies := func(m Method) bool { return m.Verb == VerbApply && m.Input == r.Type() }
	return !r.Package.Off(ApplySwitch) &&
		(r.Verbs.Has(VerbApply) || r.Verbs.Has(VerbApplyStatus) || slices.ContainsFunc(r.Methods, applies))
}
