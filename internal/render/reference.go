package render

import (
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/templates"
)

// ApplySuffix is the end of the names of apply configurations.
const ApplySuffix = "ApplyConfiguration"

// ApplyTypeOf returns the apply configuration of a type. If Options.Externals has the type, that determines the
// package. Otherwise, a type of this API has its apply configuration below the configured package, and a type of
// k8s.io/api in client-go. For any other type it is below the configured package, in the package whose path ends like
// that of the type's package.
func (a *API) ApplyTypeOf(t model.TypeRef) string {
	name := t.Name + ApplySuffix
	if pkg, ok := a.opts.Externals[t]; ok {
		return a.Ident(pkg, name)
	}
	for _, g := range a.Model.Groups {
		for _, v := range g.Versions {
			for _, pkg := range v.Packages {
				if pkg.Path == t.Path {
					return a.Ident(a.ApplyPackage(v), name)
				}
			}
		}
	}
	for _, s := range a.Model.Structs {
		switch {
		case s.TypeRef != t:
		case s.Version != nil:
			return a.Ident(a.ApplyPackage(s.Version), name)
		case s.Published != "":
			return a.Ident(s.Published, name)
		}
	}
	if below, ok := strings.CutPrefix(t.Path, "k8s.io/api/"); ok {
		return a.Ident("k8s.io/client-go/applyconfigurations/"+below, name)
	}
	return a.Ident(path.Join(a.opts.Roots[templates.ApplyConfigurations].Path, path.Base(path.Dir(t.Path)), path.Base(t.Path)), name)
}

// ApplyPackage returns the import path of a version's apply configurations.
func (a *API) ApplyPackage(v *model.Version) string {
	return a.opts.packageOf(templates.VersionApplyConfigurations, v.Group, v)
}
