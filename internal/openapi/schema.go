// Package openapi represents the schemas of CustomResourceDefinitions. It knows the schemas of basic and well-known Go
// types, reads and writes schemas as YAML, and reports what an API server rejects.
package openapi

import (
	"reflect"
	"slices"
)

// Schema is an OpenAPI v3 schema with the keywords that CustomResourceDefinitions support. Zero values mean absent
// keywords.
type Schema struct {
	Description string
	Type        string
	Format      string
	Title       string
	Default     *Value
	Example     *Value

	Maximum, Minimum, MultipleOf       *float64
	ExclusiveMaximum, ExclusiveMinimum bool
	MaxLength, MinLength               *int64
	Pattern                            string
	MaxItems, MinItems                 *int64
	UniqueItems                        bool
	MaxProperties, MinProperties       *int64
	Enum                               []Value
	Nullable                           bool

	Properties           []Property
	Required             []string
	Items                *Schema
	AdditionalProperties *Schema
	AnyProperties        bool // additionalProperties: true
	AllOf, AnyOf, OneOf  []*Schema
	Not                  *Schema

	PreserveUnknownFields bool
	EmbeddedResource      bool
	IntOrString           bool
	ListType, MapType     string
	ListMapKeys           []string
	Validations           []Rule
	ExternalDocs          *ExternalDocs

	Ref any // a declaration whose schema package goschema will insert here; nil in a complete schema
	Origin
}

// Value is a JSON value as decoded by encoding/json, but with numbers as returned by Number.
type Value struct{ JSON any }

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
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return i
		}
	}
	return -1
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	if i := s.Index(name); i >= 0 {
		return s.Properties[i].Schema
	}
	return nil
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
	from, to := reflect.ValueOf(keywords).Elem(), reflect.ValueOf(s).Elem()
	for i := range from.NumField() {
		if field := from.Type().Field(i); !field.Anonymous && !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
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
	for _, other := range s.AllOf {
		other.Walk(visit)
	}
	for _, other := range s.AnyOf {
		other.Walk(visit)
	}
	for _, other := range s.OneOf {
		other.Walk(visit)
	}
	s.Not.Walk(visit)
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
