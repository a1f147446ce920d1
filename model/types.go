package model

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
	Fields []*Field    // of anonymous structs

	Markers []Marker // above the declaration of a named type that is no struct
}

// StructType is a named struct that fields of the API's kinds lead to, or a kind itself.
type StructType struct {
	TypeRef
	Package  *Package  // nil where the package is not among the input
	Resource *Resource // nil where it is no kind
	Doc      []string  // comment lines, markers left out
	Markers  []Marker
	Fields   []*Field // those that JSON sees, in order
}

// Field is a field of a struct that JSON sees.
type Field struct {
	Name     string // in Go
	JSON     string // in JSON; "" where Inline
	Inline   bool   // embedded, and its fields are those of the struct around it in JSON as well
	Embedded bool
	Type     *Type
	Doc      []string // comment lines, markers left out
	Markers  []Marker

	PatchStrategy, PatchMergeKey string // struct tags of the same names
}

// Marker is a marker above a field or type that says something about its schema, such as listType=map; the name is
// without the leading "+".
type Marker struct{ Name, Value string }
