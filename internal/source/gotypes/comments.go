package gotypes

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Comments indexes the comments of a file by their last line.
type Comments struct {
	fset        *token.FileSet
	file        *load.File
	byLine      map[int]*ast.CommentGroup
	acrossLines bool // a comment that ends two lines above applies even if the line between is not blank
}

// CommentsOf indexes the comments of a file.
func CommentsOf(fset *token.FileSet, f *load.File, acrossLines bool) Comments {
	index := Comments{fset, f, map[int]*ast.CommentGroup{}, acrossLines}
	for _, group := range f.Syntax.Comments {
		index.byLine[fset.Position(group.End()).Line] = group
	}
	return index
}

// Above returns the comment directly above a declaration and the one above it, separated by a blank line. The farther
// one is first.
func (c Comments) Above(pos token.Pos) (groups []*ast.CommentGroup) {
	near, far := c.NearAndFar(pos)
	for _, group := range []*ast.CommentGroup{far, near} {
		if group != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// NearAndFar returns the same two comments separately. A missing one is nil.
func (c Comments) NearAndFar(pos token.Pos) (near, far *ast.CommentGroup) {
	line := c.fset.Position(pos).Line
	if near = c.byLine[line-1]; near != nil {
		line = c.fset.Position(near.Pos()).Line
	}
	if far = c.byLine[line-2]; far != nil && (c.acrossLines || c.file.IsBlank(c.fset, line-1)) {
		return near, far
	}
	return near, nil
}

// docLines returns the lines of a comment without markers, directives, and leading and trailing blank lines.
func docLines(group *ast.CommentGroup) []string {
	if group == nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(group.Text()) {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			lines = append(lines, strings.TrimRight(line, " \t\n"))
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
		found = append(found, model.Marker{Name: strings.TrimSpace(name), Text: strings.TrimSpace(value), Pos: line.Pos})
	}
	return found
}

// CommentsIn returns the index of the comments of a file, which it creates once.
func (r *Reader) CommentsIn(f *load.File) Comments {
	if _, ok := r.source.comments[f]; !ok {
		r.source.comments[f] = CommentsOf(r.Fset, f, r.policy.CommentsAcrossLines)
	}
	return r.source.comments[f]
}

// Above returns the comments above a type declaration, as Comments.Above does.
func (r *Reader) Above(f *load.File, spec *ast.TypeSpec) []*ast.CommentGroup {
	return r.CommentsIn(f).Above(spec.Pos())
}

// PackageComments returns the comments that may contain package markers: comments above a package clause, and all
// comments of doc.go.
func PackageComments(s *load.Package) []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	for f := range s.Parsed() {
		everywhere := filepath.Base(f.Name) == "doc.go"
		for _, group := range f.Syntax.Comments {
			if everywhere || group.Pos() < f.Syntax.Package {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// PackageMarkers returns the markers of a package, and the mistakes in them. The policy determines whether markers in
// doc.go take precedence over the same markers in other files.
func PackageMarkers(fset *token.FileSet, s *load.Package, policy model.Policy) (found []model.Marker, mistakes diag.List) {
	all, mistakes := markers.Read(fset, markers.Package, markers.ModeOf(policy), PackageComments(s)...)
	if !policy.MarkersInDocGo {
		return all, mistakes
	}
	found = slices.DeleteFunc(slices.Clone(all), func(m model.Marker) bool {
		return !InDoc(m.Pos) && slices.ContainsFunc(all, func(other model.Marker) bool { return InDoc(other.Pos) && other.Name == m.Name })
	})
	return found, mistakes
}

// InDoc reports whether a position is in doc.go.
func InDoc(pos token.Position) bool { return filepath.Base(pos.Filename) == "doc.go" }
