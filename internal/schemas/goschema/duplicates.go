package goschema

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// noSchema returns a placeholder after an error was reported.
func noSchema() *crdschema.Schema { return &crdschema.Schema{Origin: crdschema.Origin{Failed: true}} }

// addOrigin adds the markers of another schema that is merged into s.
func addOrigin(s, other *crdschema.Schema) {
	s.Recursive, s.Failed, s.Metadata = s.Recursive || other.Recursive, s.Failed || other.Failed, s.Metadata || other.Metadata
	s.Off, s.Edits = append(slices.Clip(s.Off), other.Off...), append(slices.Clip(s.Edits), other.Edits...)
	s.SetBy = cmp.Or(s.SetBy, other.SetBy)
	switch {
	case len(other.Markers) == 0:
	case len(s.Markers) == 0:
		s.Markers = other.Markers
	default:
		s.Markers = slices.Concat(s.Markers, other.Markers)
	}
}

// located returns properties with pos in place of missing positions. It does not modify shared schemas.
func located(properties []crdschema.Property, pos token.Pos) []crdschema.Property {
	if pos == token.NoPos {
		return properties
	}
	cloned := false
	for i, p := range properties {
		if p.Pos != token.NoPos {
			continue
		}
		if !cloned {
			properties, cloned = slices.Clone(properties), true
		}
		at := *p.Schema
		at.Pos = pos
		properties[i].Schema = &at
	}
	return properties
}

// placeOf returns the position of the first marker with a name in the schemas, or else of the first schema with a
// position, or else pos.
func (r *Reader) placeOf(name string, pos token.Pos, all ...*crdschema.Schema) token.Position {
	for _, s := range all {
		if m := s.Marker([]string{name}, nil); m.Name != "" {
			return m.Pos
		}
	}
	for _, s := range all {
		if s.Pos != token.NoPos {
			return r.types.Fset.Position(s.Pos)
		}
	}
	return r.types.Fset.Position(pos)
}

// duplicate reports a field with the same JSON name as another one.
func (t *deriver) duplicate(pos token.Pos, name string, other token.Pos) {
	if isOwn(t.of.Package) {
		t.twice.Errorf(t.types.Fset.Position(pos), "two fields of %s have the JSON name %q, so encoding/json ignores both", t.of.Name, name).
			WithRelated(t.types.Fset.Position(other)).Suggest("give one of them another name")
	}
}

// Duplicates reports fields with the same JSON name at the same depth, for all types in schemas.
func (r *Reader) Duplicates(diags *diag.List) {
	for _, d := range r.inOrder {
		s := r.derive(d).schema
		*diags = append(*diags, r.derive(d).twice...)
		if len(s.AllOf) < 2 || d.Type.Form != gotypes.StructForm || !isOwn(d.Package) {
			continue
		}
		type origin struct{ depth, part int }
		found := map[string]origin{}
		for i, part := range s.AllOf {
			depths := map[string]int{}
			r.inlined(part, 1, depths, nil)
			for _, name := range slices.Sorted(maps.Keys(depths)) {
				other, ok := found[name]
				if ok && other.depth == depths[name] && s.Index(name) < 0 {
					diags.Errorf(
						r.types.Fset.Position(part.Pos), "two embedded structs of %s have the JSON name %q, so encoding/json ignores both fields", d.Name,
						name,
					).WithRelated(r.types.Fset.Position(s.AllOf[other.part].Pos)).Suggest("give one of them another name")
				}
				if !ok || depths[name] < other.depth {
					found[name] = origin{depths[name], i}
				}
			}
		}
	}
}

// inlined determines the least depth of each JSON name in an embedded struct. It returns false if there may be others.
func (r *Reader) inlined(part *crdschema.Schema, depth int, depths map[string]int, within []*gotypes.Declaration) (complete bool) {
	if part.Ref == nil || slices.Contains(within, RefOf(part)) {
		return part.Ref != nil
	}
	of := r.derive(RefOf(part))
	s := of.schema
	switch {
	case s == nil:
		return false
	case s.Ref != nil: // type Named Base
		return r.inlined(s, depth, depths, append(slices.Clip(within), RefOf(part)))
	}
	complete = of.ofFields && len(s.Off) == 0
	for _, p := range s.Properties {
		if least, ok := depths[p.Name]; !ok || depth < least {
			depths[p.Name] = depth
		}
	}
	for _, inner := range s.AllOf {
		complete = r.inlined(inner, depth+1, depths, append(slices.Clip(within), RefOf(part))) && complete
	}
	return complete
}
