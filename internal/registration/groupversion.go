package registration

import (
	"go/ast"
	"go/token"

	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
)

// GroupVersion is the group and version declared in a package. Group or Version is nil if syntax does not determine it.
type GroupVersion struct {
	Variable       string // name of the schema.GroupVersion variable; "" if there is none
	Group, Version *string
	Pos            token.Position // of the variable, or else of the constant GroupName
}

// Declared evaluates SchemeGroupVersion or GroupVersion, or else GroupName.
func Declared(l *load.Loader, src *load.Package) GroupVersion {
	var found GroupVersion
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
		found.Group = gotypes.StringOf(l, src, d.File, d.Value, 0)
		if !found.Pos.IsValid() {
			found.Pos = l.Fset.Position(d.Node.Pos())
		}
	}
	return found
}

// literal evaluates schema.GroupVersion{Group: "apps", Version: "v1"}. A result is nil if syntax does not determine it.
func literal(l *load.Loader, src *load.Package, f *load.File, lit *ast.CompositeLit) (group, version *string) {
	for i, element := range lit.Elts {
		key, value := [...]string{"Group", "Version"}[min(i, 1)], element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			ident, _ := pair.Key.(*ast.Ident)
			if ident == nil {
				continue
			}
			key, value = ident.Name, pair.Value
		}
		switch text := gotypes.StringOf(l, src, f, value, 0); key {
		case "Group":
			group = text
		case "Version":
			version = text
		}
	}
	if group == nil && !hasKey(lit, "Group") {
		group = new(string) // omitted: the core group
	}
	return group, version
}

// evaluate evaluates an expression of type schema.GroupVersion. A result is nil if syntax does not determine it.
func evaluate(l *load.Loader, src *load.Package, f *load.File, expr ast.Expr, depth int) (group, version *string) {
	switch expr := expr.(type) {
	case *ast.CompositeLit:
		return literal(l, src, f, expr)
	case *ast.Ident:
		if d, ok := l.Lookup(src, expr.Name); ok && d.Value != nil && depth < 8 {
			return evaluate(l, src, d.File, d.Value, depth+1)
		}
	}
	return nil, nil
}

// hasKey reports whether a composite literal sets a field, by name or by position.
func hasKey(lit *ast.CompositeLit, key string) bool {
	for _, element := range lit.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if ident, ok := pair.Key.(*ast.Ident); ok && ident.Name == key {
			return true
		}
	}
	return false
}
