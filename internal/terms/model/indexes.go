package model

import (
	"cmp"
	"go/token"
)

// Index describes an index of the objects of a kind by a value that they contain.
type Index struct {
	Pos  token.Position // position of the marker
	Name string         // name of the lister's method, such as "ByImage"; unique in the kind

	// Path is the path to the value, in JSONPath without the leading dot: "spec.image", "spec.containers[*].image". It
	// is "" if Func is set.
	Path  string
	Steps []Step // the path in Go, starting at the object
	Parts []Part // the value at the path; several parts form a composite value

	Func string // function in the kind's package that returns the values; "" if Path is set
}

// ID returns the name of the index in a cache: its path, as field selectors write it, or its name. A path "namespace"
// is not used, because informers already have an index with that name.
func (i *Index) ID() string {
	if i.Path == "namespace" {
		return i.Name
	}
	return cmp.Or(i.Path, i.Name)
}

// Part is the value of an index, or one part of a composite value.
type Part struct {
	Name  string // name of the field
	Steps []Step // steps from the last step of the index to the part
	Type  *Type  // Basic, or Named with a Basic Elem; see CanIndex
}

// IndexName returns the name of the index for a field or key, such as "ByImage".
func IndexName(of string) string { return "By" + exported(of) }

// FieldName returns the part of a selectable field's constant that follows the name of the kind: "FieldSpecImage" for
// .spec.image.
func FieldName(path string) string { return "Field" + exported(path) }

// Step is a step on the path from an object to the values of an index.
type Step struct {
	Kind StepKind
	Name string // name of the field, or the key

	// For a FilterStep, the value at Where must equal Equals, a Go literal.
	Where  []Step
	Equals string
}

// StepKind is a kind of Step.
type StepKind int

// Kinds of steps. An object has no value in the index if one of the steps leads nowhere.
const (
	FieldStep    StepKind = iota // to the field Name of a struct
	PointerStep                  // to the target of a pointer, unless it is nil
	ElementsStep                 // to each element of a slice or array
	ValuesStep                   // to each value of a map
	KeyStep                      // to the value of the map key Name
	FilterStep                   // to the same value, if it meets the condition of Where and Equals
)

// CanIndex reports whether values of a type can be keys of an index: strings, Booleans, integers, and declared types
// with one of these underlying types.
func (t *Type) CanIndex() bool {
	switch t.Basic() {
	case "string", "bool", "int", "int8", "int16", "int32", "int64", "rune", "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		return true
	}
	return false
}

// Basic returns the name of a basic type, or of the basic type underlying a declared type, such as "int32". It returns
// "" for other types.
func (t *Type) Basic() string {
	for depth := 0; t != nil && depth < 16; depth++ {
		switch t.Kind {
		case Basic:
			return t.Name.Name
		case Named:
			t = t.Elem
		default:
			return ""
		}
	}
	return ""
}
