package run

import (
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

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
	if rel, err := filepath.Rel(o.Plan.Output, dir); err == nil && filepath.IsLocal(rel) {
		dir = o.Plan.Output
	}
	for _, source := range slices.Sorted(maps.Keys(seen)) {
		switch {
		case o.Plan.Import != nil && !before.covered(source):
			diags.Errorf(token.Position{}, "%s has code generated from %s, which is not imported", diag.Value(o.Plan.Name(dir)), source).
				Suggest("import into another directory with %s, or delete that code", diag.Setting("output-dir"))
		case o.Plan.Import == nil && o.isImported(source):
			diags.Errorf(token.Position{}, "%s has code generated from %s, which is imported", diag.Value(o.Plan.Name(dir)), source).
				Suggest("generate into another directory with %s, or delete that code", diag.Setting("output-dir"))
		default:
			continue
		}
		return
	}
}

// isImported reports whether a package in the output's module was imported.
func (o *Output) isImported(importPath string) bool {
	root, module, ok := o.Plan.FindModule(o.Plan.Output)
	rel, below := strings.CutPrefix(importPath, module+"/")
	return ok && below && importer.IsPackage(filepath.Join(root, filepath.FromSlash(rel)))
}
