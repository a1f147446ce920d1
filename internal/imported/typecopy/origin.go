package typecopy

import (
	"go/ast"
	"go/format"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// Package is a package of copies. Its directory is GROUP/VERSION or GROUP/NAME, and it has no group and version unless
// it has kinds.
type Package struct {
	*importer.Package
	src       *source
	fset      *token.FileSet
	originals map[string][]token.Position // in the original, by key; nil before they are needed
	places    map[string][]place          // in copied files, by name, as far as they were needed
}

// place is a place in a file that its copy has, too: a declaration, a field in the declaration of a type, or a marker.
// A marker is named after what is below it.
type place struct {
	name, marker string
	pos          token.Position
	origin       token.Position // in the original, for a place of a copy; invalid for added markers
}

// places returns the places in a file: declarations and fields, then markers, each in the order of the file.
func (f *file) places(fset *token.FileSet) (all []place) {
	add := func(name string, pos token.Pos) {
		all = append(all, place{name: name, pos: fset.PositionFor(pos, false)})
	}
	for _, d := range f.all {
		if d.gen != nil && d.spec == d.gen.Specs[0] && d.gen.Lparen.IsValid() {
			add(d.gen.Tok.String(), d.gen.Pos())
		}
		if add(d.String(), d.node().Pos()); d.typ() != nil {
			for field := range load.Nodes[*ast.Field](d.typ().Type) {
				for _, name := range field.Names {
					add(d.name+"."+name.Name, name.Pos())
				}
			}
		}
	}
	named, clause := all, fset.Position(f.syntax.Package)
	for _, line := range markers.Lines(fset, f.syntax.Comments...) {
		below := "package"
		if line.Pos.Line > clause.Line {
			i, _ := slices.BinarySearchFunc(named, line.Pos.Line, func(p place, line int) int { return p.pos.Line - line })
			if below = ""; i < len(named) {
				below = named[i].name
			}
		}
		all = append(all, place{name: below, marker: line.Text, pos: line.Pos})
	}
	return all
}

// key returns what the place has in common with its original.
func (p place) key() string { return p.name + " " + methodTypes.ReplaceAllString(p.marker, "$2") }

// placesIn returns the places in a copied file.
func (p *Package) placesIn(name string) []place {
	if found, known := p.places[name]; known {
		return found
	}
	fset := token.NewFileSet()
	syntax, err := goparser.ParseFile(fset, "", p.Files[name], goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	if p.originals == nil {
		p.originals, p.places = map[string][]token.Position{}, map[string][]place{}
		for _, f := range p.src.files {
			for _, at := range f.places(p.fset) {
				p.originals[at.key()] = append(p.originals[at.key()], at.pos)
			}
		}
	}
	found, seen := newFile(&file{in: newSource(nil), syntax: syntax}).places(fset), map[string]int{}
	for i, at := range found {
		if all := p.originals[at.key()]; len(all) > 0 && at.marker != markers.Genclient {
			found[i].origin = all[min(seen[at.key()], len(all)-1)]
		}
		seen[at.key()]++
	}
	p.places[name] = found
	return found
}

// origin returns the position in the original for a line of a copied file.
func (p *Package) origin(file string, line int) (origin token.Position) {
	for _, at := range p.placesIn(file) {
		switch {
		case !at.origin.IsValid():
		case at.marker != "" && at.pos.Line == line:
			return at.origin
		case at.marker == "" && (at.pos.Line <= line || !origin.IsValid()):
			origin = at.origin
			origin.Line += max(line-at.pos.Line, 0)
		}
	}
	return origin
}

// unmark removes the markers of the original on some lines of a copied file, and returns their positions in the
// original by line.
func (p *Package) unmark(file string, lines []int) (removed map[int]token.Position) {
	removed = map[int]token.Position{}
	text := strings.SplitAfter(string(p.Files[file]), "\n")
	slices.Sort(lines)
	for _, at := range p.placesIn(file) {
		if _, named := slices.BinarySearch(lines, at.pos.Line); !named || at.marker == "" || !at.origin.IsValid() {
			continue
		}
		line, start := text[at.pos.Line-1], at.pos.Column-1
		rest := strings.TrimSuffix(strings.TrimRight(line[:start]+line[start+len(at.marker):], " \n"), "//")
		if text[at.pos.Line-1] = rest + "\n"; strings.Trim(rest, " \t*") == "" {
			text[at.pos.Line-1] = ""
		}
		removed[at.pos.Line] = at.origin
	}
	if len(removed) == 0 {
		return removed
	}
	before, _ := outline(p.Files[file])
	// The first lines, up to the first blank one, are written again.
	body, err := format.Source([]byte(strings.Join(text[4:], "")))
	if err != nil || checkOutline(body, before) != nil {
		return nil
	}
	delete(p.places, file)
	p.Files[file] = Sealed(strings.TrimSpace(strings.TrimPrefix(text[1], fromMark)), body)
	return removed
}
