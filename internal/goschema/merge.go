package goschema

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/openapi"
)

// merged returns a copy of a schema into which its allOf is merged as far as possible. Keywords that differ between a
// type and a field, or between two embedded structs, remain in allOf. conflict reports two schemas with different
// types.
func merged(s *openapi.Schema, conflict func(a, b *openapi.Schema)) *openapi.Schema {
	if s == nil {
		return nil
	}
	out := *s
	out.AllOf = nil
	for _, part := range s.AllOf {
		addPart(&out, part, part.Pos, conflict)
	}
	out.Items = merged(out.Items, conflict)
	out.AdditionalProperties = merged(out.AdditionalProperties, conflict)
	out.AllOf, out.AnyOf = mergedAll(out.AllOf, conflict), mergedAll(out.AnyOf, conflict)
	if len(out.Properties) > 0 {
		properties := make([]openapi.Property, len(out.Properties))
		for i, p := range out.Properties {
			properties[i] = openapi.Property{Name: p.Name, Schema: merged(p.Schema, conflict)}
		}
		out.Properties = properties
	}
	return &out
}

func mergedAll(all []*openapi.Schema, conflict func(a, b *openapi.Schema)) []*openapi.Schema {
	var found []*openapi.Schema
	for _, s := range all {
		found = append(found, merged(s, conflict))
	}
	return found
}

// hoist merges a keyword src into dst. If both are set and differ, they are moved to left and right, the two parts of
// allOf.
func hoist[T comparable](dst *T, src T, left, right *T, hoisted *bool) {
	var zero T
	switch {
	case src == zero || *dst == src:
	case *dst == zero:
		*dst = src
	default:
		*left, *right, *dst, *hoisted = *dst, src, zero, true
	}
}

// add merges another schema and its allOf into s. It does not modify subschemas that they share with others. Properties
// without a position take via, the position of the embedding field.
func add(s, other *openapi.Schema, via token.Pos, conflict func(a, b *openapi.Schema)) {
	for _, part := range other.AllOf {
		addPart(s, part, cmp.Or(part.Pos, via), conflict)
	}
	addOrigin(s, other)
	var left, right openapi.Schema
	hoisted := false
	switch {
	case s.Type == "":
		s.Type = other.Type
	case other.Type != "" && other.Type != s.Type:
		conflict(s, other)
	}
	hoist(&s.Format, other.Format, &left.Format, &right.Format, &hoisted)
	hoist(&s.Default, other.Default, &left.Default, &right.Default, &hoisted)
	hoist(&s.Maximum, other.Maximum, &left.Maximum, &right.Maximum, &hoisted)
	hoist(&s.ExclusiveMaximum, other.ExclusiveMaximum, &left.ExclusiveMaximum, &right.ExclusiveMaximum, &hoisted)
	hoist(&s.Minimum, other.Minimum, &left.Minimum, &right.Minimum, &hoisted)
	hoist(&s.ExclusiveMinimum, other.ExclusiveMinimum, &left.ExclusiveMinimum, &right.ExclusiveMinimum, &hoisted)
	hoist(&s.MaxLength, other.MaxLength, &left.MaxLength, &right.MaxLength, &hoisted)
	hoist(&s.MinLength, other.MinLength, &left.MinLength, &right.MinLength, &hoisted)
	hoist(&s.Pattern, other.Pattern, &left.Pattern, &right.Pattern, &hoisted)
	hoist(&s.MaxItems, other.MaxItems, &left.MaxItems, &right.MaxItems, &hoisted)
	hoist(&s.MinItems, other.MinItems, &left.MinItems, &right.MinItems, &hoisted)
	hoist(&s.UniqueItems, other.UniqueItems, &left.UniqueItems, &right.UniqueItems, &hoisted)
	hoist(&s.MultipleOf, other.MultipleOf, &left.MultipleOf, &right.MultipleOf, &hoisted)
	if len(s.Enum) == 0 {
		s.Enum = other.Enum
	}
	for _, bound := range []struct {
		dst, left, right **int64
		src              *int64
	}{
		{&s.MaxProperties, &left.MaxProperties, &right.MaxProperties, other.MaxProperties},
		{&s.MinProperties, &left.MinProperties, &right.MinProperties, other.MinProperties},
	} {
		if *bound.dst == nil || bound.src == nil || **bound.dst != *bound.src {
			hoist(bound.dst, bound.src, bound.left, bound.right, &hoisted)
		}
	}
	s.Required = union(s.Required, other.Required)
	if items := other.Items; items != nil && s.Items != nil && (items.Partial || s.Items.Partial) {
		both := *s.Items
		both.Partial = both.Partial && items.Partial
		add(&both, items, via, conflict)
		s.Items = &both
	} else {
		hoist(&s.Items, items, &left.Items, &right.Items, &hoisted)
	}
	switch {
	case len(other.AnyOf) == 0:
	case len(s.AnyOf) == 0:
		s.AnyOf = other.AnyOf
	default:
		left.AnyOf, right.AnyOf, s.AnyOf, hoisted = s.AnyOf, other.AnyOf, nil, true
	}
	if len(s.OneOf) == 0 { // only +kubegen:schema sets it
		s.OneOf = other.OneOf
	}
	if s.Not == nil {
		s.Not = other.Not
	}
	addProperties(s, other, via, conflict)
	addAdditional(s, other, conflict)
	hoist(&s.Nullable, other.Nullable, &left.Nullable, &right.Nullable, &hoisted)
	s.PreserveUnknownFields = s.PreserveUnknownFields || other.PreserveUnknownFields
	s.EmbeddedResource = s.EmbeddedResource || other.EmbeddedResource
	s.IntOrString = s.IntOrString || other.IntOrString
	if other.ListType != "" {
		s.ListType = other.ListType
	}
	if other.MapType != "" {
		s.MapType = other.MapType
	}
	if len(other.ListMapKeys) > 0 {
		s.ListMapKeys = other.ListMapKeys
	}
	if len(other.Validations) > 0 {
		s.Validations = slices.Concat(other.Validations, s.Validations)
	}
	if hoisted {
		s.AllOf = append(slices.Clip(s.AllOf), &left, &right)
	}
}

// addPart merges a part of allOf into a schema.
func addPart(s, part *openapi.Schema, via token.Pos, conflict func(a, b *openapi.Schema)) {
	if part.Literal {
		s.AllOf = append(slices.Clip(s.AllOf), part)
		return
	}
	add(s, part, via, conflict)
}

func addProperties(s, other *openapi.Schema, via token.Pos, conflict func(a, b *openapi.Schema)) {
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

func addAdditional(s, other *openapi.Schema, conflict func(a, b *openapi.Schema)) {
	switch {
	case other.AdditionalProperties == nil:
		s.AnyProperties = s.AnyProperties || other.AnyProperties && s.AdditionalProperties == nil
	case s.AdditionalProperties == nil && !s.AnyProperties:
		s.AdditionalProperties = other.AdditionalProperties
	default:
		both := openapi.Schema{}
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
