package checks

import (
	"cmp"
	"go/ast"
	"go/token"
	"sort"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func misplacedMarker(p *Pass) {
	for _, pkg := range p.Packages {
		if pkg.OnlyInPackage || len(pkg.Kinds) == 0 && !pkg.Source.Imports("k8s.io/apimachinery/pkg/apis/meta/v1") {
			continue // markers only occur in prose
		}
		for f := range pkg.Source.Parsed(markers.Genclient, "+kubegen:") {
			if f.Err == nil {
				p.misplaced(f, gotypes.CommentsOf(p.Types.Fset, f, p.Policy.CommentsAcrossLines))
			}
		}
	}
}

// misplaced reports markers of kinds in a file that are not above a type: as an error if they are probably meant for
// one, otherwise as a warning. comments holds the comments of the file.
func (p *Pass) misplaced(f *load.File, comments gotypes.Comments) {
	fset := p.Types.Fset
	below := map[*ast.CommentGroup]string{} // what is declared there: "type", "var", "func" ...
	note := func(pos token.Pos, declared string) {
		for _, group := range comments.Above(pos) {
			below[group] = cmp.Or(below[group], declared)
		}
	}
	for _, d := range f.Syntax.Decls {
		if gen, ok := d.(*ast.GenDecl); ok {
			for _, spec := range gen.Specs {
				note(spec.Pos(), gen.Tok.String())
			}
		}
	}
	for _, d := range f.Syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			note(fn.Name.Pos(), "func")
		}
	}
	for _, group := range f.Syntax.Comments {
		for _, line := range markers.Lines(fset, group) {
			if below[group] == "type" || !markers.OfKinds(line.Text) {
				continue
			}
			why, meant := "not above a "+below[group], false
			if below[group] == "" {
				why, meant = follows(f, fset, group)
			}
			if why == inPackageComment && markers.OfPackages(line.Text) {
				continue
			}
			advice := diag.Textf("delete it")
			if meant {
				advice = diag.Textf("move it to the comment directly above the type, or to a comment one blank line above that")
			}
			p.diags.Mistakef(!meant || p.Policy.AcceptMistakes, line.Pos, "", "%s belongs above a type, %s: it has no effect", line.Text, why).
				Suggest("%s", advice)
			break // one message for the comment
		}
	}
}

const inPackageComment = "not in the package comment"

// follows explains why a comment is not above a type, and reports whether it is probably meant for one.
func follows(f *load.File, fset *token.FileSet, group *ast.CommentGroup) (why string, meant bool) {
	if group.End() < f.Syntax.Package {
		return inPackageComment, false
	}
	next := sort.Search(len(f.Syntax.Decls), func(i int) bool { return f.Syntax.Decls[i].End() > group.Pos() })
	if next > 0 && fset.Position(f.Syntax.Decls[next-1].End()).Line == fset.Position(group.Pos()).Line {
		return "not after one", true
	}
	for _, d := range f.Syntax.Decls[next:] {
		gen, isGen := d.(*ast.GenDecl)
		switch {
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
