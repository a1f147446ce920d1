package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// cycleOf returns the clash of generated packages that import each other, if there is one. Packages of types cannot
// import each other, but their generated packages can, if several packages of types have the same group and version and
// therefore share one generated package.
func cycleOf(packages [][]*file) (c Clash, ok bool) {
	byPath := map[string][]*file{}
	for _, pkg := range packages {
		byPath[pkg[0].packagePath()] = pkg
	}
	cycle := findCycle(byPath)
	if cycle == nil {
		return Clash{}, false
	}
	names := make([]string, len(cycle))
	for i, importPath := range cycle {
		names[i] = path.Base(path.Dir(importPath)) + "/" + path.Base(importPath)
	}
	c = Clash{
		Generator: packages[0][0].generator, Message: fmt.Sprintf("the generated packages %s import each other", strings.Join(names, " and ")),
	}
	if pkg, among := merged(cycle, byPath); pkg != nil {
		c.Package, c.Pos = pkg, pkg.Pos
		c.Message += fmt.Sprintf(
			", because %s contains the code for %s", names[slices.Index(cycle, among[0].packagePath())], strings.Join(sourcePaths(among), " and "),
		)
	}
	return c, true
}

// findCycle returns the import paths of a cycle of packages, or nil. Each package imports the next one, and the last
// one imports the first.
func findCycle(packages map[string][]*file) []string {
	var way, cycle []string
	done := map[string]bool{}
	var visit func(importPath string) bool
	visit = func(importPath string) bool {
		if i := slices.Index(way, importPath); i >= 0 {
			cycle = way[i:]
			return true
		}
		if done[importPath] {
			return false
		}
		done[importPath] = true
		way = append(way, importPath)
		for _, one := range packages[importPath] {
			for _, next := range slices.Sorted(slices.Values(one.imports)) {
				if packages[next] != nil && visit(next) {
					return true
				}
			}
		}
		way = way[:len(way)-1]
		return false
	}
	for _, importPath := range slices.Sorted(maps.Keys(packages)) {
		if visit(importPath) {
			return cycle
		}
	}
	return nil
}

// merged returns the package of types with the fewest kinds among those that share a generated package in the cycle,
// and the files of this generated package. It returns nil if no generated package in the cycle is shared.
func merged(cycle []string, packages map[string][]*file) (*model.Package, []*file) {
	type candidate struct {
		pkg   *model.Package
		files []*file
		kinds int
	}
	var candidates []candidate
	for _, importPath := range cycle {
		files := packages[importPath]
		sources := sourcesOf(files)
		if len(sources) < 2 {
			continue
		}
		for _, pkg := range sources {
			c := candidate{pkg: pkg, files: files}
			for _, one := range files {
				if one.of != nil && one.of.Package == pkg && one.of.Resource != nil {
					c.kinds++
				}
			}
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(a.kinds-b.kinds, cmp.Compare(a.pkg.Path, b.pkg.Path))
	})
	return best.pkg, best.files
}

// sourcesOf returns the packages of the structs that the files are generated for, ordered by path.
func sourcesOf(files []*file) []*model.Package {
	var sources []*model.Package
	for _, one := range files {
		if one.of != nil && one.of.Package != nil && !slices.Contains(sources, one.of.Package) {
			sources = append(sources, one.of.Package)
		}
	}
	slices.SortFunc(sources, func(a, b *model.Package) int { return cmp.Compare(a.Path, b.Path) })
	return sources
}

func sourcePaths(files []*file) (paths []string) {
	for _, pkg := range sourcesOf(files) {
		paths = append(paths, pkg.Path)
	}
	return paths
}
