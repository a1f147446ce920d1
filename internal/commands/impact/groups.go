package impact

import (
	"bytes"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// LostGroups reports packages whose group follows from their directory, although manifests for their kinds or generated
// files, which changes may replace, have another group.
func LostGroups(outputs []*run.Output, changes []output.Change) (diags diag.List) {
	known := map[string]bool{} // groups that packages have
	for _, o := range outputs {
		for _, manifests := range append(slices.Clone(o.Objects.Definitions), o.Objects.Patched) {
			for _, group := range manifests.Groups {
				known[group] = true
			}
		}
		for _, j := range o.Jobs {
			for _, g := range j.API.AllGroups() {
				known[g.Name] = true
			}
		}
	}
	reported := map[string]bool{}
	for _, o := range outputs {
		var definitions []*crd.Definition
		for i, p := range guessed(o) {
			if i == 0 {
				definitions = inManifests(o)
			}
			group, pos := p.inChanges(o, changes)
			for _, d := range definitions {
				if p.has(d) && !known[d.Group.Text] {
					group, pos = d.Group.Text, d.Group.Pos
				}
			}
			if group == "" || reported[p.Path] {
				continue
			}
			reported[p.Path] = true
			kinds.ReportLostGroup(o.Plan.Policy, p.Package, p.group, group, pos, &diags)
		}
	}
	return diags
}

// guessedGroup is a package whose group follows from its directory.
type guessedGroup struct {
	*model.Package
	group, version string
	kinds          []*model.Resource
}

// guessed returns the packages of an output that users can edit and whose groups follow from their directories.
func guessed(o *run.Output) (all []guessedGroup) {
	for _, j := range o.Jobs {
		for _, pkg := range j.API.Packages {
			if pkg.GroupFrom.Kind != model.FromPath || pkg.Foreign {
				continue
			}
			p := guessedGroup{Package: pkg}
			if pkg.Registration != nil {
				p.group, p.version = pkg.Registration.Group, pkg.Registration.Version
			}
			for r := range j.API.Resources() {
				if r.Package == pkg {
					p.group, p.version, p.kinds = r.Version.Group.Name, r.Version.Name, append(p.kinds, r)
				}
			}
			if p.version != "" {
				all = append(all, p)
			}
		}
	}
	return all
}

// has reports whether a definition is for a kind of the package.
func (p guessedGroup) has(d *crd.Definition) bool {
	return slices.ContainsFunc(p.kinds, func(r *model.Resource) bool { return r.ObjectKind() == d.Kind.Text }) &&
		slices.ContainsFunc(d.Versions, func(v crd.Version) bool { return v.Name.Text == p.version })
}

// inManifests returns the definitions in the directories where an output writes CustomResourceDefinitions or replaces
// their schemas.
func inManifests(o *run.Output) (all []*crd.Definition) {
	for _, t := range o.Plan.ManifestTargets {
		if !t.Info().Needs.Schemas {
			continue
		}
		files, _ := plan.ManifestFiles(o.Plan.Environment, t.Dir, false) // the directory may not exist
		for _, name := range files {
			if content, err := load.ReadNamed(name, crd.MaxManifest); err == nil {
				found, _ := crd.Read(name, content) // other manifests have no groups of kinds
				all = append(all, found...)
			}
		}
	}
	return all
}

// inChanges returns the group of the package in a generated file that changes replace, and its position there. It
// returns "" if no such file has another group than now.
func (p guessedGroup) inChanges(o *run.Output, changes []output.Change) (group string, pos token.Position) {
	declared := regexp.MustCompile(`\bWithAPIVersion\("([^"/]*)/` + regexp.QuoteMeta(p.version) + `"\)|\bGroupName = "([^"]*)"`)
	find := func(text []byte) (string, int) {
		found := declared.FindSubmatchIndex(text)
		if found == nil {
			return "", 0
		}
		i := 2
		if found[i] < 0 {
			i = 4
		}
		return string(text[found[i]:found[i+1]]), found[i]
	}
	for _, change := range changes {
		if change.Action != output.Update || filepath.Ext(change.Path) != ".go" || !p.isSource(o, change) {
			continue
		}
		was, at := find(change.Old)
		if now, _ := find(change.New); now == p.group && was != now && was != "" {
			before := change.Old[:at]
			return was, token.Position{
				Filename: change.Path, Line: bytes.Count(before, []byte("\n")) + 1, Column: at - bytes.LastIndexByte(before, '\n'),
			}
		}
	}
	return "", token.Position{}
}

// isSource reports whether the new file of a change is in the package, or is generated from it alone.
func (p guessedGroup) isSource(o *run.Output, change output.Change) bool {
	if filepath.Dir(change.Path) == p.Dir {
		return true
	}
	return slices.ContainsFunc(o.Jobs, func(j run.Job) bool {
		return slices.ContainsFunc(j.Targets, func(t run.Target) bool {
			return slices.Equal(gofile.MarkSources(change.New, t.Info().GeneratedBy()), []string{p.Path})
		})
	})
}
