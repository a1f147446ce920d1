package load

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// listFunc returns the packages that match some patterns.
type listFunc = func(ctx context.Context, patterns []string) ([]*packages.Package, error)

// located holds patterns for packages that the go command lists in one directory.
type located struct {
	list     listFunc
	patterns []string
	file     *modfile.File // its go.mod file, or nil if there is none
}

// byModule groups patterns by the directory where the go command lists their packages: the directory of the Loader, or,
// without a workspace, the roots of other modules with directories of patterns. It adds the go.mod files of these to
// Modules.
func (l *Loader) byModule(patterns []string) (groups []located) {
	var here []string
	apart := map[string][]string{} // by the module's root
	for _, pattern := range patterns {
		f, there := l.elsewhere(pattern)
		if f == nil || l.cfg.List != nil || l.cfg.hasDriver() || len(l.Modules.Workspace) > 0 {
			here = append(here, pattern)
			continue
		}
		root := filepath.Dir(f.Syntax.Name)
		apart[root] = append(apart[root], there)
	}
	if main := l.Modules.Main(); len(here) > 0 {
		groups = append(groups, located{l.list, here, main})
	}
	for _, root := range slices.Sorted(maps.Keys(apart)) {
		l.Modules.Add(root)
		groups = append(groups, located{l.shared.in(root).list, apart[root], l.Modules.In(root)})
	}
	return groups
}

// elsewhere returns the go.mod file of the module with the directory of a pattern, and the pattern relative to that
// module, if the go command does not read the module's packages in the directory of the Loader. Otherwise, f is nil.
func (l *Loader) elsewhere(pattern string) (f *modfile.File, there string) {
	if !l.IsLocal(pattern) {
		return nil, ""
	}
	dir := l.At(PatternDir(pattern))
	if f = l.Modules.Above(dir); f == nil || l.Modules.Uses(f) {
		return nil, ""
	}
	within, _ := filepath.Rel(filepath.Dir(f.Syntax.Name), dir)
	there = strings.TrimSuffix("./"+filepath.ToSlash(within), "/.")
	if _, wild, ok := strings.Cut(pattern, "..."); ok {
		there += "/..." + wild
	}
	return f, there
}

// listImported lists packages by import path, each in the first module of the patterns that can import it.
func (l *Loader) listImported(importPaths []string) ([]*packages.Package, error) {
	places := l.places
	if len(places) == 0 {
		places = []listFunc{l.list}
	}
	loaded, err := places[0](l.ctx, importPaths)
	for _, list := range places[1:] {
		exists := map[string]bool{}
		for _, pkg := range loaded {
			exists[pkg.PkgPath] = len(pkg.GoFiles) > 0
		}
		missing := slices.DeleteFunc(slices.Clone(importPaths), func(importPath string) bool { return exists[importPath] })
		if len(missing) == 0 {
			break
		}
		more, errThere := list(l.ctx, missing)
		more = slices.DeleteFunc(slices.Clone(more), func(pkg *packages.Package) bool { return len(pkg.GoFiles) == 0 })
		if len(more) == len(missing) && errThere == nil {
			err = nil
		}
		loaded = append(more, loaded...)
	}
	return loaded, err
}

// in returns Sources that list packages in another directory. They read no files.
func (s *Sources) in(dir string) *Sources {
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.apart[dir] == nil {
		cfg := s.cfg
		cfg.Env.Dir = dir
		s.apart[dir] = NewSources(cfg)
	}
	return s.apart[dir]
}
