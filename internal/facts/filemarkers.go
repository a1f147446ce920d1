package facts

import (
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// FileMarkers returns the markers of an effect that markers.OfFile finds in the packages of Sources, which it reads
// once. There are none of manifests unless the run writes these.
func (p *Facts) FileMarkers(effect markers.Effect) *markers.InFiles {
	if known := p.inFiles[effect]; known != nil {
		return known
	}
	all := &markers.InFiles{Found: make([][]model.Marker, len(p.all))}
	p.inFiles[effect] = all
	if effect &= p.cfg.Needs.Markers | markers.Applied; effect == 0 {
		return all
	}
	type inFile struct {
		*load.File
		src     int
		found   []model.Marker
		ignored []markers.Line
		diags   diag.List
	}
	var files []*inFile
	for i, src := range p.all {
		for f := range src.Parsed(markers.Texts(effect)...) {
			files = append(files, &inFile{File: f, src: i})
		}
	}
	parallel.Each(files, func(f *inFile) {
		var read []markers.Line
		read, f.ignored = markers.OfFile(p.Fset, f.Syntax, effect)
		f.found, f.diags = markers.ReadFile(read, effect)
	})
	for _, f := range files {
		all.Found[f.src] = append(all.Found[f.src], f.found...)
		all.Ignored, all.Mistakes = append(all.Ignored, f.ignored...), append(all.Mistakes, f.diags...)
	}
	return all
}
