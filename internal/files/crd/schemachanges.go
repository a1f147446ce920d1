// This file compares two schemas of a kind and finds values that the new one no longer accepts, fields that it
// drops, and differences in how server-side apply merges.

package crd

import (
	"cmp"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// SchemaChange is an incompatible difference between two schemas of a kind: stored objects or requests that fit the old
// schema do not fit the new one, lose fields, or are merged differently.
type SchemaChange struct {
	Path     string // path of the value: .spec.image, [*] for the elements of a list, .* for the values of a map
	What     string // a description in one line
	Effect   Effect
	Old, New *crdschema.Schema
	names    []string // names of the markers that may be the cause
}

// Effect is what a change does to values that fit the old schema.
type Effect int

const (
	Excludes Effect = iota // they no longer fit
	Freezes                // changes of them no longer fit
	Requires               // they no longer fit if they lack a field
	Drops                  // they lose the field
	Prunes                 // they lose fields inside
	Merges                 // server-side apply merges them in another way
	Defaults               // absent ones get another value
)

// Pos returns the position of the marker or field in the Go types that causes the change. It is the zero Position if
// users cannot change the cause.
func (n SchemaChange) Pos(fset *token.FileSet) token.Position {
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

// Formerly returns the position of the field or type with the old schema in the Go types, or the zero Position.
func (n SchemaChange) Formerly(fset *token.FileSet) token.Position {
	if n.Old == nil || n.Old.Pos == token.NoPos {
		return token.Position{}
	}
	return fset.Position(n.Old.Pos)
}

// SchemaChanges returns the incompatible changes from schema before to schema after, in the order of paths in before.
// Changes that only accept more values, and descriptions, are ignored.
func SchemaChanges(before, after *crdschema.Schema) []SchemaChange {
	c := &schemaComparison{}
	c.compare(wholeObject(before), wholeObject(after), "")
	return c.found
}

// schemaSide is a schema on one side of a comparison.
type schemaSide struct {
	*crdschema.Schema
	around   *crdschema.Schema   // the innermost enclosing schema with a position
	required bool                // the value is a required field
	above    func() surroundings // computed only for new defaults
}

// wholeObject returns the side for a schema without surroundings.
func wholeObject(s *crdschema.Schema) schemaSide {
	return schemaSide{Schema: s, around: s, above: func() surroundings { return surroundings{} }}
}

// enter returns the side for the schema of elements of a list or values of a map in s, or for nil.
func (s schemaSide) enter(inner *crdschema.Schema) schemaSide {
	of := func(part *crdschema.Schema) *crdschema.Schema { return cmp.Or(part.Items, part.AdditionalProperties) }
	return s.to(inner, func() surroundings { return s.above().inside(s.Schema, nil, of) })
}

// field returns the side for the schema of a field of s, or for nil.
func (s schemaSide) field(name string, inner *crdschema.Schema) schemaSide {
	in := s.to(inner, func() surroundings { return s.above().field(s.Schema, name) })
	in.required = requires(s.Schema, name)
	return in
}

func (s schemaSide) to(inner *crdschema.Schema, above func() surroundings) schemaSide {
	in := schemaSide{Schema: inner, around: s.around, above: above}
	if inner == nil || inner.Pos != token.NoPos || inner.Line > 0 {
		in.around = inner
	}
	return in
}

// requires reports whether a schema requires a field.
func requires(s *crdschema.Schema, name string) bool {
	return slices.ContainsFunc(conditions(s), func(s *crdschema.Schema) bool { return slices.Contains(s.Required, name) })
}

// part returns the side for a condition of s: s itself, or an element of its allOf.
func (s schemaSide) part(condition *crdschema.Schema) schemaSide {
	if len(condition.Markers) > 0 {
		s.Schema = condition
	}
	return s
}

type schemaComparison struct{ found []SchemaChange }

func (c *schemaComparison) add(effect Effect, before, after schemaSide, path string, names []string, format string, args ...any) {
	n := SchemaChange{Path: path, What: fmt.Sprintf(format, args...), Effect: effect, Old: before.around, New: after.around, names: names}
	if after.Schema != nil && len(after.Markers) > 0 {
		n.New = after.Schema
		if n.New.Pos == token.NoPos && n.New.Marker(names, nil).Name == "" {
			n.New = after.around
		}
	}
	if !slices.ContainsFunc(c.found, func(other SchemaChange) bool { return other.Path == n.Path && other.What == n.What }) {
		c.found = append(c.found, n)
	}
}

// effectOf returns the effect of a changed keyword.
func effectOf(k *crdschema.Keyword) Effect {
	if strings.HasPrefix(k.Name, "x-kubernetes-list-") || k.Name == "x-kubernetes-map-type" {
		return Merges
	}
	return Excludes
}

func (c *schemaComparison) compare(before, after schemaSide, path string) {
	if !c.types(before, after, path) {
		return
	}
	c.defaults(before, after, path)
	c.conditions(before, after, path)
	for _, k := range crdschema.Keywords {
		if what := k.Changed(before.Schema, after.Schema); what != "" {
			c.add(effectOf(k), before, after, path, k.Names(), "%s", what)
		}
	}
	c.fields(before, after, path)
}

// conditions compares the conditions on values, in the schemas themselves and in their allOf.
func (c *schemaComparison) conditions(before, after schemaSide, path string) {
	was := conditions(before.Schema)
	for _, is := range conditions(after.Schema) {
		at := after.part(is)
		for _, k := range crdschema.Keywords {
			if what := k.Narrowed(before.Schema, was, is); what != "" {
				c.add(Excludes, before, at, path, k.Names(), "%s", what)
			}
		}
		c.rules(before, at, was, is, path)
		c.alternatives(before, at, was, is, path)
	}
}

// conditions returns the schema and, recursively, the schemas in its allOf.
func conditions(s *crdschema.Schema) []*crdschema.Schema {
	all := []*crdschema.Schema{s}
	for _, part := range s.AllOf {
		all = append(all, conditions(part)...)
	}
	return all
}

// form describes the type of the values that a schema accepts.
func form(s *crdschema.Schema) string {
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
func (c *schemaComparison) types(before, after schemaSide, path string) bool {
	was, is := form(before.Schema), form(after.Schema)
	wider := after.Type == "" && !after.IntOrString || was == "an integer" && is == "a number" ||
		after.IntOrString && (before.Type == "integer" || before.Type == "string" || before.IntOrString)
	mapOf := before.Type == "object" && after.Type == "object" // compared as fields
	if was != is && !wider && !mapOf {
		c.add(Excludes, before, after, path, crdschema.TypeMarkers, "was %s, is %s", was, is)
		return false
	}
	if was == "a map" && is == "an object" && !after.PreserveUnknownFields {
		c.add(Prunes, before, after, path, crdschema.TypeMarkers, "was a map with any keys, is an object with the fields of the schema")
		return false
	}
	return true
}

// defaults compares default values. A new default only matters if conditions of an enclosing object depend on the
// presence of the field, or if it no longer replaces null.
func (c *schemaComparison) defaults(before, after schemaSide, path string) {
	switch {
	case before.Default == nil && after.Default != nil:
		if why := after.above().dependsOn(after.Default.JSON); why != "" && !before.required {
			c.add(Defaults, before, after, path, crdschema.DefaultMarkers, "new default %s, although %s", crdschema.InJSON(after.Default.JSON), why)
		}
	case before.Default != nil && after.Default != nil && !before.Nullable && after.Nullable && before.Default.JSON != nil:
		c.add(
			Defaults, before, after, path, []string{"nullable"}, "null is no longer replaced by the default %s",
			crdschema.InJSON(after.Default.JSON),
		)
	case before.Default != nil && after.Default == nil:
		c.add(Defaults, before, after, path, crdschema.DefaultMarkers, "the default %s was removed", crdschema.InJSON(before.Default.JSON))
	case before.Default != nil && !reflect.DeepEqual(before.Default, after.Default):
		c.add(
			Defaults, before, after, path, crdschema.DefaultMarkers, "the default was %s, is %s", crdschema.InJSON(before.Default.JSON),
			crdschema.InJSON(after.Default.JSON),
		)
	}
}

// rules compares the CEL rules, ignoring their messages.
func (c *schemaComparison) rules(before, after schemaSide, was []*crdschema.Schema, is *crdschema.Schema, path string) {
	for _, rule := range is.Validations {
		sameRule := func(other crdschema.Rule) bool {
			return strings.TrimSpace(other.Rule) == strings.TrimSpace(rule.Rule) && optional(other) == optional(rule)
		}
		if !slices.ContainsFunc(was, func(s *crdschema.Schema) bool { return slices.ContainsFunc(s.Validations, sameRule) }) {
			effect := Excludes
			if crdschema.UsesOldSelf(rule.Rule) && !optional(rule) {
				effect = Freezes
			}
			c.add(effect, before, after, path, []string{"XValidation"}, "must now satisfy the rule %s", oneLine(rule.Rule))
		}
	}
}

func optional(r crdschema.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// alternatives compares allOf, anyOf, oneOf and not.
func (c *schemaComparison) alternatives(before, after schemaSide, was []*crdschema.Schema, is *crdschema.Schema, path string) {
	if is != after.Schema && !isFlat(is) && !slices.ContainsFunc(was, equals(is)) {
		c.add(Excludes, before, after, path, nil, "allOf has an additional condition")
	}
	if len(is.AnyOf) > 0 && !covers(typesOf(before.Schema), is.AnyOf) &&
		!slices.ContainsFunc(was, func(s *crdschema.Schema) bool { return covers(s.AnyOf, is.AnyOf) || covers(s.OneOf, is.AnyOf) }) {
		c.add(Excludes, before, after, path, nil, "anyOf has changed")
	}
	sameAlternatives := func(s *crdschema.Schema) bool {
		return len(s.OneOf) == len(is.OneOf) && !slices.ContainsFunc(s.OneOf, func(one *crdschema.Schema) bool {
			return !slices.ContainsFunc(is.OneOf, equals(one))
		})
	}
	if len(is.OneOf) > 0 && !slices.ContainsFunc(was, sameAlternatives) {
		c.add(Excludes, before, after, path, nil, "oneOf has changed")
	}
	if is.Not != nil && !slices.ContainsFunc(was, func(s *crdschema.Schema) bool { return s.Not != nil && implies(is.Not, s.Not) }) {
		c.add(Excludes, before, after, path, nil, "the condition in not has changed")
	}
}

// typesOf returns the alternatives that are equivalent to the type of a schema.
func typesOf(s *crdschema.Schema) []*crdschema.Schema {
	if s.IntOrString {
		return crdschema.IntOrString
	}
	return []*crdschema.Schema{{Type: s.Type}}
}

// covers reports whether every value that satisfies a schema in was is known to satisfy a schema in is.
func covers(was, is []*crdschema.Schema) bool {
	return len(was) > 0 && !slices.ContainsFunc(was, func(s *crdschema.Schema) bool {
		return !slices.ContainsFunc(is, func(other *crdschema.Schema) bool { return implies(s, other) })
	})
}

// implies reports whether every value that satisfies the conditions of s is known to satisfy the conditions of other.
func implies(s, other *crdschema.Schema) bool {
	if equals(s)(other) {
		return true
	}
	if !isFlat(s) || !isFlat(other) || s.Type != other.Type ||
		slices.ContainsFunc(other.Required, func(name string) bool { return !slices.Contains(s.Required, name) }) {
		return false
	}
	c := &schemaComparison{}
	c.conditions(wholeObject(s), wholeObject(other), "")
	return len(c.found) == 0
}

// isFlat reports whether a schema has no schemas for fields, elements or map values.
func isFlat(s *crdschema.Schema) bool {
	return len(s.Properties) == 0 && s.Items == nil && s.AdditionalProperties == nil && !s.AnyProperties
}

// fields compares the schemas of list elements, map values and fields.
func (c *schemaComparison) fields(before, after schemaSide, path string) {
	if before.Items != nil || after.Items != nil {
		if was, is := elements(before.Schema), elements(after.Schema); was != nil && is != nil {
			c.compare(before.enter(was), after.enter(is), path+"[*]")
		}
	}
	switch was, is := others(before.Schema), others(after.Schema); {
	case was == nil:
	case is == nil, was.PreserveUnknownFields && !is.PreserveUnknownFields && before.AdditionalProperties == nil &&
		after.AdditionalProperties == nil:
		c.add(Prunes, before, after, path, crdschema.PreserveMarkers, "fields that the schema lacks are no longer kept")
	case before.AdditionalProperties != nil || after.AdditionalProperties != nil:
		c.compare(before.enter(was), after.enter(is), path+".*")
	}
	for _, condition := range conditions(after.Schema) {
		for _, name := range condition.Required {
			p := after.Property(name)
			if !requires(before.Schema, name) && (p == nil || p.Default == nil) {
				was, is := before.field(name, cmp.Or(before.Property(name), before.around)), after.field(name, cmp.Or(p, after.around))
				c.add(Requires, was, is, path+step(name), []string{"required", "Required"}, "is now required")
			}
		}
	}
	resource := path == "" || after.EmbeddedResource // resources always have metadata
	known := func(p crdschema.Property) *crdschema.Schema { return p.Schema }
	if resource {
		known = ofResource
	}
	for _, p := range before.Properties {
		if is := cmp.Or(after.Property(p.Name), others(after.Schema)); is != nil {
			c.compare(before.field(p.Name, known(p)), after.field(p.Name, known(crdschema.Property{Name: p.Name, Schema: is})), path+step(p.Name))
		} else if known(crdschema.Property{Name: p.Name}) == nil {
			c.add(Drops, before.field(p.Name, p.Schema), after, path+step(p.Name), nil, "removed; was %s", form(p.Schema))
		}
	}
	for _, p := range after.Properties {
		if before.Property(p.Name) != nil {
			continue
		}
		if was := cmp.Or(known(crdschema.Property{Name: p.Name}), others(before.Schema)); was != nil {
			c.compare(before.field(p.Name, was), after.field(p.Name, known(p)), path+step(p.Name))
		} else {
			c.defaults(before.field(p.Name, &crdschema.Schema{}), after.field(p.Name, p.Schema), path+step(p.Name))
		}
	}
	if before.EmbeddedResource && !after.EmbeddedResource && others(after.Schema) == nil {
		for _, name := range crdschema.ResourceFields {
			if before.Property(name) == nil && after.Property(name) == nil {
				c.add(Drops, before, after, path+step(name), crdschema.EmbeddedMarkers, "removed, since the value is no longer a resource")
			}
		}
	}
}

// ofResource returns the schema of a field of a resource, which also has fields that no schema mentions, or nil.
func ofResource(p crdschema.Property) *crdschema.Schema {
	switch p.Name {
	case "apiVersion", "kind":
		return cmp.Or(p.Schema, &crdschema.Schema{Type: "string"})
	case "metadata":
		s := *cmp.Or(p.Schema, &crdschema.Schema{Type: "object"})
		for _, name := range []string{"name", "generateName"} { // no other fields can be restricted
			if s.Property(name) == nil {
				s.Properties = append(slices.Clip(s.Properties), crdschema.Property{Name: name, Schema: &crdschema.Schema{Type: "string"}})
			}
		}
		return &s
	}
	return p.Schema
}

// others returns the schema of fields that are not among the properties, or nil if such fields are dropped.
func others(s *crdschema.Schema) *crdschema.Schema {
	switch {
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties
	case s.AnyProperties:
		return &crdschema.Schema{Nullable: true} // such a field keeps its value, but not the fields inside
	case s.PreserveUnknownFields:
		return &crdschema.Schema{Nullable: true, PreserveUnknownFields: true}
	}
	return nil
}

// elements returns the schema of the elements of a list, or nil if the values cannot be lists.
func elements(s *crdschema.Schema) *crdschema.Schema {
	if s.Items == nil && s.Type == "" && !s.IntOrString {
		return &crdschema.Schema{Nullable: true, PreserveUnknownFields: s.PreserveUnknownFields}
	}
	return s.Items
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
func equals(s *crdschema.Schema) func(*crdschema.Schema) bool {
	text := s.Undescribed().JSON()
	return func(other *crdschema.Schema) bool { return text == other.Undescribed().JSON() }
}
