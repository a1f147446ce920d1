package render

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// Written is a package with files of a generator.
type Written struct {
	Path      string            // import path
	Resources []*model.Resource // kinds with files in the package
}

// Packages returns the packages that Render would write, ordered by path.
func (f *Generator) Packages(api *model.API, opts *Options) []Written {
	if !f.Has(api) {
		return nil
	}
	api = api.Select(f.Wants)
	var found []Written
	for _, files := range f.packages(api, opts, Views{}) {
		pkg := Written{Path: files[0].packagePath()}
		for _, one := range files {
			r := one.resource
			if one.of != nil {
				r = one.of.Resource
			}
			if r != nil && !slices.Contains(pkg.Resources, r) {
				pkg.Resources = append(pkg.Resources, r)
			}
		}
		found = append(found, pkg)
	}
	slices.SortFunc(found, func(a, b Written) int { return strings.Compare(a.Path, b.Path) })
	return found
}
