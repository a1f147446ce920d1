package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// excerpt returns the declarations of the given names, methods as Type.Method, from Go source: each with its comment,
// in the order of the source. It is an error if one of them is not declared there.
func excerpt(text string, names []string) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var found []string
	missing := slices.Clone(names)
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
			missing = slices.DeleteFunc(missing, func(other string) bool { return other == name })
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("the file does not declare %s", strings.Join(missing, ", "))
	}
	return strings.Join(found, "\n"), nil
}
