package typecopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// scope is the package and file of an expression.
type scope struct {
	*source
	*file
}

// qualified returns the name of a variable as in --values: PATH.NAME.
func (d *decl) qualified(name string) string { return d.in.Path + "." + name }

// reportCalls reports what the values of variables call: it would run when a program imports the copy. Variables that
// the user named may call anything.
func (s *scanner) reportCalls(spec *ast.ValueSpec) {
	if slices.ContainsFunc(spec.Names, func(name *ast.Ident) bool { return slices.Contains(s.Values, s.qualified(name.Name)) }) {
		return
	}
	name := spec.Names[0].Name
	for _, other := range spec.Names {
		if name == "_" {
			name = other.Name
		}
	}
	refuse := func(pos token.Pos, what string) {
		s.refuse(pos, diag.Textf("review it and name it with %s %s, or %s", diag.Setting("values"), s.qualified(name), s.keepHint(s.in.Path)),
			"the value of variable %s %s when a program starts", name, what)
	}
	for _, value := range spec.Values {
		calls := false
		ast.Inspect(value, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.FuncLit: // its body does not run
				return false
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					what = "receives from a channel"
				}
			case *ast.CallExpr:
				if !s.isInert(n) {
					what = "calls " + types.ExprString(n.Fun)
					if _, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
						what = "calls a function"
					}
				}
			}
			if what != "" {
				refuse(n.Pos(), what)
				calls = true
			}
			return what == ""
		})
		if at := s.failing(value); at != nil && !calls {
			refuse(at.Pos(), "may fail with "+types.ExprString(at))
		}
	}
}

// failing returns the first part of values that may panic when a program starts, or nil.
func (s *scanner) failing(values ...ast.Expr) (found ast.Expr) {
	for _, value := range values {
		ast.Inspect(value, func(n ast.Node) bool {
			if found != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
				return false
			case *ast.CompositeLit:
				found = s.failing(n.Elts...)
				return false
			case *ast.CallExpr:
				if found = s.failing(n.Args...); found == nil && s.fails(n) {
					found = n
				}
				return false
			case ast.Expr:
				if s.fails(n) {
					found = n
				}
			}
			return found == nil
		})
	}
	return found
}

// fails reports whether an operation may panic: an index, a slice, a type assertion, a dereference, a division, a
// shift, or a conversion to an array.
func (s *scanner) fails(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.IndexExpr:
		return !s.isType(ast.Unparen(expr.Index)) // or else a generic function or type
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	case *ast.StarExpr:
		return !s.isType(ast.Unparen(expr.X))
	case *ast.SelectorExpr:
		switch x := ast.Unparen(expr.X).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return s.hasVariable(x)
		}
	case *ast.BinaryExpr:
		return slices.Contains([]token.Token{token.QUO, token.REM, token.SHL, token.SHR}, expr.Op) && s.hasVariable(expr.Y)
	case *ast.CallExpr:
		array, ok := ast.Unparen(expr.Fun).(*ast.ArrayType)
		return ok && array.Len != nil
	}
	return false
}

// acting are packages of the standard library that change what a program serves or accepts when it starts.
var acting = []string{"expvar", "net/http/httptest", "net/http/pprof", "testing/quick"}

// hiding are predeclared names that generated code uses. A declaration with such a name would run in it.
var hiding = []string{"append", "cap", "copy", "delete", "len", "make", "new", "panic", "nil", "true", "false", "iota"}

// inertCalls are predeclared functions that do nothing but return a value.
var inertCalls = []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real"}

// isInert reports whether a call is a conversion, or of a predeclared function that does nothing but return a value.
func (s *scanner) isInert(call *ast.CallExpr) bool {
	fun := uninstantiated(call.Fun)
	switch fun := fun.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return true
	case *ast.StarExpr: // (*T)(x), or *f() as a function
		return s.isType(ast.Unparen(fun.X))
	case *ast.Ident:
		if s.in.decls[fun.Name] == nil && slices.Contains(inertCalls, fun.Name) {
			return fun.Name != "make" || !slices.ContainsFunc(call.Args[min(1, len(call.Args)):], isLarge)
		}
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && s.in.decls[x.Name] == nil && s.path(s.file, x.Name) == "unsafe" {
			return true
		}
	}
	return s.isType(fun)
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

// isLarge reports whether an argument of make may be large, so that a program might have no memory when it starts.
func isLarge(size ast.Expr) bool {
	literal, ok := size.(*ast.BasicLit)
	if !ok {
		return true
	}
	n, err := strconv.ParseUint(literal.Value, 0, 16)
	return err != nil || n > 1<<12
}

// isType reports whether an expression at the top level of a package is the name of a type.
func (s *scanner) isType(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return s.isType(ast.Unparen(expr.X))
	case *ast.Ident:
		if d := s.in.decls[expr.Name]; d != nil {
			return d.typ() != nil
		}
		_, ok := types.Universe.Lookup(expr.Name).(*types.TypeName)
		return ok
	case *ast.SelectorExpr:
		return s.named(scope{s.in, s.file}, expr, true) != nil
	}
	return false
}

// hasVariable reports whether an expression refers to a variable of a package, or calls a function.
func (s *scanner) hasVariable(expr ast.Expr) (found bool) {
	isVariable := func(d *decl) bool { return d != nil && d.gen != nil && d.gen.Tok == token.VAR }
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !s.isInert(n)
		case *ast.Ident:
			found = found || !s.isLocal(n) && isVariable(s.in.decls[n.Name])
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && !s.isLocal(x) && s.in.decls[x.Name] == nil {
				importPath := s.path(s.file, x.Name)
				if src := s.source(s.file, importPath); importPath != "unsafe" && (src == nil || isVariable(src.decls[n.Sel.Name])) {
					found = true
				}
			} else {
				found = found || s.hasVariable(n.X)
			}
			return false
		}
		return true
	})
	return found
}

// literal finds the references of a composite literal. typ is its type, which is in a package and file, or nil if it is
// not known: then names before colons may be fields as well as variables.
func (s *scanner) literal(n *ast.CompositeLit, in *source, f *file, typ ast.Expr) {
	if n.Type != nil {
		s.any(n.Type)
	}
	at, under := s.underlying(scope{in, f}, typ)
	if under == nil && s.collides(n) {
		if d := s.named(scope{in, f}, typ, true); d != nil {
			at, under = s.underlying(scope{d.in, d.file}, d.typ().Type)
		}
	}
	_, isStruct := under.(*ast.StructType)
	var key, elem ast.Expr
	switch t := under.(type) {
	case *ast.ArrayType:
		elem = t.Elt
	case *ast.MapType:
		key, elem = t.Key, t.Value
	}
	value := func(expr ast.Expr, typ ast.Expr) {
		if literal, ok := expr.(*ast.CompositeLit); ok && literal.Type == nil {
			if pointer, ok := typ.(*ast.StarExpr); ok {
				typ = pointer.X
			}
			s.literal(literal, at.source, at.file, typ)
		} else {
			s.any(expr)
		}
	}
	for _, e := range n.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			value(e, elem)
			continue
		}
		if ident, ok := pair.Key.(*ast.Ident); !ok {
			value(pair.Key, key)
		} else if under != nil && !isStruct || under == nil && s.isValue(ident) {
			s.ident(ident, false)
		}
		value(pair.Value, elem)
	}
}

// isValue reports whether a package declares a variable or constant with the name of a key.
func (s *scanner) isValue(key *ast.Ident) bool {
	d := s.in.decls[key.Name]
	return d != nil && d.gen != nil && d.typ() == nil && !s.isLocal(key)
}

// collides reports whether a key of a literal may be the name of a field or a value of the package.
func (s *scanner) collides(n *ast.CompositeLit) bool {
	return slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := pair.Key.(*ast.Ident)
		return ok && s.isValue(key)
	})
}

// underlying returns the type that a name stands for, and where it is, or nil if syntax does not show it.
func (s *scanner) underlying(at scope, typ ast.Expr) (scope, ast.Expr) {
	for range maxAliases {
		switch t := uninstantiated(typ).(type) {
		case *ast.StructType, *ast.ArrayType, *ast.MapType:
			return at, t
		case *ast.Ident, *ast.SelectorExpr:
			if ident, ok := t.(*ast.Ident); ok && ident.Obj != nil && at.file.syntax.Scope.Lookup(ident.Name) != ident.Obj {
				local, ok := ident.Obj.Decl.(*ast.TypeSpec)
				if !ok {
					return at, nil // a type parameter
				}
				typ = local.Type
				continue
			}
			d := s.named(at, t, false)
			if d == nil {
				return at, nil
			}
			at, typ = scope{d.in, d.file}, d.typ().Type
		default:
			return at, nil
		}
	}
	return at, nil
}
