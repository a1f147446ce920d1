// This file determines the types for which functions that set defaults are generated, and finds the functions written
// by hand. It does not determine what the generated functions set.

package products

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// requestsDefaults reports whether an output generates functions for a package.
func requestsDefaults(r *Reading, _ *Output, src *load.Package) bool {
	_, requested := requestedFields(src, r.MarkersOf(src))
	return requested
}

// requestedFields returns the values of the markers of a package: the names of fields of the structs that functions are
// generated for. requested is false if functions are requested neither for the package nor, as far as its text says,
// for single types.
func requestedFields(src *load.Package, found []model.Marker) (fields []string, requested bool) {
	for _, m := range found {
		if m.Name == model.DefaulterMarker {
			fields = append(fields, m.Text)
		}
	}
	if len(fields) == 0 {
		return nil, src.Mentions("+" + model.DefaulterMarker + "=true")
	}
	return fields, !slices.Contains(fields, "false")
}

// readDefaults reads the functions of the packages of the input whose markers request them.
func readDefaults(of *Reading, models map[*load.Package]*model.Package) diag.List {
	r := &defaultsReader{
		Reader: gotypes.NewReader(of.Loader, of.Own.Policy), by: of.Own, found: map[string]*defaulters{}, marked: map[string]bool{},
		read: map[*load.Package]bool{}, reported: map[token.Position]bool{},
	}
	r.findPeers(of.MarkersOf)
	var builders []*defaultsBuilder
	for _, src := range r.Input { // the functions found so far decide which ones are generated, as for defaulter-gen
		found := of.MarkersOf(src)
		fields, requested := requestedFields(src, found)
		requested = requested && !src.Foreign
		if !r.by.Consistent || src.Mentions("+"+model.DefaulterMarker) {
			r.findFunctions(src, requested)
		}
		r.checkMarkers(found)
		if !requested {
			continue
		}
		if types := r.typesOf(src, found); types != nil {
			builders = append(builders, r.generated(src, types, fields))
		}
	}
	for _, b := range builders {
		if of := b.functions(); b.requested || len(of.Types) > 0 {
			models[b.src].Defaults = of
		}
	}
	return slices.Concat(r.diags, r.Refused())
}

// findPeers finds the functions of packages named by a flag, and reads those named by markers in one call of the go
// command.
func (r *defaultsReader) findPeers(markersOf func(*load.Package) []model.Marker) {
	var others []string
	for _, src := range r.Input {
		r.marked[src.Path] = true
		for _, m := range markersOf(src) {
			if m.Name == model.DefaulterInputMarker {
				others = append(others, m.Text)
			}
		}
	}
	r.Match(append(others, r.by.Flags.ExtraPeers...))
	for _, src := range extraPeers(r.Loader, r.by.Flags.ExtraPeers, &r.diags) {
		r.marked[src.Path] = true
		r.findFunctions(src, false)
	}
}

// defaultsReader reads functions and markers that set defaults.
type defaultsReader struct {
	*gotypes.Reader
	by       *Output
	found    map[string]*defaulters // hand-written functions, by the text that identifies their type
	marked   map[string]bool        // import paths of packages whose types have markers
	read     map[*load.Package]bool // whose functions were found
	reported map[token.Position]bool
	diags    diag.List
}

// defaulters are the hand-written functions that set the defaults in the values of a type.
type defaulters struct {
	object, base *defaulter
	covers       bool         // nothing else sets defaults in the parts of the values
	additional   []*defaulter // ordered by name
}

// defaulter is a hand-written function.
type defaulter struct {
	model.TypeRef
	pos token.Position
}

// errorf reports a mistake at a position where there is no other.
func (r *defaultsReader) errorf(pos token.Position, format string, args ...any) *diag.Diagnostic {
	if r.reported[pos] {
		return &diag.Diagnostic{}
	}
	r.reported[pos] = true
	return r.diags.Errorf(pos, format, args...)
}

// checkMarkers reports markers of a package that contradict each other.
func (r *defaultsReader) checkMarkers(found []model.Marker) {
	var first *model.Marker
	for _, m := range found {
		switch {
		case m.Name != model.DefaulterMarker:
		case first == nil:
			first = &m
		case (first.Text == "false") != (m.Text == "false"):
			r.errorf(m.Pos, "+%s is both %s and %s", model.DefaulterMarker, first.Text, m.Text).WithRelated(first.Pos).Suggest("keep one of them")
		}
	}
}

// typesOf returns the package of the types for which functions are generated in a package: the package itself, or the
// one that a marker names.
func (r *defaultsReader) typesOf(src *load.Package, found []model.Marker) *load.Package {
	importPath, pos, ok := markers.Single(found, model.DefaulterInputMarker, markers.ModeOf(r.by.Policy), &r.diags)
	if !ok {
		return src
	}
	m := model.Marker{Name: model.DefaulterInputMarker, Text: importPath, Pos: pos}
	types := packageNamed(r.Loader, m, &r.diags)
	if types == nil || !canImport(src, types, m, &r.diags) {
		return nil
	}
	r.marked[importPath] = true
	return types
}

// findFunctions finds the functions of a package that set defaults. If check is set, it warns about functions that are
// never called because of their names, parameters or results.
func (r *defaultsReader) findFunctions(src *load.Package, check bool) {
	if r.read[src] {
		return
	}
	r.read[src] = true
	r.ReadOnce(src)
	r.ParseMentioning(src, "func "+model.SetDefaults, "func "+model.SetObjectDefaults)
	for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
		d := src.Decls[name]
		fn, ok := d.Node.(*ast.FuncDecl)
		prefix := model.SetDefaults
		if strings.HasPrefix(name, model.SetObjectDefaults) {
			prefix = model.SetObjectDefaults
		}
		if !ok || !strings.HasPrefix(name, prefix) || d.File.Has(r.by.Files[Defaults].Marks) {
			continue
		}
		found := &defaulter{model.TypeRef{Path: src.Path, Name: name}, r.Fset.Position(fn.Name.Pos())}
		t := r.parameter(src, d.File, fn)
		if t == nil {
			of := strings.TrimPrefix(name, prefix)
			for i := len(of); i > 0 && src.Decls[of].Type == nil; i = strings.LastIndexByte(of, '_') {
				of = of[:i]
			}
			takes := func(f *ast.Field) bool { return load.BaseName(f.Type) == of } // not a runtime.Object, on purpose
			if check && slices.ContainsFunc(fn.Type.Params.List, takes) {
				r.diags.Warnf(found.pos, "%s is not called, because a pointer must be its only parameter, without results", name).
					Suggest("declare it as func %s(obj *%s)", name, of)
			}
			continue
		}
		if t.Kind == model.Unknown && t.Elem == nil && !model.IsStandard(t.Name.Path) {
			if check {
				r.errorf(r.Fset.Position(fn.Type.Params.List[0].Type.Pos()), "%s takes a pointer to %s, which does not exist", name, t.Name.Name).
					Suggest("%s", cmp.Or(t.Why, "correct the name of the type"))
			}
			continue
		}
		switch suffix, isOf := strings.CutPrefix(name, prefix+t.Name.Name); {
		case t.Name.Name == "" || !isOf || suffix != "" && (prefix == model.SetObjectDefaults || suffix[0] != '_'):
			if check && t.Name.Name != "" {
				r.diags.Warnf(found.pos, "%s is not called, because it is for values of type %s", name, t.Name.Name).
					Suggest("rename it to %s%s, or %s%[2]s_ and any text", prefix, t.Name.Name, model.SetDefaults)
			}
		default:
			r.add(t, found, prefix, suffix, fn)
		}
	}
}

// parameter returns the type whose pointer is the only parameter of a function without results and type parameters, or
// nil for other functions.
func (r *defaultsReader) parameter(src *load.Package, f *load.File, fn *ast.FuncDecl) *model.Type {
	if fn.Type.TypeParams != nil || fn.Type.Results.NumFields() > 0 || fn.Type.Params.NumFields() != 1 {
		return nil
	}
	if t := r.TypeOf(src, f, fn.Type.Params.List[0].Type); t.Kind == model.Pointer {
		return t.Elem
	}
	return nil
}

// add adds a function for a type.
func (r *defaultsReader) add(t *model.Type, found *defaulter, prefix, suffix string, fn *ast.FuncDecl) {
	key := t.Identity()
	known := r.found[key]
	if known == nil {
		known = &defaulters{}
		r.found[key] = known
	}
	of := &known.base
	switch {
	case prefix == model.SetObjectDefaults:
		of = &known.object
	case suffix != "":
		known.additional = append(known.additional, found)
		return
	default:
		known.covers = r.covers(fn)
	}
	if other := *of; other != nil {
		r.errorf(found.pos, "%s sets the defaults of %s, and so does %s.%s", found.Name, t.Name.Name, other.Path, other.Name).
			WithRelated(other.pos).Suggest("remove one of the functions")
	}
	*of = found
}

// covers reads the marker above a function.
func (r *defaultsReader) covers(fn *ast.FuncDecl) bool {
	covers := false
	for _, line := range markers.Lines(r.Fset, fn.Doc) {
		value, ok := strings.CutPrefix(line.Text, "+"+model.DefaulterMarker+"=")
		if covers = covers || value == "covers"; ok && value != "covers" {
			r.diags.Warnf(line.Pos, "+%s=%s has no effect above a function", model.DefaulterMarker, value).
				Suggest("write +%s=covers", model.DefaulterMarker)
		}
	}
	return covers
}

// generated determines the types for which functions are generated in a package. fields are the names of fields that
// request one for the structs with such a field.
func (r *defaultsReader) generated(src, types *load.Package, fields []string) *defaultsBuilder {
	r.ParseMentioning(types, "\ntype ")
	b := &defaultsBuilder{
		defaultsReader: r, src: src, home: src.Path, requested: len(fields) > 0, generated: map[string]bool{}, open: map[string]bool{},
	}
	switch d, ok := r.Lookup(src, "RegisterDefaults"); {
	case ok && !b.requested:
		return b // defaulter-gen up to v0.35 wrote functions for marked types, and later releases do not
	case ok:
		r.errorf(r.Fset.Position(d.Node.Pos()), "RegisterDefaults is generated for this package").Suggest("rename this one")
	}
	objects := r.Outline().Objects(types)
	for _, name := range gotypes.DeclaredTypes(types) {
		d := types.Decls[name]
		if !token.IsExported(name) || d.Type.TypeParams != nil {
			continue
		}
		t := r.Named(types, d, nil)
		if f := r.found[t.Identity()]; f != nil && f.object != nil || !r.wants(d, t, fields) {
			continue
		}
		_, isObject := objects[name]
		isObject = isObject || types.HasMethod(name, "DeepCopyObject") || r.HasMarker(d, gotypes.IsObjectMarker)
		b.wanted = append(b.wanted, wantedDefaults{t, isObject})
	}
	for again := true; again; { // until no type needs a function because of those of other types
		again = false
		for _, w := range b.wanted {
			if key := w.of.Identity(); !b.generated[key] && b.value(w.of, true) != nil {
				b.generated[key], again = true, true
			}
		}
	}
	return b
}

// functions returns the functions that are generated in the package.
func (b *defaultsBuilder) functions() *model.Defaults {
	found := &model.Defaults{}
	for _, w := range b.wanted {
		if b.generated[w.of.Identity()] {
			if d, ok := b.src.Decls[model.SetObjectDefaults+w.of.Name.Name]; ok && !d.File.Has(b.by.Files[Defaults].Marks) {
				b.errorf(b.Fset.Position(d.Node.Pos()), "%s%s has the name of a function that is generated", model.SetObjectDefaults, w.of.Name.Name).
					Suggest("declare it as func %s%s(in *%[2]s), or rename it", model.SetObjectDefaults, w.of.Name.Name)
			}
			found.Types = append(found.Types, &model.Defaulted{TypeRef: w.of.Name, Object: w.object, Value: b.value(w.of, true)})
		}
	}
	return found
}

// wants reports whether a function is generated for a type, if there is anything to set: because of its marker, which
// the classic tool reads only in a comment above the documentation, or of a field.
func (r *defaultsReader) wants(d load.Decl, t *model.Type, fields []string) bool {
	near, far := r.CommentsIn(d.File).NearAndFar(d.Type.Pos())
	var values []string
	for _, line := range markers.Lines(r.Fset, far, near) {
		value, ok := strings.CutPrefix(line.Text, "+"+model.DefaulterMarker+"=")
		switch {
		case !ok:
			continue
		case value != "true" && value != "false":
			r.diags.Warnf(line.Pos, "the value of +%s above a type must be true or false, not %q: it has no effect", model.DefaulterMarker, value).
				Suggest("write +%s=true, or remove it", model.DefaulterMarker)
			continue
		case r.by.Policy.AcceptMistakes && near != nil && line.Pos.Offset >= r.Fset.Position(near.Pos()).Offset:
			r.diags.Warnf(line.Pos, "+%s=%s has no effect in the comment directly above a type", model.DefaulterMarker, value).
				Suggest("put a blank line below it, above the documentation of the type")
			continue
		}
		values = append(values, value)
	}
	switch {
	case slices.Contains(values, "false"):
		return false
	case len(values) > 0:
		return true
	case t.Kind != model.Struct:
		return false
	}
	return slices.ContainsFunc(r.StructFields(t), func(f *model.Field) bool { return slices.Contains(fields, f.Name) })
}
