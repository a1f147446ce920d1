package checks

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func knownTags(p *Pass) {
	for _, pkg := range p.Packages {
		for _, line := range markers.Lines(p.Types.Fset, gotypes.PackageComments(pkg.Source)...) {
			name, isGenerator := generatorTag(line.Text)
			if !isGenerator || slices.Contains(markers.GeneratorTags(), name) {
				continue
			}
			d := p.diags.Errorf(line.Pos, "+%s is not a marker of a known generator", name)
			if nearest, ok := diag.Nearest(name, markers.GeneratorTags()); ok {
				d.Suggest("did you mean +%s?", nearest)
			} else {
				d.Suggest("remove it").Or("leave known-tags-only out of %s", diag.Setting("lint-rules"))
			}
		}
	}
}

// generatorTag returns the name of a marker, without arguments and value, and whether it has the form "k8s:...-gen...".
func generatorTag(text string) (name string, isGenerator bool) {
	name = strings.TrimPrefix(text, "+")
	if i := strings.IndexAny(name, "=( \t"); i >= 0 {
		name = name[:i]
	}
	if tag, ok := markers.GeneratorTag(name); ok {
		return tag, true
	}
	return name, false
}
