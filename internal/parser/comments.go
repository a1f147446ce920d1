package parser

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// commentsByEnd indexes the comments of a file by the line on which they end.
type commentsByEnd struct {
	byLine  map[int]*ast.CommentGroup
	classic bool // a comment that ends two lines above applies even if the line between is not blank
}

func (p *parser) commentsByEnd(f *load.File) commentsByEnd {
	index := commentsByEnd{byLine: map[int]*ast.CommentGroup{}, classic: p.cfg.Classic}
	for _, group := range f.Syntax.Comments {
		index.byLine[p.Fset.Position(group.End()).Line] = group
	}
	return index
}

// above returns the comment directly above a declaration and the one above that, separated by a blank line; the farther
// one first.
func (c commentsByEnd) above(fset *token.FileSet, f *load.File, pos token.Pos) []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	near, far := c.nearAndFar(fset, f, pos)
	for _, group := range []*ast.CommentGroup{far, near} {
		if group != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// nearAndFar returns the same two comments separately, nil for a missing one.
func (c commentsByEnd) nearAndFar(fset *token.FileSet, f *load.File, pos token.Pos) (near, far *ast.CommentGroup) {
	line := fset.Position(pos).Line
	if near = c.byLine[line-1]; near != nil {
		line = fset.Position(near.Pos()).Line
	}
	if far = c.byLine[line-2]; far != nil && (c.classic || f.IsBlank(fset, line-1)) {
		return near, far
	}
	return near, nil
}

// genclientIn returns the first +genclient line of the comments.
func genclientIn(fset *token.FileSet, groups ...*ast.CommentGroup) markers.Line {
	for _, line := range markers.Lines(fset, groups...) {
		if strings.HasPrefix(line.Text, "+genclient") {
			return line
		}
	}
	return markers.Line{}
}

// packageComments returns the comments that may contain package markers: those above a package clause, and all comments
// of doc.go.
func packageComments(s *load.Package) []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	for _, f := range s.Files {
		if f.Syntax == nil {
			continue
		}
		everywhere := filepath.Base(f.Name) == "doc.go"
		for _, group := range f.Syntax.Comments {
			if everywhere || group.Pos() < f.Syntax.Package {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// docLines returns the lines of a comment without markers, directives, and leading and trailing blank lines.
func docLines(group *ast.CommentGroup) []string {
	if group == nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(group.Text()) { // Text omits directives
		line = strings.TrimRight(line, " \t\n")
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			lines = append(lines, line)
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

// schemaMarkers returns the markers in the comments, in order.
func schemaMarkers(fset *token.FileSet, groups ...*ast.CommentGroup) []model.Marker {
	var found []model.Marker
	for _, line := range markers.Lines(fset, groups...) {
		name, value, _ := strings.Cut(strings.TrimPrefix(line.Text, "+"), "=")
		found = append(found, model.Marker{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), Pos: line.Pos})
	}
	return found
}

// above returns the comments above a type declaration, see commentsByEnd.
func (r *typeReader) above(f *load.File, spec *ast.TypeSpec) []*ast.CommentGroup {
	if _, ok := r.comments[f]; !ok {
		r.comments[f] = r.commentsByEnd(f)
	}
	return r.comments[f].above(r.Fset, f, spec.Pos())
}
