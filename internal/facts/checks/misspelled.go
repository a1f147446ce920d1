package checks

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// misspelledMarker reports misspelled markers. If the run writes manifests, misspelled markers of manifests are errors
// where the manifests would lack their effect. Lines with other diagnostics are skipped, and so are markers that
// other commands report.
func misspelledMarker(p *Pass) {
	type inFile struct {
		*load.File
		foreign bool
		found   []markers.Misspelling
	}
	var files []*inFile
	for _, src := range p.Sources {
		for f := range src.Parsed() {
			files = append(files, &inFile{File: f, foreign: src.Foreign})
		}
	}
	parallel.Each(files, func(f *inFile) { f.found = markers.Misspellings(p.Types.Fset, f.Syntax.Comments...) })
	reported := diag.LinesOf(&p.Reported, &p.diags)
	for _, f := range files {
		for _, m := range f.found {
			name, _, _ := strings.Cut(cmp.Or(m.Nearest, m.Name), "=")
			affects := m.Affects()
			matters := !f.foreign && (p.Needs.Schemas && affects&markers.Manifests != 0 && !p.Harmless[m.Pos] || affects&p.Needs.Markers != 0)
			mistake := func(serious bool, format string, args ...any) *diag.Diagnostic {
				return p.diags.Mistakef(!serious || p.Policy.AcceptMistakes, m.Pos, "it has no effect", format, args...)
			}
			switch {
			case !p.Reports.Of(name), reported.Has(m.Pos), strings.HasSuffix(m.Name, ".") && continues(f.Text, m.Pos.Offset):
			case m.Lacks: // controller-gen ignores it
				mistake(matters && affects&markers.Manifests != 0, "+%s has a colon, but no arguments", m.Name).
					Suggest("write it as %s", markers.ExampleOf(m.Name))
			case m.Name == "":
				mistake(matters && strings.Contains(name, ":"), "the marker has a space after the +").Suggest("write +%s", m.Nearest)
			case m.Nearest == "":
				markers.SuggestKnown(mistake(true, "unknown marker +%s", m.Name), m.Name, "kubegen:")
			default:
				mistake(matters || strings.HasPrefix(m.Nearest, "kubegen:"), "unknown marker +%s", m.Name).Suggest("did you mean +%s?", m.Nearest)
			}
		}
	}
}

// continues reports whether the line of a comment at an offset continues a sentence of the line before.
func continues(text []byte, offset int) bool {
	end := bytes.LastIndexByte(text[:min(offset, len(text))], '\n')
	if end < 0 {
		return false
	}
	before := strings.Trim(string(text[bytes.LastIndexByte(text[:end], '\n')+1:end]), "/* \t\r")
	return before != "" && before[0] != '+' && !strings.HasSuffix(before, ".")
}
