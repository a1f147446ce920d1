package plan

import (
	"path/filepath"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/internal/compat"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
)

// DefaultApplyPackage is the value of +kubebuilder:ac:output:package if a package lacks the marker.
const DefaultApplyPackage = "applyconfiguration"

// ByMarkers returns the plan for the apply configurations that controller-gen generates for the package in a directory,
// which is marked +kubebuilder:ac:generate=true, and the flags of this plan. The apply configurations are below output,
// relative to the directory, and have the names and the exported API of the classic tools.
func (p *Plan) ByMarkers(importPath, dir, output string) (*Plan, *Flags, diag.List) {
	given := p.flags
	flags := &Flags{
		OutputFlags: OutputFlags{
			OutputDir:  filepath.Join(dir, filepath.FromSlash(output)),
			HeaderFile: given.HeaderFile, HeaderFlag: given.HeaderFlag, Year: given.Year,
		},
		ApplyFlags:      ApplyFlags{Externals: given.Externals, byMarkers: true},
		ClientGoVersion: given.ClientGoVersion, Backport: given.Backport,
	}
	if given.ApplyHeaderFlag != "" {
		flags.HeaderFile, flags.HeaderFlag = given.ApplyHeaderFile, given.ApplyHeaderFlag
	}
	flags.Patterns = []string{importPath}
	if p.Nested { // the import path of a package in a nested module is unknown here
		flags.Patterns[0] = dir
	}
	command := Command{
		ExternalsFlag: p.ExternalsFlag, ExternalsSeparator: p.ExternalsSeparator, Reports: facts.Reports{Nothing: true},
		Layout: One(applyconfiguration.Generator{}), Policy: compat.ControllerGen(), KeepStale: p.KeepStale,
		OwnYears: p.OwnYears, MayBeEmpty: p.MayBeEmpty,
	}
	resolved, diags := Resolve(command, flags, p.Environment, Documents{})
	return resolved, flags, diags
}

// RequestsApply reports whether the plan includes apply configurations requested by +kubebuilder:ac:generate=true.
func (p *Plan) RequestsApply() bool { return p.flags.ApplyMarkers }
