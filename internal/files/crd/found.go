package crd

import (
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Found is the result of a generator of CustomResourceDefinitions in addition to its files.
type Found struct {
	// Definitions are the CustomResourceDefinitions, for each set of feature gates.
	Definitions []Manifests
	// Patched are the CustomResourceDefinitions whose schemas are replaced.
	Patched Manifests
	// Gates are the feature gates that markers name.
	Gates map[string]bool
	// Harmless has the positions of misspelled markers. It is true where the manifests are the same without the mistake.
	Harmless map[token.Position]bool
	// Missing are the packages that the command line leaves out and whose kinds belong in these manifests.
	Missing []string
}

// NewFound returns an empty result.
func NewFound() Found { return Found{Gates: map[string]bool{}, Harmless: map[token.Position]bool{}} }

// Add adds the result of another generator.
func (f *Found) Add(other Found) {
	f.Definitions = append(f.Definitions, other.Definitions...)
	if other.Patched.fset != nil {
		f.Patched = other.Patched
	}
	maps.Copy(f.Gates, other.Gates)
	for pos, harmless := range other.Harmless {
		before, known := f.Harmless[pos]
		f.Harmless[pos] = harmless && (before || !known)
	}
	for _, missing := range other.Missing {
		if !slices.Contains(f.Missing, missing) {
			f.Missing = append(f.Missing, missing)
		}
	}
}

// Unmatched returns the errors about edits of schemas that match nothing in any of the manifests.
func (f *Found) Unmatched(others ...Found) (diags diag.List) {
	all := slices.Clip(append(slices.Clip(f.Definitions), f.Patched))
	for _, other := range others {
		all = append(append(all, other.Definitions...), other.Patched)
	}
	all = slices.DeleteFunc(all, func(m Manifests) bool { return m.fset == nil })
	for _, m := range all[:min(1, len(all))] {
		for _, d := range m.unmatched {
			at := func(other *diag.Diagnostic) bool { return other.Pos == d.Pos }
			if !slices.ContainsFunc(all, func(m Manifests) bool { return !slices.ContainsFunc(m.unmatched, at) }) {
				diags = append(diags, d)
			}
		}
	}
	return diags
}

// NameGates adds the feature gates in comments of packages to Gates. The schemas of a set may leave out a field with
// markers in its type.
func (f *Found) NameGates(fset *token.FileSet, packages []*kinds.Package) {
	for _, pkg := range packages {
		for _, gate := range markers.NamedGates(fset, pkg.Source.Comments()...) {
			f.Gates[gate.Name] = true
		}
	}
}

// NeedPackages adds packages of some groups that the command line leaves out to Missing, because each manifest may need
// all packages of its group. It reports whether there are any: then other errors may follow from this one.
func (f *Found) NeedPackages(types *gotypes.Reader, groups []string, all, named []*kinds.Package) (some bool) {
	others := slices.DeleteFunc(slices.Clone(all), func(pkg *kinds.Package) bool { return slices.Contains(named, pkg) })
	for _, missing := range ofGroups(types, groups, others) {
		some = true
		if !slices.Contains(f.Missing, missing.Source.Path) {
			f.Missing = append(f.Missing, missing.Source.Path)
		}
	}
	return some
}

// Misspelled returns the positions of misspelled markers in packages that would change manifests if they were correct.
func Misspelled(fset *token.FileSet, packages []*kinds.Package) (found []token.Position) {
	for _, pkg := range packages {
		for file := range pkg.Source.Parsed() {
			for _, m := range markers.Misspellings(fset, file.Syntax.Comments...) {
				if m.Nearest != "" && !m.Lacks && m.Affects()&markers.Manifests != 0 {
					found = append(found, m.Pos)
				}
			}
		}
	}
	return found
}

// maxJudged is the number of misspelled markers up to which each is judged. One that has an effect is an error, so that
// the others must be corrected anyway.
const maxJudged = 16

// Judge sets Harmless for misspelled markers. same reports whether the manifests are the same, without errors, if some
// markers have the effect that their author meant. A marker is harmless if it is for all manifests. Of more than
// maxJudged markers, all or none are, because each takes as long as to derive all manifests.
func (f *Found) Judge(suspects []token.Position, same func(respelled map[token.Position]bool) bool) {
	all := map[token.Position]bool{}
	for _, pos := range suspects {
		all[pos] = true
	}
	allSame := len(all) > 0 && same(all)
	each := !allSame && len(all) > 1 && len(all) <= maxJudged
	for pos := range all {
		before, known := f.Harmless[pos]
		f.Harmless[pos] = (before || !known) && (allSame || each && same(map[token.Position]bool{pos: true}))
	}
}
