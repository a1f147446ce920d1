package plan

import (
	"go/token"
	"path/filepath"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// DefaultApplyPackage is the value of +kubebuilder:ac:output:package if a package lacks the marker.
const DefaultApplyPackage = "applyconfiguration"

// applying returns the command for apply configurations that markers request. They have the names and the exported API
// of the classic tools, as controller-gen's.
func (p *Plan) applying() Command {
	return Command{
		ExternalsFlag: p.ExternalsFlag, ExternalsSeparator: p.ExternalsSeparator, Reports: model.Reports{Nothing: true},
		Layout: One(p.typeReader()), Policy: model.ControllerGenPolicy(), Conventions: p.Conventions,
	}
}

// applying returns the flags for that command.
func (f *Flags) applying() *Flags {
	flags := &Flags{
		OutputFlags:     OutputFlags{HeaderFile: f.HeaderFile, HeaderFlag: f.HeaderFlag, Year: f.Year},
		ApplyFlags:      ApplyFlags{Externals: f.Externals, ByMarkers: true},
		ClientGoVersion: f.ClientGoVersion, Backport: f.Backport,
	}
	if f.ApplyHeaderFlag != "" {
		flags.HeaderFile, flags.HeaderFlag = f.ApplyHeaderFile, f.ApplyHeaderFlag
	}
	return flags
}

// AffectsApplying reports whether a flag for the files of some generators has an effect on these apply configurations.
func AffectsApplying(flag string) bool {
	return flag == "boilerplate" || flag == "templates" || flag == "applyconfig-externals"
}

// ByMarkers returns the plan for the apply configurations of the package in a directory, which is marked
// +kubebuilder:ac:generate=true. They are below output, relative to the directory. The plan is nil if nothing can be
// generated there, with an error at the position of the marker that names it.
func (p *Plan) ByMarkers(importPath, dir, output string, at token.Position) (*Plan, diag.List) {
	place := filepath.Join(dir, filepath.FromSlash(output))
	if why := p.unusable(place); why != "" && at.IsValid() {
		var diags diag.List
		diags.Errorf(at, "no apply configurations can be in %s: %s", p.Name(place), why).
			Suggest("name a directory of this module, relative to the package")
		return nil, diags
	}
	named, flags := *p.applied, *p.applied.Flags
	flags.OutputDir, named.Flags = place, &flags
	if named.Patterns = p.EachModule([]string{importPath}); p.Nested { // the import path of a package in a nested module is unknown here
		named.Patterns = p.WithNested(p.EachModule([]string{dir}))
	}
	return named.into(place)
}

// unusable returns why a directory cannot have generated packages, or "".
func (p *Plan) unusable(dir string) string {
	importPath, ok := p.ImportPath(dir)
	switch err := module.CheckImportPath(importPath); {
	case !ok:
		return "it is not in a module"
	case err != nil:
		return err.Error()
	case p.CheckOutput(dir, "") != nil:
		return "it is in a vendor directory, or leads out of the module"
	}
	return ""
}
