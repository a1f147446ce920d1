package run

import (
	"errors"
	"maps"
	"path"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
)

// beside renders the files of a generator that writes into packages of types. It returns a tree for each package in the
// module and for each directory of a package that is no longer imported. Files of earlier runs and replaced tools that
// are not generated any more are stale. With OnlyDeepCopyGen, only files of kubegen and the first replaced tool are
// stale, because the other tools are still in use.
func (o *Output) beside(t Target, api *model.API, removed []string, diags *diag.List) ([]output.Tree, error) {
	stale := t.Marks()
	if o.Facts.Copies.OnlyDeepCopyGen {
		stale = stale[:min(2, len(stale))]
	}
	byPath := map[string]int{}
	var trees []output.Tree
	add := func(dir string, snapshot *output.Snapshot) {
		trees = append(trees, output.Tree{
			Dir: dir, Flat: true, Mark: t.GeneratedBy(), Adopt: t.ReplacedBy(), Snapshot: snapshot,
			Stale: func(rel string) bool { return stale.On(path.Base(rel), snapshot.Content(rel)) },
		})
	}
	var errs []error
	for _, pkg := range api.Packages {
		switch {
		case pkg.Foreign && t.Package(pkg):
			diags.Warnf(pkg.Pos, "no %s code is generated for package %s, which is in another module", t.Name, pkg.Path)
			continue
		case pkg.Foreign || pkg.Dir == "":
			continue
		}
		snapshot, err := output.ReadFlat(pkg.Dir, t.Marks()...)
		if err == nil && (t.Package(pkg) || len(snapshot.Generated()) > 0) {
			err = o.CheckInside(pkg.Dir, diag.Textf("remove it, or name the packages where they are"))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		byPath[pkg.Path] = len(trees)
		add(pkg.Dir, snapshot)
	}
	for _, dir := range removed {
		snapshot, err := output.ReadFlat(dir, t.Marks()...)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		add(dir, snapshot)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	t.Options.HandWritten = func(importPath string) map[string][]byte {
		files := maps.Clone(trees[byPath[importPath]].Snapshot.HandWritten("."))
		if files == nil {
			files = map[string][]byte{}
		}
		maps.Copy(files, o.provided(importPath))
		return files
	}
	files, wrong := t.Render(api, &t.Options)
	*diags = append(*diags, wrong...)
	for _, file := range files {
		dir, name := path.Split(file.Path)
		tree := &trees[byPath[path.Clean(dir)]]
		tree.Files = append(tree.Files, output.File{Path: name, Content: file.Content})
	}
	return trees, nil
}
