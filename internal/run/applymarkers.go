package run

import (
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// byMarkers returns a request for each package of o with +kubebuilder:ac:generate=true, and for each directory with
// apply configurations of packages that have lost the marker, or name another directory. A wrong directory in a package
// is an error.
func (r *Run) byMarkers(o *Request, f *facts.Facts) (all []*Request, diags diag.List) {
	if !o.Plan.Flags.ApplyMarkers {
		return nil, nil
	}
	applied := f.FileMarkers(markers.Applied) // a check reports mistakes
	for i, src := range f.Sources() {
		if src.Foreign || o.Within != nil && !o.Within(src.Path) {
			continue
		}
		marked, _ := markers.First(applied.Found[i], markers.ApplyMarker).Value.(bool)
		place := markers.First(applied.Found[i], markers.ApplyOutputMarker)
		dir, _ := place.Value.(string)
		if place.Name == "" {
			dir = plan.DefaultApplyPackage
		}
		for _, dir := range slices.Compact([]string{dir, plan.DefaultApplyPackage}) {
			if !marked && !r.wroteApply(o, src, dir) {
				continue
			}
			p, said := o.Plan.ByMarkers(src.Path, src.Dir(), dir, place.Pos)
			if diags = append(diags, said...); p == nil {
				break
			} else if said.HasErrors() { // in flags, for each package
				return nil, diags
			}
			var request *Request
			request, diags = Resolve(o.all, p, diags)
			request.From, request.Given, request.marked, request.removed = o.From, o.Given, true, !marked
			all = append(all, request)
			marked = false // in the next place
		}
	}
	return all, diags
}

// wroteApply reports whether a directory, relative to a package's, has apply configurations that an earlier run wrote
// for the package alone, and that must go.
func (r *Run) wroteApply(o *Request, src *load.Package, place string) bool {
	dir := filepath.Join(src.Dir(), filepath.FromSlash(place))
	if o.Plan.KeepStale || filepath.Dir(dir) == o.Plan.At(o.Plan.Flags.OutputDir) { // the output itself may have them there
		return false
	}
	mark := applyconfiguration.Generator{}.Info().GeneratedBy()
	snapshot, err := r.disk.Read(dir, gofile.ToolMark{Line: mark})
	if err != nil {
		return false
	}
	for _, text := range snapshot.Generated() {
		if slices.Equal(gofile.MarkSources(text, mark), []string{src.Path}) {
			return true
		}
	}
	return false
}
