package facts

import (
	"go/token"
	"slices"

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
	i := slices.IndexFunc(k.Markers, func(m model.Marker) bool { return m.Name == model.HelpersMarker })
	asked := k.Helpers
	if i >= 0 {
		asked = k.Markers[i].Pos
	}
	if possible && asked.IsValid() && !p.cfg.Policy.NoOwnMarkers && !u.Types.Off(model.ClientSwitch) {
		r.HelpersFrom = model.Source{Kind: model.FromMarker, Text: "+" + model.HelpersMarker, Pos: asked}
	}
}

// helpersOfAll returns the position of a marker for helpers above the package clause, which applies to all kinds, or an
// invalid position.
func (p *Facts) helpersOfAll(src *load.Package, found []model.Marker) token.Position {
	for _, m := range found {
		for f := range src.Parsed() {
			clause := p.Fset.Position(f.Syntax.Package)
			if m.Name == model.HelpersMarker && m.Pos.Filename == clause.Filename && m.Pos.Offset < clause.Offset {
				return m.Pos
			}
		}
	}
	return token.Position{}
}
