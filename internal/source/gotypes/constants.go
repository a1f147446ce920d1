package gotypes

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Constant is a constant of a declared type.
type Constant struct {
	Name    string
	Value   constant.Value // nil if valueOf cannot evaluate it
	Literal bool           // the declaration names the type, and its value is a string literal
	Doc     Doc
	Markers []markers.Line // in the comment directly above it
}

// Constants returns the constants of a type that its package declares with the type or by a conversion to it.
func (r *Reader) Constants(d *Declaration) (found []Constant) {
	if !r.source.withConstants[d.Package] {
		r.source.withConstants[d.Package] = true
		r.ParseWhere(d.Package, func(f *load.File) bool { return typedConstant.Match(f.Text) })
	}
	for f := range d.Package.Parsed() {
		for _, decl := range f.Syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			var typ ast.Expr
			var values []ast.Expr
			for i, s := range gen.Specs {
				spec := s.(*ast.ValueSpec)
				if len(spec.Values) > 0 { // otherwise, they are the same expressions as before
					typ, values = spec.Type, spec.Values
				}
				doc := spec.Doc
				if !gen.Lparen.IsValid() {
					doc = gen.Doc
				}
				for j, name := range spec.Names[:min(len(spec.Names), len(values))] {
					converted, _ := values[j].(*ast.CallExpr)
					if !isNamed(typ, d.Name) && (typ != nil || converted == nil || !isNamed(converted.Fun, d.Name)) {
						continue
					}
					value := r.valueOf(scope{src: d.Package, file: f}, values[j], constant.MakeInt64(int64(i)), 0)
					literal, ok := values[j].(*ast.BasicLit)
					found = append(found, Constant{name.Name, value, ok && literal.Kind == token.STRING && value != nil, DocOf(doc), r.markerLines(doc)})
				}
			}
		}
	}
	return found
}

// typedConstant matches the beginning of constants in a generated file that may have a declared type.
var typedConstant = regexp.MustCompile(`(?m)^const (\(|\S+ \S+ += |\S+ = \S+\()`)

func isNamed(expr ast.Expr, name string) bool {
	ident, ok := expr.(*ast.Ident)
	return ok && ident.Name == name
}

// ValueOf evaluates a constant expression, as valueOf does. It returns nil for anything else.
func ValueOf(l *load.Loader, src *load.Package, f *load.File, expr ast.Expr) constant.Value {
	return names{Loader: l}.valueOf(scope{src: src, file: f}, expr, nil, 0)
}

// StringOf is ValueOf for strings.
func StringOf(l *load.Loader, src *load.Package, f *load.File, expr ast.Expr) *string {
	if v := ValueOf(l, src, f, expr); v != nil && v.Kind() == constant.String {
		text := constant.StringVal(v)
		return &text
	}
	return nil
}

// named returns the initial value of the constant that an expression names, and its scope. The value is nil if there is
// none.
func (n names) named(at scope, e *Expr) (scope, ast.Expr) {
	src := n.homeOf(at, e)
	if src == nil {
		return at, nil
	}
	d, _ := n.Lookup(src, e.Name.Name)
	return scopeOf(src, d), d.Value
}

// maxConstants is the number of nested expressions and constants that are evaluated.
const maxConstants = 8

// valueOf evaluates a constant expression: a literal, a constant of this or an imported package, a conversion, a sum, a
// difference, a product or a shift. It returns nil for anything else. The value of iota may be nil.
func (n names) valueOf(at scope, expr ast.Expr, iota constant.Value, depth int) constant.Value {
	if depth > maxConstants {
		return nil
	}
	of := func(expr ast.Expr) constant.Value { return n.valueOf(at, expr, iota, depth+1) }
	isOne := func(v constant.Value, kinds ...constant.Kind) bool {
		return v != nil && slices.Contains(kinds, v.Kind())
	}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return of(expr.X)
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(expr.Value, expr.Kind, 0); v.Kind() != constant.Unknown {
			return v
		}
	case *ast.UnaryExpr:
		if x := of(expr.X); expr.Op == token.SUB && isOne(x, constant.Int, constant.Float) {
			return constant.UnaryOp(expr.Op, x, 0)
		}
	case *ast.BinaryExpr:
		x, y := of(expr.X), of(expr.Y)
		numbers := isOne(x, constant.Int, constant.Float) && isOne(y, constant.Int, constant.Float)
		switch expr.Op {
		case token.ADD:
			if numbers || isOne(x, constant.String) && isOne(y, constant.String) {
				return constant.BinaryOp(x, expr.Op, y)
			}
		case token.SUB, token.MUL:
			if numbers {
				return constant.BinaryOp(x, expr.Op, y)
			}
		case token.SHL:
			if isOne(x, constant.Int) && isOne(y, constant.Int) {
				if count, ok := constant.Uint64Val(y); ok && count < 64 {
					return constant.Shift(x, expr.Op, uint(count))
				}
			}
		}
	case *ast.CallExpr:
		if e := n.expr(at, expr.Fun); len(expr.Args) == 1 && n.isType(at, e) {
			return of(expr.Args[0])
		}
	case *ast.Ident, *ast.SelectorExpr:
		e := n.expr(at, expr)
		if _, declared := at.src.Decls[e.Name.Name]; !declared && !e.Qualified {
			switch e.Name.Name {
			case "iota":
				return iota
			case "true", "false":
				return constant.MakeBool(e.Name.Name == "true")
			}
		}
		if e.Name == (model.TypeRef{Path: "k8s.io/apimachinery/pkg/runtime", Name: "APIVersionInternal"}) {
			return constant.MakeString(model.InternalVersion)
		}
		if at, value := n.named(at, e); value != nil {
			return n.valueOf(at, value, nil, depth+1)
		}
	}
	return nil
}

// isType reports whether a name denotes a declared or predeclared type.
func (n names) isType(at scope, e *Expr) bool {
	if e.Form == NamedForm {
		_, _, ok := n.declarationOf(at, e)
		return ok
	}
	return e.Form == BuiltinForm
}

// TypeOfConstant returns the declared type of a constant, or nil if it has none.
func (r *Reader) TypeOfConstant(src *load.Package, d load.Decl) *Declaration {
	return r.typeOfConstant(scope{src: src, file: d.File}, d.Of, d.Value, 0)
}

// typeOfConstant returns the type in a declaration, or else the one of its value.
func (r *Reader) typeOfConstant(at scope, typ, value ast.Expr, depth int) *Declaration {
	if converted, ok := value.(*ast.CallExpr); typ == nil && ok && len(converted.Args) == 1 {
		typ = converted.Fun
	}
	if typ != nil {
		of, d, ok := r.declarationOf(at, r.expr(at, typ))
		if !ok {
			return nil
		}
		found := r.Declared(of, d.Type.Name.Name)
		for found != nil && found.Alias && depth <= maxConstants {
			found, depth = r.Follow(found, found.Type), depth+1
		}
		return found
	}
	of := func(value ast.Expr) *Declaration { return r.typeOfConstant(at, nil, value, depth+1) }
	switch expr := value.(type) {
	case *ast.ParenExpr:
		return of(expr.X)
	case *ast.BinaryExpr:
		return cmp.Or(of(expr.X), of(expr.Y))
	case *ast.Ident, *ast.SelectorExpr:
		if src := r.homeOf(at, r.expr(at, expr)); src != nil && depth <= maxConstants {
			d, _ := r.Lookup(src, r.expr(at, expr).Name.Name)
			return r.typeOfConstant(scopeOf(src, d), d.Of, d.Value, depth+1)
		}
	}
	return nil
}
