package model

import (
	"go/token"
	"slices"
)

// MetaV1 is the import path of the package with ObjectMeta.
const MetaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// PublishedMetaV1 lists the structs of that package for which every release of client-go has apply configurations.
var PublishedMetaV1 = []string{
	"Condition", "DeleteOptions", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta",
	"OwnerReference", "TypeMeta",
}

// TypeKind is a kind of Go type.
type TypeKind int

// Kinds of types. Aliases have no kind, because they are resolved.
const (
	Unknown   TypeKind = iota // cannot be determined from syntax
	Basic                     // string, bool, int32, ...; Name has the name
	Struct                    // a named struct, with Struct set, or an anonymous one, with Fields set
	Named                     // a named type other than a struct; Elem is its underlying type
	Slice                     // []Elem
	Array                     // [Len]Elem
	Map                       // map[Key]Elem
	Pointer                   // *Elem
	Interface                 // an interface, with or without a name
	Func                      // a function or channel, for which JSON has no form
	Param                     // a type parameter; Elem is set if all types that satisfy its constraint can be copied by assignment
)

// Type is the type of a field, in the detail that generators need.
type Type struct {
	Kind TypeKind
	Name TypeRef // of a named type; for a basic type only the Name
	Args []*Type // type arguments of an instance of a generic type

	Elem *Type
	Key  *Type
	Len  string // as in the source

	Struct *StructType // for a named struct; nil if its package is not read
	Fields []*Field    // all fields of an anonymous struct

	Markers []Marker // above the declaration of a named type other than a struct
	Methods Methods  // of a named type other than a struct

	// Standard has the parts of an Unknown type of the standard library. It is nil if that was not read.
	Standard *Type

	// Why says briefly why the type is Unknown. It may be empty.
	Why string

	// Declared has the copy methods of a declared type or type parameter. It is nil if the type need not be copied.
	Declared *Declared
}

// Deref returns the type with all leading pointers removed.
func (t *Type) Deref() *Type {
	for t.Kind == Pointer {
		t = t.Elem
	}
	return t
}

// Missing names the mistake that a type is not found, for all generators that report it.
func (t TypeRef) Missing() string { return "missing type " + t.Path + "." + t.Name }

// Untagged names the mistake that a field has no JSON tag, for all generators that report it.
func Untagged(at token.Position) string { return "untagged field " + at.String() }

// Target returns the type with all leading pointers removed, declared ones such as "type P *T" included.
func (t *Type) Target() *Type {
	for range maxLevels { // a pointer type may point to itself
		u := t.Underlying()
		if u.Kind != Pointer {
			return t
		}
		t = u.Elem
	}
	return t
}

// IsPointer reports whether the underlying type is a pointer.
func (t *Type) IsPointer() bool { return t.Underlying().Kind == Pointer }

// StructType is a kind, or a named struct that a kind contains directly or indirectly. Each instance of a generic
// struct is a StructType.
type StructType struct {
	TypeRef
	Args     []*Type   // type arguments of an instance of a generic struct
	Package  *Package  // nil if the package is not part of the input
	Version  *Version  // nil if no apply configuration is generated for it
	Resource *Resource // nil if it is not a kind

	// External says that other structs refer to the external apply configuration of the struct, although the run generates another one for it:
	// applyconfiguration-gen does so for structs that no kind uses, or that have no fields to apply.
	External bool

	// Published is the import path of the package that already has an apply configuration for the struct, or "".
	Published string

	Pos       token.Position
	Doc       []string // comment lines, markers left out
	Markers   []Marker
	Methods   Methods
	ModelName string   // the result of OpenAPIModelName, by which schemes of apimachinery v0.35 and later refer to the type, or ""
	Fields    []*Field // all of them, in order
	DefinedAs *Type    // the struct that it is declared as, which has the same fields; nil if it lists them itself
}

// Methods describes methods of a type that determine its JSON form.
type Methods struct {
	JSON        bool // has MarshalJSON or UnmarshalJSON
	JSONPointer bool // MarshalJSON has a pointer receiver
	Text        bool // has MarshalText or UnmarshalText

	// Results of OpenAPISchemaType and OpenAPISchemaFormat, such as "string" and "date-time". They are "" if there is
	// no such method, or it returns nil.
	OpenAPIType, OpenAPIFormat string
}

// BuilderName returns the name of the struct's apply configuration without the suffix: the name of the struct as an
// exported identifier, followed by the names of its type arguments.
func (s *StructType) BuilderName() string {
	name := exported(s.Name)
	for _, arg := range s.Args {
		name += arg.goName()
	}
	return name
}

// goName returns a part of a Go name that stands for a type. Different types of a package have different parts.
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

// IsRoot reports whether the kind, and every struct in it, gets an apply configuration. This requires that the client
// has an apply verb, or an apply method from +genclient:method.
func (r *Resource) IsRoot() bool {
	applies := func(m Method) bool { return m.Verb == VerbApply && m.Input == r.Type() }
	return !r.Package.Off(ApplySwitch) &&
		(r.Verbs.Has(VerbApply) || r.Verbs.Has(VerbApplyStatus) || slices.ContainsFunc(r.Methods, applies))
}
