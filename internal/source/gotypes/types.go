package gotypes

import (
	"go/ast"
	"go/constant"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// unnamed identifies a predeclared type, or a pointer, slice or map.
type unnamed struct {
	kind      model.TypeKind
	name      string
	key, elem *model.Type
}

// once returns the only copy of a type that unnamed identifies: most fields have one of a few such types.
func (f *found) once(t model.Type) *model.Type {
	id := unnamed{t.Kind, t.Name.Name, t.Key, t.Elem}
	known := f.unnamed[id]
	if known == nil {
		known = new(model.Type)
		*known = t
		f.unnamed[id] = known
	}
	return known
}

// pending returns the structs found so far.
func (f *found) pending() map[*model.StructType]*pendingStruct {
	for _, s := range f.structs[len(f.byType):] {
		f.byType[s.StructType] = s
	}
	return f.byType
}

// copyRenamedFields copies the fields to structs that are declared as another struct.
func (f *found) copyRenamedFields() {
	for range f.renamed { // such a struct may in turn be declared as another
		for _, s := range f.renamed {
			if s.DefinedAs.Struct != nil {
				s.Fields = s.DefinedAs.Struct.Fields
			}
		}
	}
}

// context is the place of a type expression in a declared type.
type context struct {
	scope
	args  []*model.Type // type arguments of the declared type
	depth int           // number of types around the expression
}

// TypeOf returns the type that an expression in a file of a package denotes.
func (r *Reader) TypeOf(src *load.Package, f *load.File, expr ast.Expr) *model.Type {
	return r.read(context{scope: scope{src: src, file: f}}, expr)
}

// read returns the type that an expression denotes.
func (r *Reader) read(at context, expr ast.Expr) *model.Type {
	return r.typeOf(at, r.expr(at.scope, expr))
}

// typeOf returns the type that an expression denotes: aliases and type parameters are replaced by their types.
func (r *Reader) typeOf(at context, e *Expr) *model.Type {
	if at.depth++; r.limits.depth(at.depth, e.Pos) {
		return &model.Type{Kind: model.Unknown}
	}
	switch e.Form {
	case BuiltinForm:
		switch e.Name.Name {
		case "any":
			return &model.Type{Kind: model.Interface}
		case "error":
			return &model.Type{Kind: model.Interface, Name: e.Name}
		}
		return r.found.once(model.Type{Kind: model.Basic, Name: e.Name})
	case NamedForm, InstanceForm:
		return r.reference(at, e)
	case ParamForm:
		if i := at.param(e.Name.Name); i < len(at.args) {
			return at.args[i]
		}
		return undeclared(model.TypeRef{Path: at.src.Path, Name: e.Name.Name})
	case PointerForm:
		return r.found.once(model.Type{Kind: model.Pointer, Elem: r.typeOf(at, e.Elem)})
	case SliceForm:
		return r.found.once(model.Type{Kind: model.Slice, Elem: r.typeOf(at, e.Elem)})
	case ArrayForm:
		elem := r.typeOf(at, e.Elem)
		length := ""
		if v := r.valueOf(at.scope, e.length, nil, 0); v != nil && constant.ToInt(v).Kind() == constant.Int && constant.Sign(v) >= 0 {
			length = constant.ToInt(v).ExactString()
		}
		if length != "" || r.copies != nil {
			return &model.Type{Kind: model.Array, Len: length, Elem: elem}
		}
	case MapForm:
		return r.found.once(model.Type{Kind: model.Map, Key: r.typeOf(at, e.Key), Elem: r.typeOf(at, e.Elem)})
	case StructForm:
		return &model.Type{Kind: model.Struct, Fields: r.fieldsIn(at, e.members, r.copies != nil)}
	case InterfaceForm:
		switch {
		case len(e.members.List) == 0:
			return &model.Type{Kind: model.Interface}
		case r.copies != nil:
			return &model.Type{Kind: model.Interface, Why: "it has methods"}
		}
	case FuncForm:
		return &model.Type{Kind: model.Func}
	}
	return &model.Type{Kind: model.Unknown}
}

// reference returns the type that a name or an instance of a generic type denotes.
func (r *Reader) reference(at context, e *Expr) *model.Type {
	var args []*model.Type
	for _, arg := range e.Args {
		args = append(args, r.typeOf(at, arg))
	}
	unknown := &model.Type{Kind: model.Unknown, Name: e.Name, Args: args}
	switch {
	case e.Qualified && e.Name.Path == "":
		unknown.Mistake = e.Mistake
		return unknown
	case e.Qualified && model.IsStandard(e.Name.Path) && !r.looksInto(e.Name.Path):
		unknown.Standard = r.standard(at.file, e.Name)
		return unknown
	}
	if src, d, ok := r.declarationOf(at.scope, e); ok {
		return r.Named(src, d, args)
	}
	if !e.Qualified {
		return undeclared(e.Name)
	}
	unknown.Why = r.Remedy(e.Name.Path)
	return unknown
}

// undeclared returns the type for a bare name without a declaration.
func undeclared(name model.TypeRef) *model.Type {
	return &model.Type{Kind: model.Unknown, Name: name, Why: "there is no type of that name in package " + name.Path}
}

// Named returns the declared type, instantiated with the type arguments.
func (r *Reader) Named(src *load.Package, d load.Decl, args []*model.Type) *model.Type {
	at := context{scope: scopeOf(src, d), args: args}
	ref := model.TypeRef{Path: src.Path, Name: d.Type.Name.Name}
	t := &model.Type{Name: ref, Args: args}
	if len(args) > 0 && r.limits.arguments(r.names, at) {
		return r.limits.unknown(t)
	}
	key := (&model.Type{Kind: model.Named, Name: ref, Args: args}).Identity()
	if known, ok := r.found.named[key]; ok {
		r.limits.aliasCycle(known)
		return known
	}
	if len(args) > 0 && r.limits.instance(d.Type) {
		return r.limits.unknown(t)
	}
	r.found.named[key] = t
	r.limits.enter(d.Type, t)
	defer r.limits.leave()
	e := r.expr(at.scope, d.Type.Type)
	if d.Type.Assign.IsValid() {
		*t = *r.typeOf(at, e)
		r.limits.alias(d.Type, t)
		return t
	}
	s := &model.StructType{TypeRef: ref, Args: args, Package: r.Packages[src], Pos: r.Fset.Position(d.Type.Name.Pos())}
	switch {
	case r.copies != nil:
		t.Declared = r.declared(src, d)
		if e.Form != StructForm {
			s.Markers = r.conversionMarkers(r.Above(d.File, d.Type)...)
		}
	case !r.near:
		above := r.Above(d.File, d.Type)
		methods := r.methodsOf(src, ref.Name)
		if r.ModelNames != nil {
			if name, written := r.ModelNames(r.Declared(src, ref.Name)); written {
				methods.modelName = name
			}
		}
		s.Markers, s.Methods, s.ModelName = schemaMarkers(r.Fset, above...), methods.Methods, methods.modelName
		if len(above) > 0 {
			s.Doc = docLines(above[len(above)-1])
		}
	}
	if e.Form == StructForm {
		t.Kind, t.Struct = model.Struct, s
		r.found.structs = append(r.found.structs, &pendingStruct{at.scope, s, e.members})
		return t
	}
	elem := r.typeOf(at, e)
	t.Elem, t.Markers, t.Methods = elem, s.Markers, s.Methods
	switch elem.Kind {
	case model.Struct:
		t.Kind, t.Struct, t.Elem = model.Struct, s, nil
		s.DefinedAs, s.Fields = elem, elem.Fields
		r.found.renamed = append(r.found.renamed, s)
		r.found.structs = append(r.found.structs, &pendingStruct{scope: at.scope, StructType: s})
	case model.Interface, model.Func, model.Unknown:
		t.Kind = elem.Kind
	default:
		t.Kind = model.Named
	}
	return t
}
