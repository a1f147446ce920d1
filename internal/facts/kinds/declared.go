package kinds

import (
	"cmp"
	"go/ast"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
)

// ReadDeclared evaluates SchemeGroupVersion or GroupVersion, or else GroupName.
func ReadDeclared(l *load.Loader, src *load.Package) Declared {
	var found Declared
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		d, ok := l.Lookup(src, name)
		if !ok || d.Type != nil {
			continue
		}
		if _, isFunc := d.Node.(*ast.FuncDecl); isFunc {
			continue
		}
		found.Variable, found.Pos = name, l.Fset.Position(d.Node.Pos())
		if lit, ok := d.Value.(*ast.CompositeLit); ok {
			found.Group, found.Version = literal(l, src, d.File, lit)
			return found
		}
		if ident, ok := d.Value.(*ast.Ident); ok && ident.Name != name { // GroupVersion = SchemeGroupVersion
			continue
		}
		break
	}
	if d, ok := l.Lookup(src, "GroupName"); ok && d.Value != nil && found.Group == nil {
		found.Group = gotypes.StringOf(l, src, d.File, d.Value)
		found.Pos = cmp.Or(found.Pos, l.Fset.Position(d.Node.Pos()))
	}
	return found
}

// literal evaluates schema.GroupVersion{Group: "apps", Version: "v1"}. A result is nil if syntax does not determine it.
func literal(l *load.Loader, src *load.Package, f *load.File, lit *ast.CompositeLit) (group, version *string) {
	group = new(string) // the core group, if it is omitted
	if value := Element(lit, "Group", 0); value != nil {
		group = gotypes.StringOf(l, src, f, value)
	}
	if value := Element(lit, "Version", 1); value != nil {
		version = gotypes.StringOf(l, src, f, value)
	}
	return group, version
}

// Evaluate evaluates an expression of type schema.GroupVersion. A result is nil if syntax does not determine it.
func Evaluate(l *load.Loader, src *load.Package, f *load.File, expr ast.Expr, depth int) (group, version *string) {
	switch expr := expr.(type) {
	case *ast.CompositeLit:
		return literal(l, src, f, expr)
	case *ast.Ident:
		if d, ok := l.Lookup(src, expr.Name); ok && d.Value != nil && depth < 8 {
			return Evaluate(l, src, d.File, d.Value, depth+1)
		}
	}
	return nil, nil
}

// Element returns the value of a field in a composite literal, or nil if it is not set. index is the index of the field
// in literals without keys.
func Element(lit *ast.CompositeLit, name string, index int) ast.Expr {
	for i, element := range lit.Elts {
		pair, hasKey := element.(*ast.KeyValueExpr)
		if !hasKey && i == index {
			return element
		}
		if hasKey {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}
