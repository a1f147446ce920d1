// Package impact determines the consequences of planned changes to generated files: breaking changes for callers and in
// CustomResourceDefinitions, since the files on disk or a git revision, packages that are no longer included, and the
// releases of client-go before and after. It also finds modules with clients for another release of client-go than the
// one selected in a project. It changes nothing.
package impact

import (
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// OnCode returns the breaking changes in generated files. It reads the files that change. If a declaration may be
// lost, it also reads the other files of the package, because the declaration may have moved to a hand-written file,
// and other packages whose types matter, with sources.
func OnCode(ctx context.Context, sources *load.Sources, outputs []*run.Output, changes []output.Change) Report {
	var jobs []run.Job
	for _, t := range outputs {
		jobs = append(jobs, t.Jobs...)
	}
	dirs := map[string][]output.Change{}
	changed := map[string]bool{}
	for _, change := range changes {
		if filepath.Ext(change.Path) == ".go" {
			dir := filepath.Dir(change.Path)
			dirs[dir] = append(dirs[dir], change)
			changed[change.Path] = true
		}
	}
	read := func(importPath string) (before, after *Declarations) {
		dir := dirOf(jobs, importPath)
		var same []File
		if dir != "" {
			same = unchanged(dir, changed)
		}
		if there := dirs[dir]; there != nil {
			old, now := states(there)
			return Parse(importPath, slices.Concat(same, old)), Parse(importPath, slices.Concat(same, now))
		}
		if len(same) > 0 {
			before = Parse(importPath, same)
		} else {
			before = readImported(ctx, sources, importPath)
		}
		return before, before
	}
	var lock, reading sync.Mutex
	known := map[string][2]*Declarations{} // imported packages
	imported := func(importPath string) (before, after *Declarations) {
		reading.Lock()
		defer reading.Unlock()
		both, ok := known[importPath]
		if !ok {
			both[0], both[1] = read(importPath)
			known[importPath] = both
		}
		return both[0], both[1]
	}
	var all Report
	parallel.Each(slices.Collect(maps.Keys(dirs)), func(dir string) {
		if !slices.ContainsFunc(dirs[dir], func(c output.Change) bool { return c.Old != nil }) {
			return
		}
		before, after := states(dirs[dir])
		lost := Compare(before, after, Context{
			Unchanged: func() []File { return unchanged(dir, changed) },
			Imported:  imported,
		})
		if lost = slices.Concat(Moved(before, after), lost); len(lost) == 0 {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		all = append(all, PackageChanges{Path: importPathIn(outputs, jobs, dir), Changes: lost})
	})
	slices.SortFunc(all, func(a, b PackageChanges) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// states returns the files of a package before and after the changes.
func states(changes []output.Change) (before, after []File) {
	for _, change := range changes {
		if change.Old != nil {
			before = append(before, File{Name: change.Path, Content: change.Old})
		}
		if change.New != nil {
			after = append(after, File{Name: change.Path, Content: change.New})
		}
	}
	return before, after
}

// unchanged reads the Go files of a package that do not change.
func unchanged(dir string, changed map[string]bool) (files []File) {
	entries, _ := os.ReadDir(dir) // the directory may not exist
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if entry.IsDir() || filepath.Ext(name) != ".go" || changed[name] || strings.HasPrefix(entry.Name(), "_") ||
			strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if content, err := load.ReadFile(name); err == nil {
			files = append(files, File{Name: name, Content: content})
		}
	}
	return files
}

// importPathIn returns the import path of an output directory.
func importPathIn(outputs []*run.Output, jobs []run.Job, dir string) string {
	for _, j := range jobs {
		for _, pkg := range j.API.Packages {
			if pkg.Dir == dir {
				return pkg.Path
			}
		}
	}
	_, owner, below := ownerOf(outputs, dir)
	for _, o := range outputs { // for a package that is no longer imported
		if o.Plan.Import == nil || len(owner.Dir) > len(o.Plan.Import.Dir) {
			continue
		}
		if rel, err := filepath.Rel(o.Plan.Import.Dir, dir); err == nil && filepath.IsLocal(rel) {
			return path.Join(o.Plan.Import.Path, filepath.ToSlash(rel))
		}
	}
	if owner.Dir != "" {
		return path.Join(owner.Root(), below)
	}
	if importPath, ok := outputs[0].Plan.ImportPath(dir); ok {
		return importPath
	}
	return filepath.ToSlash(dir)
}

// dirOf returns the directory of a package that the run generates, or "" for other packages.
func dirOf(jobs []run.Job, importPath string) (dir string) {
	longest := ""
	for _, j := range jobs {
		for _, pkg := range j.API.Packages {
			if pkg.Path == importPath {
				return pkg.Dir
			}
		}
		for _, t := range j.Targets {
			root := t.Root()
			rel, below := strings.CutPrefix(importPath+"/", root+"/")
			if root != "" && below && len(root) > len(longest) {
				longest, dir = root, filepath.Join(t.Dir, filepath.FromSlash(rel))
			}
		}
	}
	return dir
}

// readImported reads a package that the run does not change. It returns nil if the package is not found.
func readImported(ctx context.Context, found *load.Sources, importPath string) *Declarations {
	names := found.Files(ctx, importPath)
	if len(names) == 0 {
		return nil
	}
	var files []File
	for _, name := range names {
		if content, err := load.ReadFile(name); err == nil {
			files = append(files, File{Name: name, Content: content})
		}
	}
	return Parse(importPath, files)
}
