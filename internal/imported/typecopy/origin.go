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

	"github.com/kubegen/kubegen/internal/terms/markers"
)

// provenance describes the origin of a copied file.
type provenance struct {
	gate    *gate
	origins map[string]token.Position   // of declarations in the original, as String names them
	first   token.Position              // the first of them, or an invalid one
	markers map[string][]token.Position // in the original, in its order
	added   map[string]bool             // markers that are not in the original
	places  *places                     // in the copied file; nil before they are needed
}

// places are the places of declarations and markers in a copied file.
type places struct {
	starts  []start // ordered by line
	markers map[int]marked
}

// start is the line where a declaration starts.
type start struct {
	line int
	name string // as String names it
}

// marked is a marker of the original in a copied file.
type marked struct {
	text     string
	pos      token.Position // in the original
	from, to int            // offsets in the copied file
}

func newProvenance() *provenance {
	return &provenance{origins: map[string]token.Position{}, markers: map[string][]token.Position{}, added: map[string]bool{}}
}

// add adds a declaration of the original, with lines that its copy has in addition.
func (p *provenance) add(name string, pos token.Position, lines string) {
	if !p.first.IsValid() {
		p.first = pos
	}
	if _, ok := p.origins[name]; !ok {
		p.origins[name] = pos
	}
	for line := range strings.Lines(lines) {
		p.added[markerIn(line)] = true
	}
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
	found := &places{markers: map[int]marked{}}
	fset := token.NewFileSet()
	syntax, err := goparser.ParseFile(fset, "", text, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return found
	}
	in := newFile(nil, newSource(nil), syntax)
	for _, d := range in.all {
		found.starts = append(found.starts, start{fset.PositionFor(d.node().Pos(), false).Line, d.String()})
	}
	seen := map[string]int{}
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			from := int(comment.Pos() - syntax.FileStart)
			eachMarker(comment, func(marker string, at int) {
				originals := p.markers[marker]
				if p.added[marker] || len(originals) == 0 || marker == markers.Genclient {
					return
				}
				m := marked{text: marker, pos: originals[min(seen[marker], len(originals)-1)], from: from + at, to: from + at + len(marker)}
				if strings.HasPrefix(comment.Text, "//") {
					m.from, m.to = withLine(text, from, from+len(comment.Text))
				}
				seen[marker]++
				found.markers[fset.PositionFor(comment.Pos()+token.Pos(at), false).Line] = m
			})
		}
	}
	return found
}

// eachMarker calls f for each marker in a comment, with its index in the comment.
func eachMarker(comment *ast.Comment, f func(marker string, at int)) {
	at := 0
	for line := range strings.Lines(comment.Text) {
		if marker := markerIn(line); marker != "" {
			f(marker, at+strings.Index(line, "+"))
		}
		at += len(line)
	}
}

// addMarkers adds the markers in comments of the original, but not the ones that its edits remove.
func (p *provenance) addMarkers(c *copier, f *file, groups []*ast.CommentGroup) {
	for _, group := range groups {
		for _, comment := range group.List {
			edits := slices.Concat(editsIn(f.edits, comment.Pos(), comment.End()), editsIn(f.lost, comment.Pos(), comment.End()))
			if slices.ContainsFunc(edits, func(e edit) bool { return e.text == "" }) {
				continue
			}
			eachMarker(comment, func(marker string, at int) {
				p.markers[marker] = append(p.markers[marker], c.position(comment.Pos()+token.Pos(at)))
			})
		}
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
	if known := p.known[file]; known != nil {
		if i >= 0 {
			if pos, ok := known.origins[places.starts[i].name]; ok {
				pos.Line += line - places.starts[i].line
				return pos
			}
		}
		return known.first
	}
	return token.Position{}
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
	sealed := Sealed(from, formatted)
	known := p.known[file]
	if err != nil || known.gate.check(sealed) != "" {
		return nil
	}
	for _, line := range slices.Sorted(maps.Keys(removed)) {
		marker := places.markers[line].text
		if i := slices.Index(known.markers[marker], removed[line]); i >= 0 {
			known.markers[marker] = slices.Delete(known.markers[marker], i, i+1)
		}
	}
	p.Files[file], known.places = sealed, nil
	return removed
}
