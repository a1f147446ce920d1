// Package gotypes reads Go types from syntax: declared types and the types that they refer to, with fields, tags, JSON
// and DeepCopy methods, markers and comments. It does not type-check, and reads a package when it needs the first of
// its types, so it also reads types that do not compile yet.
package gotypes

import (
	"go/ast"

	"github.com/kubegen/kubegen/internal/compat"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// Reader resolves declared types and all types that they refer to. It reads a package when it needs the first of its
// types.
type Reader struct {
	*load.Loader
	Packages    map[*load.Package]*model.Package // for StructType.Package; set by the caller
	policy      compat.Policy
	types       map[string]*model.Type // named types, by path, name and type arguments
	unnamed     map[unnamed]*model.Type
	structs     []*pendingStruct
	byType      map[*model.StructType]*pendingStruct // see pending
	renamed     []*model.StructType                  // structs with DefinedAs
	outline     *Reader                              // result of Outline; for an outline, itself
	comments    map[*load.File]Comments
	withMethods map[*load.Package]bool                    // packages whose methods are read; see methods
	inProgress  []opened                                  // nested declarations being read
	large       map[*ast.TypeSpec]bool                    // generic types and aliases already reported by limit
	sizes       map[*model.Type]int                       // of aliases and type arguments; see sizeOf
	count       map[*ast.TypeSpec]int                     // instances of generic types
	instances   int                                       // number of all instances
	limited     bool                                      // see limitOnce
	checked     map[any]bool                              // checked by reportRecursive; see identity
	refused     diag.List                                 // see Refused
	copies      *copyReader                               // nil unless types are read for DeepCopy methods
	asWritten   map[*load.Package]map[string]*Declaration // by name; see Declared
	library     *Reader                                   // reader of the standard library; for that reader, itself
	read        int                                       // number of structs whose fields readFields has read
}

// unnamed identifies a predeclared type, or a pointer, slice or map.
type unnamed struct {
	kind      model.TypeKind
	name      string
	key, elem *model.Type
}

// once returns the only copy of a type that unnamed identifies: most fields have one of a few such types.
func (r *Reader) once(t model.Type) *model.Type {
	id := unnamed{t.Kind, t.Name.Name, t.Key, t.Elem}
	known := r.unnamed[id]
	if known == nil {
		known = new(model.Type)
		*known = t
		r.unnamed[id] = known
	}
	return known
}

// opened is a declared type being read. For an alias, typ is a placeholder.
type opened struct {
	spec *ast.TypeSpec
	typ  *model.Type
}

// scope is the context of a type expression.
type scope struct {
	src   *load.Package
	file  *load.File
	bound map[string]*model.Type // type arguments by type parameter
	depth int                    // number of types around the expression
}

// pendingStruct is a struct whose fields have not been read yet.
type pendingStruct struct {
	scope
	*model.StructType
	fields *ast.FieldList
}

// NewReader returns a Reader of the packages of a Loader. The policy determines which fields it follows, and which
// comments belong to a type.
func NewReader(l *load.Loader, policy compat.Policy) *Reader {
	return &Reader{
		Loader: l, policy: policy, Packages: map[*load.Package]*model.Package{}, types: map[string]*model.Type{},
		unnamed: map[unnamed]*model.Type{}, byType: map[*model.StructType]*pendingStruct{},
		comments: map[*load.File]Comments{}, withMethods: map[*load.Package]bool{}, asWritten: map[*load.Package]map[string]*Declaration{}, large: map[*ast.TypeSpec]bool{}, sizes: map[*model.Type]int{},
		count: map[*ast.TypeSpec]int{}, checked: map[any]bool{},
	}
}

// Outline returns a reader that reads no other packages, no structs and no comments. It resolves types only within
// their own package.
func (r *Reader) Outline() *Reader {
	if r.outline == nil {
		outline := *r
		outline.types, outline.structs, outline.renamed, outline.large = map[string]*model.Type{}, nil, nil, map[*ast.TypeSpec]bool{}
		outline.unnamed, outline.byType = map[unnamed]*model.Type{}, map[*model.StructType]*pendingStruct{}
		outline.sizes, outline.count = map[*model.Type]int{}, map[*ast.TypeSpec]int{}
		outline.outline = &outline
		r.outline = &outline
	}
	return r.outline
}

// pending returns the structs found so far.
func (r *Reader) pending() map[*model.StructType]*pendingStruct {
	for _, s := range r.structs[len(r.byType):] {
		r.byType[s.StructType] = s
	}
	return r.byType
}

// imported returns the package with an import path, or nil if it does not exist. It always returns nil for an outline.
func (r *Reader) imported(f *load.File, importPath string) *load.Package {
	if r.outline == r {
		return nil
	}
	return r.Loader.Imported(f, importPath)
}

// Structs returns the structs that types with the given names refer to, except for structs that were returned before,
// or nil if types are refused.
func (r *Reader) Structs(types ...model.TypeRef) (found []*model.StructType) {
	before := len(r.structs)
	r.readAll(types)
	if r.reportRecursive(); len(r.refused) > 0 {
		return nil
	}
	for _, s := range r.structs[before:] {
		found = append(found, s.StructType)
	}
	return found
}

// Refused returns errors about the declared types that are infinite or too large, among the types read so far.
func (r *Reader) Refused() diag.List { return r.refused }

// readAll reads the types with the given names, and all types that they refer to.
func (r *Reader) readAll(types []model.TypeRef) {
	next := len(r.structs)
	for _, ref := range types {
		if src := r.imported(nil, ref.Path); src != nil {
			if d, ok := r.Lookup(src, ref.Name); ok && d.Type != nil {
				r.Named(src, d, nil)
			}
		}
	}
	for ; next < len(r.structs); next++ {
		if s := r.structs[next]; s.fields != nil {
			s.Fields = r.fieldsIn(s.scope, s.fields, r.policy.AllFields)
		}
	}
	r.copyRenamedFields()
}

// copyRenamedFields copies the fields to structs that are declared as another struct.
func (r *Reader) copyRenamedFields() {
	for range r.renamed { // such a struct may in turn be declared as another
		for _, s := range r.renamed {
			if s.DefinedAs.Struct != nil {
				s.Fields = s.DefinedAs.Struct.Fields
			}
		}
	}
}

// pathOf returns the import path of the package of a qualified name, or "" if it is unknown.
func (r *Reader) pathOf(f *load.File, sel *ast.SelectorExpr) string {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if r.outline == r { // an outline loads packages only if no import looks like the name
		if importPath := f.ImportPath(x.Name, func(importPath string) *load.Package { return r.Known[importPath] }); importPath != "" {
			return importPath
		}
	}
	return r.Loader.ImportPath(f, x.Name)
}

// dotImported returns the declaration and the package of a bare name that comes from a dot import.
func (r *Reader) dotImported(f *load.File, name string) (*load.Package, load.Decl, bool) {
	for _, importPath := range f.ImportsNamed(".") {
		if src := r.Loader.Imported(f, importPath); src != nil {
			if d, ok := r.Lookup(src, name); ok && d.Type != nil {
				return src, d, true
			}
		}
	}
	return nil, load.Decl{}, false
}

// typeOf returns the type that an expression denotes.
func (r *Reader) typeOf(at scope, expr ast.Expr) *model.Type {
	if at.depth++; r.limitDepth(at, expr) {
		return &model.Type{Kind: model.Unknown}
	}
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return r.typeOf(at, e.X)
	case *ast.StarExpr:
		return r.once(model.Type{Kind: model.Pointer, Elem: r.typeOf(at, e.X)})
	case *ast.ArrayType:
		elem := r.typeOf(at, e.Elt)
		if e.Len == nil {
			return r.once(model.Type{Kind: model.Slice, Elem: elem})
		}
		if length := r.integer(at, e.Len, 0); length != "" {
			return &model.Type{Kind: model.Array, Len: length, Elem: elem}
		}
		if r.copies != nil {
			return &model.Type{Kind: model.Array, Elem: elem}
		}
	case *ast.MapType:
		return r.once(model.Type{Kind: model.Map, Key: r.typeOf(at, e.Key), Elem: r.typeOf(at, e.Value)})
	case *ast.StructType:
		return &model.Type{Kind: model.Struct, Fields: r.fieldsIn(at, e.Fields, r.copies != nil)}
	case *ast.InterfaceType:
		if len(e.Methods.List) == 0 || r.copies != nil {
			return &model.Type{Kind: model.Interface}
		}
	case *ast.FuncType, *ast.ChanType:
		return &model.Type{Kind: model.Func}
	case *ast.Ident:
		return r.identified(at, e.Name, nil)
	case *ast.SelectorExpr:
		return r.selected(at, e, nil)
	case *ast.IndexExpr:
		return r.instantiated(at, e.X, e.Index)
	case *ast.IndexListExpr:
		return r.instantiated(at, e.X, e.Indices...)
	}
	return &model.Type{Kind: model.Unknown}
}

func (r *Reader) instantiated(at scope, generic ast.Expr, indices ...ast.Expr) *model.Type {
	var args []*model.Type
	for _, index := range indices {
		args = append(args, r.typeOf(at, index))
	}
	switch e := generic.(type) {
	case *ast.Ident:
		return r.identified(at, e.Name, args)
	case *ast.SelectorExpr:
		return r.selected(at, e, args)
	}
	return &model.Type{Kind: model.Unknown}
}

// identified returns the type that a bare name denotes.
func (r *Reader) identified(at scope, name string, args []*model.Type) *model.Type {
	if bound, ok := at.bound[name]; ok {
		return bound
	}
	if r.Predeclared(at.src, name) {
		switch name {
		case "any":
			return &model.Type{Kind: model.Interface}
		case "error":
			return &model.Type{Kind: model.Interface, Name: model.TypeRef{Name: name}}
		}
		return r.once(model.Type{Kind: model.Basic, Name: model.TypeRef{Name: name}})
	}
	if d, ok := r.Lookup(at.src, name); ok && d.Type != nil {
		return r.Named(at.src, d, args)
	}
	if src, d, ok := r.dotImported(at.file, name); ok {
		return r.Named(src, d, args)
	}
	return &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: at.src.Path, Name: name}, Why: "there is no type of that name in package " + at.src.Path}
}

// selected returns the type that a qualified name denotes.
func (r *Reader) selected(at scope, sel *ast.SelectorExpr, args []*model.Type) *model.Type {
	importPath := r.pathOf(at.file, sel)
	unknown := &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: importPath, Name: sel.Sel.Name}, Args: args}
	if importPath != "" && model.IsStandard(importPath) && !r.looksInto(importPath) {
		unknown.Standard = r.standard(at.file, importPath, sel.Sel.Name)
		return unknown
	}
	if importPath == "" {
		return unknown
	}
	if src := r.imported(at.file, importPath); src != nil {
		if d, ok := r.Lookup(src, sel.Sel.Name); ok && d.Type != nil {
			return r.Named(src, d, args)
		}
	}
	unknown.Why = r.Remedy(importPath)
	return unknown
}

// Named returns the declared type, instantiated with the type arguments.
func (r *Reader) Named(src *load.Package, d load.Decl, args []*model.Type) *model.Type {
	at := scope{src: src, file: d.File, bound: bind(d.Type, args)}
	ref := model.TypeRef{Path: src.Path, Name: d.Type.Name.Name}
	t := &model.Type{Name: ref, Args: args}
	if len(args) > 0 && r.limitInstance(src, d, args) {
		return r.markUnknown(t)
	}
	key := describe(&model.Type{Kind: model.Named, Name: ref, Args: args})
	if known, ok := r.types[key]; ok {
		r.reportAliasCycle(known)
		return known
	}
	if len(args) > 0 && r.limitCount(d) {
		return r.markUnknown(t)
	}
	r.types[key] = t
	r.inProgress = append(r.inProgress, opened{d.Type, t})
	defer func() { r.inProgress = r.inProgress[:len(r.inProgress)-1] }()
	if d.Type.Assign.IsValid() {
		*t = *r.typeOf(at, d.Type.Type)
		r.limitAlias(d.Type, t)
		return t
	}
	found := &model.StructType{TypeRef: ref, Args: args, Package: r.Packages[src], Pos: r.Fset.Position(d.Type.Name.Pos())}
	switch {
	case r.copies != nil:
		t.Declared = r.declared(src, d)
	case r.outline != r:
		above := r.Above(d.File, d.Type)
		methods := r.methodsOf(src, ref.Name)
		found.Markers, found.Methods, found.ModelName = schemaMarkers(r.Fset, above...), methods.Methods, methods.modelName
		if len(above) > 0 {
			found.Doc = docLines(above[len(above)-1])
		}
	}
	expr := ast.Unparen(d.Type.Type)
	if literal, ok := expr.(*ast.StructType); ok {
		t.Kind, t.Struct = model.Struct, found
		r.structs = append(r.structs, &pendingStruct{scope: at, StructType: found, fields: literal.Fields})
		return t
	}
	elem := r.typeOf(at, expr)
	t.Elem, t.Markers, t.Methods = elem, found.Markers, found.Methods
	switch elem.Kind {
	case model.Struct:
		t.Kind, t.Struct, t.Elem = model.Struct, found, nil
		found.DefinedAs, found.Fields = elem, elem.Fields
		r.renamed = append(r.renamed, found)
		r.structs = append(r.structs, &pendingStruct{scope: at, StructType: found})
	case model.Interface, model.Func, model.Unknown:
		t.Kind = elem.Kind
	default:
		t.Kind = model.Named
	}
	return t
}

// bind returns the type arguments of a declaration by type parameter.
func bind(spec *ast.TypeSpec, args []*model.Type) map[string]*model.Type {
	if len(args) == 0 {
		return nil
	}
	bound := map[string]*model.Type{}
	names, _ := paramsOf(spec)
	for i, name := range names[:min(len(names), len(args))] {
		bound[name] = args[i]
	}
	return bound
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

// describe returns a text that identifies a type.
func describe(t *model.Type) string {
	switch t.Kind {
	case model.Slice:
		return "[]" + describe(t.Elem)
	case model.Array:
		return "[" + t.Len + "]" + describe(t.Elem)
	case model.Map:
		return "map[" + describe(t.Key) + "]" + describe(t.Elem)
	case model.Pointer:
		return "*" + describe(t.Elem)
	}
	text := t.Name.Path + "." + t.Name.Name
	if t.Name.Name == "" {
		for _, f := range t.Fields {
			text += f.Name + " " + describe(f.Type) + string(f.Tag) + ";"
		}
	}
	for _, arg := range t.Args {
		text += "[" + describe(arg) + "]"
	}
	return text
}

// integer evaluates the length of an array: a literal, or a constant with a literal value. It returns "" for anything
// else.
func (r *Reader) integer(at scope, expr ast.Expr, depth int) string {
	if depth > 8 {
		return ""
	}
	var src *load.Package
	var name string
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return r.integer(at, e.X, depth+1)
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		src, name = at.src, e.Name
	case *ast.SelectorExpr:
		if importPath := r.pathOf(at.file, e); importPath != "" && !model.IsStandard(importPath) {
			src, name = r.imported(at.file, importPath), e.Sel.Name
		}
	}
	if src == nil {
		return ""
	}
	if d, ok := r.Lookup(src, name); ok && d.Value != nil {
		return r.integer(scope{src: src, file: d.File}, d.Value, depth+1)
	}
	return ""
}

// TypeOf returns the type that an expression in a file of a package denotes.
func (r *Reader) TypeOf(src *load.Package, f *load.File, expr ast.Expr) *model.Type {
	return r.typeOf(scope{src: src, file: f}, expr)
}
