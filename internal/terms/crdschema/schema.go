// Package crdschema represents the schemas of CustomResourceDefinitions, with a table of their keywords. It knows the
// schemas of basic and well-known Go types, reads and writes schemas as YAML, merges keywords, and reports what an API
// server rejects. It compares two schemas of a kind, and reads paths of fields in objects.
package crdschema

import "slices"

// Value is a JSON value as decoded by encoding/json, but with numbers as returned by Number.
type Value struct{ JSON any }

// ResourceFields are the properties that every resource has.
var ResourceFields = []string{"apiVersion", "kind", "metadata"}

// Property is a property of an object.
type Property struct {
	Name string
	*Schema
}

// Reasons are the values of reason in a rule.
var Reasons = []string{"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"}

// Rule is a validation rule in CEL.
type Rule struct {
	Rule, Message, MessageExpression, Reason, FieldPath string
	OptionalOldSelf                                     *bool
}

// ExternalDocs is a link to documentation.
type ExternalDocs struct{ Description, URL string }

// Index returns the index of a property, or -1.
func (s *Schema) Index(name string) int {
	return slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	if i := s.Index(name); i >= 0 {
		return s.Properties[i].Schema
	}
	return nil
}

// Names returns the names of the properties.
func (s *Schema) Names() (names []string) {
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	return names
}

// Lookup returns a function like Property that is fast for repeated calls.
func (s *Schema) Lookup() func(name string) *Schema {
	if len(s.Properties) < 16 {
		return s.Property
	}
	byName := make(map[string]*Schema, len(s.Properties))
	for _, p := range s.Properties {
		byName[p.Name] = p.Schema
	}
	return func(name string) *Schema { return byName[name] }
}

// Set copies the keywords that are present in another schema. Properties are added, or replaced if they exist.
func (s *Schema) Set(keywords *Schema) {
	properties := slices.Clone(s.Properties)
	for _, k := range Keywords {
		k.Inherit(s, keywords)
	}
	s.Properties = properties
	for _, p := range keywords.Properties {
		if i := s.Index(p.Name); i >= 0 {
			s.Properties[i] = p
		} else {
			s.Properties = append(s.Properties, p)
		}
	}
}

// Walk calls visit for the schema and all schemas in it. It does not descend into a schema for which visit returns
// false.
func (s *Schema) Walk(visit func(*Schema) bool) {
	if s == nil || !visit(s) {
		return
	}
	s.Items.Walk(visit)
	s.AdditionalProperties.Walk(visit)
	for _, p := range s.Properties {
		p.Schema.Walk(visit)
	}
	for _, parts := range [][]*Schema{s.AllOf, s.AnyOf, s.OneOf, {s.Not}} {
		for _, part := range parts {
			part.Walk(visit)
		}
	}
}

// Map returns a copy of the schema in which the results of a function replace the schemas of fields, elements, map
// values, allOf and anyOf.
func (s *Schema) Map(replace func(*Schema) *Schema) *Schema {
	out := *s
	if s.Items != nil {
		out.Items = replace(s.Items)
	}
	if s.AdditionalProperties != nil {
		out.AdditionalProperties = replace(s.AdditionalProperties)
	}
	out.AllOf, out.AnyOf = slices.Clone(s.AllOf), slices.Clone(s.AnyOf)
	for _, parts := range [][]*Schema{out.AllOf, out.AnyOf} {
		for i, part := range parts {
			parts[i] = replace(part)
		}
	}
	out.Properties = slices.Clone(s.Properties)
	for i, p := range s.Properties {
		out.Properties[i].Schema = replace(p.Schema)
	}
	return &out
}

// KindOf describes the type of a schema for messages.
func KindOf(s *Schema) string {
	switch {
	case s.Quoted:
		return "of type string, because of the option string of the JSON tag"
	case s.IntOrString:
		return "an integer or string"
	case s.Type == "" && s.PreserveUnknownFields:
		return "any value"
	case s.Type == "":
		return "a value of another form"
	}
	return "of type " + s.Type
}

// IsAny reports whether a schema has no type.
func (s *Schema) IsAny() bool { return s.Ref == nil && s.Type == "" && !s.IntOrString }
