package crdschema

import "slices"

// Missing returns the index of the first name in a path that does not exist in the schema, and the schema that lacks
// it. A path may pass through lists and maps, and names fields of their elements. in is nil if the whole path exists.
func (s *Schema) Missing(path Path) (i int, in *Schema) {
	for i, name := range path {
		s = s.element()
		next := s.Property(name)
		if next == nil {
			return i, s
		}
		s = next
	}
	return 0, nil
}

// element returns the schema of the elements of a list or map, even if these are lists or maps in turn, or else the
// schema itself.
func (s *Schema) element() *Schema {
	switch {
	case s.Items != nil:
		return s.Items.element()
	case len(s.Properties) == 0 && s.AdditionalProperties != nil:
		return s.AdditionalProperties.element()
	}
	return s
}

// Slice returns a schema of a kind with only the fields in a tree of paths, and metadata. In lists of type map, the
// elements keep their keys. Schemas that lose fields also lose their defaults and restrictions, because these may be
// about lost fields. Schemas of fields that are kept as a whole are unchanged.
func (s *Schema) Slice(tree *PathTree) *Schema { return s.slice(tree, ResourceFields...) }

// slice is like Slice and also keeps fields with some names.
func (s *Schema) slice(tree *PathTree, names ...string) *Schema {
	if tree.Whole() {
		return s
	}
	out := &Schema{
		Description: s.Description, Type: s.Type, Title: s.Title, ExternalDocs: s.ExternalDocs, Nullable: s.Nullable,
		ListType: s.ListType, ListMapKeys: s.ListMapKeys, MapType: s.MapType, Origin: s.Origin,
	}
	out.Sliced = true
	switch {
	case s.Items != nil:
		out.Items = s.Items.slice(tree, s.ListMapKeys...)
	case len(s.Properties) == 0 && s.AdditionalProperties != nil:
		out.AdditionalProperties = s.AdditionalProperties.slice(tree)
	}
	for _, p := range s.Properties {
		of := tree.Field(p.Name)
		switch {
		case slices.Contains(names, p.Name):
		case of == nil:
			continue
		default:
			p.Schema = p.slice(of)
		}
		out.Properties = append(out.Properties, p)
	}
	out.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool {
		return out.Property(name) == nil && !slices.Contains(names, name)
	})
	return out
}

// ReplacesSliced reports whether server-side apply of a value with this schema removes fields that a slice lacks,
// because a list or map of values that lost fields is merged as a whole.
func (s *Schema) ReplacesSliced() bool {
	switch {
	case !s.Sliced:
		return false
	case s.Items != nil:
		return s.ListType != "map" || s.Items.ReplacesSliced()
	case s.AdditionalProperties != nil:
		return s.MapType == "atomic" || s.AdditionalProperties.ReplacesSliced()
	}
	return s.MapType == "atomic"
}
