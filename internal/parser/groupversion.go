package parser

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// declaredGroupVersion is the group and version that a package declares. Parts that syntax does not determine are nil.
type declaredGroupVersion struct {
	name           string // name of the schema.GroupVersion variable; "" if there is none
	group, version *string
	pos            token.Position
}

// declaredGroupVersion evaluates SchemeGroupVersion or GroupVersion, or else GroupName.
func (p *parser) declaredGroupVersion(src *load.Package) declaredGroupVersion {
	var found declaredGroupVersion
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		d, ok := p.Lookup(src, name)
		if !ok || d.Type != nil {
			continue
		}
		if _, isFunc := d.Node.(*ast.FuncDecl); isFunc {
			continue
		}
		found.name, found.pos = name, p.Fset.Position(d.Node.Pos())
		if lit, ok := d.Value.(*ast.CompositeLit); ok {
			found.group, found.version = p.literalGroupVersion(src, d.File, lit)
			return found
		}
		if ident, ok := d.Value.(*ast.Ident); ok && ident.Name != name { // GroupVersion = SchemeGroupVersion
			continue
		}
		break
	}
	if d, ok := p.Lookup(src, "GroupName"); ok && d.Value != nil && found.group == nil {
		found.group = p.stringOf(src, d.File, d.Value, 0)
		if !found.pos.IsValid() {
			found.pos = p.Fset.Position(d.Node.Pos())
		}
	}
	return found
}

// literalGroupVersion evaluates schema.GroupVersion{Group: "apps", Version: "v1"}; parts that syntax does not determine
// are nil.
func (p *parser) literalGroupVersion(src *load.Package, f *load.File, lit *ast.CompositeLit) (group, version *string) {
	for i, element := range lit.Elts {
		key, value := [...]string{"Group", "Version"}[min(i, 1)], element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			ident, _ := pair.Key.(*ast.Ident)
			if ident == nil {
				continue
			}
			key, value = ident.Name, pair.Value
		}
		switch text := p.stringOf(src, f, value, 0); key {
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

// stringOf evaluates a constant string expression: a literal, a constant of this or of an imported package, or a
// concatenation of those. It returns nil for anything else.
func (p *parser) stringOf(src *load.Package, f *load.File, expr ast.Expr, depth int) *string {
	if depth > 8 {
		return nil
	}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return p.stringOf(src, f, expr.X, depth+1)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == token.STRING {
			return &text
		}
	case *ast.BinaryExpr:
		x, y := p.stringOf(src, f, expr.X, depth+1), p.stringOf(src, f, expr.Y, depth+1)
		if expr.Op == token.ADD && x != nil && y != nil {
			text := *x + *y
			return &text
		}
	case *ast.Ident:
		if d, ok := p.Lookup(src, expr.Name); ok && d.Value != nil {
			return p.stringOf(src, d.File, d.Value, depth+1)
		}
	case *ast.SelectorExpr:
		pkg, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		importPath := f.ImportPath(pkg.Name)
		if importPath == "k8s.io/apimachinery/pkg/runtime" && expr.Sel.Name == "APIVersionInternal" {
			internal := model.InternalVersion
			return &internal
		}
		imported := p.Imported(f, importPath)
		if imported == nil {
			return nil
		}
		if d, ok := p.Lookup(imported, expr.Sel.Name); ok && d.Value != nil {
			return p.stringOf(imported, d.File, d.Value, depth+1)
		}
	}
	return nil
}
