package gotypes

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// StringOf evaluates a constant string expression: a literal, a constant of this or an imported package, or a
// concatenation of these. It returns nil for anything else.
func StringOf(l *load.Loader, src *load.Package, f *load.File, expr ast.Expr, depth int) *string {
	if depth > 8 {
		return nil
	}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return StringOf(l, src, f, expr.X, depth+1)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == token.STRING {
			return &text
		}
	case *ast.BinaryExpr:
		x, y := StringOf(l, src, f, expr.X, depth+1), StringOf(l, src, f, expr.Y, depth+1)
		if expr.Op == token.ADD && x != nil && y != nil {
			text := *x + *y
			return &text
		}
	case *ast.Ident:
		if d, ok := l.Lookup(src, expr.Name); ok && d.Value != nil {
			return StringOf(l, src, d.File, d.Value, depth+1)
		}
	case *ast.SelectorExpr:
		pkg, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		importPath := l.ImportPath(f, pkg.Name)
		if importPath == "k8s.io/apimachinery/pkg/runtime" && expr.Sel.Name == "APIVersionInternal" {
			internal := model.InternalVersion
			return &internal
		}
		imported := l.Imported(f, importPath)
		if imported == nil {
			return nil
		}
		if d, ok := l.Lookup(imported, expr.Sel.Name); ok && d.Value != nil {
			return StringOf(l, imported, d.File, d.Value, depth+1)
		}
	}
	return nil
}
