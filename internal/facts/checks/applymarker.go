package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// applyMarker reports mistakes in the markers for controller-gen's apply configurations, unless they are reported.
func applyMarker(p *Pass) {
	reported := diag.LinesOf(&p.Reported)
	for _, d := range p.Applied.Mistakes {
		if !reported.Has(d.Pos) {
			p.diags = append(p.diags, d)
		}
	}
	for i, src := range p.Sources {
		for _, m := range p.Applied.Found[i] {
			if first := markers.First(p.Applied.Found[i], m.Name); first.Value != m.Value {
				p.diags.Warnf(m.Pos, "the package has a second +%s: the first one is used", m.Name).WithRelated(first.Pos).Suggest("keep one of them")
			}
		}
		if src.Foreign || !src.Mentions("+"+markers.ApplyMarker) {
			continue
		}
		ofPackage, kinds := markers.First(p.Applied.Found[i], markers.ApplyMarker), false
		marked, _ := ofPackage.Value.(bool)
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			if d := src.Decls[name]; d.Type != nil {
				kinds = p.applyMarkersOf(src, d, marked, reported) || kinds
			}
		}
		if marked && !kinds && !reported.Has(ofPackage.Pos) {
			p.diags.Warnf(ofPackage.Pos, "+%s has no effect, because package %s declares no kind", markers.ApplyMarker, src.Name).
				Suggest("delete it")
		}
	}
}

// applyMarkersOf reports mistakes in the markers above a type. marked reports whether its package has the marker
// without which markers of types have no effect. It reports whether the type may be a kind.
func (p *Pass) applyMarkersOf(src *load.Package, d load.Decl, marked bool, reported *diag.Lines) (kind bool) {
	name, fields := d.Type.Name, p.Types.FieldsOf(src, d)
	_, hasType := fields.Meta("TypeMeta")
	_, isKind := fields.Meta("ObjectMeta")
	decided := false // by a marker whether there is an apply configuration
	for _, line := range markers.Lines(p.Types.Fset, p.Types.Above(d.File, d.Type)...) {
		if !strings.HasPrefix(line.Text, "+"+markers.ApplyMarker) {
			decided = decided || markers.MeansGenclient(line.Text) || strings.HasPrefix(line.Text, "+kubebuilder:resource")
			continue
		}
		decided = true
		switch {
		case slices.Contains(p.Applied.Ignored, line), reported.Has(line.Pos):
		case isKind || fields.Opaque:
			found, mistakes := line.Read(markers.Type, markers.ModeOf(p.Policy))
			p.diags = append(p.diags, mistakes...)
			if !marked && markers.First(found, markers.ApplyMarker).Text == "true" {
				p.diags.Warnf(line.Pos, "+%s has no effect, because package %s is not marked with it", markers.ApplyMarker, src.Name).
					Suggest("write // +%s=true above a package clause, too", markers.ApplyMarker)
			}
		default:
			p.diags.Warnf(line.Pos, "+%s has no effect, because %s is not a kind", markers.ApplyMarker, name).
				Suggest("move it above a kind, or delete it")
		}
	}
	if marked && p.Needs.Markers&markers.Applied != 0 && hasType && isKind && name.IsExported() && !decided {
		p.diags.Warnf(
			p.Types.Fset.Position(name.Pos()), "no apply configuration is generated for %s, because it has no marker that requests one", name,
		).Suggest("write // +%s=true above it, or =false if it needs none", markers.ApplyMarker)
	}
	return isKind || fields.Opaque
}
