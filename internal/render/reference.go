package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
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
	i := slices.IndexFunc(a.Model.Structs, func(s *model.StructType) bool { return s.TypeRef == t })
	if i >= 0 && a.Model.Structs[i].Version != nil {
		return a.Ident(a.ApplyPackage(a.Model.Structs[i].Version), name)
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
	if i >= 0 && a.Model.Structs[i].Published != "" {
		return a.Ident(a.Model.Structs[i].Published, name)
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
