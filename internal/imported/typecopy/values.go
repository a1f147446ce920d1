package typecopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// qualified returns the name of a variable as in --values: PATH.NAME.
func (d *decl) qualified(name string) string { return d.in.Path + "." + name }

// reportValues reports what the values of variables do, because it would run when a program imports the copy. Values of
// variables that the user named may do anything.
func (s *scanner) reportValues(spec *ast.ValueSpec) {
	name := spec.Names[0].Name
	for _, other := range spec.Names {
		if slices.Contains(s.Values, s.qualified(other.Name)) {
			return
		}
		if name == "_" {
			name = other.Name
		}
	}
	for _, value := range spec.Values {
		if does, at := s.running(value); at != nil {
			s.refuse(
				at.Pos(), diag.Textf("review it and name it with %s %s, or %s", diag.Setting("values"), s.qualified(name), s.keepHint(s.in.Path)),
				"the value of variable %s %s when a program starts", name, does,
			)
		}
	}
}

// running returns the first part of a value that does more than to have a value, and what it does, or nil: it calls a
// function, receives from a channel, or may panic.
func (s *scanner) running(expr ast.Expr) (does string, at ast.Expr) {
	var parts []ast.Expr
	fails := false
	switch expr := expr.(type) {
	case *ast.BasicLit, *ast.Ident, *ast.FuncLit:
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
	case *ast.ParenExpr:
		parts = []ast.Expr{expr.X}
	case *ast.CompositeLit:
		parts = expr.Elts
	case *ast.KeyValueExpr:
		parts = []ast.Expr{expr.Key, expr.Value}
	case *ast.UnaryExpr:
		if expr.Op == token.ARROW {
			return "receives from a channel", expr
		}
		parts = []ast.Expr{expr.X}
	case *ast.BinaryExpr:
		parts = []ast.Expr{expr.X, expr.Y}
		fails = slices.Contains([]token.Token{token.QUO, token.REM, token.SHL, token.SHR}, expr.Op) &&
			gotypes.ValueOf(s.l, s.in.Package, s.file.File, expr.Y) == nil
	case *ast.SelectorExpr:
		switch x := ast.Unparen(expr.X).(type) {
		case *ast.Ident: // of a package, a type, or a variable
			fails = s.in.decls[x.Name] != nil && !s.isType(x)
		case *ast.SelectorExpr:
			fails = !s.isType(x)
		default:
			parts = []ast.Expr{x}
		}
	case *ast.IndexExpr:
		parts, fails = []ast.Expr{expr.X}, !s.isType(ast.Unparen(expr.Index)) // or else a generic function
	case *ast.StarExpr:
		parts, fails = []ast.Expr{expr.X}, !s.isType(ast.Unparen(expr.X))
	case *ast.CallExpr:
		if _, ok := ast.Unparen(expr.Fun).(*ast.FuncLit); ok {
			return "calls a function", expr
		}
		if !s.isInert(expr) {
			return "calls " + types.ExprString(expr.Fun), expr
		}
		array, ok := ast.Unparen(expr.Fun).(*ast.ArrayType)
		parts, fails = expr.Args, ok && array.Len != nil // the slice may be shorter
	default:
		fails = true
	}
	for _, part := range parts {
		if does, at := s.running(part); at != nil {
			return does, at
		}
	}
	if fails {
		return "may fail with " + types.ExprString(expr), expr
	}
	return "", nil
}

// acting are packages of the standard library that change what a program serves or accepts when it starts.
var acting = []string{"expvar", "net/http/httptest", "net/http/pprof", "testing/quick"}

// inertCalls are predeclared functions that do nothing but return a value.
var inertCalls = []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real"}

// isInert reports whether a call is a conversion, or of a predeclared function that does nothing but return a value.
func (s *scanner) isInert(call *ast.CallExpr) bool {
	switch fun := uninstantiated(call.Fun).(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return true
	case *ast.Ident:
		isLarge := func(size ast.Expr) bool { // so that a program might have no memory when it starts
			literal, ok := size.(*ast.BasicLit)
			return !ok || literal.Kind != token.INT || len(literal.Value) > 4
		}
		if s.in.decls[fun.Name] == nil && slices.Contains(inertCalls, fun.Name) {
			return fun.Name != "make" || !slices.ContainsFunc(call.Args[min(1, len(call.Args)):], isLarge)
		}
		return s.isType(fun)
	case *ast.SelectorExpr:
		importPath, _ := s.packageOf(s.file, fun)
		return importPath == "unsafe" || s.isType(fun)
	case *ast.StarExpr: // (*T)(x), or *f() as a function
		return s.isType(ast.Unparen(fun.X))
	}
	return false
}

// uninstantiated returns an expression without parentheses and type arguments, which may also be an index.
func uninstantiated(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return uninstantiated(expr.X)
	case *ast.IndexExpr:
		return uninstantiated(expr.X)
	case *ast.IndexListExpr:
		return uninstantiated(expr.X)
	}
	return expr
}

// isType reports whether an expression at the top level of a package is the name of a type, or a pointer to one.
func (s *scanner) isType(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return s.isType(ast.Unparen(expr.X))
	case *ast.Ident:
		if s.in.decls[expr.Name] == nil {
			_, ok := types.Universe.Lookup(expr.Name).(*types.TypeName)
			return ok
		}
	}
	return s.named(s.file, expr) != nil
}

// elements finds what the elements of a composite literal need. Its type, in a file, tells whether names before colons
// are fields. If the type is unknown, they are values, if there are such values.
func (s *scanner) elements(n *ast.CompositeLit, in *file, typ ast.Expr) {
	in, typ = s.underlying(in, typ)
	var types [2]ast.Expr // of keys and values
	switch typ := typ.(type) {
	case *ast.ArrayType:
		types[1] = typ.Elt
	case *ast.MapType:
		types = [2]ast.Expr{typ.Key, typ.Value}
	}
	_, isStruct := typ.(*ast.StructType)
	for _, e := range n.Elts {
		parts := []ast.Expr{e}
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			parts = []ast.Expr{pair.Key, pair.Value}
			if key, ok := pair.Key.(*ast.Ident); ok && (isStruct || types[1] == nil && !s.isValue(key.Name)) {
				parts = parts[1:]
			}
		}
		for i, part := range parts {
			if literal, ok := part.(*ast.CompositeLit); ok && literal.Type == nil {
				s.elements(literal, in, unpointed(types[2-len(parts)+i]))
			} else {
				s.any(part)
			}
		}
	}
}

// isValue reports whether a package declares a variable or constant with a name.
func (s *scanner) isValue(name string) bool {
	d := s.in.decls[name]
	return d != nil && d.gen != nil && d.typ() == nil
}

// underlying returns the type that a name stands for, and where it is, as far as syntax shows it, or nil.
func (s *scanner) underlying(in *file, typ ast.Expr) (*file, ast.Expr) {
	for range maxAliases {
		typ = uninstantiated(typ)
		if ident, ok := typ.(*ast.Ident); ok && in.isLocal(ident) {
			local, ok := ident.Obj.Decl.(*ast.TypeSpec)
			if !ok { // a type parameter
				break
			}
			typ = local.Type
		} else if d := s.named(in, typ); d != nil {
			in, typ = d.file, d.typ().Type
		} else {
			return in, typ
		}
	}
	return in, nil
}
