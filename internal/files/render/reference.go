package render

import (
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// ApplySuffix is the suffix of the names of apply configurations.
const ApplySuffix = "ApplyConfiguration"

// ApplyTypeOf returns the apply configuration of a type. If this API generates one, it is below the root of apply
// configurations. Otherwise, Options.Externals determines the package. The apply configuration of a type of k8s.io/api
// is in client-go. Any other apply configuration is below the root, in a package whose last two path elements are those
// of the type's package.
func (a *API) ApplyTypeOf(t model.TypeRef) gofile.Code {
	name := t.Name + ApplySuffix
	applied := a.Model.Struct(t)
	if applied != nil && applied.Version != nil {
		return a.Ident(a.ApplyPackage(applied.Version), name)
	}
	if pkg, ok := a.opts.Externals[t]; ok {
		return a.Ident(pkg, name)
	}
	for v := range a.Model.Versions() {
		for _, pkg := range v.Packages {
			if pkg.Path == t.Path {
				return a.Ident(a.ApplyPackage(v), name)
			}
		}
	}
	if applied != nil && applied.Published != "" {
		return a.Ident(applied.Published, name)
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
