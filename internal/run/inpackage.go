package run

import (
	"errors"
	"maps"
	"path"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
)

// beside renders the files of a generator that lie beside the types. It returns a tree for each package that was read and is in
// the module. Files of earlier runs and of the replaced tools for which nothing is generated any more are stale; with
// onlyFirst, those of the first of these tools, while the others are still in use. provided returns files of a package that are not on disk yet.
func (t Target) beside(store *output.Store, env environment.Environment, api *model.API, onlyFirst bool, provided func(importPath string) map[string][]byte, diags *diag.List) ([]output.Tree, error) {
	stale := t.Marks()
	if onlyFirst {
		stale = stale[:min(2, len(stale))]
	}
	byPath := map[string]int{}
	var trees []output.Tree
	var errs []error
	for _, pkg := range api.Packages {
		switch {
		case pkg.Foreign && t.Package(pkg):
			diags.Warnf(pkg.Pos, "no %s code is generated for package %s, which is in another module", t.Name, pkg.Path)
			continue
		case pkg.Foreign || pkg.Dir == "":
			continue
		}
		snapshot, err := store.ReadFlat(pkg.Dir, t.Marks()...)
		if err == nil && (t.Package(pkg) || len(snapshot.Generated()) > 0) {
			err = env.CheckInside(pkg.Dir, diag.Textf("remove it, or name the packages where they are"))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		byPath[pkg.Path] = len(trees)
		trees = append(trees, output.Tree{
			Dir: pkg.Dir, Flat: true, Mark: t.GeneratedBy(), Adopt: t.ReplacedBy(), Snapshot: snapshot,
			Stale: func(rel string) bool { return stale.On(path.Base(rel), snapshot.Content(rel).Bytes()) },
		})
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	t.Options.HandWritten = func(importPath string) map[string][]byte {
		files := maps.Clone(trees[byPath[importPath]].Snapshot.HandWritten("."))
		if files == nil {
			files = map[string][]byte{}
		}
		maps.Copy(files, provided(importPath))
		return files
	}
	t.Options.Keep = func(importPath string, names []string, contents [][]byte) []output.Text {
		return trees[byPath[importPath]].Snapshot.Keep(".", names, contents)
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
