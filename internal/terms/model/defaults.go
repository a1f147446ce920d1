package model

import "slices"

// Markers of defaulter-gen.
const (
	DefaulterMarker      = "k8s:defaulter-gen"       // for packages, types, and hand-written functions
	DefaulterInputMarker = "k8s:defaulter-gen-input" // names the package of the types
)

// First parts of the names of functions that set defaults, which end with the name of a type. The functions of
// SetDefaults are written by hand.
const (
	SetDefaults       = "SetDefaults_"
	SetObjectDefaults = "SetObjectDefaults_"
)

// Defaults describes the generated functions of a package that set the defaults of objects.
type Defaults struct {
	Types []*Defaulted // ordered by name
}

// Defaulted is a type with a generated function that sets the defaults in its values. It may be a type of another
// package.
type Defaulted struct {
	TypeRef
	Object bool // schemes call the function
	Value  *Defaulting
}

// Access is the way from a value to one of its parts.
type Access int

// Ways to a part of a value.
const (
	SameValue  Access = iota // the value itself, as a value of its underlying type
	OfField                  // a field of a struct
	OfPointer                // the target of a pointer
	OfElements               // each element of a slice or array
	OfKeys                   // the value for each key of a map
)

// Defaulting describes how the defaults in a value are set: first the value itself if it is unset, then what functions
// set, then its parts.
type Defaulting struct {
	Access Access
	Field  string // for OfField
	Type   *Type
	Unset  *Default  // the value if it is unset, or nil
	Calls  []TypeRef // functions that take a pointer to the value
	Parts  []*Defaulting
}

// Default is a default value. One of the first three fields is set.
type Default struct {
	Constant TypeRef // a constant, to be converted to the type
	Basic    any     // a string, bool or Number
	JSON     string
	Of       string // the predeclared type of Constant or Basic, which the type or the target of the pointer is declared as
}

// Number is a literal of a number, in Go.
type Number string

// SetsUnset reports whether an unset value is set: the default is not what it has already.
func (d *Defaulting) SetsUnset() bool {
	isZero := d.Unset != nil && slices.Contains([]any{"", false, Number("0")}, d.Unset.Basic)
	return d.Unset != nil && (!isZero || d.Type.Underlying().Kind == Pointer)
}

// HasEffect reports whether anything is set in a value. Values of maps have no address, so that no functions set them.
func (d *Defaulting) HasEffect() bool {
	if d.SetsUnset() {
		return true
	}
	if d.Access == OfKeys {
		return false
	}
	for _, part := range d.Parts {
		if part.HasEffect() {
			return true
		}
	}
	return len(d.Calls) > 0
}
