package crdschema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Validation is the prefix of most markers for schemas.
const Validation = "kubebuilder:validation:"

// Keyword is a keyword of schemas: a row of Keywords. Package markers defines the markers of rows.
type Keyword struct {
	Name    string   // in manifests
	field            // the field of Schema that holds it
	among   []string // the values of a text; nil for any
	byValue bool     // controller-gen compares numbers instead of pointers when it merges schemas

	Marker     string   // the marker that sets it, without kubebuilder:validation:, or ""
	Form, Help string   // of the marker, as in markers.Definition
	Merging    bool     // the marker also determines how server-side apply merges
	Also       []string // other markers that set it, which package markers defines
	bare       bool     // the marker has no value
	For        Values   // the values to which it applies

	Describes bool        // it documents values; the one of a field replaces the one of its type
	merge     combination // of two schemas, see Merge

	differs  string  // what differs between parts of a schema, for a message, if the keyword is in allOf or anyOf; "" if it is allowed there
	noStatus bool    // kinds with a status subresource cannot have it
	check    check   // reports mistakes
	fits     fitting // returns the reason why a server rejects a value, or nil

	narrows narrowing // see Narrowed
	changed change    // see Changed
}

// Functions of a keyword that is present. Those for two schemas return a message or "", see Narrowed and Changed.
type (
	check     func(c *checker, k *Keyword, s *Schema, n node)
	fitting   func(k *Keyword, s *Schema, value any) *problem
	narrowing func(k *Keyword, before *Schema, was []*Schema, is *Schema) string
	change    func(k *Keyword, before, after *Schema) string
)

// Values are the values that a keyword applies to. Values that are integers or strings count as strings.
type Values string

// Values of keywords.
const (
	Numbers Values = "numbers"
	Strings Values = "strings"
	Lists   Values = "lists"
	Objects Values = "objects"
)

// valuesOf holds the values of each type.
var valuesOf = map[string]Values{"integer": Numbers, "number": Numbers, "string": Strings, "array": Lists, "object": Objects}

// include reports whether a schema allows such values.
func (v Values) include(s *Schema) bool {
	return v == "" || v == valuesOf[s.Type] || v == Strings && s.IntOrString
}

// combination is a way to combine two schemas with the same keyword.
type combination int

const (
	both      combination = iota // different values remain, in parts of allOf
	first                        // the first value remains
	last                         // the last value remains
	elsewhere                    // package goschema combines the values
)

// byName and byMarker hold the keywords by name, and by the full names of their markers.
var (
	byName   = index(func(k *Keyword) []string { return []string{k.Name} })
	byMarker = index((*Keyword).markers)
)

func index(names func(*Keyword) []string) map[string]*Keyword {
	found := map[string]*Keyword{}
	for _, k := range Keywords {
		for _, name := range names(k) {
			found[name] = k
		}
	}
	return found
}

// ByMarker returns the keyword that a marker sets, or nil. The name of the marker is in full.
func ByMarker(name string) *Keyword { return byMarker[name] }

// markers returns the full names of the markers that set the keyword.
func (k *Keyword) markers() []string {
	if k.Marker == "" {
		return k.Also
	}
	return append([]string{Validation + k.Marker}, k.Also...)
}

// Names returns the names of the markers that set the keyword, for Origin.Marker.
func (k *Keyword) Names() (names []string) {
	for _, name := range k.markers() {
		names = append(names, withoutPrefix(name))
	}
	return names
}

// Takes returns a pointer to a value of the type that the marker takes, or nil if the marker has no value.
func (k *Keyword) Takes() any {
	if k.bare {
		return nil
	}
	return k.in(&Schema{})
}

// Apply sets the keyword to the value of a marker, unless it does not apply to the values of form. It returns the
// reason if it cannot, or else "".
func (k *Keyword) Apply(s, form *Schema, value any) string {
	set := &Schema{}
	k.set(set, value)
	why := k.Unfit(set, form)
	if why == "" {
		k.copy(s, set)
	}
	return why
}

// Unfit returns the reason why a keyword of a schema has no effect on the values of form, or "".
func (k *Keyword) Unfit(s, form *Schema) string {
	if !k.For.include(form) {
		return "it is for " + string(k.For) + ", and this is " + KindOf(form)
	}
	limit, ok := k.in(s).(**float64)
	if ok && *limit != nil && form.Type == "integer" && (**limit != math.Trunc(**limit) || math.IsInf(**limit, 0)) {
		return fmt.Sprintf("%v is not an integer, but the type is", **limit)
	}
	return ""
}

// Line returns the marker that sets the keyword as in s to a value of a type, without kubebuilder:validation:. ok is
// false if no marker does.
func (k *Keyword) Line(s *Schema, typ string) (line string, ok bool) {
	if k.Marker == "" || !k.has(s) || !k.For.include(&Schema{Type: typ}) {
		return "", false
	}
	value, ok := k.valueText(s)
	if typ == "integer" && k.For == Numbers && strings.Contains(value, ".") {
		return "", false
	}
	return k.Marker + value, ok
}

// Has reports whether a schema has the keyword.
func (k *Keyword) Has(s *Schema) bool { return k.has(s) }

// Restricts reports whether the keyword may make values invalid.
func (k *Keyword) Restricts() bool { return k.narrows != nil }

// Clear removes the keyword.
func (k *Keyword) Clear(s *Schema) {
	if k.copy(s, noKeywords); k.Name == "additionalProperties" {
		s.AdditionalProperties, s.AnyProperties, s.NoProperties = nil, false, false
	}
}

var noKeywords = &Schema{}

// Inherit copies the keyword from the first schema that has it.
func (k *Keyword) Inherit(s *Schema, from ...*Schema) {
	if i := slices.IndexFunc(from, k.has); i >= 0 {
		k.copy(s, from[i])
	}
}

// Merge adds the keywords of another schema to s, except for those that package goschema combines. Two parts of allOf
// take different values of a keyword that must remain apart.
func (s *Schema) Merge(other *Schema) {
	var apart []*Keyword
	for _, k := range Keywords {
		switch {
		case k.merge == elsewhere || k.Describes || !k.has(other):
		case k.merge == last || !k.has(s):
			k.copy(s, other)
		case k.merge == first || k.same(s, other) || k.byValue && reflect.DeepEqual(k.in(s), k.in(other)):
		default:
			apart = append(apart, k)
		}
	}
	if len(apart) == 0 {
		return
	}
	left, right := &Schema{}, &Schema{}
	for _, k := range apart {
		k.copy(left, s)
		k.copy(right, other)
		k.Clear(s)
	}
	s.AllOf = append(slices.Clip(s.AllOf), left, right)
}

// Undescribed returns the schema without documentation.
func (s *Schema) Undescribed() *Schema {
	bare := *s
	for _, k := range Keywords {
		if k.Describes {
			k.Clear(&bare)
		}
	}
	return &bare
}
