package lint

import (
	"bytes"
	"go/ast"
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

// Misplaced reports markers of kinds in a file that are not above a type: as an error if they are probably meant for a
// type, otherwise as a warning. comments holds the comments of the file.
func Misplaced(fset *token.FileSet, f *load.File, comments gotypes.Comments, mode markers.Mode) (diags diag.List) {
	if !bytes.Contains(f.Text, []byte(markers.Genclient)) && !bytes.Contains(f.Text, []byte("+kubegen:")) {
		return nil
	}
	done := map[*ast.CommentGroup]bool{} // above types, or reported
	report := func(groups []*ast.CommentGroup, where func(group *ast.CommentGroup) (why string, meant bool)) {
		for _, group := range groups {
			for _, line := range markers.Lines(fset, group) {
				if done[group] || !markers.OfKinds(line.Text) {
					continue
				}
				why, meant := where(group)
				if why == inPackageComment && markers.OfPackages(line.Text) {
					continue
				}
				done[group] = true
				d := diags.Warnf(line.Pos, "%s belongs above a type, %s: it has no effect", line.Text, why)
				if !meant {
					d.Suggest("delete it")
					continue
				}
				if mode == markers.Strict {
					d.Severity = diag.Error
				}
				d.Suggest("move it to the comment directly above the type, or to a comment one blank line above that")
			}
		}
	}
	above := func(pos token.Pos, what string) {
		report(comments.Above(fset, f, pos), func(*ast.CommentGroup) (string, bool) { return "not above a " + what, false })
	}
	for _, d := range f.Syntax.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if gen.Tok != token.TYPE {
				above(spec.Pos(), gen.Tok.String())
				continue
			}
			for _, group := range comments.Above(fset, f, spec.Pos()) {
				done[group] = true
			}
		}
	}
	for _, d := range f.Syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			above(fn.Name.Pos(), "func")
		}
	}
	report(f.Syntax.Comments, func(group *ast.CommentGroup) (string, bool) { return follows(f, fset, group) })
	return diags
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
