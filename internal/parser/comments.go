package parser

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

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
