package typecopy

import "go/ast"

// requiresKept finds the methods that an interface of a package that is imported where it is has, or that a function
// there requires of its arguments. Fields require nothing.
func (s *scanner) requiresKept(expr *ast.SelectorExpr) {
	if t := s.typ(); t != nil {
		if structure, ok := t.Type.(*ast.StructType); ok && expr.Pos() > structure.Pos() {
			return
		}
	}
	if importPath, _ := s.packageOf(s.file, expr); importPath != "" && importPath != "C" && importPath != "unsafe" && s.isKept(importPath) {
		s.methodsOfInterface(s.file, expr, map[*decl]bool{})
	}
}

// methodsOfInterface adds the methods of the interface that a type expression denotes, or of those that are types of
// parameters of the function that it names, to calls.
func (s *scanner) methodsOfInterface(in *file, expr ast.Expr, seen map[*decl]bool) {
	ofTypes := func(list *ast.FieldList) {
		if list != nil {
			for _, f := range list.List {
				s.methodsOfInterface(in, f.Type, seen)
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
				s.methodsOfInterface(in, f.Type, seen)
			}
		}
	case *ast.Ellipsis:
		s.methodsOfInterface(in, t.Elt, seen)
	case *ast.FuncType:
		ofTypes(t.TypeParams)
		ofTypes(t.Params)
	default:
		d := s.lookup(in, t)
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		if d.typ() != nil {
			s.methodsOfInterface(d.file, d.typ().Type, seen)
		} else if d.fn != nil {
			s.methodsOfInterface(d.file, d.fn.Type, seen)
		}
	}
}
