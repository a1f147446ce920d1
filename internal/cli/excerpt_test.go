package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// excerpt returns the declarations of the given names, methods as Type.Method, from Go source: each with its comment, in
// the order of the source. What is not declared there is not in the result.
func excerpt(text string, names []string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err.Error() + "\n"
	}
	var found []string
	for _, d := range file.Decls {
		name, doc := "", (*ast.CommentGroup)(nil)
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, doc = d.Name.Name, d.Doc
			if d.Recv != nil {
				name = strings.TrimPrefix(text[d.Recv.List[0].Type.Pos()-1:d.Recv.List[0].Type.End()-1], "*") + "." + name
			}
		case *ast.GenDecl:
			doc = d.Doc
			switch spec := d.Specs[0].(type) {
			case *ast.TypeSpec:
				name = spec.Name.Name
			case *ast.ValueSpec:
				name = spec.Names[0].Name
			case *ast.ImportSpec:
				name = "import"
			}
		}
		start := d.Pos()
		if doc != nil {
			start = doc.Pos()
		}
		if slices.Contains(names, name) {
			found = append(found, text[start-1:d.End()-1]+"\n")
		}
	}
	return strings.Join(found, "\n")
}
