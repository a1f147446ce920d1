package openapi

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reader reads what definitions depend on.
type reader struct {
	*gotypes.Reader
	release
	diags diag.List

	input     map[*load.Package]bool           // whose comments above types and packages count
	ofAliases map[*gotypes.Declaration]comment // see readAliases
	parsed    map[*load.Package]bool           // see parse
	fields    map[*gotypes.Declaration][]*field
	methods   map[*gotypes.Declaration]map[string]string
	enums     map[*gotypes.Declaration]*enum // nil until they are read
}

// newReader returns a reader for which the comments in the input of types count.
func newReader(types *gotypes.Reader) *reader {
	r := &reader{
		Reader: types, release: releaseOf(types.Modules), input: map[*load.Package]bool{}, parsed: map[*load.Package]bool{},
		ofAliases: map[*gotypes.Declaration]comment{}, fields: map[*gotypes.Declaration][]*field{},
		methods: map[*gotypes.Declaration]map[string]string{},
	}
	for _, src := range types.Input {
		r.input[src] = true
	}
	return r
}

func (r *reader) errorf(pos token.Pos, format string, args ...any) *diag.Diagnostic {
	return r.diags.Errorf(r.Fset.Position(pos), format, args...)
}

// goType is the type of a field or element.
type goType struct {
	*gotypes.Expr                      // without names of types and aliases
	in            *gotypes.Declaration // that contains the expression
	decl          *gotypes.Declaration // of a type with a name, or nil
	args          []goType             // type arguments of the declaration that contains the expression
}

// isInterface and isStruct report whether the underlying type is an interface, or a struct with a name.
func (t goType) isInterface() bool {
	return t.Form == gotypes.InterfaceForm || t.Form == gotypes.BuiltinForm && (t.Name.Name == "any" || t.Name.Name == "error")
}
func (t goType) isStruct() bool { return t.Form == gotypes.StructForm && t.decl != nil }

// isList reports whether a type is a slice or an array.
func (t goType) isList() bool { return t.Form == gotypes.SliceForm || t.Form == gotypes.ArrayForm }

// formOf returns the form in JSON of a type that has no name, or of time.Time. It is the zero form for others. The
// release of Go for declarative validation does not tell any from interface{}.
func (r *reader) formOf(t goType) form {
	switch {
	case t.isStruct():
		return forms[nameOf(t.decl)]
	case t.decl != nil:
	case t.Form == gotypes.SliceForm && r.isByte(t):
		return forms["[]byte"]
	case t.IsEmptyInterface(), r.declarative && t.Form == gotypes.BuiltinForm && t.Name.Name == "any":
		return forms["interface{}"]
	case t.Form == gotypes.BuiltinForm:
		return forms[t.Name.Name]
	}
	return form{}
}

// isByte reports whether the elements of a slice are written as byte.
func (r *reader) isByte(t goType) bool {
	elem := goType{Expr: t.Elem}
	if t.Elem.Form == gotypes.ParamForm {
		elem = r.elem(t)
	}
	return elem.decl == nil && elem.Form == gotypes.BuiltinForm && elem.Name.Name == "byte"
}

func (r *reader) elem(t goType) goType { return r.resolve(t.in, t.Elem, t.args) }

// target returns the target of pointers. A pointer to itself has none, which is no type.
func (r *reader) target(t goType) goType {
	for depth := 0; t.Form == gotypes.PointerForm; depth++ {
		if depth == maxDepth {
			return goType{Expr: &gotypes.Expr{}, in: t.in}
		}
		t = r.elem(t)
	}
	return t
}

// base returns a type, or the target of a pointer. Predeclared types other than interfaces, maps and slices have no
// name then.
func (r *reader) base(t goType) goType {
	t = r.target(t)
	if !t.isInterface() && (t.Form == gotypes.BuiltinForm || t.Form == gotypes.MapForm || t.Form == gotypes.SliceForm) {
		t.decl = nil
	}
	return t
}

// resolve returns the type that an expression denotes in a declaration with type arguments. An alias is its target.
func (r *reader) resolve(in *gotypes.Declaration, e *gotypes.Expr, args []goType) goType {
	switch e.Form {
	case gotypes.NamedForm, gotypes.InstanceForm:
		if d := r.Follow(in, e); d != nil {
			return r.declared(d, r.arguments(in, e, args)...)
		}
		r.errorf(e.Pos, "type %s is not found", e.Name.Name).Suggest("%s", r.Remedy(e.Name.Path)).Once(e.Name.Missing())
	case gotypes.ParamForm:
		if i := slices.Index(in.Params, e.Name.Name); i < len(args) {
			return args[i]
		}
	}
	return goType{Expr: e, in: in, args: args}
}

// arguments returns the type arguments in an expression.
func (r *reader) arguments(in *gotypes.Declaration, e *gotypes.Expr, args []goType) (found []goType) {
	for _, arg := range e.Args {
		found = append(found, r.resolve(in, arg, args))
	}
	return found
}

// declared returns a declared type with type arguments. An alias of itself is no type.
func (r *reader) declared(d *gotypes.Declaration, args ...goType) goType {
	var named *gotypes.Declaration // the first one that is no alias
	for range maxDepth {
		if named == nil && !d.Alias {
			named = d
			r.parse(d.Package)
		}
		next := d
		if d.Type.Form == gotypes.NamedForm || d.Type.Form == gotypes.InstanceForm {
			next = r.Follow(d, d.Type)
		}
		switch {
		case next == nil || named == nil && next == d: // not found, or an alias of a type without a name
			return r.resolve(d, d.Type, args)
		case next == d:
			return goType{d.Type, d, named, args}
		}
		d, args = next, r.arguments(d, d.Type, args)
	}
	return goType{Expr: &gotypes.Expr{}, in: d}
}

// ignored reports whether a build constraint hides a file from generators.
func ignored(f *load.File) bool {
	top, _, _ := strings.Cut(string(f.Text[:min(len(f.Text), 4096)]), "\npackage ")
	return strings.Contains(top, "ignore_autogenerated")
}

// parse parses the generated files of a package that declare structs, constants, or methods that count.
func (r *reader) parse(src *load.Package) {
	if r.parsed[src] {
		return
	}
	r.parsed[src] = true
	r.ReadOnce(src)
	r.ParseWhere(src, func(f *load.File) bool {
		text := string(f.Text)
		return !ignored(f) && (strings.Contains(text, "\ntype ") && strings.Contains(text, " struct {") ||
			strings.Contains(text, ") UnmarshalJSON(") || strings.Contains(text, ") OpenAPI") ||
			strings.Count(text, "\nconst ") > strings.Count(text, "\nconst _ "))
	})
}

// methodsOf returns the methods of a declared type, by name: the result of a method with one result and without
// parameters, as it is called here, or else "".
func (r *reader) methodsOf(d *gotypes.Declaration) map[string]string {
	found, ok := r.methods[d]
	if ok {
		return found
	}
	r.parse(d.Package)
	found = map[string]string{}
	for _, fn := range d.Package.Methods(d.Name) {
		i := slices.IndexFunc(d.Package.Files, func(f *load.File) bool {
			return f.Syntax != nil && f.Syntax.FileStart <= fn.Pos() && fn.Pos() < f.Syntax.FileEnd
		})
		if i >= 0 && !ignored(d.Package.Files[i]) {
			found[fn.Name.Name] = r.result(d.Package.Files[i], fn.Type)
		}
	}
	r.methods[d] = found
	return found
}

func (r *reader) result(f *load.File, fn *ast.FuncType) string {
	if fn.Params.NumFields() > 0 || fn.Results.NumFields() != 1 {
		return ""
	}
	pkg, name, qualified := strings.Cut(types.ExprString(fn.Results.List[0].Type), ".")
	switch {
	case !qualified:
		return pkg
	case r.ImportPath(f, pkg) == commonPackage:
		return name
	}
	return ""
}

// field is a field of a struct.
type field struct {
	*gotypes.DeclaredField
	in       *gotypes.Declaration // that declares the field
	args     []goType             // type arguments of the declaration
	name     string               // in Go
	embedded bool
	comment  comment

	tag     string   // the JSON tag
	tagged  bool     // there is one
	options []string // in the tag, after the name
	json    string   // the name in JSON, or "" if it has none
}

// fieldsOf returns the fields of a struct, or nil for other types.
func (r *reader) fieldsOf(t goType) []*field {
	if !t.isStruct() {
		return nil
	}
	found, ok := r.fields[t.in]
	if ok && len(t.args) == 0 {
		return found
	}
	found = nil
	for _, f := range t.in.Fields {
		one := &field{
			DeclaredField: f, in: t.in, args: t.args, name: f.GoName(), embedded: f.Name == "", comment: r.commentAt(t.in, f.Pos),
			json: f.GoName(),
		}
		if one.tag, one.tagged = f.Tag.Lookup("json"); one.tag != "" {
			one.options = strings.Split(one.tag, ",")[1:]
			if one.json, _, _ = strings.Cut(one.tag, ","); one.json == "-" {
				one.json = ""
			}
		}
		found = append(found, one)
	}
	if len(t.args) == 0 {
		r.fields[t.in] = found
	}
	return found
}

// typeOf returns the type of a field.
func (r *reader) typeOf(f *field) goType { return r.resolve(f.in, f.Type, f.args) }

// inline reports whether the fields of a field's struct take its place.
func (r *reader) inline(f *field) bool {
	if r.byTag {
		return f.embedded && f.tagged && (f.tag == "" || f.tag[0] == ',')
	}
	return len(f.options) > 0 && f.options[0] == "inline"
}

// omitEmpty reports whether the JSON form lacks the field if it is empty.
func (r *reader) omitEmpty(f *field) bool {
	if r.plain {
		return slices.Contains(f.options, "omitempty")
	}
	return strings.Contains(f.tag, "omitempty")
}

// optional reports whether objects may lack the field.
func (r *reader) optional(f *field) bool {
	optional, required := r.marks(f.comment, "optional"), r.marks(f.comment, "required")
	if optional && required {
		r.errorf(f.Pos, "field %s is marked both optional and required", f.name).Suggest("keep one of the markers")
	}
	return optional || !required && r.omitEmpty(f)
}

// hides reports whether JSON lacks a field of a type with methods for its own encoding.
func (r *reader) hides(d *gotypes.Declaration, f *field) bool {
	_, encodes := r.methodsOf(d)["MarshalJSON"]
	_, decodes := r.methodsOf(d)["UnmarshalJSON"]
	return r.declarative && !f.embedded && !token.IsExported(f.name) && encodes && decodes
}
