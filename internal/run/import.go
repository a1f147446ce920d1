package run

import (
	"context"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/importer"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/output"
)

// importTypes writes the types that the output imports, and makes all later steps see their packages.
func (r *Run) importTypes(ctx context.Context, o *Output) diag.List {
	if o.Import == nil {
		return nil
	}
	r.Progress.Phase("importing types", 0)
	cfg := o.Parser.Loading()
	cfg.Sources = o.Sources
	l := load.NewLoader(ctx, cfg)
	l.Modules.Find()
	l.Preload(append(goschema.ShapePackages(), cfg.Likely...)...)
	if ctx.Err() != nil {
		return nil
	}
	if l.Known[model.MetaV1] == nil { // which all types need
		var diags diag.List
		why, commands := l.WhyMissing(model.MetaV1)
		d := diags.Errorf(token.Position{}, "cannot read %s, which imported types refer to: %s", model.MetaV1, why)
		if commands != "" {
			d.Suggest("run %s", commands)
		}
		return diags
	}
	var shapes *goschema.Shapes
	if o.Import.Shapes {
		shapes = goschema.NewShapes(gotypes.NewReader(l, o.Parser.Policy))
	}
	diags := importer.Write(o.Import.Packages, shapes)
	root, module, _ := r.Env.FindModule(o.Import.Dir)
	for _, pkg := range o.Import.Packages {
		o.Sources.Provide(pkg.Path, pkg.Name, filepath.Join(o.Import.Dir, filepath.FromSlash(pkg.Dir)),
			&packages.Module{Path: module, Main: true, Dir: root, GoMod: filepath.Join(root, "go.mod")}, pkg.Files)
	}
	r.Progress.Ended("imported")
	return diags
}

// provided returns the files with the types of an imported package.
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

// ofManifests returns diagnostics with the positions of errors in imported types replaced by those in the manifests. Nobody can do anything about warnings in
// such types, so that they are left out.
func (o *Output) ofManifests(said diag.List) (kept diag.List) {
	if o.Import == nil {
		return said
	}
	byFile := map[string]*importer.Package{}
	for _, pkg := range o.Import.Packages {
		dir := filepath.Join(o.Import.Dir, filepath.FromSlash(pkg.Dir))
		byFile[filepath.Join(dir, importer.TypesFile)], byFile[filepath.Join(dir, "doc.go")] = pkg, pkg
	}
	for _, d := range said {
		pkg := byFile[d.Pos.Filename]
		if pkg != nil && d.Severity != diag.Error {
			continue
		}
		if pkg != nil {
			d.Pos = pkg.Origin(d.Pos.Line)
		}
		kept = append(kept, d)
	}
	return kept
}

// imported returns the tree of the imported types. Those that an earlier run has imported into the directory, and this one does not, are stale.
func (o *Output) imported(store *output.Store) ([]output.Tree, error) {
	if o.Import == nil {
		return nil, nil
	}
	snapshot, err := store.Read(o.Import.Dir, origin.Mark{Line: importer.Mark})
	if err != nil {
		return nil, err
	}
	tree := output.Tree{
		Dir: o.Import.Dir, Mark: importer.Mark, Snapshot: snapshot, Stale: func(rel string) bool { return strings.Count(rel, "/") == 2 },
	}
	trees := []output.Tree{}
	wanted := map[string]bool{}
	for _, pkg := range o.Import.Packages {
		wanted[pkg.Dir] = true
		for name, content := range pkg.Files {
			tree.Files = append(tree.Files, output.File{Path: pkg.Dir + "/" + name, Content: output.TextOf(content)})
		}
	}
	for rel := range snapshot.Generated() {
		dir := filepath.ToSlash(filepath.Dir(rel))
		if strings.Count(rel, "/") != 2 || wanted[dir] {
			continue
		}
		wanted[dir] = true
		for _, target := range o.Targets { // what was generated beside them
			if target.Package == nil {
				continue
			}
			beside, err := store.ReadFlat(filepath.Join(o.Import.Dir, filepath.FromSlash(dir)), target.Marks()...)
			if err != nil {
				return nil, err
			}
			trees = append(trees, output.Tree{
				Dir: filepath.Join(o.Import.Dir, filepath.FromSlash(dir)), Flat: true, Mark: target.GeneratedBy(), Snapshot: beside,
				Stale: func(string) bool { return true },
			})
		}
	}
	return append(trees, tree), nil
}
