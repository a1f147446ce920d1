package typecopy

import "go/ast"

// requires finds the methods that values must have where a declaration takes them: the ones of interfaces in it, which
// are constraints, or types of parameters and variables. Fields have no such types.
func (s *scanner) requires(node ast.Node) {
	constraint := func(f *ast.Field) {
		if ident, ok := f.Type.(*ast.Ident); ok && ident.Name == "error" && s.in.decls[ident.Name] == nil && !s.file.isLocal(ident) {
			s.calls["Error"] = true
		}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if selector, ok := n.Type.(*ast.SelectorExpr); ok {
				s.requiresKept(selector)
			}
			if n.TypeParams != nil {
				for _, f := range n.TypeParams.List {
					constraint(f)
				}
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				if len(f.Names) == 0 {
					constraint(f)
				}
				for _, name := range f.Names {
					s.calls[name.Name] = true
				}
			}
		}
		return true
	})
}

// requiresKept finds the methods that an interface of a package that is imported where it is has, or that a function
// there requires of its arguments.
func (s *scanner) requiresKept(expr *ast.SelectorExpr) {
	at := scope{s.in, s.file}
	if importPath, _ := s.packageOf(at, expr); importPath != "" && importPath != "C" && importPath != "unsafe" && s.isKept(importPath) {
		s.methodsOfInterface(at, expr, map[*decl]bool{})
	}
}

// methodsOfInterface adds the methods of the interface that a type expression denotes, or of those that are types of
// parameters of the function that it names, to calls.
func (s *scanner) methodsOfInterface(at scope, expr ast.Expr, seen map[*decl]bool) {
	ofTypes := func(list *ast.FieldList) {
		if list != nil {
			for _, f := range list.List {
				s.methodsOfInterface(at, f.Type, seen)
			}
		}
	}
	switch t := uninstantiated(expr).(type) {
	case *ast.InterfaceType:
		for _, f := range t.Methods.List {
			for _, name := range f.Names {
				s.calls[name.Name] = true
			}
			if len(f.Names) == 0 {
				s.methodsOfInterface(at, f.Type, seen)
			}
		}
	case *ast.Ellipsis:
		s.methodsOfInterface(at, t.Elt, seen)
	case *ast.FuncType:
		ofTypes(t.TypeParams)
		ofTypes(t.Params)
	default:
		d := s.lookup(at, t, true)
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		if d.typ() != nil {
			s.methodsOfInterface(scope{d.in, d.file}, d.typ().Type, seen)
		} else if d.fn != nil {
			s.methodsOfInterface(scope{d.in, d.file}, d.fn.Type, seen)
		}
	}
}
