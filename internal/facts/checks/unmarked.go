package checks

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

func unmarkedKind(p *Pass) {
	for _, pkg := range p.Packages {
		for _, k := range pkg.Unmarked {
			for _, m := range k.Markers {
				if markers.OfKinds("+" + m.Name) {
					p.diags.Warnf(m.Pos, "+%s has no effect: type %s is not marked +genclient", m.Name, k.Name()).
						Suggest("add +genclient above it, or remove this marker")
					break
				}
			}
		}
	}
	if !p.Reports.Of(markers.Genclient[1:]) {
		return
	}
	for _, src := range p.Sources {
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			if d := src.Decls[name]; !src.Foreign && d.Type != nil {
				p.lostGenclient(d)
			}
		}
	}
}

// lostGenclient reports lines above a struct that would be +genclient or one of its options if they were not written
// without the + or with another prefix. Without the marker, a run would delete the clients of the kind.
func (p *Pass) lostGenclient(d load.Decl) {
	if _, ok := d.Type.Type.(*ast.StructType); !ok {
		return
	}
	for _, group := range p.Types.Above(d.File, d.Type) {
		before := ""
		for _, comment := range group.List {
			text, number := strings.TrimPrefix(comment.Text, "//"), 0
			if block, ok := strings.CutPrefix(text, "/*"); ok {
				text = strings.TrimSuffix(block, "*/")
			}
			for line := range strings.SplitSeq(text, "\n") {
				line = strings.TrimSpace(line)
				bare := bareMarker(line)
				_, option, hasOption := strings.Cut(bare, ":")
				switch {
				case bare == "", hasOption && option == "":
				case strings.HasPrefix(line, `\`): // written on purpose, as imports write what manifests say
				case strings.HasPrefix(line, "+") && markers.MeansGenclient(line):
				case !hasOption && (isSentence(before) || p.Types.HasMarker(d, markers.MeansGenclient)):
				default:
					pos := p.Types.Fset.Position(comment.Pos())
					pos.Line += number
					p.diags.Mistakef(p.Policy.AcceptMistakes, pos, "it has no effect", "%q is not a marker", line).
						Suggest("write // +%s, or delete the line", bare)
				}
				before = line
				number++
			}
		}
	}
}

// bareMarker returns the marker genclient that is alone on a line, without a + and other prefixes, or "".
func bareMarker(line string) string {
	word := strings.TrimRight(strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' }), ".,;")
	if strings.ContainsAny(word, " \t") { // as most lines do
		return ""
	}
	folded := strings.ToLower(word)
	for _, prefix := range []string{"k8s:", "kubebuilder:", "kubegen:"} {
		if rest, ok := strings.CutPrefix(folded, prefix); ok {
			folded, word = rest, word[len(prefix):]
		}
	}
	if folded != "genclient" && !strings.HasPrefix(folded, "genclient:") {
		return ""
	}
	return "genclient" + word[len("genclient"):]
}

// isSentence reports whether a line is text that continues on the next one.
func isSentence(line string) bool {
	return line != "" && !strings.HasPrefix(line, "+") && !strings.ContainsAny(line[len(line)-1:], ".:!?")
}
