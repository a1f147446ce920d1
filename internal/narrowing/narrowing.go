// Package narrowing compares two schemas of a kind and finds values that the new one no longer accepts, fields that it
// drops, and differences in how server-side apply merges.
package narrowing

import (
	"fmt"
	"go/token"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/openapi"
	"github.com/kubegen/kubegen/internal/yamltext"
)

// Change is an incompatible difference between two schemas of a kind: stored objects or requests that fit the old
// schema do not fit the new one, lose fields, or are merged differently.
type Change struct {
	Path     string // path of the value: .spec.image, [*] for the elements of a list, .* for the values of a map
	What     string // a description in one line
	Old, New *openapi.Schema
	names    []string // names of the markers that may be the cause
}

// Pos returns the position of the marker or field in the Go types that causes the change. It is the zero Position if
// users cannot change the cause.
func (n Change) Pos(fset *token.FileSet) token.Position {
	if n.New == nil {
		return token.Position{}
	}
	if m := n.New.Marker(n.names, nil); m.Name != "" {
		return m.Pos
	}
	if n.New.Pos == token.NoPos {
		return token.Position{}
	}
	return fset.Position(n.New.Pos)
}

// Between returns the incompatible changes from schema before to schema after, in the order of paths in before. Changes
// that only accept more values, and descriptions, are ignored.
func Between(before, after *openapi.Schema) []Change {
	c := &schemaComparison{}
	c.compare(side{Schema: before, around: before}, side{Schema: after, around: after}, "")
	return c.found
}

// side is a schema on one side of a comparison.
type side struct {
	*openapi.Schema
	around  *openapi.Schema // the innermost enclosing schema with a position
	counted bool            // conditions of enclosing schemas depend on the set of fields that are present
}

// enter returns the side for a schema inside s, or for nil.
func (s side) enter(inner *openapi.Schema) side {
	in := side{inner, s.around, s.counted && looksInside(s.Schema)}
	if inner == nil || inner.Pos != token.NoPos || inner.Line > 0 {
		in.around = inner
	}
	return in
}

// field returns the side for the schema of a field of s.
func (s side) field(inner *openapi.Schema) side {
	in := s.enter(inner)
	in.counted = in.counted || counts(s.Schema)
	return in
}

// part returns the side for a condition of s: s itself, or an element of its allOf.
func (s side) part(condition *openapi.Schema) side {
	if len(condition.Markers) > 0 {
		s.Schema = condition
	}
	return s
}

type schemaComparison struct{ found []Change }

func (c *schemaComparison) add(before, after side, path string, names []string, format string, args ...any) {
	n := Change{Path: path, What: fmt.Sprintf(format, args...), Old: before.around, New: after.around, names: names}
	if after.Schema != nil && len(after.Markers) > 0 {
		n.New = after.Schema
		if n.New.Pos == token.NoPos && n.New.Marker(names, nil).Name == "" {
			n.New = after.around
		}
	}
	if !slices.ContainsFunc(c.found, func(other Change) bool { return other.Path == n.Path && other.What == n.What }) {
		c.found = append(c.found, n)
	}
}

func (c *schemaComparison) compare(before, after side, path string) {
	if !c.types(before, after, path) {
		return
	}
	c.defaults(before, after, path)
	c.conditions(before, after, path)
	c.merging(before, after, path)
	c.fields(before, after, path)
}

// conditions compares the conditions on values, in the schemas themselves and in their allOf.
func (c *schemaComparison) conditions(before, after side, path string) {
	was := conditions(before.Schema)
	for _, is := range conditions(after.Schema) {
		at := after.part(is)
		c.values(before, at, was, is, path)
		c.bounds(before, at, was, is, path)
		c.rules(before, at, was, is, path)
		c.alternatives(before, at, was, is, path)
	}
}

// conditions returns the schema and, recursively, the schemas in its allOf.
func conditions(s *openapi.Schema) []*openapi.Schema {
	all := []*openapi.Schema{s}
	for _, part := range s.AllOf {
		all = append(all, conditions(part)...)
	}
	return all
}

// form describes the type of the values that a schema accepts.
func form(s *openapi.Schema) string {
	switch {
	case s.IntOrString:
		return "an integer or a string"
	case s.Type == "":
		return "any value"
	case s.Type == "integer":
		return "an integer"
	case s.Type == "array":
		return "a list"
	case s.Type == "object" && (s.AdditionalProperties != nil || s.AnyProperties):
		return "a map"
	case s.Type == "object":
		return "an object"
	}
	return "a " + s.Type
}

// types compares the types of values. It reports whether the schemas have a type in common, so that the comparison can
// continue.
func (c *schemaComparison) types(before, after side, path string) bool {
	was, is := form(before.Schema), form(after.Schema)
	wider := after.Type == "" && !after.IntOrString || was == "an integer" && is == "a number" ||
		after.IntOrString && (before.Type == "integer" || before.Type == "string" || before.IntOrString)
	mapOf := before.Type == "object" && after.Type == "object" // compared as fields
	if was != is && !wider && !mapOf {
		c.add(before, after, path, openapi.TypeMarkers, "was %s, is %s", was, is)
		return false
	}
	if was == "a map" && is == "an object" && !after.PreserveUnknownFields {
		c.add(before, after, path, openapi.TypeMarkers, "was a map with any keys, is an object with the fields of the schema")
		return false
	}
	if before.Nullable && !after.Nullable {
		c.add(before, after, path, []string{"nullable"}, "null is no longer accepted")
	}
	if after.EmbeddedResource && !before.EmbeddedResource {
		c.add(before, after, path, openapi.EmbeddedMarkers, "apiVersion and kind are now required, since the value is a resource")
	}
	return true
}

// formerly returns the end of a message that tells the former value, or "" if there was none.
func formerly(was string) string {
	if was == "" {
		return ""
	}
	return ", was " + was
}

// defaults compares default values. A new default only matters if conditions of an enclosing object depend on the set
// of fields that are present.
func (c *schemaComparison) defaults(before, after side, path string) {
	switch {
	case before.Default == nil && after.Default != nil && after.counted:
		c.add(before, after, path, openapi.DefaultMarkers, "new default %s, although conditions depend on which fields are set", openapi.InJSON(after.Default.JSON))
	case before.Default != nil && after.Default == nil:
		c.add(before, after, path, openapi.DefaultMarkers, "the default %s was removed", openapi.InJSON(before.Default.JSON))
	case before.Default != nil && !same(before.Default, after.Default):
		c.add(before, after, path, openapi.DefaultMarkers, "the default was %s, is %s", openapi.InJSON(before.Default.JSON), openapi.InJSON(after.Default.JSON))
	}
}

// values compares the enum, pattern and format of the new condition with all old conditions.
func (c *schemaComparison) values(before, after side, was []*openapi.Schema, is *openapi.Schema, path string) {
	if len(is.Enum) > 0 {
		if values, limited := accepted(was); !limited {
			c.add(before, after, path, []string{"Enum", "enum"}, "only %s are now accepted", list(is.Enum))
		} else if gone := slices.DeleteFunc(values, func(v openapi.Value) bool { return contains(is.Enum, v) }); len(gone) > 0 {
			c.add(before, after, path, []string{"Enum", "enum"}, "no longer accepted: %s", list(gone))
		}
	}
	if is.Pattern != "" && !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return s.Pattern == is.Pattern }) {
		c.add(before, after, path, []string{"Pattern"}, "the pattern %s must now match%s", is.Pattern, formerly(before.Pattern))
	}
	if narrowingFormat(is.Format) && !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return s.Format == is.Format }) {
		c.add(before, after, path, []string{"Format"}, "the format %s is now required%s", is.Format, formerly(before.Format))
	}
}

// narrowingFormat reports whether a format restricts the values of its type. int64 and double do not, because all
// integers in objects have 64 bits and all numbers have double precision.
func narrowingFormat(name string) bool { return name != "" && name != "int64" && name != "double" }

// accepted returns the values that all enums of conditions contain, and whether there is an enum.
func accepted(conditions []*openapi.Schema) (values []openapi.Value, limited bool) {
	for _, s := range conditions {
		switch {
		case len(s.Enum) == 0:
		case !limited:
			values, limited = slices.Clone(s.Enum), true
		default:
			values = slices.DeleteFunc(values, func(v openapi.Value) bool { return !contains(s.Enum, v) })
		}
	}
	return values, limited
}

// limit is a lower limit of numbers. An upper limit is represented as the lower limit of the negated numbers.
type limit struct {
	value    float64
	excluded bool
}

// newLimit returns the limit n, or nil if n is nil. If only integers are compared, the limit is rounded to an integer
// that is not excluded.
func newLimit(n *float64, excluded bool, sign float64, integers bool) *limit {
	switch {
	case n == nil:
		return nil
	case !integers:
		return &limit{*n * sign, excluded}
	case excluded:
		return &limit{math.Floor(*n*sign) + 1, false}
	}
	return &limit{math.Ceil(*n * sign), false}
}

// implies reports whether all numbers within l are within other.
func (l *limit) implies(other *limit) bool {
	return other == nil || l != nil && (l.value > other.value || l.value == other.value && (l.excluded || !other.excluded))
}

// bounds compares the limits of the new condition with the strictest limits of the old conditions.
func (c *schemaComparison) bounds(before, after side, was []*openapi.Schema, is *openapi.Schema, path string) {
	integers := before.Type == "integer"
	for _, bound := range []struct {
		what, exclusive string
		sign            float64
		of              func(*openapi.Schema) (*float64, bool)
	}{
		{"minimum", "ExclusiveMinimum", 1, func(s *openapi.Schema) (*float64, bool) { return s.Minimum, s.ExclusiveMinimum }},
		{"maximum", "ExclusiveMaximum", -1, func(s *openapi.Schema) (*float64, bool) { return s.Maximum, s.ExclusiveMaximum }},
	} {
		var strictest *limit
		var old *float64
		for _, s := range was {
			n, excluded := bound.of(s)
			if l := newLimit(n, excluded, bound.sign, integers); !strictest.implies(l) {
				strictest, old = l, n
			}
		}
		switch n, excluded := bound.of(is); {
		case strictest.implies(newLimit(n, excluded, bound.sign, integers)):
		case old != nil && *old == *n:
			c.add(before, after, path, []string{bound.exclusive}, "%s itself is no longer accepted", number(*n))
		default:
			c.add(before, after, path, []string{strings.ToUpper(bound.what[:1]) + bound.what[1:], bound.what}, "the %s is %s%s", bound.what, number(*n), formerly(numberOrNone(old)))
		}
	}
	if n := is.MultipleOf; n != nil && !(integers && openapi.IsMultiple(1, *n)) &&
		!slices.ContainsFunc(was, func(s *openapi.Schema) bool { return s.MultipleOf != nil && openapi.IsMultiple(*s.MultipleOf, *n) }) {
		c.add(before, after, path, []string{"MultipleOf"}, "must now be a multiple of %s%s", number(*n), formerly(numberOrNone(before.MultipleOf)))
	}
	for _, bound := range []struct {
		what, name string
		of         func(*openapi.Schema) *int64
		least      bool
	}{
		{"the least length", "MinLength", func(s *openapi.Schema) *int64 { return s.MinLength }, true},
		{"the greatest length", "MaxLength", func(s *openapi.Schema) *int64 { return s.MaxLength }, false},
		{"the least number of elements", "MinItems", func(s *openapi.Schema) *int64 { return s.MinItems }, true},
		{"the greatest number of elements", "MaxItems", func(s *openapi.Schema) *int64 { return s.MaxItems }, false},
		{"the least number of fields", "MinProperties", func(s *openapi.Schema) *int64 { return s.MinProperties }, true},
		{"the greatest number of fields", "MaxProperties", func(s *openapi.Schema) *int64 { return s.MaxProperties }, false},
	} {
		n := bound.of(is)
		if n == nil || bound.least && *n <= 0 {
			continue
		}
		var old *int64
		for _, s := range was {
			if m := bound.of(s); m != nil && (old == nil || bound.least == (*m > *old)) {
				old = m
			}
		}
		names := []string{bound.name, strings.ToLower(bound.name[:1]) + bound.name[1:]}
		switch {
		case old == nil:
			c.add(before, after, path, names, "%s is %d", bound.what, *n)
		case *n != *old && bound.least == (*n > *old):
			c.add(before, after, path, names, "%s is %d, was %d", bound.what, *n, *old)
		}
	}
	if is.UniqueItems && !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return s.UniqueItems }) {
		c.add(before, after, path, []string{"UniqueItems"}, "elements must now differ")
	}
}

// merging compares the keywords that determine how server-side apply merges.
func (c *schemaComparison) merging(before, after side, path string) {
	or := func(value, otherwise string) string {
		if value == "" {
			return otherwise
		}
		return value
	}
	if was, is := or(before.ListType, "atomic"), or(after.ListType, "atomic"); was != is {
		c.add(before, after, path, []string{"listType"}, "the list type was %s, is %s", was, is)
	} else if is == "map" && !sameElements(before.ListMapKeys, after.ListMapKeys) {
		c.add(before, after, path, []string{"listMapKey"}, "the keys of elements were %s, are %s", strings.Join(before.ListMapKeys, ", "), strings.Join(after.ListMapKeys, ", "))
	}
	if was, is := or(before.MapType, "granular"), or(after.MapType, "granular"); was != is {
		c.add(before, after, path, openapi.MapTypeMarkers, "the map type was %s, is %s", was, is)
	}
}

func sameElements(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// rules compares the CEL rules, ignoring their messages.
func (c *schemaComparison) rules(before, after side, was []*openapi.Schema, is *openapi.Schema, path string) {
	for _, rule := range is.Validations {
		sameRule := func(other openapi.Rule) bool {
			return strings.TrimSpace(other.Rule) == strings.TrimSpace(rule.Rule) && optional(other) == optional(rule)
		}
		if !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return slices.ContainsFunc(s.Validations, sameRule) }) {
			c.add(before, after, path, []string{"XValidation"}, "must now satisfy the rule %s", strings.Join(strings.Fields(rule.Rule), " "))
		}
	}
}

func optional(r openapi.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// alternatives compares allOf, anyOf, oneOf and not.
func (c *schemaComparison) alternatives(before, after side, was []*openapi.Schema, is *openapi.Schema, path string) {
	if is != after.Schema && !isFlat(is) && !slices.ContainsFunc(was, equals(is)) {
		c.add(before, after, path, nil, "allOf has an additional condition")
	}
	if len(is.AnyOf) > 0 && !(before.IntOrString && covers(openapi.IntOrString, is.AnyOf)) && !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return covers(s.AnyOf, is.AnyOf) || covers(s.OneOf, is.AnyOf) }) {
		c.add(before, after, path, nil, "anyOf has changed")
	}
	sameAlternatives := func(s *openapi.Schema) bool {
		return len(s.OneOf) == len(is.OneOf) && !slices.ContainsFunc(s.OneOf, func(one *openapi.Schema) bool { return !slices.ContainsFunc(is.OneOf, equals(one)) })
	}
	if len(is.OneOf) > 0 && !slices.ContainsFunc(was, sameAlternatives) {
		c.add(before, after, path, nil, "oneOf has changed")
	}
	if is.Not != nil && !slices.ContainsFunc(was, func(s *openapi.Schema) bool { return s.Not != nil && implies(is.Not, s.Not) }) {
		c.add(before, after, path, nil, "the condition in not has changed")
	}
}

// covers reports whether every value that satisfies a schema in was is known to satisfy a schema in is.
func covers(was, is []*openapi.Schema) bool {
	return len(was) > 0 && !slices.ContainsFunc(was, func(s *openapi.Schema) bool {
		return !slices.ContainsFunc(is, func(other *openapi.Schema) bool { return implies(s, other) })
	})
}

// implies reports whether every value that satisfies the conditions of s is known to satisfy the conditions of other.
func implies(s, other *openapi.Schema) bool {
	if equals(s)(other) {
		return true
	}
	if !isFlat(s) || !isFlat(other) || s.Type != other.Type || slices.ContainsFunc(other.Required, func(name string) bool { return !slices.Contains(s.Required, name) }) {
		return false
	}
	c := &schemaComparison{}
	c.conditions(side{Schema: s}, side{Schema: other}, "")
	return len(c.found) == 0
}

// isFlat reports whether a schema has no schemas for fields, elements or map values.
func isFlat(s *openapi.Schema) bool {
	return len(s.Properties) == 0 && s.Items == nil && s.AdditionalProperties == nil && !s.AnyProperties
}

// combined returns the schemas in allOf, anyOf, oneOf and not.
func combined(s *openapi.Schema) []*openapi.Schema {
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	if s.Not != nil {
		all = append(all, s.Not)
	}
	return all
}

// counts reports whether an additional field may make an object invalid.
func counts(s *openapi.Schema) bool {
	return s.MaxProperties != nil || len(s.Enum) > 0 || len(s.OneOf) > 0 || s.Not != nil || slices.ContainsFunc(combined(s), counts)
}

// looksInside reports whether the schema has conditions on the contents of fields.
func looksInside(s *openapi.Schema) bool {
	return len(s.Enum) > 0 || slices.ContainsFunc(combined(s), func(part *openapi.Schema) bool { return !isFlat(part) || looksInside(part) })
}

// fields compares the schemas of list elements, map values and fields.
func (c *schemaComparison) fields(before, after side, path string) {
	if before.Items != nil || after.Items != nil {
		if was, is := elements(before.Schema), elements(after.Schema); was != nil && is != nil {
			c.compare(before.enter(was), after.enter(is), path+"[*]")
		}
	}
	switch was, is := others(before.Schema), others(after.Schema); {
	case was == nil:
	case is == nil, was.PreserveUnknownFields && !is.PreserveUnknownFields && before.AdditionalProperties == nil && after.AdditionalProperties == nil:
		c.add(before, after, path, openapi.PreserveMarkers, "fields that the schema lacks are no longer kept")
	case before.AdditionalProperties != nil || after.AdditionalProperties != nil:
		c.compare(before.enter(was), after.enter(is), path+".*")
	}
	for _, condition := range conditions(after.Schema) {
		for _, name := range condition.Required {
			p := after.Property(name)
			wasRequired := slices.ContainsFunc(conditions(before.Schema), func(s *openapi.Schema) bool { return slices.Contains(s.Required, name) })
			if !wasRequired && (p == nil || p.Default == nil) {
				c.add(before.enter(or(before.Property(name), before.around)), after.enter(or(p, after.around)), path+step(name), []string{"required", "Required"}, "is now required")
			}
		}
	}
	resource := path == "" || after.EmbeddedResource // resources always have metadata
	for _, p := range before.Properties {
		if is := or(after.Property(p.Name), others(after.Schema)); is != nil {
			c.compare(before.field(p.Schema), after.field(is), path+step(p.Name))
		} else if !resource || !slices.Contains(metadataFields, p.Name) {
			c.add(before.field(p.Schema), after, path+step(p.Name), nil, "removed; was %s", form(p.Schema))
		}
	}
	for _, p := range after.Properties {
		if before.Property(p.Name) != nil {
			continue
		}
		is := after.field(p.Schema)
		if was := others(before.Schema); was != nil {
			c.compare(before.field(was), is, path+step(p.Name))
		} else if p.Default != nil && is.counted {
			c.defaults(side{Schema: &openapi.Schema{}, around: before.around}, is, path+step(p.Name))
		}
	}
	if before.EmbeddedResource && !after.EmbeddedResource && others(after.Schema) == nil {
		for _, name := range metadataFields {
			if before.Property(name) == nil && after.Property(name) == nil {
				c.add(before, after, path+step(name), openapi.EmbeddedMarkers, "removed, since the value is no longer a resource")
			}
		}
	}
}

// metadataFields are the fields that every resource has.
var metadataFields = []string{"apiVersion", "kind", "metadata"}

// others returns the schema of fields that are not among the properties, or nil if such fields are dropped.
func others(s *openapi.Schema) *openapi.Schema {
	switch {
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties
	case s.AnyProperties:
		return &openapi.Schema{Nullable: true} // such a field keeps its value, but not the fields inside
	case s.PreserveUnknownFields:
		return &openapi.Schema{Nullable: true, PreserveUnknownFields: true}
	}
	return nil
}

// elements returns the schema of the elements of a list, or nil if the values cannot be lists.
func elements(s *openapi.Schema) *openapi.Schema {
	if s.Items == nil && s.Type == "" && !s.IntOrString {
		return &openapi.Schema{Nullable: true, PreserveUnknownFields: s.PreserveUnknownFields}
	}
	return s.Items
}

func or(s, otherwise *openapi.Schema) *openapi.Schema {
	if s == nil {
		return otherwise
	}
	return s
}

// step returns the step of a path that leads to a field.
func step(name string) string {
	if strings.ContainsAny(name, ".[]'\" *") || name == "" {
		return "[" + strconv.Quote(name) + "]"
	}
	return "." + name
}

// equals returns a function that reports whether another schema is equal to s, ignoring origin, descriptions, titles,
// examples and links to documentation.
func equals(s *openapi.Schema) func(*openapi.Schema) bool {
	return func(other *openapi.Schema) bool { return canonical(s) == canonical(other) }
}

func canonical(s *openapi.Schema) string {
	bare := *s
	bare.Description, bare.Title, bare.Example, bare.ExternalDocs = "", "", nil, nil
	w := &yamltext.Writer{}
	bare.Write(w, 0)
	return string(w.Bytes())
}

func same(a, b *openapi.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.DeepEqual(a.JSON, b.JSON)
}

func contains(all []openapi.Value, v openapi.Value) bool {
	return slices.ContainsFunc(all, func(other openapi.Value) bool { return reflect.DeepEqual(other.JSON, v.JSON) })
}

// list returns values for a message.
func list(values []openapi.Value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, openapi.InJSON(v.JSON))
	}
	return strings.Join(texts, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func numberOrNone(f *float64) string {
	if f == nil {
		return ""
	}
	return number(*f)
}
