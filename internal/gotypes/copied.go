package gotypes

import (
	"cmp"
	"go/ast"
	"slices"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// copyReader is the additional state of a Reader that reads types for DeepCopy methods.
type copyReader struct {
	packages []*load.Package // packages for which methods are generated
	declared map[*ast.TypeSpec]*model.Declared
	methods  map[*load.Package]map[string]model.CopyMethods // by the name of their type
}

// looksInto reports whether types of a package are read even if it is in the standard library.
func (c *copyReader) looksInto(importPath string) bool {
	return c != nil && importPath != "unsafe" && importPath != "C"
}

// ForCopies makes a Reader read types for DeepCopy methods that are generated for packages.
func (r *Reader) ForCopies(packages []*load.Package) *Reader {
	r.copies = &copyReader{packages: packages, declared: map[*ast.TypeSpec]*model.Declared{}, methods: map[*load.Package]map[string]model.CopyMethods{}}
	return r
}

// ReadCopied returns the types that packages declare, for DeepCopy methods, ordered by name, or nil if types are
// refused.
func (r *Reader) ReadCopied(packages []*load.Package) map[*load.Package][]*model.Declared {
	r.ForCopies(packages)
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
	for next := 0; next < len(r.structs); next++ {
		if s := r.structs[next]; s.fields != nil && r.needsFields(s) {
			s.Fields = r.fieldsIn(s.scope, s.fields, true)
		}
	}
	r.copyRenamedFields()
	if r.reportRecursive(); len(r.refused) > 0 {
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
			ast.Inspect(d.Type.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					switch importPath := d.File.ImportPath(load.BaseName(sel.X), unread); {
					case importPath == "":
						mentioned = append(mentioned, d.File.ImportsNamed("")...)
					case r.copies.looksInto(importPath):
						mentioned = append(mentioned, importPath)
					}
				}
				return true
			})
		}
	}
	r.Preload(mentioned...)
}

// params returns the type parameters of a generic type, as types of its fields.
func (r *Reader) params(src *load.Package, d load.Decl) (params []*model.Type) {
	at := scope{src: src, file: d.File}
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

// assignable reports whether a constraint allows only types that an assignment copies completely. known caches the
// results for declared constraints.
func (r *Reader) assignable(at scope, constraint ast.Expr, known map[*ast.TypeSpec]bool) bool {
	in := func(src *load.Package, d load.Decl, ok bool) bool {
		if !ok || d.Type == nil || d.Type.TypeParams != nil {
			return false
		}
		result, seen := known[d.Type]
		if !seen {
			known[d.Type] = false
			result = r.assignable(scope{src: src, file: d.File}, d.Type.Type, known)
			known[d.Type] = result
		}
		return result
	}
	switch e := constraint.(type) {
	case *ast.ParenExpr:
		return r.assignable(at, e.X, known)
	case *ast.UnaryExpr:
		return r.assignable(at, e.X, known)
	case *ast.BinaryExpr:
		return r.assignable(at, e.X, known) && r.assignable(at, e.Y, known)
	case *ast.Ident:
		if r.Predeclared(at.src, e.Name) {
			return e.Name != "any" && e.Name != "error" && e.Name != "comparable"
		}
		d, ok := r.Lookup(at.src, e.Name)
		return in(at.src, d, ok)
	case *ast.SelectorExpr:
		importPath := r.pathOf(at.file, e)
		if src := r.imported(at.file, importPath); src != nil && r.copies.looksInto(importPath) {
			d, ok := r.Lookup(src, e.Sel.Name)
			return in(src, d, ok)
		}
	case *ast.InterfaceType:
		return slices.ContainsFunc(e.Methods.List, func(f *ast.Field) bool {
			return len(f.Names) == 0 && r.assignable(at, f.Type, known)
		})
	}
	return false
}

// constraintMethods returns the methods that copy values of a type parameter: DeepCopy, if its constraint is an
// interface that declares DeepCopy() T.
func (r *Reader) constraintMethods(at scope, constraint ast.Expr, param string) (methods model.CopyMethods) {
	args := map[string]string{} // type parameter of the constraint -> of the type
	switch e := constraint.(type) {
	case *ast.IndexExpr: // Copier[T]
		generic, ok := e.X.(*ast.Ident)
		arg, ok2 := e.Index.(*ast.Ident)
		if !ok || !ok2 {
			return methods
		}
		d, found := r.Lookup(at.src, generic.Name)
		if !found || d.Type == nil || d.Type.TypeParams.NumFields() != 1 {
			return methods
		}
		args[d.Type.TypeParams.List[0].Names[0].Name] = arg.Name
		constraint = d.Type.Type
	}
	literal, ok := constraint.(*ast.InterfaceType)
	if !ok {
		return methods
	}
	for _, f := range literal.Methods.List {
		if fn, ok := f.Type.(*ast.FuncType); ok && len(f.Names) == 1 && f.Names[0].Name == "DeepCopy" && fn.Params.NumFields() == 0 && fn.Results.NumFields() == 1 {
			if result, ok := fn.Results.List[0].Type.(*ast.Ident); ok && cmp.Or(args[result.Name], result.Name) == param {
				methods.DeepCopy = &model.CopyMethod{}
			}
		}
	}
	return methods
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
	found.Methods.Interface = r.copiesItself(scope{src: src, file: d.File}, d.Type.Type, "DeepCopy"+name, 0, found.TypeRef)
	return found
}

// copiesItself reports whether an interface has the given method, without parameters and with the interface as its only
// result. The interface has several names if it is declared as another one, or only embeds one.
func (r *Reader) copiesItself(at scope, expr ast.Expr, method string, depth int, names ...model.TypeRef) bool {
	if depth > 8 {
		return false
	}
	in := func(src *load.Package, name string) bool {
		if src == nil {
			return false
		}
		d, ok := r.Lookup(src, name)
		return ok && d.Type != nil && r.copiesItself(scope{src: src, file: d.File}, d.Type.Type, method, depth+1, append(slices.Clip(names), model.TypeRef{Path: src.Path, Name: name})...)
	}
	switch e := expr.(type) {
	case *ast.Ident:
		return !r.Predeclared(at.src, e.Name) && in(at.src, e.Name)
	case *ast.SelectorExpr:
		importPath := r.pathOf(at.file, e)
		return !model.IsStandard(importPath) && in(r.imported(at.file, importPath), e.Sel.Name)
	case *ast.InterfaceType:
		for _, f := range e.Methods.List {
			switch fn, ok := f.Type.(*ast.FuncType); {
			case len(f.Names) == 0 && len(e.Methods.List) == 1:
				return r.copiesItself(at, f.Type, method, depth+1, names...)
			case ok && len(f.Names) == 1 && f.Names[0].Name == method && fn.Params.NumFields() == 0 && fn.Results.NumFields() == 1:
				switch result := fn.Results.List[0].Type.(type) {
				case *ast.Ident:
					return slices.Contains(names, model.TypeRef{Path: at.src.Path, Name: result.Name})
				case *ast.SelectorExpr:
					return slices.Contains(names, model.TypeRef{Path: r.pathOf(at.file, result), Name: result.Sel.Name})
				}
				return false
			}
		}
	}
	return false
}
