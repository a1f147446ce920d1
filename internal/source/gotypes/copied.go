package gotypes

import (
	"go/ast"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// copyReader is the additional state of a Reader that reads types for DeepCopy methods.
type copyReader struct {
	packages []*load.Package              // packages for which methods are generated
	promised func(*load.Package) Promised // for other packages; nil for none
	declared map[*ast.TypeSpec]*model.Declared
	methods  map[*load.Package]map[string]model.CopyMethods // by the name of their type
}

// hasSource reports whether there are types of a package in Go to read.
func hasSource(importPath string) bool { return importPath != "unsafe" && importPath != "C" }

// ForCopies makes a Reader read types for DeepCopy methods that are generated for packages. promised returns the
// methods that other outputs of the run generate for a package; nil stands for none.
func (r *Reader) ForCopies(packages []*load.Package, promised func(*load.Package) Promised) *Reader {
	r.copies = &copyReader{
		packages: packages, promised: promised, declared: map[*ast.TypeSpec]*model.Declared{},
		methods: map[*load.Package]map[string]model.CopyMethods{},
	}
	return r
}

// ReadCopied returns the types that packages declare, for DeepCopy methods, ordered by name, or nil if types are
// refused. promised is as for ForCopies.
func (r *Reader) ReadCopied(packages []*load.Package, promised func(*load.Package) Promised) map[*load.Package][]*model.Declared {
	r.ForCopies(packages, promised)
	r.preloadCopies()
	copies := map[*load.Package][]*model.Declared{}
	for _, src := range packages {
		for _, name := range DeclaredTypes(src) {
			d := src.Decls[name]
			t := r.Named(src, d, r.params(src, d))
			declared := r.declared(src, d)
			declared.Type = t
			copies[src] = append(copies[src], declared)
		}
	}
	for next := 0; next < len(r.found.structs); next++ {
		if s := r.found.structs[next]; s.fields != nil && r.needsFields(s) {
			r.fieldsOfStruct(s, true)
		}
	}
	r.found.copyRenamedFields()
	if r.reportRecursive(); len(r.limits.refused) > 0 {
		return nil
	}
	return copies
}

// DeclaredTypes returns the sorted names of the types that a package declares, without aliases.
func DeclaredTypes(src *load.Package) []string {
	var names []string
	for name, d := range src.Decls {
		if d.Type != nil && !d.Type.Assign.IsValid() && name != "_" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// needsFields reports whether the fields of a struct are read. Structs outside of the generated packages that have
// DeepCopy methods are skipped, because the methods copy them.
func (r *Reader) needsFields(s *pendingStruct) bool {
	if slices.Contains(r.copies.packages, s.src) {
		return true
	}
	d, ok := r.Lookup(s.src, s.Name)
	return !ok || !r.declared(s.src, d).Methods.Any()
}

// preloadCopies loads all packages that the types of the input refer to, in a single call of the go command.
func (r *Reader) preloadCopies() {
	var mentioned []string
	unread := func(string) *load.Package { return nil }
	for _, src := range r.copies.packages {
		for _, name := range DeclaredTypes(src) {
			d := src.Decls[name]
			for sel := range load.Nodes[*ast.SelectorExpr](d.Type.Type) {
				switch importPath := d.File.ImportPath(load.BaseName(sel.X), unread); {
				case importPath == "":
					mentioned = append(mentioned, d.File.ImportsNamed("")...)
				case hasSource(importPath):
					mentioned = append(mentioned, importPath)
				}
			}
		}
	}
	r.Preload(mentioned...)
}

// params returns the type parameters of a generic type, as types of its fields.
func (r *Reader) params(src *load.Package, d load.Decl) (params []*model.Type) {
	at := scopeOf(src, d)
	names, constraints := paramsOf(d.Type)
	for i, name := range names {
		// Type parameters with the same name that are copied in the same way are the same type, and so are their
		// instances.
		param := &model.Type{Kind: model.Param, Name: model.TypeRef{Path: src.Path + ".any", Name: name}}
		if r.assignable(at, constraints[i], map[*ast.TypeSpec]bool{}) {
			param.Name.Path += ".assignable"
			param.Elem = &model.Type{Kind: model.Basic, Name: param.Name}
		}
		if methods := r.constraintMethods(at, constraints[i], name); methods.Any() {
			param.Name.Path += ".copied"
			param.Declared = &model.Declared{TypeRef: param.Name, Methods: methods}
		}
		params = append(params, param)
	}
	return params
}

// paramsOf returns the names of the type parameters of a declaration, and the constraint of each.
func paramsOf(spec *ast.TypeSpec) (names []string, constraints []ast.Expr) {
	if spec.TypeParams == nil {
		return nil, nil
	}
	for _, field := range spec.TypeParams.List {
		for _, name := range field.Names {
			names, constraints = append(names, name.Name), append(constraints, field.Type)
		}
	}
	return names, constraints
}

// assignable reports whether a constraint allows only types that an assignment copies completely. known caches the
// results for declared constraints.
func (n names) assignable(at scope, constraint ast.Expr, known map[*ast.TypeSpec]bool) bool {
	switch e := constraint.(type) {
	case *ast.ParenExpr:
		return n.assignable(at, e.X, known)
	case *ast.UnaryExpr:
		return n.assignable(at, e.X, known)
	case *ast.BinaryExpr:
		return n.assignable(at, e.X, known) && n.assignable(at, e.Y, known)
	}
	switch e := n.expr(at, constraint); e.Form {
	case BuiltinForm:
		return !slices.Contains([]string{"any", "error", "comparable"}, e.Name.Name)
	case NamedForm:
		if e.Qualified && !hasSource(e.Name.Path) {
			return false
		}
		src, d, ok := n.declarationOf(at, e)
		if !ok || d.Type.TypeParams != nil {
			return false
		}
		result, seen := known[d.Type]
		if !seen {
			known[d.Type] = false
			result = n.assignable(scopeOf(src, d), d.Type.Type, known)
			known[d.Type] = result
		}
		return result
	case InterfaceForm:
		return slices.ContainsFunc(e.members.List, func(f *ast.Field) bool {
			return len(f.Names) == 0 && n.assignable(at, f.Type, known)
		})
	}
	return false
}

// constraintMethods returns the methods that copy values of a type parameter: DeepCopy, if its constraint is an
// interface that declares DeepCopy() T.
func (n names) constraintMethods(at scope, constraint ast.Expr, param string) (methods model.CopyMethods) {
	e := n.expr(at, constraint)
	if e.Form == InstanceForm && !e.Qualified && len(e.Args) == 1 && e.Args[0].Name.Name == param { // Copier[T]
		src, d, ok := n.declarationOf(at, e)
		if !ok {
			return methods
		}
		params, _ := paramsOf(d.Type)
		if len(params) != 1 {
			return methods
		}
		at, param = scopeOf(src, d), params[0]
		e = n.expr(at, d.Type.Type)
	}
	if e.Form != InterfaceForm {
		return methods
	}
	for _, f := range e.members.List {
		if result := resultOf(f, "DeepCopy"); result != nil && n.expr(at, result).Name == (model.TypeRef{Name: param}) {
			methods.DeepCopy = &model.CopyMethod{}
		}
	}
	return methods
}

// resultOf returns the only result of an element of an interface if that is the given method, without parameters.
func resultOf(element *ast.Field, method string) ast.Expr {
	fn, ok := element.Type.(*ast.FuncType)
	if !ok || len(element.Names) != 1 || element.Names[0].Name != method || fn.Params.NumFields() > 0 || fn.Results.NumFields() != 1 {
		return nil
	}
	return fn.Results.List[0].Type
}

// declared returns the name, position, type parameters and copy methods of a declared type.
func (r *Reader) declared(src *load.Package, d load.Decl) *model.Declared {
	if known := r.copies.declared[d.Type]; known != nil {
		return known
	}
	name := d.Type.Name.Name
	found := &model.Declared{
		TypeRef: model.TypeRef{Path: src.Path, Name: name}, Pos: r.Fset.Position(d.Type.Name.Pos()), Methods: r.copyMethods(src)[name],
	}
	r.copies.declared[d.Type] = found
	found.Params, _ = paramsOf(d.Type)
	found.Methods.Interface = r.copiesItself(scopeOf(src, d), d.Type.Type, "DeepCopy"+name, 0, found.TypeRef)
	return found
}

// copiesItself reports whether an interface has the given method, without parameters and with the interface as its only
// result. The interface has several names, refs, if it is declared as another one, or only embeds one.
func (n names) copiesItself(at scope, expr ast.Expr, method string, depth int, refs ...model.TypeRef) bool {
	if depth > 8 {
		return false
	}
	switch e := n.expr(at, expr); e.Form {
	case NamedForm:
		if e.Qualified && model.IsStandard(e.Name.Path) {
			return false
		}
		src, d, ok := n.declarationOf(at, e)
		return ok && n.copiesItself(scopeOf(src, d), d.Type.Type, method, depth+1, append(slices.Clip(refs), e.Name)...)
	case InterfaceForm:
		for _, f := range e.members.List {
			if len(f.Names) == 0 && len(e.members.List) == 1 {
				return n.copiesItself(at, f.Type, method, depth+1, refs...)
			}
			if result := resultOf(f, method); result != nil {
				return slices.Contains(refs, n.expr(at, result).Name)
			}
		}
	}
	return false
}
