package parser

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// reportMisplaced reports +genclient and +kubegen:helpers markers that are not above a type: as an error if they are probably meant for a
// type, otherwise as a warning.
func (p *parser) reportMisplaced(diags *diag.List, groups []*ast.CommentGroup, where func() (why string, meant bool), reported map[*ast.CommentGroup]bool) {
	for _, group := range groups {
		for _, line := range markers.Lines(p.Fset, group) {
			if !strings.HasPrefix(line.Text, "+genclient") && !strings.HasPrefix(line.Text, "+"+model.HelpersMarker) || reported[group] {
				continue
			}
			why, meant := where()
			if why == inPackageComment && line.Text == "+"+model.HelpersMarker {
				continue
			}
			reported[group] = true
			d := diags.Warnf(line.Pos, "%s belongs above a type, %s: it has no effect", line.Text, why)
			if !meant {
				d.Suggest("delete it")
				continue
			}
			if !p.cfg.Policy.AcceptMistakes {
				d.Severity = diag.Error
			}
			d.Suggest("move it to the comment directly above the type, or to a comment one blank line above that")
		}
	}
}

const inPackageComment = "not in the package comment"

// follows explains why a comment is not above a type, and reports whether it is probably meant for one.
func follows(f *load.File, fset *token.FileSet, group *ast.CommentGroup) (why string, meant bool) {
	if group.End() < f.Syntax.Package {
		return inPackageComment, false
	}
	for _, d := range f.Syntax.Decls {
		gen, isGen := d.(*ast.GenDecl)
		switch {
		case d.End() <= group.Pos():
			if fset.Position(d.End()).Line == fset.Position(group.Pos()).Line {
				return "not after one", true
			}
		case d.Pos() < group.Pos() && isGen && gen.Tok == token.TYPE && gen.Lparen.IsValid():
			for _, spec := range gen.Specs {
				if spec.Pos() > group.End() {
					return "but this is too far above " + spec.(*ast.TypeSpec).Name.Name, true
				}
				if spec.End() > group.Pos() {
					return "not inside one", false
				}
			}
		case d.Pos() < group.Pos():
			return "not inside a declaration", false
		case isGen && gen.Tok == token.TYPE && gen.Lparen.IsValid():
			return "not above a group of types", true
		case isGen && gen.Tok == token.TYPE && len(gen.Specs) == 1:
			return "but this is too far above " + gen.Specs[0].(*ast.TypeSpec).Name.Name, true
		default:
			return "but no type follows", false
		}
	}
	return "but nothing follows", false
}
