package model

import (
	"cmp"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// MetaV1 is the import path of the package that declares ObjectMeta.
const MetaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// PublishedMetaV1 lists the structs of MetaV1 for which every release of client-go has apply configurations.
var PublishedMetaV1 = []string{
	"Condition", "DeleteOptions", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta",
	"OwnerReference", "TypeMeta",
}

// TypeKind is a kind of Go type.
type TypeKind int

// Kinds of types. An alias has the kind of its target.
const (
	Unknown   TypeKind = iota // cannot be determined from syntax
	Basic                     // string, bool, int32, ...; Name has the name
	Struct                    // a named struct, with Struct set, or an anonymous one, with Fields set
	Named                     // a named type other than a struct; Elem is its underlying type
	Slice                     // []Elem
	Array                     // [Len]Elem
	Map                       // map[Key]Elem
	Pointer                   // *Elem
	Interface                 // an interface, named or anonymous
	Func                      // a function or channel, which has no JSON form
	Param                     // a type parameter; Elem is set if all types that satisfy its constraint can be copied by assignment
)

// Type is the type of a field, in the detail that generators need.
type Type struct {
	Kind TypeKind
	Name TypeRef // of a named type; the Path of a basic type is ""
	Args []*Type // type arguments of a generic type

	Elem *Type
	Key  *Type
	Len  string // as written in the source

	Struct *StructType // for a named struct; nil if its package is not read
	Fields []*Field    // all fields of an anonymous struct

	Markers []Marker // above the declaration of a named type other than a struct
	Methods Methods  // of a named type other than a struct

	// Standard describes an Unknown type of the standard library. It is nil if the type was not read.
	Standard *Type

	// Why is a short reason why the type is Unknown, or what an unnamed interface has. It may be empty.
	Why string

	// Mistake is the name of a mistake that a check reports if it makes the type Unknown, for diag.Diagnostic.Once.
	Mistake string

	// Declared describes how a declared type or type parameter is copied. It is nil if the type need not be copied.
	Declared *Declared
}

// Deref returns the type with all leading pointers removed.
func (t *Type) Deref() *Type {
	for t.Kind == Pointer {
		t = t.Elem
	}
	return t
}

// Inner returns the types in the text of a type: its type arguments and, unless it has a name, the types of its parts.
func (t *Type) Inner() []*Type {
	inner := slices.Clone(t.Args)
	if t.Name.Name == "" {
		inner = append(inner, t.Key, t.Elem)
		for _, f := range t.Fields {
			inner = append(inner, f.Type)
		}
	}
	return slices.DeleteFunc(inner, func(part *Type) bool { return part == nil })
}

// HasName reports whether the type can be written in the package with an import path.
func (t *Type) HasName(home string) bool {
	has := func(part *Type) bool { return part.HasName(home) }
	switch {
	case t.Name.Name != "":
		own := t.Name.Path == "" || t.Name.Path == home || t.Kind == Param
		return (own || token.IsExported(t.Name.Name)) && !slices.ContainsFunc(t.Args, func(arg *Type) bool { return !has(arg) })
	case t.Kind == Pointer, t.Kind == Slice:
		return has(t.Elem)
	case t.Kind == Array:
		return t.Len != "" && has(t.Elem)
	case t.Kind == Map:
		return has(t.Key) && has(t.Elem)
	}
	return false
}

// Missing returns the message for a type that does not exist. All generators use the same one.
func (t TypeRef) Missing() string { return "missing type " + t.Path + "." + t.Name }

// NoImport returns the name of the mistake that a file has no import with a name.
func NoImport(file, name string) string { return "missing import " + name + " of " + file }

// NoJSONTag returns the end of a message about a field whose tag has no JSON tag: that it is missing, or that the tag
// is malformed, so that Go finds no keys.
func NoJSONTag(tag reflect.StructTag) string {
	if malformed(string(tag)) {
		return "has a malformed tag, in which Go finds no JSON tag"
	}
	return "has no JSON tag"
}

// malformed reports whether the text of a tag is more than pairs such as json:"name".
func malformed(tag string) bool {
	tag = strings.TrimLeft(tag, " ")
	key, value, ok := strings.Cut(tag, ":")
	if !ok || key == "" || strings.ContainsAny(key, " \t\n\"") || !strings.HasPrefix(value, `"`) {
		return tag != ""
	}
	quoted, err := strconv.QuotedPrefix(value)
	return err != nil || malformed(value[len(quoted):])
}

// Untagged returns the message for a field without a JSON tag. All generators use the same one.
func Untagged(at token.Position) string { return "untagged field " + at.String() }

// Target returns the type with all leading pointers removed, including declared ones such as "type P *T".
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
// struct is a StructType of its own.
type StructType struct {
	TypeRef
	Args     []*Type   // type arguments of a generic struct
	Package  *Package  // nil if the package is not part of the input
	Version  *Version  // nil if no apply configuration is generated for the struct
	Resource *Resource // nil if the struct is not a kind

	// External means that other structs refer to the external apply configuration of the struct although the run
	// generates another one. applyconfiguration-gen does so for structs that no kind uses, or that have no fields to
	// apply.
	External bool

	// Published is the import path of the package with an existing apply configuration for the struct, or "".
	Published string

	Pos       token.Position
	Doc       []string // comment lines, markers left out
	Markers   []Marker
	Methods   Methods
	ModelName string   // the result of OpenAPIModelName, by which schemes of apimachinery v0.35 and later refer to the type, or ""
	Fields    []*Field // all fields, in order
	DefinedAs *Type    // the struct named in the declaration, which has the same fields; nil if the declaration lists the fields
}

// Methods describes methods of a type that determine its JSON form.
type Methods struct {
	JSON        bool // has MarshalJSON or UnmarshalJSON
	JSONPointer bool // MarshalJSON has a pointer receiver
	Text        bool // has MarshalText or UnmarshalText

	// Results of OpenAPISchemaType and OpenAPISchemaFormat, such as "string" and "date-time". They are "" if the method
	// is missing or returns nil.
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

// goName returns a name for the type that can be part of a Go identifier. It is unique among the types of a package.
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

// WrittenIn returns the type as it is written in a package, for messages.
func (t *Type) WrittenIn(home string) string {
	name, args := t.Name.Name, ""
	if t.Name.Path != home && t.Name.Path != "" {
		name = path.Base(t.Name.Path) + "." + name
	}
	for _, arg := range t.Args {
		args += ", " + arg.WrittenIn(home)
	}
	switch {
	case args != "":
		return name + "[" + args[2:] + "]"
	case name != "":
		return name
	}
	switch t.Kind {
	case Pointer:
		return "*" + t.Elem.WrittenIn(home)
	case Slice:
		return "[]" + t.Elem.WrittenIn(home)
	case Array:
		return "[" + cmp.Or(t.Len, "a length that kubegen cannot evaluate") + "]" + t.Elem.WrittenIn(home)
	case Map:
		return "map[" + t.Key.WrittenIn(home) + "]" + t.Elem.WrittenIn(home)
	case Interface:
		return "interface"
	case Func:
		return "func"
	}
	return "struct"
}

// IsRoot reports whether apply configurations are generated for the kind and every struct in it. This requires an apply
// verb, or an apply method from +genclient:method.
func (r *Resource) IsRoot() bool {
	applies := func(m Method) bool { return m.Verb == VerbApply && m.Input == r.Type() }
	return !r.Package.Off(ApplySwitch) && (r.Verbs.Has(VerbApply) || r.Verbs.Has(VerbApplyStatus) || slices.ContainsFunc(r.Methods, applies))
}
