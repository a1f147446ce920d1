package typecopy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/kubegen/kubegen/internal/terms/model"
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
	fun := ast.Unparen(call.Fun)
	for {
		switch generic := fun.(type) {
		case *ast.IndexExpr:
			fun = ast.Unparen(generic.X)
			continue
		case *ast.IndexListExpr:
			fun = ast.Unparen(generic.X)
			continue
		}
		break
	}
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
		return s.typeAt(s.decl, expr) != nil || s.standardType(scope{s.in, s.file}, expr) != nil
	}
	return false
}

// standardType returns the declaration of a type of the standard library, or nil.
func (c *copier) standardType(at scope, expr ast.Expr) *decl {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := selector.X.(*ast.Ident)
	if !ok || at.decls[x.Name] != nil {
		return nil
	}
	importPath := c.path(at.file, x.Name)
	if importPath == "" || !model.IsStandard(importPath) {
		return nil
	}
	src := c.source(at.file, importPath)
	if src == nil || src.decls[selector.Sel.Name] == nil || src.decls[selector.Sel.Name].typ() == nil {
		return nil
	}
	return src.decls[selector.Sel.Name]
}

// constant replaces the lengths and sizes of variables in a constant expression with numbers, perhaps of the same type,
// so that the variables are not copied. It reports sizes that syntax does not show.
func (s *scanner) constant(expr ast.Expr, typed bool) {
	varies := map[ast.Expr]bool{} // the arguments of conversions that have a variable
	ast.Inspect(expr, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if !varies[call] && !s.hasVariable(call) {
			return false
		}
		name := types.ExprString(call.Fun)
		if s.isInert(call) && (!slices.Contains(inertCalls, name) || s.in.decls[name] != nil) && !isUnsafe(call) {
			if len(call.Args) == 1 {
				varies[ast.Unparen(call.Args[0])] = true
			}
			return true // a conversion
		}
		size, typ, ok := int64(0), "int", false
		if s.isInert(call) && len(call.Args) == 1 {
			switch at := (scope{s.in, s.file}); name {
			case "len", "cap":
				size, ok = s.lengthOf(at, call.Args[0], 0)
			case "unsafe.Sizeof":
				size, ok = s.sizeOf(at, call.Args[0])
				typ = "uintptr"
			}
		}
		s.known[call] = true
		if !ok {
			s.refuse(
				call.Pos(), s.keepHint(s.in.Path), "%s needs %s, whose value is not known without the variables in it", s.decl, types.ExprString(call),
			)
			return false
		}
		number := strconv.FormatInt(size, 10)
		if typed {
			number = typ + "(" + number + ")"
		}
		s.file.replace(call.Pos(), call.End(), number)
		return false
	})
}

func isUnsafe(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return ok && x.Name == "unsafe"
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

// maxSteps bounds the declarations that determine a size.
const maxSteps = 20

// maxEvaluated bounds the expressions that determine all sizes.
const maxEvaluated = 1 << 20

// lengthOf returns the length of an array, or of an array that a pointer points to.
func (c *copier) lengthOf(at scope, expr ast.Expr, steps int) (n int64, ok bool) {
	if steps > maxSteps {
		return 0, false
	}
	switch expr := ast.Unparen(expr).(type) {
	case *ast.UnaryExpr:
		return c.lengthOf(at, expr.X, steps+1)
	case *ast.CompositeLit:
		if array, isArray := expr.Type.(*ast.ArrayType); isArray {
			if _, counted := array.Len.(*ast.Ellipsis); counted {
				return c.countOf(at, expr.Elts)
			}
		}
		return c.lengthOfType(at, expr.Type, steps+1)
	case *ast.Ident, *ast.SelectorExpr:
		spec, value, in := c.variable(at, expr)
		if spec == nil {
			return 0, false
		}
		if spec.Type != nil {
			return c.lengthOfType(in, spec.Type, steps+1)
		}
		return c.lengthOf(in, value, steps+1)
	}
	return 0, false
}

// countOf returns the length of an array with some elements, which may have keys.
func (c *copier) countOf(at scope, elements []ast.Expr) (n int64, ok bool) {
	next := int64(0)
	for _, e := range elements {
		if pair, hasKey := e.(*ast.KeyValueExpr); hasKey {
			if next, ok = c.number(at, pair.Key, 0); !ok || next < 0 || next > 1<<40 {
				return 0, false
			}
		}
		next++
		n = max(n, next)
	}
	return n, true
}

// variable returns the declaration of a variable, its value or nil, and where both are. It returns nil for other
// expressions.
func (c *copier) variable(at scope, expr ast.Expr) (spec *ast.ValueSpec, value ast.Expr, in scope) {
	src, name := at.source, ""
	switch expr := expr.(type) {
	case *ast.Ident:
		name = expr.Name
	case *ast.SelectorExpr:
		x, ok := expr.X.(*ast.Ident)
		if !ok || src.decls[x.Name] != nil {
			return nil, nil, at
		}
		src, name = c.source(at.file, c.path(at.file, x.Name)), expr.Sel.Name
	}
	if src == nil || src.decls[name] == nil {
		return nil, nil, at
	}
	d := src.decls[name]
	if spec, _ = d.spec.(*ast.ValueSpec); spec == nil {
		return nil, nil, at
	}
	i := slices.IndexFunc(spec.Names, func(ident *ast.Ident) bool { return ident.Name == name })
	if len(spec.Values) == len(spec.Names) {
		value = spec.Values[i]
	}
	if value == nil && spec.Type == nil {
		spec = nil
	}
	return spec, value, scope{src, d.file}
}

// lengthOfType returns the length of an array type, or of one that a pointer type points to.
func (c *copier) lengthOfType(at scope, expr ast.Expr, steps int) (n int64, ok bool) {
	if steps > maxSteps {
		return 0, false
	}
	switch expr := ast.Unparen(expr).(type) {
	case *ast.StarExpr:
		return c.lengthOfType(at, expr.X, steps+1)
	case *ast.ArrayType:
		if expr.Len == nil {
			return 0, false
		}
		return c.number(at, expr.Len, steps+1)
	case *ast.Ident, *ast.SelectorExpr:
		if d := c.typeAt(&decl{in: at.source, file: at.file}, expr); d != nil {
			return c.lengthOfType(scope{d.in, d.file}, d.typ().Type, steps+1)
		}
	}
	return 0, false
}

// number returns the value of a constant that consists of numbers and other such constants.
func (c *copier) number(at scope, expr ast.Expr, steps int) (n int64, ok bool) {
	value := c.value(at, expr, steps)
	if value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(value)
}

func (c *copier) value(at scope, expr ast.Expr, steps int) constant.Value {
	unknown := constant.MakeUnknown()
	if c.evaluated++; steps > maxSteps || c.evaluated > maxEvaluated {
		return unknown
	}
	switch expr := ast.Unparen(expr).(type) {
	case *ast.BasicLit:
		if expr.Kind == token.INT || expr.Kind == token.CHAR {
			return constant.ToInt(constant.MakeFromLiteral(expr.Value, expr.Kind, 0))
		}
	case *ast.BinaryExpr:
		x, y := c.value(at, expr.X, steps+1), c.value(at, expr.Y, steps+1)
		switch op := expr.Op; {
		case x.Kind() != constant.Int || y.Kind() != constant.Int:
		case op == token.ADD, op == token.SUB, op == token.MUL:
			return constant.BinaryOp(x, op, y)
		case (op == token.QUO || op == token.REM) && constant.Sign(y) != 0:
			if op == token.QUO {
				op = token.QUO_ASSIGN // of integers
			}
			return constant.BinaryOp(x, op, y)
		case op == token.SHL || op == token.SHR:
			if n, ok := constant.Uint64Val(y); ok && n < 64 {
				return constant.Shift(x, op, uint(n))
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		if spec, value, in := c.variable(at, expr); spec != nil && value != nil {
			if d := in.decls[spec.Names[0].Name]; d != nil && d.isConstant() {
				return c.value(in, value, steps+1)
			}
		}
	}
	return unknown
}

// sizes are the sizes in bytes of types that are the same on all systems.
var sizes = map[string]int64{
	"bool": 1, "byte": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "rune": 4, "float32": 4,
	"int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}

// sizeOf returns the size of a variable, if all systems have the same.
func (c *copier) sizeOf(at scope, expr ast.Expr) (n int64, ok bool) {
	spec, value, in := c.variable(at, ast.Unparen(expr))
	if spec == nil {
		return 0, false
	}
	typ, count := spec.Type, int64(1)
	if literal, isLiteral := value.(*ast.CompositeLit); typ == nil && isLiteral {
		typ = literal.Type
		if array, isArray := typ.(*ast.ArrayType); isArray {
			if count, ok = c.lengthOf(in, literal, 0); !ok {
				return 0, false
			}
			typ = array.Elt
		}
	}
	for {
		switch t := typ.(type) {
		case *ast.ArrayType:
			length, known := int64(0), false
			if t.Len != nil {
				length, known = c.number(in, t.Len, 0)
			}
			if !known || length < 0 || length > 1<<20 || count > 1<<40 {
				return 0, false
			}
			count, typ = count*length, t.Elt
			continue
		case *ast.Ident:
			if in.decls[t.Name] == nil && sizes[t.Name] > 0 {
				return count * sizes[t.Name], true
			}
		}
		return 0, false
	}
}

// literal finds the references of a composite literal. typ is its type, which is in a package and file, or nil if it is
// not known: then names before colons may be fields as well as variables.
func (s *scanner) literal(n *ast.CompositeLit, in *source, f *file, typ ast.Expr) {
	if n.Type != nil {
		s.any(n.Type)
	}
	at, under := s.underlying(scope{in, f}, typ)
	if under == nil && s.collides(n) {
		if d := s.standardType(scope{in, f}, typ); d != nil {
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
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.StructType, *ast.ArrayType, *ast.MapType:
			return at, t
		case *ast.Ident:
			if t.Obj != nil && at.file.syntax.Scope.Lookup(t.Name) != t.Obj {
				local, ok := t.Obj.Decl.(*ast.TypeSpec)
				if !ok {
					return at, nil // a type parameter
				}
				typ = local.Type
				continue
			}
			d := s.typeAt(&decl{in: at.source, file: at.file}, t)
			if d == nil {
				return at, nil
			}
			at, typ = scope{d.in, d.file}, d.typ().Type
		case *ast.SelectorExpr:
			d := s.typeAt(&decl{in: at.source, file: at.file}, t)
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
