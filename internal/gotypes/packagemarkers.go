package gotypes

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/compat"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

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

// PackageMarkers returns the markers of a package. The policy determines whether markers in doc.go take precedence over
// the same markers in other files.
func PackageMarkers(fset *token.FileSet, s *load.Package, policy compat.Policy, diags *diag.List) []model.Marker {
	found := markers.Read(fset, markers.Package, markers.ModeOf(policy), diags, PackageComments(s)...)
	if !policy.MarkersInDocGo {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(m model.Marker) bool {
		return !InDoc(m.Pos) && slices.ContainsFunc(found, func(other model.Marker) bool { return InDoc(other.Pos) && other.Name == m.Name })
	})
}

// InDoc reports whether a position is in doc.go.
func InDoc(pos token.Position) bool { return filepath.Base(pos.Filename) == "doc.go" }
