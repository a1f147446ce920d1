package parser

import (
	"go/ast"
	"go/token"
)

// fields are the fields of a struct type, including those of embedded structs of the same package.
type fields struct {
	list     []field
	isStruct bool
	opaque   bool // there may be more fields: it embeds, or is declared as, a type of another package that was not read

	depth int      // during collection: depth of the struct
	next  []func() // during collection: what remains to be done for embedded structs
}

// field is one field; tag is as in the source.
type field struct {
	name, tag string
	embedded  bool
	depth     int // number of embedded structs around it
	typ       ast.Expr
}

func (f fields) byName(name string) (field, bool) {
	for _, field := range f.list {
		if field.name == name {
			return field, true
		}
	}
	return field{}, false
}

// fieldsOf returns the fields of a type. A type that is declared as another type of the same package, as an alias, or
// as an instance of a generic type has the fields of that type, and so does one declared as a type of another package
// that was read.
func (p *parser) fieldsOf(src *source, f *file, spec *ast.TypeSpec) fields {
	var found fields
	p.collect(src, f, spec.Type, nil, &found, map[*ast.TypeSpec]bool{spec: true})
	for len(found.next) > 0 { // level by level, since shallower fields hide deeper ones
		level := found.next
		found.next = nil
		found.depth++
		for _, collect := range level {
			collect()
		}
	}
	return found
}

// collect adds the fields of a type expression. args are the type arguments for the type parameters in scope. seen are
// the types already collected, because a type may, in code that does not compile, embed itself.
func (p *parser) collect(src *source, f *file, expr ast.Expr, args map[string]ast.Expr, into *fields, seen map[*ast.TypeSpec]bool) {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		p.collect(src, f, expr.X, args, into, seen)
	case *ast.StarExpr:
		p.collect(src, f, expr.X, args, into, seen)
	case *ast.SelectorExpr:
		// Like the classic generators, ignore the fields of types that are merely embedded from other packages.
		if other := p.sources[f.importPath(baseName(expr.X))]; other != nil && !into.isStruct {
			if d, ok := p.lookup(other, expr.Sel.Name); ok && d.typ != nil && d.typ.TypeParams == nil && !seen[d.typ] {
				seen[d.typ] = true
				p.collect(other, d.file, d.typ.Type, nil, into, seen)
				return
			}
		}
		into.opaque, into.isStruct = true, true
	case *ast.Ident, *ast.IndexExpr, *ast.IndexListExpr:
		spec, file, bound := p.instance(src, expr, args)
		switch {
		case spec == nil:
			into.opaque = into.opaque || into.isStruct
		case !seen[spec]:
			seen[spec] = true
			p.collect(src, file, spec.Type, bound, into, seen)
		}
	case *ast.StructType:
		into.isStruct = true
		for _, astField := range expr.Fields.List {
			tag := ""
			if astField.Tag != nil {
				tag = astField.Tag.Value
			}
			typ := substitute(astField.Type, args)
			for _, name := range astField.Names {
				into.list = append(into.list, field{name: name.Name, tag: tag, depth: into.depth, typ: typ})
			}
			if len(astField.Names) > 0 {
				continue
			}
			name := baseName(typ)
			into.list = append(into.list, field{name: name, tag: tag, depth: into.depth, typ: typ, embedded: true})
			if name != "TypeMeta" && name != "ObjectMeta" && name != "ListMeta" {
				into.next = append(into.next, func() { p.collect(src, f, typ, args, into, seen) })
			}
		}
	}
}

// instance returns the declaration in the same package that a type expression names, with the arguments of its type
// parameters.
func (p *parser) instance(src *source, expr ast.Expr, outer map[string]ast.Expr) (*ast.TypeSpec, *file, map[string]ast.Expr) {
	var given []ast.Expr
	switch e := expr.(type) {
	case *ast.IndexExpr:
		expr, given = e.X, []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		expr, given = e.X, e.Indices
	}
	ident, ok := expr.(*ast.Ident)
	if !ok || p.predeclared(src, ident.Name) {
		return nil, nil, nil
	}
	d, ok := p.lookup(src, ident.Name)
	if !ok || d.typ == nil {
		return nil, nil, nil
	}
	bound := map[string]ast.Expr{}
	if d.typ.TypeParams != nil {
		for _, param := range d.typ.TypeParams.List {
			for _, name := range param.Names {
				if len(given) > 0 {
					bound[name.Name] = substitute(given[0], outer)
					given = given[1:]
				}
			}
		}
	}
	return d.typ, d.file, bound
}

// substitute replaces type parameters in the shapes that Items can have: T, *T, []T and []*T.
func substitute(expr ast.Expr, args map[string]ast.Expr) ast.Expr {
	if len(args) == 0 {
		return expr
	}
	switch e := expr.(type) {
	case *ast.Ident:
		if arg, ok := args[e.Name]; ok {
			return arg
		}
	case *ast.StarExpr:
		return &ast.StarExpr{Star: e.Star, X: substitute(e.X, args)}
	case *ast.ArrayType:
		return &ast.ArrayType{Lbrack: e.Lbrack, Len: e.Len, Elt: substitute(e.Elt, args)}
	}
	return expr
}

// baseName returns the name of an embedded field.
func baseName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.StarExpr:
		return baseName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return baseName(expr.X)
	case *ast.IndexListExpr:
		return baseName(expr.X)
	}
	return ""
}

// elementOf returns the name of the element type of a slice, and whether the elements are pointers. known is false if
// the type is declared in another package.
func (p *parser) elementOf(src *source, expr ast.Expr) (element string, pointers, known bool) {
	for range 16 {
		switch e := expr.(type) {
		case *ast.ArrayType:
			if e.Len != nil {
				return "", false, true
			}
			element := e.Elt
			if star, ok := element.(*ast.StarExpr); ok {
				element, pointers = star.X, true
			}
			name, ok := p.resolveAlias(src, element)
			return name, pointers, ok
		case *ast.Ident, *ast.IndexExpr, *ast.IndexListExpr:
			spec, _, args := p.instance(src, e, nil)
			if spec == nil {
				return baseName(e), false, true
			}
			expr = substitute(spec.Type, args)
		case *ast.SelectorExpr:
			return "", false, false
		default:
			return "", false, true
		}
	}
	return "", false, false
}

// resolveAlias returns the name of the type in an expression, with aliases resolved.
func (p *parser) resolveAlias(src *source, expr ast.Expr) (name string, known bool) {
	for range 16 {
		ident, ok := expr.(*ast.Ident)
		if !ok {
			return "", false
		}
		d, ok := p.lookup(src, ident.Name)
		if !ok || d.typ == nil || d.typ.Assign == token.NoPos {
			return ident.Name, true
		}
		expr = d.typ.Type
	}
	return "", false
}
