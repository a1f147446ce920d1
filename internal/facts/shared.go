package facts

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
)

// sharedUnits returns a unit for each package that has some of the structs but no kinds.
func (p *Part) sharedUnits(structs []*model.StructType) []*unit {
	reached := map[*model.Package]bool{}
	for _, s := range structs {
		reached[s.Package] = true
	}
	for _, u := range p.units {
		delete(reached, u.Types)
	}
	var shared []*unit
	for _, src := range p.packages {
		pkg := p.Facts.packages[src]
		if !reached[pkg] {
			continue
		}
		var known diag.List // readPackage has reported these
		comments := gotypes.PackageMarkers(p.Fset, src, p.cfg.Policy, &known)
		u := &unit{src: src, Package: naming.Package{Types: pkg, Shared: true}}
		p.nameGroupVersion(u, comments) // its diagnostics do not matter: no API server has that group, and the names only become directories
		shared = append(shared, u)
	}
	return shared
}
