package crd

import (
	"go/token"
	"maps"
	"slices"
	"strings"

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
func NewFound() Found {
	return Found{Gates: map[string]bool{}, Harmless: map[token.Position]bool{}}
}

// Add adds the result of another generator.
func (f *Found) Add(other Found) {
	f.Definitions = append(f.Definitions, other.Definitions...)
	if other.Patched.fset != nil {
		f.Patched = other.Patched
	}
	maps.Copy(f.Gates, other.Gates)
	for pos, harmless := range other.Harmless {
		f.judge(pos, harmless)
	}
	for _, missing := range other.Missing {
		if !slices.Contains(f.Missing, missing) {
			f.Missing = append(f.Missing, missing)
		}
	}
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
// all packages of its group. If there are any, it removes the diagnostics, because other errors may follow from this
// one.
func (f *Found) NeedPackages(types *gotypes.Reader, groups []string, all, named []*kinds.Package, diags *diag.List) {
	others := slices.DeleteFunc(slices.Clone(all), func(pkg *kinds.Package) bool { return slices.Contains(named, pkg) })
	for _, missing := range ofGroups(types, groups, others) {
		*diags = nil
		if !slices.Contains(f.Missing, missing.Source.Path) {
			f.Missing = append(f.Missing, missing.Source.Path)
		}
	}
}

// spellings compares manifests with the ones that result if misspelled markers have the effect that their author meant.
type spellings struct {
	all     []token.Position // of misspelled markers
	harmful map[token.Position]bool
	derive  derivation
	want    string // without misspelled markers
}

// derivation returns the manifests that result if some markers are respelled.
type derivation func(respelled map[token.Position]bool) ([]File, diag.List)

// Compare sets Harmless for the misspelled markers in packages, from the manifests that derive returns. A marker is
// harmless if it is for all manifests.
func (f *Found) Compare(fset *token.FileSet, packages []*kinds.Package, derive derivation) {
	s := spellings{derive: derive, harmful: map[token.Position]bool{}}
	for _, pkg := range packages {
		for file := range pkg.Source.Parsed() {
			for _, m := range markers.Misspellings(fset, file.Syntax.Comments...) {
				if m.Nearest != "" && !m.Lacks && m.Affects()&markers.Manifests != 0 {
					s.all = append(s.all, m.Pos)
				}
			}
		}
	}
	if len(s.all) == 0 {
		return
	}
	var complete bool
	if s.want, complete = s.result(nil); complete {
		s.search(s.all)
	}
	for _, pos := range s.all {
		f.judge(pos, complete && !s.harmful[pos])
	}
}

// judge sets Harmless for some manifests.
func (f *Found) judge(pos token.Position, harmless bool) {
	before, known := f.Harmless[pos]
	f.Harmless[pos] = harmless && (before || !known)
}

// search finds the harmful ones among misspelled markers.
func (s *spellings) search(among []token.Position) {
	switch found, ok := s.result(among); {
	case ok && found == s.want:
	case len(among) == 1:
		s.harmful[among[0]] = true
	default:
		s.search(among[:len(among)/2])
		s.search(among[len(among)/2:])
	}
}

// result returns the manifests that result if some markers are respelled. ok is false if there are errors.
func (s *spellings) result(respelled []token.Position) (manifests string, ok bool) {
	at := map[token.Position]bool{}
	for _, pos := range respelled {
		at[pos] = true
	}
	files, diags := s.derive(at)
	var text strings.Builder
	for _, file := range files {
		text.WriteString(file.Name + "\n" + string(file.Content))
	}
	return text.String(), !diags.HasErrors()
}
