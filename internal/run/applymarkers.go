package run

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/plan"
)

// WithMarked returns the outputs. After each one with apply configurations by markers, it inserts an output for each of
// its packages with +kubebuilder:ac:generate=true, and for each directory with apply configurations of packages that
// have lost the marker, or name another directory. A wrong directory in a package is an error. It returns no outputs
// for errors in flags.
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
			var read []markers.Line
			for _, f := range src.Files {
				if f.Syntax != nil {
					lines, _ := markers.OfFile(l.Fset, f.Syntax, markers.Applied)
					read = append(read, lines...)
				}
			}
			found := markers.ReadFile(read, markers.Applied, &diag.List{}) // a check reports mistakes
			marked, _ := markers.First(found, markers.ApplyMarker).Value.(bool)
			place := markers.First(found, markers.ApplyOutputMarker)
			dir, _ := place.Value.(string)
			if place.Name == "" {
				dir = plan.DefaultApplyPackage
			}
			for _, dir := range slices.Compact([]string{dir, plan.DefaultApplyPackage}) {
				if !marked && !r.wroteApply(o, src, dir) {
					continue
				}
				p, said := o.ByMarkers(src.Path, src.Dir(), dir, place.Pos)
				if diags = append(diags, said...); p == nil {
					break
				} else if said.HasErrors() { // in flags, for each package
					return nil, diags
				}
				all = append(all, &Output{Plan: p, From: o.From, Given: o.Given, Sources: o.Sources, removed: !marked})
				marked = false // in the next place
			}
		}
	}
	return all, diags
}

// wroteApply reports whether a directory, relative to a package's, has apply configurations that an earlier run wrote
// for the package alone, and that must go.
func (r *Run) wroteApply(o *Output, src *load.Package, place string) bool {
	dir := filepath.Join(src.Dir(), filepath.FromSlash(place))
	if o.KeepStale || filepath.Dir(dir) == o.At(o.Flags.OutputDir) { // the output itself may have them there
		return false
	}
	mark := applyconfiguration.Generator{}.Info().GeneratedBy()
	snapshot, err := r.disk.Read(dir, genmark.Mark{Line: mark})
	if err != nil {
		return false
	}
	for _, text := range snapshot.Generated() {
		if slices.Equal(genmark.Sources(text, mark), []string{src.Path}) {
			return true
		}
	}
	return false
}
