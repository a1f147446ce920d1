package typecopy

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	goparser "go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// provenance describes the origin of a copied file.
type provenance struct {
	first   token.Position              // the first declaration of the original, or an invalid position
	origins map[string]token.Position   // of declarations and fields in the original, by their names
	markers map[string][]token.Position // in the original, in the order of the copy; invalid for added ones
	places  *places                     // in the copied file; nil before they are needed
}

// places are the places of declarations, fields and markers in a copied file.
type places struct {
	starts  []start // ordered by line
	markers map[int]marked
}

// start is the line where a declaration or a field starts.
type start struct {
	line int
	name string
}

// marked is a marker of the original in a copied file.
type marked struct {
	text     string
	pos      token.Position // in the original
	from, to int            // offsets in the copied file
}

func newProvenance() *provenance {
	return &provenance{origins: map[string]token.Position{}, markers: map[string][]token.Position{}}
}

// add adds a declaration of the original.
func (p *provenance) add(c *copier, d *decl) {
	eachName(d, func(name string, pos token.Pos) {
		at := c.position(pos)
		if !p.first.IsValid() {
			p.first = at
		}
		if _, ok := p.origins[name]; !ok {
			p.origins[name] = at
		}
	})
}

// eachName calls f for a declaration, and for each field in the declaration of a type.
func eachName(d *decl, f func(name string, pos token.Pos)) {
	if f(d.String(), d.node().Pos()); d.typ() == nil {
		return
	}
	for field := range load.Nodes[*ast.Field](d.typ().Type) {
		for _, name := range field.Names {
			f(d.name+"."+name.Name, name.Pos())
		}
	}
}

// note adds a marker in the order of the copy.
func (p *provenance) note(marker string, pos token.Position) {
	p.markers[marker] = append(p.markers[marker], pos)
}

// placesIn returns the places in a copied file.
func (p *Package) placesIn(file string) *places {
	known := p.known[file]
	if known == nil {
		return &places{}
	}
	if known.places == nil {
		known.places = known.find(p.Files[file])
	}
	return known.places
}

// find returns the places in the text of the file.
func (p *provenance) find(text []byte) *places {
	found, fset := &places{markers: map[int]marked{}}, token.NewFileSet()
	syntax, err := goparser.ParseFile(fset, "", text, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return found
	}
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	for _, d := range newFile(&load.File{}, newSource(&load.Package{}), syntax).all {
		eachName(d, func(name string, pos token.Pos) { found.starts = append(found.starts, start{line(pos), name}) })
	}
	seen := map[string]int{}
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			from := int(comment.Pos() - syntax.FileStart)
			eachMarker(comment.Text, func(marker string, at int) {
				originals := p.markers[marker]
				n := min(seen[marker], len(originals)-1)
				if seen[marker]++; n < 0 || !originals[n].IsValid() || marker == markers.Genclient {
					return
				}
				m := marked{text: marker, pos: originals[n], from: from + at, to: from + at + len(marker)}
				if strings.HasPrefix(comment.Text, "//") {
					m.from, m.to = withLine(text, from, from+len(comment.Text))
				}
				found.markers[line(comment.Pos()+token.Pos(at))] = m
			})
		}
	}
	return found
}

// withLine extends a range of a text to its whole line if there is nothing else on it.
func withLine(text []byte, from, to int) (start, end int) {
	before := bytes.TrimRight(text[:from], " \t")
	if bytes.HasPrefix(text[to:], []byte("\n")) && (len(before) == 0 || before[len(before)-1] == '\n') {
		return len(before), to + 1
	}
	return from, to
}

// markerIn returns the marker in a line of a comment, or "".
func markerIn(line string) string {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '/' })
	if !strings.HasPrefix(line, "+") {
		return ""
	}
	return line
}

// eachMarker calls f for each marker in a comment, with its index in the comment.
func eachMarker(comment string, f func(marker string, at int)) {
	at := 0
	for line := range strings.Lines(comment) {
		if marker := markerIn(line); marker != "" {
			f(marker, at+strings.Index(line, "+"))
		}
		at += len(line)
	}
}

// Origin returns the position in the original for a line of a copied file.
func (p *Package) Origin(file string, line int) token.Position {
	places := p.placesIn(file)
	if m, ok := places.markers[line]; ok {
		return m.pos
	}
	i, found := slices.BinarySearchFunc(places.starts, line, func(s start, line int) int { return cmp.Compare(s.line, line) })
	if !found {
		i--
	}
	known := p.known[file]
	if known == nil {
		return token.Position{}
	}
	if i >= 0 {
		if pos, ok := known.origins[places.starts[i].name]; ok {
			pos.Line += line - places.starts[i].line
			return pos
		}
	}
	return known.first
}

// Unmark removes the markers of the original on some lines of a copied file, and returns their positions in the
// original by line.
func (p *Package) Unmark(file string, lines []int) map[int]token.Position {
	text, places, removed := p.Files[file], p.placesIn(file), map[int]token.Position{}
	from, _, ok := Unseal(text)
	var edited []byte
	last := 0
	for _, line := range slices.Compact(slices.Sorted(slices.Values(lines))) {
		m, isMarker := places.markers[line]
		if !ok || !isMarker {
			continue
		}
		removed[line] = m.pos
		edited, last = append(edited, text[last:m.from]...), m.to
	}
	if len(removed) == 0 {
		return nil
	}
	_, body, _ := bytes.Cut(append(edited, text[last:]...), []byte("\n\n"))
	formatted, err := format.Source(body)
	if err != nil {
		return nil
	}
	known := p.known[file]
	for _, line := range slices.Sorted(maps.Keys(removed)) {
		marker := places.markers[line].text
		if i := slices.Index(known.markers[marker], removed[line]); i >= 0 {
			known.markers[marker] = slices.Delete(known.markers[marker], i, i+1)
		}
	}
	p.Files[file], known.places = Sealed(from, formatted), nil
	return removed
}
