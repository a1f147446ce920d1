package checks

import (
	"go/ast"
	"go/token"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// missingImport reports names of packages that a file does not import, at their first uses in types. It reports nothing
// in a file with an import whose name is unknown, because its package cannot be read.
func missingImport(p *Pass) {
	for _, src := range p.Sources {
		if src.Foreign {
			continue
		}
		for f := range src.Parsed() {
			if f.Err != nil {
				continue
			}
			for _, x := range qualifiers(f.Syntax) {
				if p.Types.Lacks(f, x.Name) {
					d := p.diags.Errorf(p.Types.Fset.Position(x.Pos()), "package %s is not imported", diag.Value(x.Name)).
						Once(model.NoImport(f.Name, x.Name)).Suggest("add its import, or correct the name")
					if path := usual[x.Name]; path != "" {
						d.Suggest("add import %s %q", x.Name, path)
					}
				}
			}
		}
	}
}

// qualifiers returns the first use of each name of a package in the declarations of types.
func qualifiers(f *ast.File) (first []*ast.Ident) {
	seen := map[string]bool{}
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); !ok || gen.Tok != token.TYPE {
			continue
		}
		for sel := range load.Nodes[*ast.SelectorExpr](decl) {
			if x, ok := sel.X.(*ast.Ident); ok && !seen[x.Name] {
				seen[x.Name], first = true, append(first, x)
			}
		}
	}
	return first
}

// usual are the imports of API types, by the names that most files give them.
var usual = map[string]string{
	"metav1": model.MetaV1, "runtime": "k8s.io/apimachinery/pkg/runtime", "intstr": "k8s.io/apimachinery/pkg/util/intstr",
	"resource": "k8s.io/apimachinery/pkg/api/resource", "corev1": "k8s.io/api/core/v1",
}
