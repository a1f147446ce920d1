package run

import (
	"go/token"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// CheckDirectories reports groups and versions whose directory is used by a generator itself, or treated specially by
// the go command (https://go.dev/doc/go1.4#internalpackages, https://go.dev/ref/mod#vendoring). imported means that a
// flag names directories of groups.
func CheckDirectories(targets []Target, api *model.API, imported bool, diags *diag.List) {
	reported := map[token.Position]bool{}
	report := func(pos token.Position, ofGroup bool, format string, args ...any) {
		if reported[pos] {
			return
		}
		reported[pos] = true
		d := diags.Errorf(pos, format, args...)
		if imported && ofGroup {
			d.Suggest("choose another one for the group with %s", diag.Setting("group-dirs"))
		} else {
			d.Suggest("the name comes from the directory of the API's packages, or from the group: rename that")
		}
	}
	for _, t := range targets {
		for v := range api.Versions() {
			if !render.Wants(t.Generator, v) || len(v.Packages) == 0 {
				continue
			}
			pos := v.Packages[0].Pos
			for _, dir := range []string{v.Group.Dir, v.Dir()} {
				if dir == "internal" || dir == "vendor" {
					report(
						pos, dir == v.Group.Dir, "the generated packages of %s would be in a directory %s, which other packages cannot import",
						path.Join(v.Group.Name, v.Name), dir,
					)
				}
			}
			if dir := strings.ToLower(v.Group.Dir); render.HasDir(t.Generator, &t.Options, dir) {
				report(
					pos, true, "the generated packages of group %q would be in the directory %s, which the %s code itself uses", v.Group.Name, dir,
					t.Info().Name,
				)
			}
		}
	}
}

// reportAmongTypes reports packages of types in a directory of generated packages. Such a package would import itself.
func (o *Output) reportAmongTypes(trees []output.Tree, diags *diag.List) {
	types := map[string]token.Position{} // by directory
	for _, j := range o.Jobs {
		for v := range j.API.Versions() {
			for _, pkg := range v.Packages {
				types[o.Plan.At(pkg.Dir)] = pkg.Pos
			}
		}
	}
	reported := map[string]bool{}
	for _, tree := range trees {
		if tree.Flat || tree.Mark == importer.Mark {
			continue
		}
		for _, file := range tree.Files {
			dir := o.Plan.At(filepath.Join(tree.Dir, filepath.FromSlash(path.Dir(file.Path))))
			pos, ok := types[dir]
			if !ok || reported[dir] || path.Ext(file.Path) != ".go" {
				continue
			}
			reported[dir] = true
			d := diags.Errorf(pos, "the types are in the directory %s, but other code is generated there", o.Plan.Name(dir))
			if o.Plan.Import != nil {
				d.Suggest("choose another one for the group with %s", diag.Setting("group-dirs"))
			} else {
				d.Suggest("move them, or choose another directory for the code with %s", diag.Setting("output-dir"))
			}
		}
	}
}
