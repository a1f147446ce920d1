package model

import (
	"cmp"
	"go/token"
)

// Index finds the objects of a kind by a value in them.
type Index struct {
	Pos  token.Position // of the marker
	Name string         // of the lister's method: "ByImage"; unique in the kind

	// Path is the place of the value, as in JSONPath but without the dot that comes first: "spec.image",
	// "spec.containers[*].image". It is "" if there is a Func.
	Path  string
	Steps []Step // the same in Go, from the object on
	Parts []Part // what is there; more than one make up one value

	Func string // the function of the kind's package that returns the values, instead of Steps; "" for none
}

// ID returns the name that the index has in a cache: its path, as field selectors name fields, or else its name. Informers have
// an index named "namespace" already.
func (i *Index) ID() string {
	if i.Path == "namespace" {
		return i.Name
	}
	return cmp.Or(i.Path, i.Name)
}

// Part is the value of an index, or a part of it.
type Part struct {
	Name  string // of the field
	Steps []Step // that lead to it from the end of the index's steps
	Type  *Type  // Basic, or Named with one as its Elem; see CanIndex
}

// IndexName returns the name of an index by a field or key: "ByImage".
func IndexName(of string) string { return "By" + exported(of) }

// FieldName returns what the constant for a selectable field is called after its kind: "FieldSpecImage" for .spec.image.
func FieldName(path string) string { return "Field" + exported(path) }

// Step is a part of the way from an object to the values in it.
type Step struct {
	Kind StepKind
	Name string // the field or the key

	// Where and Equals are what a FilterStep asks for: the value that Where leads to must be Equals, a Go literal.
	Where  []Step
	Equals string
}

// StepKind is a kind of Step.
type StepKind int

// The kinds of steps. Where a step leads nowhere, an object has no value.
const (
	FieldStep    StepKind = iota // to the field Name of a struct
	PointerStep                  // to what a pointer points to, unless it is nil
	ElementsStep                 // to each element of a slice or array
	ValuesStep                   // to each value of a map
	KeyStep                      // to the value that a map has for the key Name
	FilterStep                   // to the same place, if it is as Where and Equals say
)

// CanIndex reports whether values of a type can be keys of an index: strings, bools, integers, and named types of those.
func (t *Type) CanIndex() bool {
	switch t.Basic() {
	case "string", "bool", "int", "int8", "int16", "int32", "int64", "rune", "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		return true
	}
	return false
}

// Basic returns the name of the basic type that a type is, or is declared as, such as "int32"; "" for other types.
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
