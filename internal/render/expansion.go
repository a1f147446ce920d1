package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
)

// declaredNames returns the names that Go files declare in their package, those of methods as "receiver.Method". Of
// files that do not parse, it returns the names that could be read.
func declaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for file, text := range files {
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if parsed == nil || strings.HasSuffix(parsed.Name.Name, "_test") { // of another package
			continue
		}
		for _, name := range gofile.Declarations(parsed) {
			names[name] = true
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && len(fn.Recv.List) == 1 {
				receiver := fn.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if ident, ok := receiver.(*ast.Ident); ok {
					names[ident.Name+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return names
}
