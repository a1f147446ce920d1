package facts

import (
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
)

// noteAside advises to omit the packages that contain all the errors if they appear not to be part of the API: they are
// only matched by patterns such as ./..., and are in other top-level directories of the module than the remaining
// packages with kinds, as examples are.
func (p *Facts) noteAside() {
	if slices.ContainsFunc(p.patterns, func(pattern string) bool { return !strings.Contains(pattern, "...") }) {
		return // a package named explicitly is wanted
	}
	wrong := map[string]bool{} // directories with errors
	for _, d := range p.List {
		switch {
		case d.Severity != diag.Error:
		case !d.Pos.IsValid():
			return
		default:
			wrong[filepath.Dir(d.Pos.Filename)] = true
		}
	}
	asideTops, tops := map[string]bool{}, map[string]bool{}
	var aside []*load.Package
	for _, src := range p.Input {
		if top, ok := top(src); ok && wrong[src.Dir()] {
			aside, asideTops[top] = append(aside, src), true
			delete(wrong, src.Dir())
		} else if ok && slices.ContainsFunc(p.units, func(u *unit) bool { return u.src == src }) {
			tops[top] = true
		}
	}
	if len(wrong) > 0 || len(aside) == 0 || len(tops) == 0 {
		return
	}
	var names []string
	for _, top := range slices.Sorted(maps.Keys(tops)) {
		if asideTops[top] {
			return
		}
		if rel, err := filepath.Rel(p.At("."), top); err == nil {
			names = append(names, "./"+filepath.ToSlash(rel)+"/...")
		}
	}
	var paths []string
	for _, src := range aside {
		paths = append(paths, src.Path)
	}
	pos := p.PackagePos(aside[0])
	p.Notef(token.Position{Filename: pos.Filename, Line: pos.Line}, "all errors are in %s", strings.Join(paths, ", ")).
		Suggest("if it is not part of the API, name only the other packages: %s", strings.Join(names, " "))
}

// top returns the first directory of the package below its module root. ok is false for packages in the root or outside
// a module.
func top(s *load.Package) (dir string, ok bool) {
	if s.Module == "" || len(s.Files) == 0 {
		return "", false
	}
	rel, err := filepath.Rel(s.Module, s.Dir())
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if err != nil || first == "." || first == ".." {
		return "", false
	}
	return filepath.Join(s.Module, first), true
}
