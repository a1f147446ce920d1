package generators

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// Package is a package that a generator writes.
type Package struct {
	Path      string            // import path
	Resources []*model.Resource // those that have files in it
}

// Packages returns the packages that Generate would write, ordered by path.
func (g Generator) Packages(api *model.API, opts Options) []Package {
	api = api.Select(g.Wants)
	if len(api.Groups) == 0 {
		return nil
	}
	var found []Package
	for _, files := range g.packages(&Data{generator: &g, opts: &opts, api: api}) {
		pkg := Package{Path: files[0].packagePath()}
		for _, d := range files {
			if d.resource != nil && !slices.Contains(pkg.Resources, d.resource) {
				pkg.Resources = append(pkg.Resources, d.resource)
			}
		}
		found = append(found, pkg)
	}
	slices.SortFunc(found, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return found
}
