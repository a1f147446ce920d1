package run

import (
	"errors"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// beside renders the files of a generator that writes into packages of types. It returns a tree for each package in the
// module and for each directory of a package that is no longer imported. Files of earlier runs and replaced tools that
// are not generated any more are stale.
func (o *Output) beside(
	disk *output.Disk, t Target, g render.PackageGenerator, api *model.API, removed []string,
) (trees []output.Tree, diags diag.List, err error) {
	info := g.Info()
	byPath, byDir := map[string]int{}, map[string]int{}
	var errs []error
	for _, pkg := range api.Packages {
		switch {
		case pkg.Foreign && g.Package(pkg):
			diags.Warnf(pkg.Pos, products.NotWritten, info.Name, pkg.Path)
			continue
		case pkg.Foreign || pkg.Dir == "":
			continue
		}
		tree, err := o.treeIn(disk, t, pkg.Dir)
		if err == nil && (g.Package(pkg) || len(tree.Snapshot.Generated()) > 0) {
			err = o.Plan.CheckInside(pkg.Dir, diag.Textf("remove it, or name the packages where they are"))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		reportNamed(t, g.Package(pkg), tree.Snapshot, &diags)
		byPath[pkg.Path], byDir[pkg.Dir] = len(trees), len(trees)
		trees = append(trees, tree)
	}
	for _, dir := range removed {
		tree, err := o.treeIn(disk, t, dir)
		trees, errs = append(trees, tree), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, diags, err
	}
	t.Options.HandWritten = func(importPath string) map[string][]byte {
		return trees[byPath[importPath]].Snapshot.HandWritten(".", o.Types.Files(importPath))
	}
	made, wrong := render.Generate(g, &render.Input{API: api, Options: &t.Options})
	diags = append(diags, wrong...)
	if o.Plan.CodeDir != "" {
		trees, err = o.together(disk, t, made, api, &diags)
		return trees, diags, err
	}
	for _, one := range made {
		trees[byDir[one.Dir]].Files = one.Files
	}
	return trees, diags, nil
}

// treeIn returns the tree of a directory in which the generator writes code for packages of types, without the files of
// this run.
func (o *Output) treeIn(disk *output.Disk, t Target, dir string) (tree output.Tree, err error) {
	tree = output.Tree{
		Dir: dir, Generator: t.Info().Name, Flat: true, Mark: t.Info().GeneratedBy(), Adopt: t.Info().ReplacedBy(t.Options.FileName),
	}
	if stale := o.Plan.Stale(t.Target); len(stale) > 0 {
		tree.Stale = func(rel string, top []byte) bool { return stale.On(path.Base(rel), top) }
	}
	tree.Snapshot, err = disk.ReadFlat(dir, t.Marks()...)
	return tree, err
}

// reportNamed reports files with the first line of generated files, but another name. They count as hand-written,
// because somebody may have copied the line. If one was generated nevertheless, the code in it would be declared twice.
func reportNamed(t Target, writes bool, snapshot *output.Snapshot, diags *diag.List) {
	lines := []string{t.Info().GeneratedBy()}
	for _, tool := range t.Info().Replaces {
		if tool.File == "" { // other generators of the tool write the same line
			lines = append(lines, gofile.MarkLine(tool.Name))
		}
	}
	files := snapshot.HandWritten(".", nil)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !gofile.HasMark(files[name], lines...) {
			continue
		}
		twice := writes && gofile.IsForTypes(files[name]) && !strings.HasSuffix(name, "_test.go")
		diags.Mistakef(
			!twice, token.Position{Filename: snapshot.Path(name), Line: 1}, "it counts as hand-written",
			"this file has the line %q of generated files, but not their name", gofile.MarkOf(files[name]),
		).Suggest("delete it if it was generated, or else remove the line")
	}
}

// together returns the tree of the files for packages of types that are written into one directory, Plan.CodeDir.
func (o *Output) together(disk *output.Disk, t Target, made []output.Tree, api *model.API, diags *diag.List) ([]output.Tree, error) {
	tree, err := o.treeIn(disk, t, o.Plan.CodeDir)
	if err != nil {
		return nil, err
	}
	from := map[string]string{} // packages, by the names of the files
	for _, one := range made {
		pkg := api.Packages[slices.IndexFunc(api.Packages, func(pkg *model.Package) bool { return pkg.Dir == one.Dir })]
		for _, file := range one.Files {
			if first, ok := from[file.Path]; ok {
				diags.Errorf(
					pkg.Pos, "the %s of %s and %s would be the same file, %s", file.Path, first, pkg.Path,
					o.Plan.Name(filepath.Join(o.Plan.CodeDir, file.Path)),
				).Suggest("name one package, or leave the directory out: files are beside the types then")
				continue
			}
			from[file.Path] = pkg.Path
			tree.Files = append(tree.Files, file)
		}
	}
	return []output.Tree{tree}, nil
}
