package facts

import (
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// reportNoPackages reports patterns that match no packages, or only imported ones.
func (p *Facts) reportNoPackages() {
	if len(p.imported) > 0 {
		p.Errorf(token.Position{}, "no packages other than imported ones match %s", strings.Join(p.patterns, " ")).Suggest("name directories such as ./apis/... or import paths")
		p.noteImported()
		return
	}
	d := p.Mistakef(p.cfg.MayBeEmpty, token.Position{}, "", "no packages match %s", strings.Join(p.patterns, " "))
	if len(p.patterns) != 1 || !p.Suggest(d, p.patterns[0]) {
		d.Suggest("name directories such as ./apis/... or import paths")
	}
	p.unseen = p.patterns
}

// noteImported notes packages that were omitted because they are imported from manifests.
func (p *Facts) noteImported() {
	for _, src := range p.imported {
		p.Notef(p.PackagePos(src), "the types of this package are imported, so that %s generates its clients", diag.Textf("kubegen import")).
			Suggest("list the manifests under imports in kubegen.yaml, or name the package")
	}
}
