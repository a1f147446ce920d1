package facts

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// ReadObjects returns packages with their Objects, whose declarations it reads with types, and with what these depend
// on.
func ReadObjects(types *gotypes.Reader, sources []*load.Package) (packages []*kinds.Package) {
	for _, src := range sources {
		packages = append(packages, newPackage(types, src))
		findObjects(types, packages[len(packages)-1])
	}
	return packages
}

// newPackage returns a package with what does not depend on the run.
func newPackage(types *gotypes.Reader, src *load.Package) *kinds.Package {
	return &kinds.Package{Source: src, Skipped: isSkipped(types, src)}
}

// findObjects sets the Objects of a package, and the group and version that it declares. It reads declarations with
// types, also of generated files, in which checks would then look for mistakes.
func findObjects(types *gotypes.Reader, pkg *kinds.Package) {
	pkg.Declared = kinds.ReadDeclared(types.Loader, pkg.Source)
	if !pkg.Skipped {
		pkg.Objects = types.Kinds(pkg.Source)
	}
}

// Objects returns the packages whose kinds have manifests, pages and documents, and the reader of their Objects. They
// are known if the plan needs Schemas and there are no errors.
func (p *Facts) Objects() (*gotypes.Reader, []*kinds.Package) { return p.types, p.described }

// describe finds the packages of Objects, with these. Unless the plan has AnyManifest, packages of other modules
// are among them only if a marker of kubebuilder above a kind shows that it is for a CustomResourceDefinition. Most
// others are named for clients of kinds that Kubernetes serves.
func (p *Facts) describe(diags *diag.List) {
	cfg := &p.cfg
	p.types = gotypes.NewReader(p.Loader, cfg.Policy)
	p.described = slices.DeleteFunc(slices.Clone(p.packages), func(pkg *kinds.Package) bool {
		return pkg.Source.Foreign && cfg.Import.takes(pkg.Source)
	})
	for _, pkg := range p.described {
		findObjects(p.types, pkg)
	}
	isCustom := func(d *gotypes.Declaration) bool {
		return slices.ContainsFunc(d.Markers, func(line markers.Line) bool { return strings.HasPrefix(line.Text, "+kubebuilder:") })
	}
	p.described = slices.DeleteFunc(p.described, func(pkg *kinds.Package) bool {
		src := pkg.Source
		if !src.Foreign || cfg.AnyManifest || slices.ContainsFunc(pkg.Objects, isCustom) {
			return false
		}
		if cfg.Own && len(pkg.Objects) > 0 && !(cfg.Needs.Kinds && strings.HasPrefix(src.Path, "k8s.io/")) {
			diags.Notef(p.PackagePos(src), "kinds here have no manifests, since none has a marker of kubebuilder, and their module is another one").
				Run("gen-controller crd paths=%s if they are custom resources", src.Path)
		}
		return true
	})
}

// isSkipped reports whether controller-gen skips a package, whatever feature gates are on.
func isSkipped(types *gotypes.Reader, src *load.Package) bool {
	const marker = "+kubebuilder:skip"
	if !src.Mentions(marker) {
		return false
	}
	types.ParseMentioning(src, marker)
	return slices.ContainsFunc(types.PackageLines(src), func(line markers.Line) bool { return line.Text == marker })
}
