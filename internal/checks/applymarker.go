package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
)

// applyMarker reports mistakes in the markers for controller-gen's apply configurations, unless they are reported.
func applyMarker(p *Pass, diags *diag.List) {
	reported := diag.LinesOf(&p.Reported)
	for _, d := range p.Applied.Mistakes {
		if !reported.Has(d.Pos) {
			*diags = append(*diags, d)
		}
	}
	for i, src := range p.Sources {
		for _, m := range p.Applied.Found[i] {
			if first := markers.First(p.Applied.Found[i], m.Name); first.Value != m.Value {
				diags.Warnf(m.Pos, "the package has a second +%s: the first one is used", m.Name).WithRelated(first.Pos).Suggest("keep one of them")
			}
		}
		if src.Foreign || !src.Mentions("+"+markers.ApplyMarker) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			d := src.Decls[name]
			if d.Type == nil {
				continue
			}
			fields := p.Types.FieldsOf(src, d)
			_, isKind := fields.Meta("ObjectMeta")
			for _, line := range markers.Lines(p.Types.Fset, p.Types.Above(d.File, d.Type)...) {
				switch {
				case !strings.HasPrefix(line.Text, "+"+markers.ApplyMarker), slices.Contains(p.Applied.Ignored, line), reported.Has(line.Pos):
				case isKind || fields.Opaque:
					line.Read(markers.Type, markers.ModeOf(p.Policy), diags)
				default:
					diags.Warnf(line.Pos, "+%s has no effect, because %s is not a kind", markers.ApplyMarker, name).Suggest("move it above a kind, or delete it")
				}
			}
		}
	}
}
