// This file determines for which types conversion functions are generated, and finds the hand-written ones. It reads
// the markers of packages, and types with their fields as far as they differ from the fields of their peers. It does
// not determine how the functions convert values.

package products

import (
	"bytes"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// basePeers are packages of apimachinery with conversion functions.
var basePeers = []string{model.MetaV1, model.Conversion, runtimePath}

// conversionReader reads the markers that request conversion functions, the functions, and the types.
type conversionReader struct {
	*gotypes.Reader
	by        *Output
	markersOf func(*load.Package) []model.Marker
	shared    []*load.Package // peers of all packages
	seen      map[string]bool // pairs of types that were read
	diags     diag.List
}

// conversionRequest holds the requests of the markers in a package.
type conversionRequest struct {
	src, types *load.Package
	pos        token.Position
	peers      []*load.Package
	marked     int    // number of the peers that markers name, which are first
	named      int    // marked, and the number of the packages of hubs, which follow
	hubs       []*hub // of its kinds
	onlyHubs   bool   // the package has no marker itself
}

// requestsConversions reports whether an output may generate functions for a package.
func requestsConversions(r *Reading, o *Output, src *load.Package) bool {
	isMarker := func(m model.Marker) bool { return m.Name == model.ConversionMarker }
	mentions := func(in *load.Package) bool { return in.Mentions(model.HubMarker) }
	return slices.ContainsFunc(r.MarkersOf(src), isMarker) || !o.Policy.NoOwnMarkers && slices.ContainsFunc(r.Input, mentions)
}

// readConversions reads the conversions of packages of the input that have a marker, and of hubs and their spokes.
func readConversions(of *Reading, models map[*load.Package]*model.Package) diag.List {
	r := &conversionReader{
		Reader: gotypes.NewReader(of.Loader, of.Own.Policy).ForCopies(nil, nil), by: of.Own, markersOf: of.MarkersOf, seen: map[string]bool{},
	}
	r.findShared()
	neighbors := r.neighbors()
	var requests []*conversionRequest
	for _, src := range r.Input {
		if src.Foreign {
			continue
		}
		if request := r.ofPackage(src, of.MarkersOf(src)); request != nil {
			requests = append(requests, request)
		}
	}
	hubs := r.hubs(slices.Concat(r.Input, neighbors))
	requests = r.addSpokes(requests, neighbors, hubs)
	if len(requests) == 0 && len(hubs) == 0 {
		return r.diags
	}
	reportCycles(requests, &r.diags)
	known := r.newServers(slices.Concat(r.Input, neighbors))
	functions := r.functions(requests)
	for _, request := range requests {
		models[request.src].Conversions = r.conversions(request, functions, known)
	}
	r.addHubs(models, hubs)
	return slices.Concat(r.diags, r.Refused())
}

// findShared finds the peers of all packages. It reads the packages that markers name in one call of the go command.
func (r *conversionReader) findShared() {
	bases := r.by.Flags.BasePeers
	if bases == nil {
		bases = basePeers
	}
	var named []string
	for _, src := range r.Input {
		for _, m := range r.markersOf(src) {
			isPath := m.Text != "" && m.Text != "false" && !r.IsLocal(m.Text)
			if isPath && (m.Name == model.ConversionMarker || m.Name == model.ExternalTypesMarker) {
				named = append(named, m.Text)
			}
		}
	}
	r.Match(slices.Concat(named, bases, r.by.Flags.ExtraPeers))
	base, _ := r.Match(bases) // a module that is not required has no types to convert
	r.shared = append(base, extraPeers(r.Loader, r.by.Flags.ExtraPeers, &r.diags)...)
}

// conversions reads the conversions of a package. functions are the hand-written ones of all packages.
func (r *conversionReader) conversions(request *conversionRequest, functions []*model.ConversionFunc, known *servers) *model.Conversions {
	c := &model.Conversions{Pos: request.pos, Declared: r.declared(request.src)}
	for _, f := range functions {
		switch {
		case f.Path == request.src.Path:
			c.Functions = slices.Insert(c.Functions, 0, f)
		case !r.Known[f.Path].Imports(request.src.Path): // or else it cannot be called
			c.Functions = append(c.Functions, f)
		}
	}
	_, c.Registers = r.Lookup(request.src, model.LocalSchemeBuilder)
	r.readSpokes(request, c, known)
	r.readTypes(request, c)
	return c
}

// groupVersion returns the group and version of a package.
func (r *conversionReader) groupVersion(src *load.Package) kinds.GroupVersion {
	return kinds.GroupVersionOf(r.Loader, src, r.markersOf(src), r.by.Policy)
}

// reportCycles reports packages that name each other, so that generated code would make an import cycle.
func reportCycles(requests []*conversionRequest, diags *diag.List) {
	names := func(a, b *conversionRequest) bool { return a != b && slices.Contains(a.peers[:a.named], b.src) }
	for i, request := range requests {
		for _, other := range requests[:i] {
			if names(request, other) && names(other, request) {
				diags.Errorf(
					request.pos, "the markers of %s and %s name each other: generated code would make an import cycle", request.src.Path,
					other.src.Path,
				).WithRelated(other.pos).Suggest("remove one of the markers")
			}
		}
	}
}

// declared returns the positions of declarations whose names generated functions may have.
func (r *conversionReader) declared(src *load.Package) map[string]token.Position {
	found := map[string]token.Position{}
	for name, d := range src.Decls {
		if !gofile.IsForTypes(d.File.Text) && (name == model.RegisterConversions || strings.Contains(name, "Convert_")) {
			found[name] = r.Fset.Position(d.Node.Pos())
		}
	}
	return found
}

// ofPackage reads the markers of a package. It returns nil if no functions are requested.
func (r *conversionReader) ofPackage(src *load.Package, found []model.Marker) *conversionRequest {
	request := &conversionRequest{src: src, types: src}
	var paths []model.Marker // of peers
	alone := false
	for _, m := range found {
		switch {
		case m.Name != model.ConversionMarker:
		case request.pos.IsValid() && alone != (m.Text == "false"):
			r.diags.Errorf(m.Pos, "+%s is both false and the path of a package", m.Name).WithRelated(request.pos).Suggest("keep one of the markers")
		case m.Text == "false":
			request.pos, alone = m.Pos, true
		default:
			request.pos, paths = m.Pos, append(paths, m)
		}
	}
	if !request.pos.IsValid() {
		return nil
	}
	external, externalPos, isExternal := markers.Single(found, model.ExternalTypesMarker, markers.ModeOf(r.by.Policy), &r.diags)
	if isExternal {
		paths = append(paths, model.Marker{Name: model.ExternalTypesMarker, Text: external, Pos: externalPos})
	}
	for _, m := range paths {
		switch peer := packageNamed(r.Loader, m, &r.diags); {
		case peer == nil || !canImport(src, peer, m, &r.diags):
		case m.Name == model.ExternalTypesMarker:
			request.types = peer
		case !slices.Contains(request.peers, peer):
			request.peers = append(request.peers, peer)
		}
	}
	request.marked, request.named = len(request.peers), len(request.peers)
	if !alone || len(paths) > 0 {
		request.peers = append(request.peers, r.shared...)
	}
	return request
}

// functions returns the hand-written conversion functions of the packages of requests and of their peers, ordered by
// package and name. Where several packages have functions for the same types, a package takes its own, or else the
// first one.
func (r *conversionReader) functions(requests []*conversionRequest) (found []*model.ConversionFunc) {
	read := map[*load.Package]bool{}
	others := slices.Clone(r.shared)
	for _, request := range requests {
		others = append(append(others, request.peers...), request.types, request.src)
	}
	slices.SortStableFunc(others, func(a, b *load.Package) int { return strings.Compare(a.Path, b.Path) })
	for _, src := range others {
		if read[src] {
			continue
		}
		read[src] = true
		r.readByHand(src, "Convert_")
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			d := src.Decls[name]
			fn, ok := d.Node.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(name, "Convert_") || gofile.IsForTypes(d.File.Text) {
				continue
			}
			if f := r.function(src, d.File, fn); f != nil {
				switch want := f.FuncName(); {
				case want == name:
					found = append(found, f)
				case !src.Foreign:
					r.diags.Warnf(f.Pos, "%s is not called or registered: its name is not the one for its types", name).Suggest("rename it %s", want)
				}
			}
		}
	}
	return found
}

// readByHand reads the files of a package with a text, except for the ones that are gofile.IsForTypes.
func (r *conversionReader) readByHand(src *load.Package, text string) {
	r.ReadOnce(src)
	r.ParseWhere(src, func(f *load.File) bool { return bytes.Contains(f.Text, []byte(text)) && !gofile.IsForTypes(f.Text) })
}

// function returns a function with the parameters and results of a conversion function: two pointers, a Scope and an
// error. It returns nil for any other.
func (r *conversionReader) function(src *load.Package, f *load.File, fn *ast.FuncDecl) *model.ConversionFunc {
	if fn.Type.TypeParams != nil || fn.Type.Params.NumFields() != 3 || fn.Type.Results.NumFields() != 1 {
		return nil
	}
	if result, ok := fn.Type.Results.List[0].Type.(*ast.Ident); !ok || result.Name != "error" {
		return nil
	}
	var params []ast.Expr
	for _, field := range fn.Type.Params.List {
		for range max(1, len(field.Names)) {
			params = append(params, field.Type)
		}
	}
	in, isPointer := params[0].(*ast.StarExpr)
	out, isPointer2 := params[1].(*ast.StarExpr)
	if !isPointer || !isPointer2 {
		return nil
	}
	if scope := r.TypeOf(src, f, params[2]); scope.Name != (model.TypeRef{Path: model.Conversion, Name: "Scope"}) {
		return nil
	}
	found := &model.ConversionFunc{
		TypeRef: model.TypeRef{Path: src.Path, Name: fn.Name.Name}, Pos: r.Fset.Position(fn.Name.Pos()),
		TypePair: model.TypePair{In: r.TypeOf(src, f, in.X), Out: r.TypeOf(src, f, out.X)},
	}
	for _, line := range markers.Lines(r.Fset, fn.Doc) {
		switch value, _ := strings.CutPrefix(line.Text, "+"+model.ConversionFuncMarker+"="); value {
		case "copy-only":
			found.CopyOnly = true
		case "drop":
			found.Drop = true
		}
	}
	return found
}

// readTypes reads the types of a package and their peers.
func (r *conversionReader) readTypes(request *conversionRequest, c *model.Conversions) {
	for _, src := range append(slices.Clone(request.peers), request.types) {
		r.readByHand(src, "\ntype ")
	}
	for _, name := range gotypes.DeclaredTypes(request.types) {
		d := request.types.Decls[name]
		if gofile.IsForTypes(d.File.Text) || d.Type.TypeParams != nil {
			continue
		}
		off := r.isOff(d)
		t := r.Named(request.types, d, nil)
		if t.Kind == model.Struct && token.IsExported(name) && !off {
			for _, pair := range r.pairs(request, t) {
				c.Pairs = append(c.Pairs, pair)
				r.readPair(pair)
			}
		}
		if r.HasMarker(d, func(line string) bool { return line == "+"+model.ConvertedFromMarker+"=net/url.Values" }) {
			c.FromValues = append(c.FromValues, t)
			r.StructFields(t)
		}
	}
	if len(c.FromValues) > 0 {
		if src := r.Imported(nil, "net/url"); src != nil {
			if d, ok := r.Lookup(src, "Values"); ok {
				c.Values = r.Named(src, d, nil)
			}
		}
	}
}

// isOff reports whether a marker directly above a type excludes it. In the comment above that one, the marker has no
// effect, as in conversion-gen.
func (r *conversionReader) isOff(d load.Decl) (off bool) {
	near, far := r.CommentsIn(d.File).NearAndFar(d.Type.Pos())
	for _, line := range markers.Lines(r.Fset, far) {
		if line.Text == "+"+model.ConversionMarker+"=false" {
			r.diags.Warnf(line.Pos, "+%s has no effect in a comment that does not end directly above the type", model.ConversionMarker).
				Suggest("move it to the comment directly above, or remove it")
		}
	}
	for _, line := range markers.Lines(r.Fset, near) {
		value, ok := strings.CutPrefix(line.Text, "+"+model.ConversionMarker+"=")
		if from, isFrom := strings.CutPrefix(line.Text, "+"+model.ConvertedFromMarker+"="); isFrom && from != "net/url.Values" {
			r.diags.Errorf(line.Pos, "+%s=%s: only net/url.Values is possible", model.ConvertedFromMarker, from).Suggest("remove the marker")
		}
		switch {
		case !ok:
		case value == "false":
			off = true
		default:
			r.diags.Errorf(line.Pos, "+%s=%s above a type: only false is possible", model.ConversionMarker, value).
				Suggest("remove the marker, or move it to the comment of the package")
		}
	}
	return off
}

// peer returns the type with a name in the first of the peers that declares one, or nil.
func (r *conversionReader) peer(peers []*load.Package, name string) *model.Type {
	for _, peer := range peers {
		d, ok := peer.Decls[name]
		if ok && !gofile.IsForTypes(d.File.Text) && d.Type != nil && !d.Type.Assign.IsValid() && d.Type.TypeParams == nil {
			return r.Named(peer, d, nil)
		}
	}
	return nil
}

// readPair reads the fields of two types, as far as the types differ.
func (r *conversionReader) readPair(pair model.TypePair) {
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	if in == out || r.seen[pair.Identity()] {
		return
	}
	r.seen[pair.Identity()] = true
	if in.Kind != out.Kind {
		return
	}
	switch in.Kind {
	case model.Struct:
		fields := r.StructFields(in)
		others := model.Counterparts(fields, r.StructFields(out))
		for _, f := range fields {
			if other := others[f]; other != nil {
				r.readPair(model.TypePair{In: f.Type, Out: other.Type})
			}
		}
	case model.Map:
		r.readPair(model.TypePair{In: in.Key, Out: out.Key})
		r.readPair(pair.Elems())
	case model.Pointer, model.Slice, model.Array:
		r.readPair(pair.Elems())
	}
}
