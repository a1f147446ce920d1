package gotypes

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Form is the form of a type expression.
type Form uint8

// Forms of type expressions.
const (
	OtherForm     Form = iota // not a type
	BuiltinForm               // string, int32, any, ...
	NamedForm                 // a declared type
	InstanceForm              // a declared generic type with type arguments
	ParamForm                 // a type parameter of the declaration
	PointerForm               // *Elem
	SliceForm                 // []Elem
	ArrayForm                 // [n]Elem
	MapForm                   // map[Key]Elem
	StructForm                // struct{...}
	InterfaceForm             // interface{...}
	FuncForm                  // a function or channel
)

// Expr is a type expression as written, without parentheses. Its names are resolved, but the types that they denote are
// not read. The only other form of a type, model.Type, is derived from it.
type Expr struct {
	Form      Form
	Qualified bool // the name is qualified by a package name
	Pos       token.Pos
	Name      model.TypeRef // of a declared type; a predeclared type or type parameter has no path
	Key, Elem *Expr
	Args      []*Expr
	Mistake   string // see model.Type

	length  ast.Expr       // of an array
	members *ast.FieldList // of a struct or interface
}

// IsEmptyInterface reports whether the expression is interface{}, and not any.
func (e *Expr) IsEmptyInterface() bool { return e.Form == InterfaceForm && len(e.members.List) == 0 }

// scope is the declaration that contains a type expression.
type scope struct {
	src  *load.Package
	file *load.File
	spec *ast.TypeSpec // nil if it is not the declaration of a type
}

func scopeOf(src *load.Package, d load.Decl) scope { return scope{src, d.File, d.Type} }

// param returns the index of a type parameter, or -1 if there is none with this name.
func (s scope) param(name string) int {
	if s.spec == nil {
		return -1
	}
	names, _ := paramsOf(s.spec)
	return slices.Index(names, name)
}

// names resolves names in type expressions.
type names struct {
	*load.Loader
	near bool // only in their own package: other packages are not read
}

// imported returns the package with an import path, or nil if it does not exist or is not read.
func (n names) imported(f *load.File, importPath string) *load.Package {
	if n.near {
		return nil
	}
	return n.Imported(f, importPath)
}

// noImport returns the name of the mistake that a file lacks the import for a qualified name, or "" if it has one.
func (n names) noImport(f *load.File, sel *ast.SelectorExpr) string {
	if x, ok := sel.X.(*ast.Ident); ok && !n.near && n.Lacks(f, x.Name) {
		return model.NoImport(f.Name, x.Name)
	}
	return ""
}

// pathOf returns the import path of the package of a qualified name, or "" if it is unknown.
func (n names) pathOf(f *load.File, sel *ast.SelectorExpr) string {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if n.near { // packages are listed only if no import looks like the name
		if importPath := f.ImportPath(x.Name, func(importPath string) *load.Package { return n.Known[importPath] }); importPath != "" {
			return importPath
		}
	}
	return n.ImportPath(f, x.Name)
}

// dotImported returns the package of a type whose bare name comes from a dot import, or nil if there is none.
func (n names) dotImported(f *load.File, name string) *load.Package {
	for _, importPath := range f.ImportsNamed(".") {
		if src := n.Imported(f, importPath); src != nil {
			if d, ok := n.Lookup(src, name); ok && d.Type != nil {
				return src
			}
		}
	}
	return nil
}

// homeOf returns the package of a named type, or nil if it is not read.
func (n names) homeOf(at scope, e *Expr) *load.Package {
	switch {
	case e.Name.Path == at.src.Path:
		return at.src
	case e.Qualified:
		return n.imported(at.file, e.Name.Path)
	}
	return n.Imported(at.file, e.Name.Path)
}

// declarationOf returns the package and the declaration of a named type.
func (n names) declarationOf(at scope, e *Expr) (src *load.Package, d load.Decl, ok bool) {
	if src = n.homeOf(at, e); src != nil {
		d, ok = n.Lookup(src, e.Name.Name)
	}
	return src, d, ok && d.Type != nil
}

// expr reads a type expression.
func (n names) expr(at scope, expr ast.Expr) *Expr {
	e := &Expr{Pos: expr.Pos()}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return n.expr(at, expr.X)
	case *ast.StarExpr:
		e.Form, e.Elem = PointerForm, n.expr(at, expr.X)
	case *ast.ArrayType:
		if e.Form = SliceForm; expr.Len != nil {
			e.Form, e.length = ArrayForm, expr.Len
		}
		e.Elem = n.expr(at, expr.Elt)
	case *ast.MapType:
		e.Form, e.Key, e.Elem = MapForm, n.expr(at, expr.Key), n.expr(at, expr.Value)
	case *ast.StructType:
		e.Form, e.members = StructForm, expr.Fields
	case *ast.InterfaceType:
		e.Form, e.members = InterfaceForm, expr.Methods
	case *ast.FuncType, *ast.ChanType:
		e.Form = FuncForm
	case *ast.IndexExpr:
		return n.instance(at, e, expr.X, expr.Index)
	case *ast.IndexListExpr:
		return n.instance(at, e, expr.X, expr.Indices...)
	case *ast.SelectorExpr:
		e.Form, e.Qualified, e.Name = NamedForm, true, model.TypeRef{Path: n.pathOf(at.file, expr), Name: expr.Sel.Name}
		if e.Name.Path == "" {
			e.Mistake = n.noImport(at.file, expr)
		}
	case *ast.Ident:
		switch e.Name.Name = expr.Name; {
		case at.param(expr.Name) >= 0:
			e.Form = ParamForm
		case n.Predeclared(at.src, expr.Name):
			e.Form = BuiltinForm
		default:
			e.Form, e.Name.Path = NamedForm, at.src.Path
			if d, ok := n.Lookup(at.src, expr.Name); !ok || d.Type == nil {
				if src := n.dotImported(at.file, expr.Name); src != nil {
					e.Name.Path = src.Path
				}
			}
		}
	}
	return e
}

// instance reads an instance of a declared generic type.
func (n names) instance(at scope, e *Expr, generic ast.Expr, args ...ast.Expr) *Expr {
	named := n.expr(at, generic)
	if named.Form != NamedForm {
		return e
	}
	e.Form, e.Name, e.Qualified = InstanceForm, named.Name, named.Qualified
	for _, arg := range args {
		e.Args = append(e.Args, n.expr(at, arg))
	}
	return e
}
