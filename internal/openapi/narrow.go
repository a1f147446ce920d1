package openapi

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/yamltext"
)

// Narrowing is a difference between two schemas of a kind by which stored objects or the requests of clients that fit the old one do not fit the
// new one, or lose something, or are merged in another way.
type Narrowing struct {
	Path     string // of the value: .spec.image, [*] for the elements of a list, .* for the values of a map
	What     string // one line
	Old, New *Schema
	names    []string // of the markers that may be the cause
}

// Pos returns the position of the marker or field that is the cause in the Go types, the zero Position if there is none that users can change.
func (n Narrowing) Pos(fset *token.FileSet) token.Position {
	if n.New == nil {
		return token.Position{}
	}
	if m := n.New.setting(n.names, nil); m.ManifestDefinition != nil {
		return m.Pos
	}
	if n.New.pos == token.NoPos {
		return token.Position{}
	}
	return fset.Position(n.New.pos)
}

// Narrowings returns the differences by which a new schema accepts less than an old one, in the order of paths in the old one. What only allows
// more is none, and neither are descriptions.
func Narrowings(before, after *Schema) []Narrowing {
	c := &schemaComparison{}
	c.compare(side{before, before}, side{after, after}, "")
	return c.found
}

// side is a schema on one side of a comparison, and the nearest one around it that has a position.
type side struct {
	*Schema
	around *Schema
}

func (s side) enter(inner *Schema) side {
	if inner == nil || inner.pos != token.NoPos || inner.line > 0 {
		return side{inner, inner}
	}
	return side{inner, s.around}
}

type schemaComparison struct{ found []Narrowing }

func (c *schemaComparison) add(before, after side, path string, names []string, format string, args ...any) {
	n := Narrowing{Path: path, What: fmt.Sprintf(format, args...), Old: before.around, New: after.around, names: names}
	if after.Schema != nil && len(after.settings) > 0 {
		n.New = after.Schema
		if n.New.pos == token.NoPos && n.New.setting(names, nil).ManifestDefinition == nil {
			n.New = after.around
		}
	}
	c.found = append(c.found, n)
}

func (c *schemaComparison) compare(before, after side, path string) {
	if !c.types(before, after, path) {
		return
	}
	c.values(before, after, path)
	c.merging(before, after, path)
	c.rules(before, after, path)
	c.alternatives(before, after, path)
	c.fields(before, after, path)
}

// form returns what a schema says about the type of values.
func (s *Schema) form() string {
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

// types compares the types of values, and reports whether they have something in common.
func (c *schemaComparison) types(before, after side, path string) bool {
	was, is := before.form(), after.form()
	wider := after.Type == "" && !after.IntOrString || was == "an integer" && is == "a number" ||
		after.IntOrString && (before.Type == "integer" || before.Type == "string" || before.IntOrString)
	mapOf := before.Type == "object" && after.Type == "object" // compared as fields
	if was != is && !wider && !mapOf {
		c.add(before, after, path, typeNames, "was %s, is %s", was, is)
		return false
	}
	if was == "a map" && is == "an object" && !after.PreserveUnknownFields {
		c.add(before, after, path, typeNames, "was a map with any keys, is an object with the fields of the schema")
		return false
	}
	if before.Nullable && !after.Nullable && after.Type != "" {
		c.add(before, after, path, []string{"nullable"}, "null is no longer accepted")
	}
	if f := after.Format; f != "" && f != before.Format && !(before.Format == "int32" && f == "int64") && !(before.Format == "float" && f == "double") {
		c.add(before, after, path, []string{"Format"}, "the format %s is now required%s", f, formerly(before.Format))
	}
	return true
}

// formerly says what something was, unless it was nothing.
func formerly(was string) string {
	if was == "" {
		return ""
	}
	return ", was " + was
}

// values compares what values may be.
func (c *schemaComparison) values(before, after side, path string) {
	if len(after.Enum) > 0 {
		if len(before.Enum) == 0 {
			c.add(before, after, path, []string{"Enum", "enum"}, "only %s are now accepted", list(after.Enum))
		} else if gone := slices.DeleteFunc(slices.Clone(before.Enum), func(v Value) bool { return contains(after.Enum, v) }); len(gone) > 0 {
			c.add(before, after, path, []string{"Enum", "enum"}, "no longer accepted: %s", list(gone))
		}
	}
	c.bounds(before, after, path)
	if after.Pattern != "" && after.Pattern != before.Pattern {
		c.add(before, after, path, []string{"Pattern"}, "the pattern %s must now match%s", after.Pattern, formerly(before.Pattern))
	}
	if before.Default != nil && !same(before.Default, after.Default) {
		is := "there is none"
		if after.Default != nil {
			is = "is " + inJSON(after.Default.JSON)
		}
		c.add(before, after, path, defaultNames, "the default was %s, %s", inJSON(before.Default.JSON), is)
	}
	if after.EmbeddedResource && !before.EmbeddedResource {
		c.add(before, after, path, embeddedNames, "apiVersion and kind are now required, since the value is a resource")
	}
}

// bounds compares limits.
func (c *schemaComparison) bounds(before, after side, path string) {
	if n := after.Minimum; n != nil && (before.Minimum == nil || *n > *before.Minimum) {
		c.add(before, after, path, []string{"Minimum", "minimum"}, "the minimum is %s%s", number(*n), formerly(numberOrNone(before.Minimum)))
	} else if n != nil && after.ExclusiveMinimum && !before.ExclusiveMinimum && *n == *before.Minimum {
		c.add(before, after, path, []string{"ExclusiveMinimum"}, "%s itself is no longer accepted", number(*n))
	}
	if n := after.Maximum; n != nil && (before.Maximum == nil || *n < *before.Maximum) {
		c.add(before, after, path, []string{"Maximum", "maximum"}, "the maximum is %s%s", number(*n), formerly(numberOrNone(before.Maximum)))
	} else if n != nil && after.ExclusiveMaximum && !before.ExclusiveMaximum && *n == *before.Maximum {
		c.add(before, after, path, []string{"ExclusiveMaximum"}, "%s itself is no longer accepted", number(*n))
	}
	if n := after.MultipleOf; n != nil && (before.MultipleOf == nil || !isMultiple(*before.MultipleOf, *n)) {
		c.add(before, after, path, []string{"MultipleOf"}, "must now be a multiple of %s%s", number(*n), formerly(numberOrNone(before.MultipleOf)))
	}
	for _, bound := range []struct {
		what, name string
		was, is    *int64
		least      bool
	}{
		{"the least length", "MinLength", before.MinLength, after.MinLength, true}, {"the greatest length", "MaxLength", before.MaxLength, after.MaxLength, false},
		{"the least number of elements", "MinItems", before.MinItems, after.MinItems, true},
		{"the greatest number of elements", "MaxItems", before.MaxItems, after.MaxItems, false},
		{"the least number of fields", "MinProperties", before.MinProperties, after.MinProperties, true},
		{"the greatest number of fields", "MaxProperties", before.MaxProperties, after.MaxProperties, false},
	} {
		switch {
		case bound.is == nil, bound.least && *bound.is <= 0:
		case bound.was == nil:
			c.add(before, after, path, []string{bound.name, strings.ToLower(bound.name[:1]) + bound.name[1:]}, "%s is %d", bound.what, *bound.is)
		case bound.least && *bound.is > *bound.was, !bound.least && *bound.is < *bound.was:
			c.add(before, after, path, []string{bound.name, strings.ToLower(bound.name[:1]) + bound.name[1:]}, "%s is %d, was %d", bound.what, *bound.is, *bound.was)
		}
	}
	if after.UniqueItems && !before.UniqueItems {
		c.add(before, after, path, []string{"UniqueItems"}, "elements must now differ")
	}
}

// merging compares how server-side apply merges.
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
		c.add(before, after, path, mapTypeNames, "the map type was %s, is %s", was, is)
	}
}

func sameElements(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// rules compares the rules in CEL. Messages do not matter.
func (c *schemaComparison) rules(before, after side, path string) {
	for _, rule := range after.Validations {
		sameRule := func(other Rule) bool {
			return strings.TrimSpace(other.Rule) == strings.TrimSpace(rule.Rule) && optional(other) == optional(rule)
		}
		if !slices.ContainsFunc(before.Validations, sameRule) {
			c.add(before, after, path, []string{"XValidation"}, "must now satisfy the rule %s", strings.Join(strings.Fields(rule.Rule), " "))
		}
	}
}

func optional(r Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// alternatives compares what is combined from several schemas. Two of them are the same or not.
func (c *schemaComparison) alternatives(before, after side, path string) {
	if after.IntOrString && before.IntOrString {
		return // whose alternatives are always the same
	}
	for _, part := range after.AllOf {
		if !slices.ContainsFunc(before.AllOf, part.equal) {
			c.add(before, after, path, nil, "there is one more condition in allOf")
		}
	}
	for _, one := range []struct {
		name    string
		was, is []*Schema
	}{{"anyOf", before.AnyOf, after.AnyOf}, {"oneOf", before.OneOf, after.OneOf}} {
		if len(one.is) == 0 || one.name == "anyOf" && after.IntOrString {
			continue
		}
		covers := len(one.was) > 0 && !slices.ContainsFunc(one.was, func(s *Schema) bool { return !slices.ContainsFunc(one.is, s.equal) })
		if !covers || one.name == "oneOf" && len(one.was) != len(one.is) {
			c.add(before, after, path, nil, "%s has changed", one.name)
		}
	}
	if after.Not != nil && (before.Not == nil || !after.Not.equal(before.Not)) {
		c.add(before, after, path, nil, "there is another condition in not")
	}
}

// fields compares what is in lists, maps and objects.
func (c *schemaComparison) fields(before, after side, path string) {
	if before.Items != nil && after.Items != nil {
		c.compare(before.enter(before.Items), after.enter(after.Items), path+"[*]")
	}
	if before.AdditionalProperties != nil && after.AdditionalProperties != nil {
		c.compare(before.enter(before.AdditionalProperties), after.enter(after.AdditionalProperties), path+".*")
	}
	if before.PreserveUnknownFields && !after.PreserveUnknownFields {
		c.add(before, after, path, nil, "fields that the schema lacks are no longer kept")
	}
	if before.AnyProperties && !after.AnyProperties && after.AdditionalProperties != nil {
		c.add(before, after, path, nil, "the values of the map are no longer of any type")
	}
	for _, name := range after.Required {
		p := after.Property(name)
		if !slices.Contains(before.Required, name) && (p == nil || p.Default == nil) {
			c.add(before.enter(or(before.Property(name), before.around)), after.enter(or(p, after.around)), path+step(name), []string{"required", "Required"}, "is now required")
		}
	}
	for _, p := range before.Properties {
		was, is := before.enter(p.Schema), after.Property(p.Name)
		switch {
		case is != nil:
			c.compare(was, after.enter(is), path+step(p.Name))
		case after.AdditionalProperties != nil:
			c.compare(was, after.enter(after.AdditionalProperties), path+step(p.Name))
		case !after.PreserveUnknownFields && !after.AnyProperties:
			c.add(was, after, path+step(p.Name), nil, "removed; was %s", p.form())
		}
	}
	for _, p := range after.Properties {
		if before.Property(p.Name) != nil {
			continue
		}
		is := after.enter(p.Schema)
		switch {
		case before.AdditionalProperties != nil:
			c.compare(before.enter(before.AdditionalProperties), is, path+step(p.Name))
		case (before.PreserveUnknownFields || before.AnyProperties) && !p.free():
			c.add(before, is, path+step(p.Name), nil, "was any value, is %s", p.form())
		}
	}
}

func or(s, otherwise *Schema) *Schema {
	if s == nil {
		return otherwise
	}
	return s
}

// step returns the step of a path to a field.
func step(name string) string {
	if strings.ContainsAny(name, ".[]'\" *") || name == "" {
		return "[" + strconv.Quote(name) + "]"
	}
	return "." + name
}

// free reports whether any value fits.
func (s *Schema) free() bool {
	return s.Type == "" && s.PreserveUnknownFields && len(s.Enum) == 0 && len(s.Validations) == 0 && len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 && s.Not == nil
}

// equal reports whether two schemas are the same but for their origin and texts.
func (s *Schema) equal(other *Schema) bool { return s.canonical() == other.canonical() }

func (s *Schema) canonical() string {
	bare := *s
	bare.Description, bare.Title, bare.Example, bare.ExternalDocs = "", "", nil, nil
	w := &yamltext.Writer{}
	bare.Write(w, 0)
	return string(w.Bytes())
}

func same(a, b *Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.DeepEqual(a.JSON, b.JSON)
}

func contains(all []Value, v Value) bool {
	return slices.ContainsFunc(all, func(other Value) bool { return reflect.DeepEqual(other.JSON, v.JSON) })
}

// list returns values in a message.
func list(values []Value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, inJSON(v.JSON))
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
