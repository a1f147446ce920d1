// This file determines for which types DeepCopy methods are generated. It reads the markers of packages and
// returns the types with their fields. It also reports types without DeepCopyObject. It does not determine how the
// methods copy values.

package products

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// copyReader reads the markers that request DeepCopy methods.
type copyReader struct {
	*gotypes.Reader
	by      *Output
	outline *gotypes.Reader
	diags   diag.List
}

func newCopyReader(l *load.Loader, by *Output) *copyReader {
	newTypes := func() *gotypes.Reader { return gotypes.NewReader(l, by.Policy) }
	return &copyReader{Reader: newTypes().ForCopies(nil, nil), by: by, outline: newTypes().Outline()}
}

// packageRequest holds the requests of the markers in a package.
type packageRequest struct {
	all   bool // methods for all types of the package without a marker to the contrary
	types map[*ast.TypeSpec]typeRequest
}

// typeRequest holds the requests of the markers of a type. The marker of its package is the default.
type typeRequest struct {
	copied     bool // methods are generated
	explicit   bool // a marker of the type itself requests or refuses them
	interfaces []model.TypeRef
	byValue    bool
}

const runtimePath = "k8s.io/apimachinery/pkg/runtime"

// object is the interface of all objects that API servers store.
var object = model.TypeRef{Path: runtimePath, Name: "Object"}

// requestsCopies reports whether an output generates methods for a package.
func requestsCopies(r *Reading, o *Output, src *load.Package) bool {
	return newCopyReader(r.Loader, o).ofPackage(src, r.MarkersOf(src)) != nil // readCopies reports mistakes
}

// readCopies reads the types of the input for which methods are generated.
func readCopies(of *Reading, models map[*load.Package]*model.Package) diag.List {
	r := newCopyReader(of.Loader, of.Own)
	requests := map[*load.Package]*packageRequest{}
	var packages []*load.Package
	for _, src := range r.Input {
		if src.Foreign {
			continue
		}
		if request := r.ofPackage(src, of.MarkersOf(src)); request != nil {
			requests[src], packages = request, append(packages, src)
		}
	}
	types := gotypes.NewReader(r.Loader, of.Own.Policy)
	for src, all := range types.ReadCopied(packages, of.Promised) {
		models[src].Copies = slices.DeleteFunc(all, func(d *model.Declared) bool { return !r.settle(requests[src], src, d) })
	}
	return slices.Concat(r.diags, r.Refused(), types.Refused())
}

// ofPackage reads the markers of a package and its types. It returns nil if no type needs methods.
func (r *copyReader) ofPackage(src *load.Package, found []model.Marker) *packageRequest {
	request := &packageRequest{types: map[*ast.TypeSpec]typeRequest{}}
	marked, off := false, false
	if value, pos, ok := r.single(found, model.DeepCopyMarker); ok {
		marked = true
		word, rest, _ := strings.Cut(value, ",")
		switch {
		case word == "false":
			return nil
		case word != "package":
			r.diags.Errorf(pos, "the value of +%s in a package comment must be package or false, not %q", model.DeepCopyMarker, value).
				Suggest("write +%s=package, or +%s=true above single types", model.DeepCopyMarker, model.DeepCopyMarker)
			return nil
		}
		r.checkRegister(pos, rest)
		request.all = true
	} else if value, pos, ok := r.single(found, model.ObjectMarker+":generate"); ok && !r.by.Script {
		marked = true
		request.all = r.isTrue(model.ObjectMarker+":generate", cmp.Or(value, "true"), pos)
		off = !request.all
	}
	r.ParseMentioning(src, "\ntype ") // in generated files
	names := gotypes.DeclaredTypes(src)
	var registered []string
	if !off && !r.by.Policy.CopyOnRequest {
		registered, _ = r.by.Types(r.outline, src, found, CopiedObjects{Source: src}.Meant(r.outline))
	}
	for _, name := range names {
		d := src.Decls[name]
		t, ok := r.ofType(src, d, request.all)
		if slices.Contains(registered, name) && !slices.Contains(t.interfaces, object) && (t.copied || !ok) {
			t.copied, t.interfaces = true, append(t.interfaces, object)
			slices.SortFunc(t.interfaces, compareRefs)
		}
		request.types[d.Type] = t
		marked = marked || ok && (t.copied || !t.explicit) // a type without methods says nothing about the others
	}
	isClient := func(name string) bool { return r.HasMarker(src.Decls[name], markers.MeansGenclient) }
	if !marked && !r.by.Policy.CopyOnRequest && (len(registered) > 0 || slices.ContainsFunc(names, isClient)) {
		request.all = true
		objects := r.outline.Objects(src)
		for _, name := range names {
			t := typeRequest{copied: true}
			if _, ok := objects[name]; ok {
				t.interfaces = append(t.interfaces, object)
			}
			if typ := src.Decls[name].Type; !request.types[typ].explicit {
				request.types[typ] = t
			}
		}
	}
	for _, t := range request.types {
		if t.copied {
			return request
		}
	}
	return nil
}

func (r *copyReader) single(found []model.Marker, name string) (value string, pos token.Position, ok bool) {
	return markers.Single(found, name, markers.ModeOf(r.by.Policy), &r.diags)
}

// checkRegister checks the options after the first word of a deepcopy-gen marker. The only one is register, which has
// no effect.
func (r *copyReader) checkRegister(pos token.Position, rest string) {
	for _, word := range strings.Split(rest, ",") {
		if name, _, _ := strings.Cut(word, "="); name != "" && name != "register" {
			r.diags.Errorf(pos, "+%s has no option %q", model.DeepCopyMarker, word).Suggest("remove it")
		}
	}
}

// isTrue reads the value of a marker, which must be true or false.
func (r *copyReader) isTrue(name, value string, pos token.Position) bool {
	if value != "true" && value != "false" {
		accepted := name == model.DeepCopyMarker && r.by.OtherValuesFalse
		r.diags.Mistakef(accepted, pos, "it is taken as false", "the value of +%s must be true or false, not %q", name, value).
			Suggest("write +%s=true, or remove it", name)
	}
	return value == "true"
}

// ofType reads the markers above a type. marked is false if there are none.
func (r *copyReader) ofType(src *load.Package, d load.Decl, all bool) (request typeRequest, marked bool) {
	request.copied = all
	if !r.HasMarker(d, func(line string) bool {
		return strings.HasPrefix(line, "+"+model.DeepCopyMarker) || !r.by.Script && strings.HasPrefix(line, "+"+model.ObjectMarker)
	}) {
		return request, false
	}
	found, _ := markers.Read(
		r.Fset, markers.Type, markers.ModeOf(r.by.Policy), r.Above(d.File, d.Type)...,
	) // only mistakes in these markers matter
	if r.by.Script {
		found = slices.DeleteFunc(found, func(m model.Marker) bool { return strings.HasPrefix(m.Name, model.ObjectMarker) })
	}
	root := false
	if value, pos, ok := r.single(found, model.ObjectMarker+":root"); ok && r.isTrue(model.ObjectMarker+":root", cmp.Or(value, "true"), pos) {
		root, request.explicit, request.copied = true, true, true
		r.checkObject(src, d, model.ObjectMarker+":root=true", pos)
		request.interfaces = append(request.interfaces, object)
	}
	if value, pos, ok := r.single(found, model.DeepCopyMarker); ok {
		word, rest, _ := strings.Cut(value, ",")
		r.checkRegister(pos, rest)
		request.copied, request.explicit = r.isTrue(model.DeepCopyMarker, word, pos), true
	} else if value, pos, ok := r.single(found, model.ObjectMarker+":generate"); ok {
		request.copied, request.explicit = r.isTrue(model.ObjectMarker+":generate", cmp.Or(value, "true"), pos), true
	}
	for _, m := range found {
		if m.Name != model.DeepCopyMarker+":interfaces" {
			continue
		}
		for _, name := range strings.Split(m.Text, ",") {
			name = strings.TrimSpace(name)
			if ref := model.ParseTypeRef(name); name != "" && request.copied && r.isInterface(d.File, ref, m) && !(root && ref == object) {
				if ref == object {
					r.checkObject(src, d, m.Name, m.Pos)
				}
				request.interfaces = append(request.interfaces, ref)
			}
		}
	}
	if value, pos, ok := r.single(found, model.DeepCopyMarker+":nonpointer-interfaces"); ok {
		request.byValue = r.isTrue(model.DeepCopyMarker+":nonpointer-interfaces", value, pos)
	}
	slices.SortFunc(request.interfaces, compareRefs)
	request.interfaces = slices.Compact(request.interfaces)
	for i, ref := range request.interfaces {
		if i > 0 && ref.Name == request.interfaces[i-1].Name {
			r.diags.Errorf(
				r.Fset.Position(d.Type.Name.Pos()), "type %s would have two methods DeepCopy%s, for %s and %s", d.Type.Name.Name, ref.Name,
				request.interfaces[i-1].Path, ref.Path,
			).Suggest("keep one of the interfaces")
		}
	}
	return request, true
}

func compareRefs(a, b model.TypeRef) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
}

// checkObject reports a type whose marker requests DeepCopyObject although it cannot implement runtime.Object, because
// it embeds nothing that could have the GetObjectKind method.
func (r *copyReader) checkObject(src *load.Package, d load.Decl, marker string, pos token.Position) {
	name := d.Type.Name.Name
	embeds := func(f gotypes.Field) bool { return f.Embedded }
	if f := r.outline.FieldsOf(src, d); f.Opaque || slices.ContainsFunc(f.List, embeds) || src.HasMethod(name, "GetObjectKind") ||
		src.HasMethod(name, "DeepCopyObject") {
		return
	}
	r.diags.Errorf(pos, "+%s is for objects, but %s does not embed metav1.TypeMeta", marker, name).
		Suggest("move the marker to the kind or its list, or remove it")
}

// isInterface checks that a marker names an interface.
func (r *copyReader) isInterface(f *load.File, ref model.TypeRef, m model.Marker) bool {
	if ref == object {
		return true
	}
	if ref.Path == "" {
		r.diags.Errorf(m.Pos, "+%s names %s without its package", m.Name, ref.Name).
			Suggest("write the import path before the name, as in %s.Object", runtimePath)
		return false
	}
	src := r.Imported(f, ref.Path)
	if src == nil {
		why := r.Remedy(ref.Path)
		r.diags.Errorf(m.Pos, "+%s names %s.%s, but there is no package %s", m.Name, ref.Path, ref.Name, ref.Path).
			Suggest("%s", cmp.Or(why, "correct the import path")).CausedBy(why)
		return false
	}
	d, ok := r.Lookup(src, ref.Name)
	if !ok || d.Type == nil {
		r.diags.Errorf(m.Pos, "+%s names %s, which package %s does not declare", m.Name, ref.Name, ref.Path).Suggest("correct the name")
		return false
	}
	if t := r.Named(src, d, nil); t.Kind != model.Interface {
		r.diags.Errorf(m.Pos, "+%s names %s, which is not an interface", m.Name, ref.Name).WithRelated(r.Fset.Position(d.Type.Name.Pos())).
			Suggest("use an interface that the type implements")
		return false
	}
	return true
}

// settle determines which methods are generated for a declared type when all types are known, and reports whether there
// are any. Methods are generated for exported structs, maps and slices, and for basic types with one hand-written
// method.
func (r *copyReader) settle(request *packageRequest, src *load.Package, d *model.Declared) bool {
	typ := request.types[src.Decls[d.Name].Type]
	copyable := false
	switch t := d.Type.Underlying(); {
	case !token.IsExported(d.Name):
	case d.Type.Kind == model.Struct, d.Type.Kind == model.Named && (t.Kind == model.Map || t.Kind == model.Slice):
		copyable = true
	case t.Kind == model.Basic:
		copyable = d.Methods.Any()
	}
	if typ.explicit && typ.copied && !request.all && !copyable {
		r.diags.Warnf(
			d.Pos, "type %s is marked for DeepCopy methods, but these are only generated for exported structs, maps and slices", d.Name,
		).Suggest("remove the marker")
	}
	d.Copied = typ.copied && copyable
	for _, m := range d.Methods.Unusable {
		if d.Copied {
			r.diags.Errorf(m.Pos, "%s of %s cannot be used to copy it", m.Name, d.Name).Suggest("declare it as %s", m.Wanted)
		}
	}
	if d.Copied && d.Type.Kind == model.Struct {
		for _, ref := range typ.interfaces {
			if !slices.Contains(d.Methods.Others, "DeepCopy"+ref.Name) {
				d.Interfaces = append(d.Interfaces, ref)
			}
		}
		d.ByValue = typ.byValue
		r.checkFields(d)
	}
	return d.Copied
}

// checkFields reports fields of a struct with the name of a method that is generated for it.
func (r *copyReader) checkFields(d *model.Declared) {
	methods := []string{}
	if d.Methods.DeepCopy == nil {
		methods = append(methods, "DeepCopy")
	}
	if d.Methods.DeepCopyInto == nil {
		methods = append(methods, "DeepCopyInto")
	}
	for _, ref := range d.Interfaces {
		methods = append(methods, "DeepCopy"+ref.Name)
	}
	fields := d.Type.Fields
	if d.Type.Struct != nil {
		fields = d.Type.Struct.Fields
	}
	for _, f := range fields {
		if slices.Contains(methods, f.Name) {
			r.diags.Errorf(f.Pos, "field %s of %s has the name of a method that is generated for it", f.Name, d.Name).
				Suggest("rename the field; its JSON tag can stay")
		}
	}
}
