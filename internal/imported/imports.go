// Package imported decides which packages of types are imported, from manifests and Go modules, and makes them in
// memory: types for manifests, and copies of Go types. Later steps read these packages as if they were on disk.
package imported

import (
	"cmp"
	"context"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/imported/typecopy"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Types are the packages of types that a plan imports. There are none if it imports nothing. A method that completes
// them returns new ones.
type Types struct {
	Packages    []*importer.Package
	Definitions []string          // names of the definitions in manifests
	Defined     []string          // the requested kinds, and the versions, that these define
	Fields      map[string]string // the kinds that fields name and no manifest defines, by field
	Left        []typecopy.Left   // methods of copied types that are not copied
	Methods     []typecopy.Left   // methods of copied types that are copied

	plan    *plan.Plan
	loading load.Config       // of packages
	dirs    map[string]string // requested directories of groups
	from    []plan.GoPackages // whose types stay where they are
	copies  []plan.GoPackages // whose types are copied
	copying typecopy.Options
}

// Patterns returns the patterns of all packages to read, including the imported ones.
func (t *Types) Patterns() []string {
	patterns := slices.Clone(t.plan.Patterns)
	for _, pkg := range t.Packages {
		patterns = append(patterns, pkg.Path)
	}
	return append(patterns, t.GoPatterns()...)
}

// GoPatterns returns the patterns of the Go packages whose types stay where they are.
func (t *Types) GoPatterns() (patterns []string) {
	for _, pkg := range t.from {
		patterns = append(patterns, pkg.Pattern)
	}
	return patterns
}

// Copies reports whether types are copied.
func (t *Types) Copies() bool { return len(t.copies) > 0 }

// clone returns types whose packages can be changed.
func (t *Types) clone() *Types {
	other := *t
	other.Packages = nil
	for _, pkg := range t.Packages {
		changed := *pkg
		other.Packages = append(other.Packages, &changed)
	}
	return &other
}

// Write returns the types with the files of all packages, and provides these to the loaders with the same sources. It
// reports imported Go packages that the build list does not have. It can be called once: it frees the schemas, which
// need much memory.
func (t *Types) Write(ctx context.Context, sources *load.Sources) (written *Types, diags diag.List) {
	written = t.clone()
	return written, written.write(ctx, sources)
}

func (t *Types) write(ctx context.Context, sources *load.Sources) (diags diag.List) {
	t.reportDirs(&diags)
	cfg := t.loading
	cfg.Sources = sources
	l := load.NewLoader(ctx, cfg)
	l.Modules.Find()
	if missing := requireModules(t.from, l.Modules); len(t.Packages) == 0 || missing.HasErrors() {
		return append(diags, missing...)
	}
	l.Preload(append(importer.ShapePackages(), cfg.Likely...)...)
	if ctx.Err() != nil {
		return nil
	}
	if l.Known[model.MetaV1] == nil { // all types need it
		why, commands := l.WhyMissing(model.MetaV1)
		d := diags.Errorf(token.Position{}, "cannot read %s, which imported types refer to: %s", model.MetaV1, why)
		if commands != "" {
			d.Run("%s", commands)
		}
		return diags
	}
	var shapes *importer.Shapes
	if t.plan.Flags.Import.CoreTypes {
		shapes = importer.NewShapes(gotypes.NewReader(l, t.plan.Policy))
	}
	diags = append(diags, importer.Write(t.Packages, shapes)...)
	root, module, _ := t.plan.FindModule(t.plan.Import.Dir)
	for _, pkg := range t.Packages {
		dir := t.dirOf(pkg)
		if err := load.CheckRegularIn(dir, ".go"); err != nil {
			diags.AddError(err)
			continue
		}
		sources.Provide(pkg.Path, pkg.Name, dir,
			&packages.Module{Path: module, Main: true, Dir: root, GoMod: filepath.Join(root, "go.mod")}, pkg.Files)
	}
	return diags
}

// reportDirs warns of requested directories of groups without imported types.
func (t *Types) reportDirs(diags *diag.List) {
	for _, group := range slices.Sorted(maps.Keys(t.dirs)) {
		if !slices.ContainsFunc(t.Packages, func(pkg *importer.Package) bool { return pkg.Group == group }) {
			diags.Warnf(token.Position{}, "%s: %s has no effect, since no types of this group are imported", diag.Setting("group-dirs"), group).
				Suggest("write the name of the whole group, as in cert-manager.io=certmanager")
		}
	}
}

// dirOf returns the directory of a package.
func (t *Types) dirOf(pkg *importer.Package) string {
	return filepath.Join(t.plan.Import.Dir, filepath.FromSlash(pkg.Dir))
}

// requireModules reports imported Go packages of modules that the build list does not have, or has in another version.
// The advice is one command for all of them.
func requireModules(imported []plan.GoPackages, modules *load.Modules) (diags diag.List) {
	var missing []string
	for _, pkg := range imported {
		if len(modules.Files) == 0 || isLocal(pkg.Pattern, modules) {
			continue
		}
		get := pkg.Pattern
		switch selected, ok := modules.Providing(strings.TrimSuffix(pkg.Pattern, "/...")); {
		case !ok:
			diags.Errorf(token.Position{}, "no required module provides package %s", diag.Value(pkg.Pattern))
		case pkg.Version != "" && pkg.Version != selected.Version:
			diags.Errorf(
				token.Position{}, "%s is imported, but the module requires %s %s", diag.Value(pkg.String()), selected.Module, selected.Version,
			)
			get = selected.Module
		default:
			continue
		}
		missing = append(missing, get+"@"+cmp.Or(pkg.Version, "latest"))
	}
	for _, d := range diags {
		d.Run("go get %s", strings.Join(missing, " ")).Or("copy the types with %s", diag.Setting("copy"))
	}
	return diags
}

// isLocal reports whether a pattern is for packages of a main module.
func isLocal(pattern string, modules *load.Modules) bool {
	return slices.ContainsFunc(modules.Files, func(f *modfile.File) bool {
		return f.Module != nil && strings.HasPrefix(pattern+"/", f.Module.Mod.Path+"/")
	})
}

// Files returns the files of an imported package by name, or nil for other packages.
func (t *Types) Files(importPath string) map[string][]byte {
	for _, pkg := range t.Packages {
		if pkg.Path == importPath {
			return pkg.Files
		}
	}
	return nil
}

// Place maps errors in imported types to positions in their manifests or originals, with advice for users who import
// these. It drops warnings about these types, because users cannot act on them.
func (t *Types) Place(said diag.List) (kept diag.List) {
	byFile := t.byFile()
	for _, d := range said {
		pkg := byFile[d.Pos.Filename]
		if pkg != nil && d.Severity != diag.Error {
			continue
		}
		if pkg != nil {
			d.Pos = pkg.Origin(filepath.Base(d.Pos.Filename), d.Pos.Line)
			if pkg.At == nil {
				importer.Advise(d)
			} else {
				d.Elsewhere(pkg.Remedy)
			}
		}
		kept = append(kept, d)
	}
	return kept
}

// Unmark removes markers with errors from copies, because users cannot change the originals, and returns a note for
// each of them. It shows the changed files to the loaders with the same sources.
func (t *Types) Unmark(said diag.List, sources *load.Sources) (notes diag.List) {
	byFile, lines, messages := t.byFile(), map[string][]int{}, map[token.Position]string{}
	for _, d := range said {
		line := token.Position{Filename: d.Pos.Filename, Line: d.Pos.Line}
		if pkg := byFile[d.Pos.Filename]; pkg == nil || pkg.Unmark == nil || d.Severity != diag.Error || messages[line] != "" {
			continue
		}
		lines[line.Filename], messages[line] = append(lines[line.Filename], line.Line), d.Message
	}
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		pkg, name := byFile[file], filepath.Base(file)
		removed := pkg.Unmark(name, lines[file])
		for _, line := range slices.Sorted(maps.Keys(removed)) {
			notes.Notef(removed[line], "this marker is not copied: %s", messages[token.Position{Filename: file, Line: line}])
		}
		if len(removed) > 0 {
			sources.Change(file, pkg.Files[name])
		}
	}
	return notes
}

// byFile returns the packages by the names of their files.
func (t *Types) byFile() map[string]*importer.Package {
	byFile := map[string]*importer.Package{}
	for _, pkg := range t.Packages {
		for name := range pkg.Files {
			byFile[filepath.Join(t.dirOf(pkg), name)] = pkg
		}
	}
	return byFile
}

// Trees returns the files of all packages. Types from an earlier import into the directory that are no longer imported
// are stale. removed lists the directories of packages without remaining files.
func (t *Types) Trees(disk *output.Disk) (trees []output.Tree, removed []string, err error) {
	if t.plan.Import == nil {
		return nil, nil, nil
	}
	snapshot, err := disk.Read(t.plan.Import.Dir, gofile.ToolMark{Line: importer.Mark})
	if err != nil {
		return nil, nil, err
	}
	ofPackage := func(rel string, _ []byte) bool { // GROUP/VERSION/FILE
		return strings.Count(rel, "/") == 2 && !strings.HasSuffix(rel, "_test.go")
	}
	tree := output.Tree{Dir: t.plan.Import.Dir, Mark: importer.Mark, Snapshot: snapshot, Stale: ofPackage}
	seen := map[string]bool{}
	for _, pkg := range t.Packages {
		seen[pkg.Dir] = true
		for name, content := range pkg.Files {
			tree.Files = append(tree.Files, output.File{Path: pkg.Dir + "/" + name, Content: content})
		}
		for name, content := range pkg.Licences {
			tree.Files = append(tree.Files, output.File{Path: pkg.Dir + "/" + name, Content: content})
		}
	}
	for rel := range snapshot.Generated() {
		if dir := path.Dir(rel); ofPackage(rel, nil) && !seen[dir] {
			seen[dir], removed = true, append(removed, tree.At(dir))
		}
	}
	return []output.Tree{tree}, removed, nil
}
