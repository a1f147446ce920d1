package openapi

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// origin is where a schema comes from. What comes from packages that users cannot change has none: its origin is that of the schema around it.
type origin struct {
	line, column int // in a manifest; 0 in a schema that is derived from Go types

	pos       token.Pos         // of the field or type
	settings  []markers.Setting // that were applied, in the order of precedence
	recursive bool              // the schema would be that of a type within itself, and is empty instead
	failed    bool              // there is no schema, for a reason that was reported
}

// Line returns the position in the manifest that a schema was read from: that of the key of a property, or of the schema itself.
func (o *origin) Line() (line, column int) { return o.line, o.column }

// Pos returns the position of the field or type that a schema was derived from, token.NoPos if users cannot change it.
func (o *origin) Pos() token.Pos { return o.pos }

// noSchema returns the schema of what has none, after the reason was reported.
func noSchema() *Schema { return &Schema{origin: origin{failed: true}} }

// addSetting adds a marker under the name that it has for the schema.
func (o *origin) addSetting(s markers.Setting, name string) {
	def := *s.ManifestDefinition
	def.Name = name
	s.ManifestDefinition = &def
	o.settings = append(slices.Clip(o.settings), s)
}

// addOrigin adds the markers of another schema that is merged into this one.
func (s *Schema) addOrigin(other *Schema) {
	s.recursive, s.failed = s.recursive || other.recursive, s.failed || other.failed
	switch {
	case len(other.settings) == 0:
	case len(s.settings) == 0:
		s.settings = other.settings
	default:
		s.settings = slices.Concat(s.settings, other.settings)
	}
}

// located returns properties, with a position for those that have none. It changes nothing that they share with others.
func located(properties []Property, pos token.Pos) []Property {
	if pos == token.NoPos {
		return properties
	}
	cloned := false
	for i, p := range properties {
		if p.pos != token.NoPos {
			continue
		}
		if !cloned {
			properties, cloned = slices.Clone(properties), true
		}
		at := *p.Schema
		at.pos = pos
		properties[i].Schema = &at
	}
	return properties
}

// setting returns the last marker that has one of some names, without the prefix kubebuilder:validation: or k8s:, and that satisfies a condition; the
// zero Setting if there is none.
func (o *origin) setting(names []string, matches func(markers.Setting) bool) markers.Setting {
	for _, s := range slices.Backward(o.settings) {
		name := strings.TrimPrefix(strings.TrimPrefix(s.Name, markers.Validation), "k8s:")
		if slices.Contains(names, name) && (matches == nil || matches(s)) {
			return s
		}
	}
	return markers.Setting{}
}

// placeOf returns the position of the first marker with a name that schemas have, or else of the first of them that has a position, or else pos.
func (r *Reader) placeOf(name string, pos token.Pos, all ...*Schema) token.Position {
	for _, s := range all {
		if m := s.setting([]string{name}, nil); m.ManifestDefinition != nil {
			return m.Pos
		}
	}
	for _, s := range all {
		if s.pos != token.NoPos {
			return r.types.Fset.Position(s.pos)
		}
	}
	return r.types.Fset.Position(pos)
}

// isOwn reports whether a package is one that users can change.
func (r *Reader) isOwn(src *load.Package) bool { return !src.Foreign && !model.IsStandard(src.Path) }

// duplicate reports a field with the JSON name of another one.
func (r *Reader) duplicate(d *gotypes.Declaration, pos token.Pos, name string, other token.Pos) {
	if r.isOwn(d.Package) {
		r.errorf(d.Package, pos, "two fields of %s have the JSON name %q, so encoding/json ignores both", d.Name, name).
			SaidAt(r.types.Fset.Position(other)).Suggest("give one of them another name")
	}
}

// Duplicates reports embedded structs of which two have fields with the same JSON name, for all types whose schemas were derived.
func (r *Reader) Duplicates() {
	for d, s := range maps.Clone(r.raw) { // it may grow
		if len(s.AllOf) < 2 || d.Type.Form != gotypes.StructForm || !r.isOwn(d.Package) {
			continue
		}
		type origin struct{ depth, part int }
		found := map[string]origin{}
		for i, part := range s.AllOf {
			depths := map[string]int{}
			r.inlined(part, 1, depths, nil)
			for _, name := range slices.Sorted(maps.Keys(depths)) {
				other, ok := found[name]
				if ok && other.depth == depths[name] && s.property(name) < 0 {
					r.errorf(d.Package, part.pos, "two embedded structs of %s have the JSON name %q, so encoding/json ignores both fields", d.Name, name).
						SaidAt(r.types.Fset.Position(s.AllOf[other.part].pos)).Suggest("give one of them another name")
				}
				if !ok || depths[name] < other.depth {
					found[name] = origin{depths[name], i}
				}
			}
		}
	}
}

// inlined sets the least depths of the JSON names in an embedded struct.
func (r *Reader) inlined(part *Schema, depth int, depths map[string]int, within []*gotypes.Declaration) {
	if part.ref == nil || slices.Contains(within, part.ref.Declaration) {
		return
	}
	s := r.rawSchema(part.ref.Declaration)
	for _, p := range s.Properties {
		if least, ok := depths[p.Name]; !ok || depth < least {
			depths[p.Name] = depth
		}
	}
	for _, inner := range s.AllOf {
		r.inlined(inner, depth+1, depths, append(slices.Clip(within), part.ref.Declaration))
	}
}
