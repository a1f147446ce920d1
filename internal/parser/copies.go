package parser

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// copyReader is the additional state of a typeReader that reads types for DeepCopy methods.
type copyReader struct {
	wishes   map[*load.Package]*copyWish // of the packages that get methods
	declared map[*ast.TypeSpec]*model.Declared
	methods  map[*load.Package]map[string]model.CopyMethods // by the name of their type
}

// looksInto reports whether types of a package of the standard library are to be read.
func (c *copyReader) looksInto(importPath string) bool {
	return c != nil && importPath != "unsafe" && importPath != "C"
}

// copyWish is what the markers of a package request.
type copyWish struct {
	all   bool // its types get them, unless they say otherwise
	types map[*ast.TypeSpec]typeWish
}

// typeWish is what the markers of a type request, with those of its package as the default.
type typeWish struct {
	copied     bool // it gets methods
	explicit   bool // because of a marker of its own
	interfaces []model.TypeRef
	byValue    bool
}

const runtimePath = "k8s.io/apimachinery/pkg/runtime"

// object is the interface of what API servers store.
var object = model.TypeRef{Path: runtimePath, Name: "Object"}

// readCopies returns the types of the input that get DeepCopy methods, ordered by name.
func (p *parser) readCopies() map[*load.Package][]*model.Declared {
	if len(p.cfg.DeepCopy) == 0 {
		return nil
	}
	wishes := map[*load.Package]*copyWish{}
	r := p.newCopyReader(wishes)
	shown := map[*load.Package][]*load.File{}
	for _, src := range p.Input {
		shown[src] = slices.Clone(src.Files)
		src.Hide(p.cfg.DeepCopy)
	}
	p.outlined = nil
	for _, src := range p.Input {
		if wish := r.copyWish(src); wish != nil {
			wishes[src] = wish
		}
	}
	for _, src := range p.Input {
		if wishes[src] == nil {
			src.Files = shown[src]
		}
	}
	p.outlined = nil
	r = p.newCopyReader(wishes) // what was read so far may be of files that were hidden, or were not yet
	r.preloadCopies()
	copies := map[*load.Package][]*model.Declared{}
	for _, src := range p.Input {
		if wishes[src] == nil {
			continue
		}
		for _, name := range declaredTypes(src) {
			d := src.Decls[name]
			t := r.named(src, d, r.params(src, d))
			declared := r.declared(src, d)
			declared.Type = t
			copies[src] = append(copies[src], declared)
		}
	}
	for next := 0; next < len(r.structs); next++ {
		if s := r.structs[next]; s.fields != nil && r.entered(s) {
			s.Fields = r.fieldsIn(s.scope, s.fields, true)
		}
	}
	r.settle()
	if r.reportEndless(); r.refused {
		return nil
	}
	for src, all := range copies {
		copies[src] = slices.DeleteFunc(all, func(d *model.Declared) bool { return !r.settleCopy(src, d) })
	}
	return copies
}

func (p *parser) newCopyReader(wishes map[*load.Package]*copyWish) *typeReader {
	r := p.newTypeReader()
	r.copies = &copyReader{wishes: wishes, declared: map[*ast.TypeSpec]*model.Declared{}, methods: map[*load.Package]map[string]model.CopyMethods{}}
	return r
}

// declaredTypes returns the names of the types that a package declares, aliases left out, sorted.
func declaredTypes(src *load.Package) []string {
	var names []string
	for name, d := range src.Decls {
		if d.Type != nil && !d.Type.Assign.IsValid() && name != "_" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// entered reports whether to read the fields of a struct. Those of a struct that has methods in a package that gets none are
// not needed, because the methods copy it.
func (r *typeReader) entered(s *pendingStruct) bool {
	if r.copies.wishes[s.src] != nil {
		return true
	}
	d, ok := r.Lookup(s.src, s.Name)
	return !ok || !r.declared(s.src, d).Methods.Any()
}

// preloadCopies lists all packages that the types of the input refer to, in a single call of the go command.
func (r *typeReader) preloadCopies() {
	var mentioned []string
	for src := range r.copies.wishes {
		for _, name := range declaredTypes(src) {
			d := src.Decls[name]
			ast.Inspect(d.Type.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if importPath := d.File.ImportPath(baseName(sel.X)); importPath != "" && r.copies.looksInto(importPath) {
						mentioned = append(mentioned, importPath)
					}
				}
				return true
			})
		}
	}
	r.Preload(mentioned...)
}

// params returns the type parameters of a generic type, as its fields have them.
func (r *typeReader) params(src *load.Package, d load.Decl) (params []*model.Type) {
	if d.Type.TypeParams == nil {
		return nil
	}
	at := scope{src: src, file: d.File}
	for _, field := range d.Type.TypeParams.List {
		for _, name := range field.Names {
			assignable := r.assignable(at, field.Type, map[*ast.TypeSpec]bool{})
			methods := r.constraintMethods(at, field.Type, name.Name)
			// Type parameters of one name that are copied in the same way are the same, and so are the instances for them.
			param := &model.Type{Kind: model.Param, Name: model.TypeRef{Path: src.Path + ".any", Name: name.Name}}
			if assignable {
				param.Name.Path += ".assignable"
				param.Elem = &model.Type{Kind: model.Basic, Name: param.Name}
			}
			if methods.Any() {
				param.Name.Path += ".copied"
				param.Declared = &model.Declared{TypeRef: param.Name, Methods: methods}
			}
			params = append(params, param)
		}
	}
	return params
}

// assignable reports whether a constraint allows only types that an assignment copies completely. known are the results for
// declared constraints.
func (r *typeReader) assignable(at scope, constraint ast.Expr, known map[*ast.TypeSpec]bool) bool {
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

// constraintMethods returns the methods by which a type parameter can be copied: DeepCopy, if its constraint is an interface
// that has DeepCopy() T itself.
func (r *typeReader) constraintMethods(at scope, constraint ast.Expr, param string) (methods model.CopyMethods) {
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
func (r *typeReader) declared(src *load.Package, d load.Decl) *model.Declared {
	if known := r.copies.declared[d.Type]; known != nil {
		return known
	}
	name := d.Type.Name.Name
	found := &model.Declared{
		TypeRef: model.TypeRef{Path: src.Path, Name: name}, Pos: r.Fset.Position(d.Type.Name.Pos()), Methods: r.copyMethods(src)[name],
	}
	r.copies.declared[d.Type] = found
	if d.Type.TypeParams != nil {
		for _, field := range d.Type.TypeParams.List {
			for _, param := range field.Names {
				found.Params = append(found.Params, param.Name)
			}
		}
	}
	found.Methods.Interface = r.copiesItself(scope{src: src, file: d.File}, d.Type.Type, "DeepCopy"+name, 0, found.TypeRef)
	return found
}

// copiesItself reports whether an interface has the given method, without parameters and with the interface as its only
// result. The interface has several names if it is declared as another one, or only embeds one.
func (r *typeReader) copiesItself(at scope, expr ast.Expr, method string, depth int, names ...model.TypeRef) bool {
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

// copyWish reads the markers of a package and its types. It returns nil if none of the types gets methods.
func (r *typeReader) copyWish(src *load.Package) *copyWish {
	if src.Foreign {
		return nil
	}
	var ignored diag.List // readPackage reports it
	found := r.packageMarkers(src, &ignored)
	wish := &copyWish{types: map[*ast.TypeSpec]typeWish{}}
	marked := false
	if value, pos, ok := r.single(found, model.DeepCopyMarker); ok {
		marked = true
		word, rest, _ := strings.Cut(value, ",")
		switch {
		case word == "false":
			return nil
		case word != "package":
			r.Errorf(pos, "the value of +%s in a package comment must be package or false, not %q", model.DeepCopyMarker, value).
				Suggest("write +%s=package, or +%s=true above single types", model.DeepCopyMarker, model.DeepCopyMarker)
			return nil
		}
		r.checkRegister(pos, rest)
		wish.all = true
	} else if value, pos, ok := r.single(found, model.ObjectMarker+":generate"); ok && !r.cfg.OnlyDeepCopyGen {
		marked = true
		wish.all = r.isTrue(model.ObjectMarker+":generate", cmp.Or(value, "true"), pos)
	}
	r.parseTypes(src)
	names := declaredTypes(src)
	for _, name := range names {
		d := src.Decls[name]
		t, ok := r.typeWish(src, d, wish.all)
		wish.types[d.Type] = t
		marked = marked || ok
	}
	if !marked && !r.cfg.Classic && slices.ContainsFunc(names, func(name string) bool { return r.isMarked(src.Decls[name]) }) {
		wish.all = true
		for _, name := range names {
			d := src.Decls[name]
			t := typeWish{copied: true}
			if _, ok := r.fieldsOf(src, d).kindMeta(); ok {
				t.interfaces = append(t.interfaces, object)
			}
			wish.types[d.Type] = t
		}
	}
	for _, t := range wish.types {
		if t.copied {
			return wish
		}
	}
	return nil
}

// isMarked reports whether a type has a +genclient marker.
func (r *typeReader) isMarked(d load.Decl) bool {
	return slices.ContainsFunc(markers.Lines(r.Fset, r.above(d.File, d.Type)...), func(line markers.Line) bool {
		return markers.MeansGenclient(line.Text)
	})
}

// parseTypes parses the generated files of a package that declare types.
func (r *typeReader) parseTypes(src *load.Package) {
	for _, f := range src.Files {
		if f.Syntax == nil && f.Err == nil && bytes.Contains(f.Text, []byte("\ntype ")) {
			r.Parse(f)
			r.ReportFile(f)
			src.Index(f)
		}
	}
}

// checkRegister checks the options after the first word of a deepcopy-gen marker. The only one is register, which has no
// effect.
func (r *typeReader) checkRegister(pos token.Position, rest string) {
	for _, word := range strings.Split(rest, ",") {
		if name, _, _ := strings.Cut(word, "="); name != "" && name != "register" {
			r.Errorf(pos, "+%s has no option %q", model.DeepCopyMarker, word).Suggest("remove it")
		}
	}
}

// isTrue reads the value of a marker that is true or false.
func (r *typeReader) isTrue(name, value string, pos token.Position) bool {
	if value != "true" && value != "false" {
		r.Errorf(pos, "the value of +%s must be true or false, not %q", name, value).Suggest("write +%s=true, or remove it", name)
	}
	return value == "true"
}

// typeWish reads what the markers above a type say; marked is false where there are none.
func (r *typeReader) typeWish(src *load.Package, d load.Decl, all bool) (wish typeWish, marked bool) {
	wish.copied = all
	above := r.above(d.File, d.Type)
	if !slices.ContainsFunc(markers.Lines(r.Fset, above...), func(line markers.Line) bool {
		return strings.HasPrefix(line.Text, "+"+model.DeepCopyMarker) || !r.cfg.OnlyDeepCopyGen && strings.HasPrefix(line.Text, "+"+model.ObjectMarker)
	}) {
		return wish, false
	}
	var ignored diag.List
	found := markers.Read(r.Fset, markers.Type, r.mode(), &ignored, above...)
	if r.cfg.OnlyDeepCopyGen {
		found = slices.DeleteFunc(found, func(m markers.Marker) bool { return strings.HasPrefix(m.Name, model.ObjectMarker) })
	}
	root := false
	if value, pos, ok := r.single(found, model.ObjectMarker+":root"); ok && r.isTrue(model.ObjectMarker+":root", cmp.Or(value, "true"), pos) {
		root, wish.explicit, wish.copied = true, true, true
		r.checkObject(src, d, model.ObjectMarker+":root=true", pos)
		wish.interfaces = append(wish.interfaces, object)
	}
	if value, pos, ok := r.single(found, model.DeepCopyMarker); ok {
		word, rest, _ := strings.Cut(value, ",")
		r.checkRegister(pos, rest)
		wish.copied = r.isTrue(model.DeepCopyMarker, word, pos)
		wish.explicit = wish.copied
	} else if value, pos, ok := r.single(found, model.ObjectMarker+":generate"); ok {
		wish.copied = r.isTrue(model.ObjectMarker+":generate", cmp.Or(value, "true"), pos)
		wish.explicit = wish.copied
	}
	for _, m := range found {
		if m.Name != model.DeepCopyMarker+":interfaces" {
			continue
		}
		for _, name := range strings.Split(m.Value, ",") {
			name = strings.TrimSpace(name)
			if ref := model.ParseTypeRef(name); name != "" && wish.copied && r.isInterface(d.File, ref, m) && !(root && ref == object) {
				if ref == object {
					r.checkObject(src, d, m.Name, m.Pos)
				}
				wish.interfaces = append(wish.interfaces, ref)
			}
		}
	}
	if value, pos, ok := r.single(found, model.DeepCopyMarker+":nonpointer-interfaces"); ok {
		wish.byValue = r.isTrue(model.DeepCopyMarker+":nonpointer-interfaces", value, pos)
	}
	slices.SortFunc(wish.interfaces, func(a, b model.TypeRef) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	wish.interfaces = slices.Compact(wish.interfaces)
	for i, ref := range wish.interfaces {
		if i > 0 && ref.Name == wish.interfaces[i-1].Name {
			r.Errorf(r.Fset.Position(d.Type.Name.Pos()), "type %s would have two methods DeepCopy%s, for %s and %s", d.Type.Name.Name, ref.Name, wish.interfaces[i-1].Path, ref.Path).
				Suggest("keep one of the interfaces")
		}
	}
	return wish, true
}

// checkObject reports a type whose marker requests DeepCopyObject although it cannot be a runtime.Object: it embeds nothing that
// could have the other method of that interface.
func (r *typeReader) checkObject(src *load.Package, d load.Decl, marker string, pos token.Position) {
	name := d.Type.Name.Name
	embeds := func(f field) bool { return f.Embedded }
	if f := r.fieldsOf(src, d); f.opaque || slices.ContainsFunc(f.list, embeds) || src.HasMethod(name, "GetObjectKind") || src.HasMethod(name, "DeepCopyObject") {
		return
	}
	r.Errorf(pos, "+%s is for objects, but %s does not embed metav1.TypeMeta", marker, name).Suggest("move the marker to the kind or its list, or remove it")
}

// isInterface checks that a marker names an interface.
func (r *typeReader) isInterface(f *load.File, ref model.TypeRef, m markers.Marker) bool {
	if ref == object {
		return true
	}
	if ref.Path == "" {
		r.Errorf(m.Pos, "+%s names %s without its package", m.Name, ref.Name).Suggest("write the import path before the name, as in %s.Object", runtimePath)
		return false
	}
	src := r.imported(f, ref.Path)
	if src == nil {
		d := r.Errorf(m.Pos, "+%s names %s.%s, but there is no package %s", m.Name, ref.Path, ref.Name, ref.Path)
		d.Suggest("%s", cmp.Or(r.Remedy(ref.Path), "correct the import path"))
		return false
	}
	d, ok := r.Lookup(src, ref.Name)
	if !ok || d.Type == nil {
		r.Errorf(m.Pos, "+%s names %s, which package %s does not declare", m.Name, ref.Name, ref.Path).Suggest("correct the name")
		return false
	}
	if t := r.named(src, d, nil); t.Kind != model.Interface {
		r.Errorf(m.Pos, "+%s names %s, which is not an interface", m.Name, ref.Name).SaidAt(r.Fset.Position(d.Type.Name.Pos())).Suggest("use an interface that the type implements")
		return false
	}
	return true
}

// settleCopy determines the methods that a declared type gets, once all types are known, and reports whether it gets any.
// Exported structs, maps and slices do, and basic types for which one of the two methods is hand-written.
func (r *typeReader) settleCopy(src *load.Package, d *model.Declared) bool {
	wish := r.copies.wishes[src]
	typ := wish.types[src.Decls[d.Name].Type]
	copyable := false
	switch t := d.Type.Underlying(); {
	case !token.IsExported(d.Name):
	case d.Type.Kind == model.Struct, d.Type.Kind == model.Named && (t.Kind == model.Map || t.Kind == model.Slice):
		copyable = true
	case t.Kind == model.Basic:
		copyable = d.Methods.Any()
	}
	if typ.explicit && !wish.all && !copyable {
		r.Errorf(d.Pos, "type %s is marked for DeepCopy methods but is not an exported struct, map or slice", d.Name).Suggest("remove the marker")
	}
	if d.Copied = typ.copied && copyable; d.Copied && d.Type.Kind == model.Struct {
		for _, ref := range typ.interfaces {
			if !slices.Contains(d.Methods.Others, "DeepCopy"+ref.Name) {
				d.Interfaces = append(d.Interfaces, ref)
			}
		}
		d.ByValue = typ.byValue
	}
	return d.Copied
}
