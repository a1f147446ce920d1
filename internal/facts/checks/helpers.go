package checks

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func helpersMarker(p *Pass) {
	for _, pkg := range p.Packages {
		included := slices.DeleteFunc(slices.Clone(pkg.Kinds), func(k *kinds.Kind) bool { return k.Resource == nil && !k.Refused })
		for _, k := range included {
			m := markers.First(k.Markers, model.HelpersMarker)
			if m.Pos.IsValid() && k.Resource != nil && !p.helpless(pkg, m.Pos) && !k.Resource.Helpers() {
				p.diags.Warnf(
					m.Pos, "+%s has no effect: the client of %s has neither list nor both get and update", model.HelpersMarker, k.Resource.Kind,
				).Suggest("remove it, or select more verbs")
			}
		}
		if pkg.Helpers.IsValid() && !p.helpless(pkg, pkg.Helpers) && len(included) > 0 &&
			!slices.ContainsFunc(included, func(k *kinds.Kind) bool { return k.Refused || k.Resource.Helpers() }) {
			p.diags.Warnf(pkg.Helpers, "+%s has no effect: no client of the package has list, or both get and update", model.HelpersMarker).
				Suggest("remove it")
		}
	}
}

// helpless reports a marker for helpers without effect in its package.
func (p *Pass) helpless(pkg *kinds.Package, pos token.Position) bool {
	switch {
	case p.Policy.NoOwnMarkers:
		definition, _ := markers.Find(model.HelpersMarker)
		p.diags.Warnf(pos, "+%s has no effect: %s", model.HelpersMarker, definition.Classic).
			Suggest("remove it").Or("omit %s", diag.Setting("classic"))
	case pkg.Types.Off(model.ClientSwitch):
		p.diags.Warnf(pos, "+%s has no effect: the package has +%s=false", model.HelpersMarker, model.ClientSwitch).Suggest("remove one of them")
	default:
		return false
	}
	return true
}
