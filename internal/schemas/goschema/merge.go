package goschema

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// merged returns a copy of a schema into which its allOf is merged as far as possible. Keywords that differ between a
// type and a field, or between two embedded structs, remain in allOf. conflict reports two schemas with different
// types.
func merged(s *crdschema.Schema, conflict func(a, b *crdschema.Schema)) *crdschema.Schema {
	if len(s.AllOf) > 0 {
		out := *s
		out.AllOf = nil
		for _, part := range s.AllOf {
			addPart(&out, part, part.Pos, conflict)
		}
		s = &out
	}
	return s.Map(func(part *crdschema.Schema) *crdschema.Schema { return merged(part, conflict) })
}

// add merges another schema and its allOf into s. It does not modify subschemas that they share with others. Properties
// without a position take via, the position of the embedding field.
func add(s, other *crdschema.Schema, via token.Pos, conflict func(a, b *crdschema.Schema)) {
	for _, part := range other.AllOf {
		addPart(s, part, cmp.Or(part.Pos, via), conflict)
	}
	addOrigin(s, other)
	switch {
	case s.Type == "":
		s.Type = other.Type
	case other.Type != "" && other.Type != s.Type:
		conflict(s, other)
	}
	s.Required = union(s.Required, other.Required)
	addProperties(s, other, via, conflict)
	addAdditional(s, other, conflict)
	if len(other.Validations) > 0 {
		s.Validations = slices.Concat(other.Validations, s.Validations)
	}
	if items := other.Items; items != nil && s.Items != nil && (items.Partial || s.Items.Partial) {
		both := *s.Items
		both.Partial = both.Partial && items.Partial
		add(&both, items, via, conflict)
		rest := *other
		s.Items, rest.Items = &both, nil
		other = &rest
	}
	s.Merge(other)
}

// addPart merges a part of allOf into a schema.
func addPart(s, part *crdschema.Schema, via token.Pos, conflict func(a, b *crdschema.Schema)) {
	if part.Literal {
		s.AllOf = append(slices.Clip(s.AllOf), part)
		return
	}
	add(s, part, via, conflict)
}

func addProperties(s, other *crdschema.Schema, via token.Pos, conflict func(a, b *crdschema.Schema)) {
	others := other.Properties
	if via != s.Pos {
		others = located(others, via)
	}
	if len(s.Properties) == 0 {
		s.Properties = others
		return
	}
	s.Properties = slices.Clip(s.Properties)
	cloned := false
	index := make(map[string]int, len(s.Properties))
	for i, p := range s.Properties {
		index[p.Name] = i
	}
	for _, p := range others {
		i, ok := index[p.Name]
		if !ok {
			index[p.Name] = len(s.Properties)
			s.Properties = append(s.Properties, p)
			continue
		}
		if !cloned {
			s.Properties, cloned = slices.Clone(s.Properties), true
		}
		both := *s.Properties[i].Schema
		add(&both, p.Schema, via, conflict)
		s.Properties[i].Schema = &both
	}
}

func addAdditional(s, other *crdschema.Schema, conflict func(a, b *crdschema.Schema)) {
	s.NoProperties = s.NoProperties || other.NoProperties
	switch {
	case other.AdditionalProperties == nil:
		s.AnyProperties = s.AnyProperties || other.AnyProperties && s.AdditionalProperties == nil
	case s.AdditionalProperties == nil && !s.AnyProperties:
		s.AdditionalProperties = other.AdditionalProperties
	default:
		both := crdschema.Schema{}
		if s.AdditionalProperties != nil {
			both = *s.AdditionalProperties
		}
		add(&both, other.AdditionalProperties, token.NoPos, conflict)
		s.AdditionalProperties = &both
	}
}

// union returns the sorted names of two lists.
func union(a, b []string) []string {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
