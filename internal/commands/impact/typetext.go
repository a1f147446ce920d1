package impact

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// writer converts types to text. Equal texts mean equal types.
type writer struct {
	*Declarations
	*file
	params map[string]string // numbers or type arguments, by type parameter
	seen   func(local string)
}

// with returns a writer for the inside of a declaration with the given type parameters, and arguments for the first
// ones.
func (w writer) with(params []*ast.Ident, args ...string) writer {
	if len(params) == 0 {
		return w
	}
	bound := map[string]string{}
	maps.Copy(bound, w.params)
	for i, param := range params {
		if bound[param.Name] = "$" + strconv.Itoa(i+1); i < len(args) {
			bound[param.Name] = args[i]
		}
	}
	w.params = bound
	return w
}

func names(list *ast.FieldList) (all []*ast.Ident) {
	if list != nil {
		for _, f := range list.List {
			all = append(all, f.Names...)
		}
	}
	return all
}

// constraints writes type parameters.
func (w writer) constraints(list *ast.FieldList) string {
	var all []string
	if list != nil {
		for _, f := range list.List {
			typ := f.Type // a union may be without the interface around it
			if t, ok := typ.(*ast.InterfaceType); ok && len(t.Methods.List) == 1 && len(t.Methods.List[0].Names) == 0 {
				typ = t.Methods.List[0].Type
			}
			for range f.Names {
				all = append(all, w.expr(typ))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (w writer) expr(e ast.Expr) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.Ident:
		if number, ok := w.params[e.Name]; ok {
			return number
		}
		if w.seen != nil && w.objects[e.Name] != nil {
			w.seen(e.Name)
		}
		switch {
		case w.objects[e.Name] != nil:
			return named{in: w.Declarations, name: e.Name}.String()
		case e.Name == "uint8":
			return "byte"
		case e.Name == "rune":
			return "int32"
		}
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return w.importPath(x.Name) + "." + e.Sel.Name
		}
		return w.expr(e.X) + "." + e.Sel.Name
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.StarExpr:
		return "*" + w.expr(e.X)
	case *ast.UnaryExpr:
		return e.Op.String() + w.expr(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.OR { // a union
			terms := append(strings.Split(w.expr(e.X), " | "), w.expr(e.Y))
			slices.Sort(terms)
			return strings.Join(terms, " | ")
		}
		return w.expr(e.X) + " " + e.Op.String() + " " + w.expr(e.Y)
	case *ast.BasicLit:
		return e.Value
	case *ast.Ellipsis:
		return "..." + w.expr(e.Elt)
	case *ast.ArrayType:
		return "[" + w.constant(e.Len, 0, 0) + "]" + w.expr(e.Elt)
	case *ast.MapType:
		return "map[" + w.expr(e.Key) + "]" + w.expr(e.Value)
	case *ast.ChanType:
		return map[ast.ChanDir]string{ast.SEND | ast.RECV: "chan ", ast.SEND: "chan<- ", ast.RECV: "<-chan "}[e.Dir] + w.expr(e.Value)
	case *ast.FuncType:
		return "func" + w.signature(e)
	case *ast.IndexExpr:
		return w.expr(e.X) + "[" + w.expr(e.Index) + "]"
	case *ast.IndexListExpr:
		return w.expr(e.X) + "[" + w.list(e.Indices) + "]"
	case *ast.InterfaceType:
		return w.literal("interface", e.Methods)
	case *ast.StructType:
		return w.literal("struct", e.Fields)
	case *ast.CallExpr:
		return w.expr(e.Fun) + "(" + w.list(e.Args) + ")"
	}
	return "?"
}

func (w writer) list(all []ast.Expr) string {
	var texts []string
	for _, e := range all {
		texts = append(texts, w.expr(e))
	}
	return strings.Join(texts, ", ")
}

// signature writes the types of parameters and results: "(A, B) (C, error)". Of the unexported types of parameters,
// only those are exposed that callers have values of without naming them.
func (w writer) signature(t *ast.FuncType) string {
	w = w.with(names(t.TypeParams))
	params := w
	if w.seen != nil {
		params.seen = func(name string) {
			if w.isAssignable(name) {
				w.seen(name)
			}
		}
	}
	text := w.constraints(t.TypeParams) + "(" + params.types(t.Params) + ")"
	results := w.types(t.Results)
	switch {
	case results == "":
		return text
	case t.Results.NumFields() == 1:
		return text + " " + results
	}
	return text + " (" + results + ")"
}

// isAssignable reports whether other types than a declared one may be assigned to it, or other packages may have it
// in a type of theirs. If it has methods, these would be exposed, too, which nobody can call.
func (w writer) isAssignable(name string) bool {
	return slices.ContainsFunc(w.objects[name], func(o *object) bool {
		if o.typ == nil || o.typ.Assign.IsValid() {
			return true
		}
		_, isStruct := ast.Unparen(o.typ.Type).(*ast.StructType)
		return !isStruct && len(w.methods[name]) == 0
	})
}

func (w writer) types(list *ast.FieldList) string {
	var all []string
	if list != nil {
		for _, f := range list.List {
			all = append(all, slices.Repeat([]string{w.expr(f.Type)}, max(1, len(f.Names)))...)
		}
	}
	return strings.Join(all, ", ")
}

// literal writes an anonymous struct or interface.
func (w writer) literal(what string, list *ast.FieldList) string {
	var all []string
	for _, f := range list.List {
		text := w.expr(f.Type)
		if fn, ok := f.Type.(*ast.FuncType); ok && what == "interface" && len(f.Names) > 0 {
			text = w.signature(fn)
		} else if len(f.Names) > 0 {
			text = " " + text
		}
		if f.Tag != nil {
			text += " " + f.Tag.Value
		}
		for _, name := range f.Names {
			all = append(all, name.Name+text)
		}
		if len(f.Names) == 0 {
			all = append(all, text)
		}
	}
	if what == "interface" {
		slices.Sort(all)
		if len(all) == 0 {
			return "any"
		}
	}
	return what + "{" + strings.Join(all, "; ") + "}"
}

// constant writes the value of a constant. It replaces constants of this package with their values.
func (w writer) constant(e ast.Expr, index int, depth int) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "iota" {
			return strconv.Itoa(index)
		}
		if known := w.objects[e.Name]; len(known) == 1 && known[0].constant && known[0].value != nil && depth < 20 {
			in := w
			in.file = known[0].file
			return in.constant(known[0].value, known[0].index, depth+1)
		}
	case *ast.ParenExpr:
		return "(" + w.constant(e.X, index, depth) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + w.constant(e.X, index, depth)
	case *ast.BinaryExpr:
		return w.constant(e.X, index, depth) + " " + e.Op.String() + " " + w.constant(e.Y, index, depth)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return strconv.Quote(text)
		}
	case *ast.CallExpr:
		var args []string
		for _, arg := range e.Args {
			args = append(args, w.constant(arg, index, depth))
		}
		return w.expr(e.Fun) + "(" + strings.Join(args, ", ") + ")"
	}
	return w.expr(e)
}

// valueType writes the type of a variable's initial value as precisely as syntax allows.
func (w writer) valueType(e ast.Expr) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.ParenExpr:
		return w.valueType(e.X)
	case *ast.CompositeLit:
		return w.expr(e.Type)
	case *ast.FuncLit:
		return w.expr(e.Type)
	case *ast.BasicLit:
		return map[token.Token]string{
			token.INT: "int", token.FLOAT: "float64", token.IMAG: "complex128", token.CHAR: "int32", token.STRING: "string",
		}[e.Kind]
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return "*" + w.valueType(e.X)
		}
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return "bool"
		}
	case *ast.CallExpr:
		fun, ok := e.Fun.(*ast.Ident)
		if !ok || len(w.objects[fun.Name]) != 1 {
			if ok && (fun.Name == "new" || fun.Name == "make") && len(e.Args) > 0 {
				return map[string]string{"new": "*", "make": ""}[fun.Name] + w.expr(e.Args[0])
			}
			return "result of " + w.expr(e.Fun) // it may be a conversion, too
		}
		switch o := w.objects[fun.Name][0]; {
		case o.fn != nil && o.fn.Type.Results.NumFields() == 1 && o.fn.Type.TypeParams == nil:
			in := w
			in.file = o.file
			return in.expr(o.fn.Type.Results.List[0].Type)
		case o.typ != nil:
			return w.expr(fun)
		}
		return "result of " + w.expr(e.Fun)
	}
	return "type of " + w.expr(e)
}
