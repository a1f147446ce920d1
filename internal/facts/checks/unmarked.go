package checks

import (
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func unmarkedKind(p *Pass, diags *diag.List) {
	for _, pkg := range p.Packages {
		for _, k := range pkg.Unmarked {
			for _, m := range k.Markers {
				if markers.OfKinds("+" + m.Name) {
					diags.Warnf(m.Pos, "+%s has no effect: type %s is not marked +genclient", m.Name, k.Name()).
						Suggest("add +genclient above it, or remove this marker")
					break
				}
			}
		}
	}
}
