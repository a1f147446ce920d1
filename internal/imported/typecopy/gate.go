package typecopy

import (
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// planned returns the imports of the copy of a file, and its needed declarations, as they are in the syntax of the
// original.
func (c *copier) planned(f *file, imports []gofile.Import) *ast.File {
	imported := &ast.GenDecl{Tok: token.IMPORT}
	for _, imp := range imports {
		imported.Specs = append(imported.Specs, &ast.ImportSpec{
			Name: ast.NewIdent(imp.Alias), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(imp.Path)},
		})
	}
	all := &ast.File{Decls: []ast.Decl{imported}}
	for _, d := range f.all {
		switch {
		case !c.needed[d]:
		case d.gen == nil:
			all.Decls = append(all.Decls, d.fn)
		default:
			all.Decls = append(all.Decls, &ast.GenDecl{Tok: d.gen.Tok, Specs: []ast.Spec{d.spec}})
		}
	}
	return all
}

// checkOutline returns an error if a finished file has other declarations than the planned ones, or a directive. It
// does not trust what has written the file: a comment of the original must not become code.
func checkOutline(finished []byte, planned *ast.File) error {
	syntax, err := goparser.ParseFile(token.NewFileSet(), "", finished, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if found := directive.FindString(comment.Text); found != "" {
				return fmt.Errorf("the copy would have %q", found)
			}
		}
	}
	got, want := outline(syntax), outline(planned)
	for _, one := range append(slices.Clone(got), want...) {
		if !slices.Contains(want, one) || !slices.Contains(got, one) {
			return fmt.Errorf("the copy would differ in the declaration %q", one)
		}
	}
	if len(got) != len(want) {
		return errors.New("the copy would have a declaration twice")
	}
	return nil
}

// outline returns a line for each import and declaration of a file, with what makes it run when a program starts: its
// name, and how many values it has.
func outline(syntax *ast.File) (lines []string) {
	for _, node := range syntax.Decls {
		if fn, ok := node.(*ast.FuncDecl); ok {
			lines = append(lines, fmt.Sprintf("func %s of %d receivers, body %t", fn.Name.Name, fn.Recv.NumFields(), fn.Body != nil))
			continue
		}
		gen := node.(*ast.GenDecl)
		for _, spec := range gen.Specs {
			line := gen.Tok.String()
			switch spec := spec.(type) {
			case *ast.ImportSpec:
				if spec.Name != nil && spec.Name.Name != "" {
					line += " " + spec.Name.Name
				}
				line += " " + spec.Path.Value
			case *ast.TypeSpec:
				line += " " + spec.Name.Name
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					line += " " + name.Name
				}
				line += strings.Repeat(" =", len(spec.Values))
			}
			lines = append(lines, line)
		}
	}
	return lines
}
