package run

import (
	"context"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/plan"
)

// WithMarked returns the outputs. After each one with apply configurations by markers, it inserts an output for each of
// its packages with +kubebuilder:ac:generate=true.
func (r *Run) WithMarked(ctx context.Context, outputs []*Output) (all []*Output, diags diag.List) {
	for _, o := range outputs {
		all = append(all, o)
		if !o.RequestsApply() {
			continue
		}
		cfg := o.Loading
		cfg.Sources = o.Sources
		l := load.NewLoader(ctx, cfg)
		found := l.Find(o.Patterns)
		l.Read(found) // Prepare reports errors
		for _, src := range found {
			if src.Foreign || o.Within != nil && !o.Within(src.Path) {
				continue
			}
			var ignored diag.List // Prepare reports mistakes in markers
			marked, place := false, plan.DefaultApplyPackage
			for _, m := range gotypes.PackageMarkers(l.Fset, src, o.Facts.Policy, &ignored) {
				switch m.Name {
				case markers.ApplyMarker:
					marked = m.Text == "true"
				case markers.ApplyOutputMarker:
					place = strings.Trim(m.Text, "\"`")
				}
			}
			if !marked {
				continue
			}
			p, flags, said := o.ByMarkers(src.Path, src.Dir(), place)
			if diags = append(diags, said...); said.HasErrors() { // in flags, for each package
				return nil, diags
			}
			all = append(all, &Output{Plan: p, Flags: *flags, From: o.From, Given: o.Given, Sources: o.Sources})
		}
	}
	return all, diags
}
