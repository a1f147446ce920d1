package typecopy

import (
	"cmp"
	"go/ast"
	goparser "go/parser"
	"go/token"
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
	wrong   map[token.Position]bool     // markers of the original that are not written
	write   func(*provenance) []byte    // writes the file
	places  *places                     // in the copied file; nil before they are needed
}

// places are the places of declarations, fields and markers in a copied file.
type places struct {
	starts  []start                // ordered by line
	markers map[int]token.Position // in the original, by line
}

// start is the line where a declaration or a field starts.
type start struct {
	line int
	name string
}

// file writes a file of the package.
func (p *Package) file(name string, write func(*provenance) []byte) {
	known := &provenance{
		origins: map[string]token.Position{}, markers: map[string][]token.Position{}, wrong: map[token.Position]bool{}, write: write,
	}
	p.known[name], p.Files[name] = known, write(known)
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
	found, fset := &places{markers: map[int]token.Position{}}, token.NewFileSet()
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
			at := line(comment.Pos())
			for text := range strings.Lines(comment.Text) {
				marker := markerIn(text)
				originals := p.markers[marker]
				if n := min(seen[marker], len(originals)-1); n >= 0 && originals[n].IsValid() && marker != markers.Genclient {
					found.markers[at] = originals[n]
				}
				seen[marker]++
				at++
			}
		}
	}
	return found
}

// markerIn returns the marker in a line of a comment, or "".
func markerIn(line string) string {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '/' })
	if !strings.HasPrefix(line, "+") {
		return ""
	}
	return line
}

// Origin returns the position in the original for a line of a copied file.
func (p *Package) Origin(file string, line int) token.Position {
	places := p.placesIn(file)
	if pos, ok := places.markers[line]; ok {
		return pos
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
func (p *Package) Unmark(file string, lines []int) (removed map[int]token.Position) {
	removed = map[int]token.Position{}
	known, places := p.known[file], p.placesIn(file)
	for _, line := range lines {
		if pos, ok := places.markers[line]; ok {
			removed[line], known.wrong[pos] = pos, true
		}
	}
	if len(removed) > 0 {
		known.markers, known.places = map[string][]token.Position{}, nil
		p.Files[file] = known.write(known)
	}
	return removed
}
