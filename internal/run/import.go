package run

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

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/importer"
	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/schematypes"
)

// importTypes writes the types that the output imports in memory. All later steps read their packages. It reports
// imported Go packages that the build list does not have.
func (r *Run) importTypes(ctx context.Context, o *Output) diag.List {
	if o.Import == nil {
		return nil
	}
	diags := r.copyTypes(ctx, o)
	if diags.HasErrors() || ctx.Err() != nil {
		return diags
	}
	r.Progress.Phase("importing types", 0)
	cfg := o.Loading
	cfg.Sources = o.Sources
	l := load.NewLoader(ctx, cfg)
	l.Modules.Find()
	if missing := o.requireModules(l.Modules); len(o.Import.Packages) == 0 || missing.HasErrors() {
		return append(diags, missing...)
	}
	l.Preload(append(schematypes.ShapePackages(), cfg.Likely...)...)
	if ctx.Err() != nil {
		return nil
	}
	if l.Known[model.MetaV1] == nil { // all types need it
		why, commands := l.WhyMissing(model.MetaV1)
		d := diags.Errorf(token.Position{}, "cannot read %s, which imported types refer to: %s", model.MetaV1, why)
		if commands != "" {
			d.Suggest("run %s", commands)
		}
		return diags
	}
	var shapes *schematypes.Shapes
	if o.Import.Shapes {
		shapes = schematypes.NewShapes(gotypes.NewReader(l, o.Facts.Policy))
	}
	diags = append(diags, importer.Write(o.Import.Packages, shapes)...)
	root, module, _ := r.Env.FindModule(o.Import.Dir)
	for _, pkg := range o.Import.Packages {
		dir := filepath.Join(o.Import.Dir, filepath.FromSlash(pkg.Dir))
		if err := input.RegularIn(dir, ".go"); err != nil {
			diags.AddError(err)
			continue
		}
		o.Sources.Provide(pkg.Path, pkg.Name, dir,
			&packages.Module{Path: module, Main: true, Dir: root, GoMod: filepath.Join(root, "go.mod")}, pkg.Files)
	}
	r.Progress.Ended("imported")
	return diags
}

// requireModules reports imported Go packages of modules that no go.mod file requires, or requires in another version.
func (o *Output) requireModules(modules *gomod.Modules) (diags diag.List) {
	for _, pkg := range o.Import.Go {
		module := modules.With(strings.TrimSuffix(pkg.Pattern, "/..."))
		required, ok := modules.Required(module)
		var d *diag.Diagnostic
		switch {
		case len(modules.Files) == 0 || isLocal(pkg.Pattern, modules):
			continue
		case !ok:
			d = diags.Errorf(token.Position{}, "no required module provides package %s", pkg.Pattern)
		case pkg.Version != "" && pkg.Version != required.Version:
			d = diags.Errorf(token.Position{}, "%s is imported, but the module requires %s %s", pkg, module, required.Version)
		default:
			continue
		}
		d.Suggest("run go get %s@%s", pkg.Pattern, cmp.Or(pkg.Version, "latest")).Or("copy the types with %s", diag.Setting("copy"))
	}
	return diags
}

// isLocal reports whether a pattern is for packages of a main module.
func isLocal(pattern string, modules *gomod.Modules) bool {
	return slices.ContainsFunc(modules.Files, func(f *modfile.File) bool {
		return f.Module != nil && strings.HasPrefix(pattern+"/", f.Module.Mod.Path+"/")
	})
}

// provided returns the files of an imported package by name.
func (o *Output) provided(importPath string) map[string][]byte {
	if o.Import == nil {
		return nil
	}
	for _, pkg := range o.Import.Packages {
		if pkg.Path == importPath {
			return pkg.Files
		}
	}
	return nil
}

// ofManifests maps errors in imported types to positions in their manifests. It drops warnings about these types,
// because users cannot act on them.
func (o *Output) ofManifests(said diag.List) (kept diag.List) {
	if o.Import == nil {
		return said
	}
	byFile := map[string]*importer.Package{}
	for _, pkg := range o.Import.Packages {
		dir := filepath.Join(o.Import.Dir, filepath.FromSlash(pkg.Dir))
		for name := range pkg.Files {
			byFile[filepath.Join(dir, name)] = pkg
		}
	}
	for _, d := range said {
		pkg := byFile[d.Pos.Filename]
		if pkg != nil && d.Severity != diag.Error {
			continue
		}
		if pkg != nil {
			d.Pos = pkg.Origin(filepath.Base(d.Pos.Filename), d.Pos.Line)
		}
		kept = append(kept, d)
	}
	return kept
}

// imported returns the trees of the imported types. Types from an earlier import into the directory that are no longer
// imported are stale. removed lists the directories of packages without remaining files.
func (o *Output) imported() (trees []output.Tree, removed []string, err error) {
	if o.Import == nil {
		return nil, nil, nil
	}
	snapshot, err := o.disk.Read(o.Import.Dir, genmark.Mark{Line: importer.Mark})
	if err != nil {
		return nil, nil, err
	}
	ofPackage := func(rel string) bool { return strings.Count(rel, "/") == 2 } // GROUP/VERSION/FILE
	tree := output.Tree{Dir: o.Import.Dir, Mark: importer.Mark, Snapshot: snapshot, Stale: ofPackage}
	seen := map[string]bool{}
	for _, pkg := range o.Import.Packages {
		seen[pkg.Dir] = true
		for name, content := range pkg.Files {
			tree.Files = append(tree.Files, output.File{Path: pkg.Dir + "/" + name, Content: output.Held(content)})
		}
		for name, content := range pkg.Licences {
			tree.Files = append(tree.Files, output.File{Path: pkg.Dir + "/" + name, Content: output.Held(content)})
		}
	}
	for rel := range snapshot.Generated() {
		if dir := path.Dir(rel); ofPackage(rel) && !seen[dir] {
			seen[dir], removed = true, append(removed, tree.At(dir))
		}
	}
	return []output.Tree{tree}, removed, nil
}

// reportOthers warns of code for imported types that an earlier import generated and this one does not.
func (o *Output) reportOthers(diags *diag.List) error {
	if o.Import == nil {
		return nil
	}
	var dirs []string
	for _, t := range o.Import.Others {
		snapshot, err := o.disk.Read(t.Dir, t.Info().Marks()...)
		if err != nil {
			return err
		}
		before := newEarlier(t, snapshot, nil, o.Covers(""))
		for rel, text := range snapshot.Generated() {
			if sources := before.sourcesOf(text); sources != nil && before.outdated(rel, sources) {
				dirs = append(dirs, o.Name(t.Dir))
				break
			}
		}
	}
	if len(dirs) > 0 {
		diags.Warnf(token.Position{}, "this import does not keep the code for imported types up to date in %s", strings.Join(dirs, ", ")).
			Suggest("delete it, or import with this code again")
	}
	return nil
}

// reportMixed reports a directory with files for both imported and other types. A run for one of them would replace the
// files for the whole API, such as the clientset.
func (o *Output) reportMixed(before *earlier, api *model.API, diags *diag.List) {
	if !render.Writes(before.Generator, &before.Options, ".", true) {
		return // files for other packages remain unchanged
	}
	seen := map[string]bool{}
	for _, text := range before.snapshot.Generated() {
		for _, source := range before.sourcesOf(text) {
			seen[source] = true
		}
	}
	for _, pkg := range api.Packages {
		delete(seen, pkg.Path)
	}
	dir := before.Dir
	if rel, err := filepath.Rel(o.Facts.Output, dir); err == nil && filepath.IsLocal(rel) {
		dir = o.Facts.Output
	}
	for _, source := range slices.Sorted(maps.Keys(seen)) {
		switch {
		case o.Import != nil && !before.covered(source):
			diags.Errorf(token.Position{}, "%s has code generated from %s, which is not imported", o.Name(dir), source).
				Suggest("import into another directory with %s, or delete that code", diag.Setting("output-dir"))
		case o.Import == nil && o.isImported(source):
			diags.Errorf(token.Position{}, "%s has code generated from %s, which is imported", o.Name(dir), source).
				Suggest("generate into another directory with %s, or delete that code", diag.Setting("output-dir"))
		default:
			continue
		}
		return
	}
}

// isImported reports whether a package in the output's module was imported.
func (o *Output) isImported(importPath string) bool {
	root, module, ok := o.FindModule(o.Facts.Output)
	rel, below := strings.CutPrefix(importPath, module+"/")
	return ok && below && importer.IsPackage(filepath.Join(root, filepath.FromSlash(rel)))
}
