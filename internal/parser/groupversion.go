package parser

import (
	"go/ast"
	"go/token"

	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
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
		found.group = gotypes.StringOf(p.Loader, src, d.File, d.Value, 0)
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
		switch text := gotypes.StringOf(p.Loader, src, f, value, 0); key {
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
