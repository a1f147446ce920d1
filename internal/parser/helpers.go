package parser

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// readHelpers determines whether helpers are generated for a kind: the kind or its package must have the marker, and
// its client the required verbs.
func (p *Facts) readHelpers(u *unit, k *kind, r *model.Resource) {
	able := func(verbs ...model.Verb) bool {
		return !r.NoVerbs && !slices.ContainsFunc(verbs, func(v model.Verb) bool { return !r.Verbs.Has(v) })
	}
	possible := able(model.VerbList) || able(model.VerbGet, model.VerbUpdate) || able(model.VerbGet, model.VerbUpdateStatus)
	i := slices.IndexFunc(k.markers, func(m model.Marker) bool { return m.Name == model.HelpersMarker })
	asked := u.helpers
	if i >= 0 {
		asked = k.markers[i].Pos
	}
	if possible && asked.IsValid() && !p.cfg.Policy.NoOwnMarkers && !u.pkg.Off(model.ClientSwitch) {
		r.HelpersFrom = model.Source{Kind: model.FromMarker, Text: "+" + model.HelpersMarker, Pos: asked}
	}
	if i >= 0 && !p.helpless(u, asked) && !possible {
		p.Warnf(asked, "+%s has no effect: the client of %s has neither list nor both get and update", model.HelpersMarker, r.Kind).
			Suggest("remove it, or select more verbs")
	}
}

// helpless reports a marker for helpers that has no effect in its package.
func (p *Facts) helpless(u *unit, pos token.Position) bool {
	switch {
	case p.cfg.Policy.NoOwnMarkers:
		p.Warnf(pos, "+%s has no effect: the classic tools have no helpers", model.HelpersMarker).
			Suggest("remove it").Or("omit %s", diag.Setting("classic"))
	case u.pkg.Off(model.ClientSwitch):
		p.Warnf(pos, "+%s has no effect: the package has +%s=false", model.HelpersMarker, model.ClientSwitch).
			Suggest("remove one of them")
	default:
		return false
	}
	return true
}

// helpersOfAll returns the position of a marker for helpers above the package clause, which applies to all kinds, or an
// invalid position.
func (p *Facts) helpersOfAll(src *load.Package, found []model.Marker) token.Position {
	for _, m := range found {
		for _, f := range src.Files {
			if m.Name != model.HelpersMarker || f.Syntax == nil {
				continue
			}
			clause := p.Fset.Position(f.Syntax.Package)
			if m.Pos.Filename == clause.Filename && m.Pos.Offset < clause.Offset {
				return m.Pos
			}
		}
	}
	return token.Position{}
}

// reportHelpers reports a package's marker for helpers if it has no effect.
func (p *Facts) reportHelpers(u *unit) {
	if !u.helpers.IsValid() || p.helpless(u, u.helpers) || len(u.kinds) == 0 {
		return
	}
	if !slices.ContainsFunc(u.kinds, func(k *kind) bool { return k.resource == nil || k.resource.Helpers() }) {
		p.Warnf(u.helpers, "+%s has no effect: no client of the package has list, or both get and update", model.HelpersMarker).Suggest("remove it")
	}
}
