package objects

import (
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/markers"
)

// spellings compares manifests with the ones that result if misspelled markers have the effect that their author meant.
type spellings struct {
	all     []token.Position // of misspelled markers
	harmful map[token.Position]bool
	derive  func(respelled map[token.Position]bool) ([]crd.File, diag.List)
	want    string // without misspelled markers
}

// compare sets Harmless for the misspelled markers in packages, from the manifests that derive returns. A marker is
// harmless if it is for all manifests.
func (o *deriving) compare(packages []*kinds.Package, derive func(respelled map[token.Position]bool) ([]crd.File, diag.List)) {
	if o.Facts.Policy.AcceptMistakes {
		return // nothing depends on it
	}
	s := spellings{derive: derive, harmful: map[token.Position]bool{}}
	for _, pkg := range packages {
		for f := range pkg.Source.Parsed() {
			for _, m := range markers.Misspellings(o.facts.Fset, f.Syntax.Comments...) {
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
		harmless, known := o.Harmless[pos]
		o.Harmless[pos] = complete && !s.harmful[pos] && (harmless || !known)
	}
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
