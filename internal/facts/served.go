package facts

import (
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Served returns packages with their kinds by the rules of controller-gen, whose declarations it reads with types.
// Package.ForManifests determines group and version, which may depend on feature gates.
func Served(types *gotypes.Reader, sources []*load.Package) (packages []*kinds.Package) {
	types.Preload(neededBy(sources)...)
	for _, src := range sources {
		pkg := &kinds.Package{Source: src, Declared: kinds.ReadDeclared(types.Loader, src), Skipped: isSkipped(types, src)}
		if !pkg.Skipped {
			for _, d := range types.Kinds(src) {
				pkg.Kinds = append(pkg.Kinds, &kinds.Kind{Package: pkg, Spec: src.Decls[d.Name].Type, Pos: types.Fset.Position(d.Pos), Type: d})
			}
		}
		packages = append(packages, pkg)
	}
	return packages
}

// Converts reports whether an output of the run writes conversions into a package.
func (p *Facts) Converts(src *load.Package) bool { return p.products.Writes(products.Conversions, src) }

// isSkipped reports whether controller-gen skips a package, whatever feature gates are on.
func isSkipped(types *gotypes.Reader, src *load.Package) bool {
	const marker = "+kubebuilder:skip"
	if !src.Mentions(marker) {
		return false
	}
	types.ParseMentioning(src, marker)
	return slices.ContainsFunc(types.PackageLines(src), func(line markers.Line) bool { return line.Text == marker })
}

// neededBy returns the packages whose types are probably needed: the imports of packages that may declare kinds.
// Listing many packages takes little longer than listing one.
func neededBy(packages []*load.Package) (paths []string) {
	for _, src := range packages {
		if !src.Mentions("ObjectMeta") {
			continue
		}
		for _, f := range src.Files {
			for _, path := range f.Imports() {
				if !model.IsStandard(path) {
					paths = append(paths, path)
				}
			}
		}
	}
	if slices.Contains(paths, model.MetaV1) {
		paths = append(paths, apiMachinery...)
	}
	return paths
}
