// This file finds conditions of objects that depend on whether a field is present. A new default, which makes the field
// present, may violate them.

package crd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// surroundings are the conditions of enclosing schemas on a value.
type surroundings struct {
	parts   []condition // schemas of allOf, anyOf, oneOf and not
	rules   []ruleAbove
	whole   bool // a condition compares the value as a whole
	counted bool // a condition may depend on the presence of the value
}

// condition is a schema of allOf, anyOf, oneOf or not.
type condition struct {
	*crdschema.Schema
	exact bool // an object may be valid because it violates the schema
}

// ruleAbove is a rule of an enclosing schema.
type ruleAbove struct {
	crdschema.Rule
	names []string // of the fields that lead to the value
}

// inside returns the conditions of a schema, with those around it, on a value inside: for a part with conditions, of
// returns the schema of the value, or nil.
func (s surroundings) inside(schema *crdschema.Schema, names []string, of func(*crdschema.Schema) *crdschema.Schema) (in surroundings) {
	in.whole = s.whole || len(schema.Enum) > 0 || schema.ListType == "set"
	for _, r := range s.rules {
		in.rules = append(in.rules, ruleAbove{r.Rule, append(slices.Clip(r.names), names...)})
	}
	for _, r := range schema.Validations {
		in.rules = append(in.rules, ruleAbove{r, names})
	}
	all := parts(schema, false)
	for _, part := range s.parts {
		all = append(append(all, part), parts(part.Schema, part.exact)...)
	}
	for _, part := range all {
		in.whole = in.whole || len(part.Enum) > 0
		if inner := of(part.Schema); inner != nil {
			in.parts = append(in.parts, condition{inner, part.exact})
		}
	}
	return in
}

// field returns the conditions on a field.
func (s surroundings) field(schema *crdschema.Schema, name string) surroundings {
	in := s.inside(schema, []string{name}, func(part *crdschema.Schema) *crdschema.Schema {
		if p := part.Property(name); p != nil {
			return p
		}
		return part.AdditionalProperties
	})
	in.counted = in.whole || counts(schema) || slices.ContainsFunc(s.parts, func(part condition) bool {
		return counts(part.Schema) || part.exact && (part.MinProperties != nil || slices.Contains(part.Required, name))
	})
	return in
}

// parts returns, recursively, the schemas in allOf, anyOf, oneOf and not.
func parts(s *crdschema.Schema, exact bool) (all []condition) {
	for _, inner := range slices.Concat(s.AllOf, s.AnyOf) {
		all = append(append(all, condition{inner, exact}), parts(inner, exact)...)
	}
	for _, inner := range slices.Concat(s.OneOf, []*crdschema.Schema{s.Not}) {
		if inner != nil {
			all = append(append(all, condition{inner, true}), parts(inner, true)...)
		}
	}
	return all
}

// counts reports whether an additional field may make an object invalid.
func counts(s *crdschema.Schema) bool {
	return s.MaxProperties != nil ||
		slices.ContainsFunc(parts(s, false), func(part condition) bool { return part.exact || part.MaxProperties != nil })
}

// dependsOn returns why an object that lacks the value may be valid, but not one with the default, or "".
func (s surroundings) dependsOn(value any) string {
	for _, r := range s.rules {
		if mentions(r.Rule.Rule, r.names) {
			return "the rule " + oneLine(r.Rule.Rule) + " is about it"
		}
	}
	if s.counted || slices.ContainsFunc(s.parts, func(part condition) bool { return part.exact || !part.Accepts(value) }) {
		return "conditions depend on which fields are set"
	}
	return ""
}

// celToken matches a name, an operator of comparison, or another character.
var celToken = regexp.MustCompile("`[^`]*`|[A-Za-z_][A-Za-z0-9_]*|[!=]=|[^\\s]")

// mentions reports whether a rule may depend on the presence of a field at a path: it contains its name, or it compares
// a value around the field.
func mentions(rule string, path []string) bool {
	if len(path) == 0 {
		return false // of an element or value of a map
	}
	tokens := celToken.FindAllString(crdschema.WithoutStrings(rule), -1)
	last := len(path) - 1
	if slices.ContainsFunc(tokens, isCELName(path[last])) {
		return true
	}
	if crdschema.UsesOldSelf(rule) || !slices.ContainsFunc(tokens, func(token string) bool { return token == "==" || token == "!=" }) {
		return false // the former value has the default, too
	}
	return slices.ContainsFunc(path[:last], func(name string) bool {
		is, test := isCELName(name), false
		for i, token := range tokens {
			switch next := append(tokens[i+1:len(tokens):len(tokens)], "")[0]; {
			case token == "has":
				test = true
			case token == ")":
				test = false
			case is(token) && !test && next != "." && next != "[" && next != "?":
				return true
			}
		}
		return false
	})
}

// isCELName returns a function that reports whether a token is the name of a field.
func isCELName(name string) func(token string) bool {
	return func(token string) bool { return token == goschema.CELName(name) || token == "`"+name+"`" }
}

// oneLine returns a rule for a message.
func oneLine(rule string) string { return strings.Join(strings.Fields(rule), " ") }
