package typecopy

import (
	"go/format"
	"go/token"
	"slices"
	"strings"
)

// origin is the position of a declaration in a copied file, and in the file it is copied from.
type origin struct {
	name string
	pos  token.Position
}

// Origin returns the position in the original for a line of a copied file.
func (p *Package) Origin(file string, line int) token.Position {
	lines := strings.Split(string(p.Files[file]), "\n")
	if pos := p.ofMarker(file, lines, line); pos.IsValid() {
		return pos
	}
	origins := p.origins[file]
	if len(origins) == 0 {
		return token.Position{}
	}
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		for _, o := range origins {
			name := o.name[strings.LastIndex(o.name, ".")+1:]
			text := strings.TrimSpace(lines[i])
			if strings.HasPrefix(text, "type "+name+" ") || strings.HasPrefix(text, name+" ") && strings.HasPrefix(lines[i], "\t") && !strings.HasPrefix(lines[i], "\t\t") && i == line-1 ||
				strings.HasPrefix(text, "func ") && strings.Contains(text, " "+name+"(") {
				return token.Position{Filename: o.pos.Filename, Line: o.pos.Line + line - 1 - i, Column: o.pos.Column}
			}
		}
	}
	return origins[0].pos
}

// ofMarker returns the position in the original for a line of a copied file that is a marker. It is not valid for other
// lines, and for markers that the copy adds.
func (p *Package) ofMarker(file string, lines []string, line int) (pos token.Position) {
	if line < 1 || line > len(lines) {
		return pos
	}
	text := strings.TrimSpace(lines[line-1])
	if marker, ok := strings.CutPrefix(text, "//"); !ok || !strings.HasPrefix(strings.TrimSpace(marker), "+") || text == "// +genclient" || slices.Contains(strings.Split(p.added[file], "\n"), text) {
		return pos
	}
	nth := 0
	for _, other := range lines[:line-1] {
		if strings.TrimSpace(other) == text {
			nth++
		}
	}
	for _, f := range p.from[file] {
		for i, other := range strings.Split(string(f.Text), "\n") {
			if markerIn(other) == markerIn(text) && (!pos.IsValid() || nth > 0) {
				if pos.IsValid() {
					nth--
				}
				pos = token.Position{Filename: f.Name, Line: i + 1, Column: strings.Index(other, "+") + 1}
			}
		}
	}
	return pos
}

// Unmark removes the line of a copied file if it is a marker of the original, and returns the marker's position there,
// or an invalid one.
func (p *Package) Unmark(file string, line int) (pos token.Position) {
	from, _, ok := Unseal(p.Files[file])
	lines := strings.Split(string(p.Files[file]), "\n")
	if pos = p.ofMarker(file, lines, line); !ok || !pos.IsValid() {
		return token.Position{}
	}
	_, body, _ := strings.Cut(strings.Join(slices.Delete(lines, line-1, line), "\n"), "\n\n")
	formatted, err := format.Source([]byte(body))
	sealed := Sealed(from, formatted)
	if g := p.gates[file]; err != nil || g == nil || g.check(sealed) != "" { // it was in a comment of several lines
		return token.Position{}
	}
	p.Files[file] = sealed
	return pos
}
