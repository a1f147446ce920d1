package apitest

import (
	"fmt"
	"slices"
	"strings"
)

// shapes is a package of types that get DeepCopy methods, and of others that they consist of.
type shapes struct {
	source
	types  []shape
	copied []string // the types with exported methods
}

// shape is a declared type.
type shape struct {
	name string
	how  string // struct, slice, map, array, pointer, basic, alias, or renamed: declared as another type that has methods
}

// methods reports whether the type can refer to itself, since methods copy it.
func (s shape) methods() bool {
	return slices.Contains([]string{"struct", "slice", "map", "renamed"}, s.how)
}

// fixedShapes are declarations that all packages begin with.
const fixedShapes = `// +k8s:deepcopy-gen=package
package p

import (
	"slices"
	"time"

	"example.com/copies/other"
)

// Names that the methods would use.
const in, out, i, v, val, key, maps = 1, 2, 3, 4, 5, 6, 7

type Shape interface {
	DeepCopyShape() Shape
	DeepCopyOutline() Outline
}

type Outline Shape

// +k8s:deepcopy-gen:interfaces=example.com/copies/SEED.Shape,example.com/copies/SEED.Outline
type Square struct {
	Side *int
	Tags []string
}

type Key struct {
	A int
	B string
}

type ByHand struct{ values []int }

func (b *ByHand) DeepCopyInto(to *ByHand) { to.values = slices.Clone(b.values) }

type ByValue struct{ at *time.Time }

func (b ByValue) DeepCopy() ByValue {
	if b.at != nil {
		at := *b.at
		b.at = &at
	}
	return b
}

// +k8s:deepcopy-gen=false
type Box[T any] struct {
	Value  T
	values []T
	ByName map[string]T
}

type Pair[T interface{ DeepCopy() T }] struct {
	First T
	More  map[Key][]T
}

type Fixed[T ~string | ~int] struct {
	Value  T
	Values []*T
}

type unused other.Plain
`

// Shapes returns the text of the package of a seed, and the names of its types that get exported methods.
func Shapes(seed uint64) (text string, copied []string) {
	s := &shapes{source: newSource(seed, 1), copied: []string{"Square", "ByHand", "ByValue"}}
	s.text.WriteString(strings.ReplaceAll(fixedShapes, "SEED", fmt.Sprint("p", seed)))
	for n := range 40 {
		shape := shape{fmt.Sprint("T", n), s.oneOf("struct", "struct", "struct", "struct", "slice", "map", "array", "pointer", "basic",
			"alias", "renamed")}
		if s.IntN(4) == 0 {
			shape.name = fmt.Sprint("t", n)
		} else if shape.methods() {
			s.copied = append(s.copied, shape.name)
		}
		s.types = append(s.types, shape)
	}
	for n, shape := range s.types {
		far := n // a type without methods must not refer to itself
		if shape.methods() {
			far = len(s.types)
		}
		typ := ""
		switch shape.how {
		case "struct":
			typ = s.structure(n, far, 0)
		case "slice":
			typ = "[]" + s.typ(far, far, 1)
		case "map":
			typ = "map[" + s.key() + "]" + s.typ(far, far, 1)
		case "array":
			typ = "[2]" + s.typ(n, far, 1)
		case "pointer":
			typ = "*" + s.typ(far, far, 1)
		case "basic":
			typ = s.oneOf("string", "int", "bool")
		case "alias":
			typ = "= " + s.typ(n, far, 1)
		case "renamed":
			typ = s.oneOf("time.Time", "other.Plain", "other.Open", "Square", "ByHand", "Box[[]string]")
			if other := s.types[s.IntN(n+1)]; other.methods() && other.name != shape.name {
				typ = other.name
			}
		}
		s.printf("\ntype %s %s\n", shape.name, typ)
	}
	return s.text.String(), s.copied
}

func (s *shapes) key() string { return s.oneOf("string", "int", "Key", "[2]string") }

// structure returns a struct that can hold the types before near by value, and refer to those before far.
func (s *shapes) structure(near, far, depth int) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	for n := range 1 + s.IntN(5) {
		fmt.Fprintf(&b, "%s %s\n", s.oneOf(fmt.Sprint("F", n), fmt.Sprint("f", n)), s.typ(near, far, depth+1))
	}
	if far > 0 && s.IntN(3) == 0 {
		if embedded := s.IntN(far); s.types[embedded].methods() {
			star := "*"
			if embedded < near {
				star = s.oneOf("*", "")
			}
			b.WriteString(star + s.types[embedded].name + "\n")
		}
	}
	return b.String() + "}"
}

// typ returns a type that can hold the types before near by value, and refer to those before far.
func (s *shapes) typ(near, far, depth int) string {
	if depth < 5 {
		switch s.IntN(12) {
		case 0:
			return "*" + s.typ(far, far, depth+1)
		case 1:
			return "**" + s.typ(far, far, depth+1)
		case 2:
			return "[]" + s.typ(far, far, depth+1)
		case 3:
			return "map[" + s.key() + "]" + s.typ(far, far, depth+1)
		case 4:
			return "[3]" + s.typ(near, far, depth+1)
		case 5:
			return s.structure(near, far, depth+1)
		case 6:
			return "Box[" + s.typ(near, far, depth+1) + "]"
		case 7, 8, 9:
			if near > 0 {
				return s.types[s.IntN(near)].name
			}
		}
	}
	return s.oneOf("string", "int", "bool", "float64", "[]byte", "time.Time", "time.Duration", "Shape", "Outline", "Square", "ByHand",
		"ByValue",
		"other.Plain", "other.Open", "other.Copied", "Pair[*Square]", "Fixed[int]", "*Key")
}
