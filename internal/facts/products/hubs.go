// This file finds the kinds that are hubs of conversions, and the other versions of these kinds, the spokes. It adds
// them to the requests of markers for conversion-gen, as whose peers the packages of hubs count.

package products

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// controllerRuntime is the module with the interfaces of hubs and spokes.
const controllerRuntime = "sigs.k8s.io/controller-runtime"

// hub is a kind with model.HubMarker.
type hub struct {
	src            *load.Package
	kind           string
	pos            token.Position // of the marker
	group, version string
	partial        bool // some spokes are not in the input
}

// groupKind identifies a kind in all versions.
type groupKind struct{ group, kind string }

// neighbors returns the packages outside the input that may have hubs or spokes of kinds in the input, if a run or an
// output is only for some versions: the packages that generated conversions in the input import, and those of other
// versions in directories beside it.
func (r *conversionReader) neighbors() (found []*load.Package) {
	if r.by.Policy.NoOwnMarkers {
		return nil
	}
	var paths []string
	for _, src := range r.Input {
		for _, f := range slices.Concat(src.Files, src.Hidden) {
			if f.Has(r.by.Files[Conversions].Marks) {
				paths = append(paths, load.ImportsIn(f.Text)...)
			}
		}
		if !src.Foreign {
			paths = append(paths, r.versionsBeside(src)...)
		}
	}
	r.Preload(paths...)
	for _, importPath := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if src := r.Known[importPath]; src != nil && !src.Foreign && !slices.Contains(r.Input, src) {
			r.ReadOnce(src)
			found = append(found, src)
		}
	}
	return found
}

// versionsBeside returns the import paths of packages outside the input that have the names of versions, in directories
// beside a package, if this package or one of them mentions a hub.
func (r *conversionReader) versionsBeside(src *load.Package) (paths []string) {
	parent := filepath.Dir(src.Dir())
	entries, err := os.ReadDir(parent)
	if err != nil || r.Modules.Root(parent) != r.Modules.Root(src.Dir()) {
		return nil
	}
	mentioned := src.Mentions(model.HubMarker)
	for _, entry := range entries {
		importPath := path.Join(path.Dir(src.Path), entry.Name())
		if !model.IsVersion(entry.Name()) || slices.ContainsFunc(r.Input, func(in *load.Package) bool { return in.Path == importPath }) {
			continue
		}
		files := load.GoFiles(filepath.Join(parent, entry.Name()))
		if len(files) > 0 {
			paths = append(paths, importPath)
		}
		mentioned = mentioned || slices.ContainsFunc(files, func(name string) bool {
			text, err := r.ReadFile(name)
			return err == nil && bytes.Contains(text, []byte(model.HubMarker))
		})
	}
	if !mentioned {
		return nil
	}
	return paths
}

// hubs returns the kinds in packages that are marked as hubs.
func (r *conversionReader) hubs(packages []*load.Package) map[groupKind]*hub {
	found := map[groupKind]*hub{}
	if r.by.Policy.NoOwnMarkers {
		return found
	}
	for _, src := range packages {
		if src.Foreign || !src.Mentions(model.HubMarker) {
			continue
		}
		r.readByHand(src, "\ntype ")
		for _, name := range gotypes.DeclaredTypes(src) {
			d := src.Decls[name]
			pos, ok := r.hubMarker(d)
			if !ok {
				continue
			}
			gv := r.groupVersion(src)
			one := &hub{src: src, kind: name, pos: pos, group: gv.Group, version: gv.Version}
			key := groupKind{gv.Group, name}
			switch first := found[key]; {
			case d.Type.TypeParams != nil:
				r.diags.Errorf(pos, "%s has type parameters, so that it cannot be a hub", name).
					Suggest("declare a type without them, and move the marker to it")
			case !r.hasMetadata(src, d):
				r.diags.Errorf(pos, "%s has no TypeMeta and ObjectMeta, so that it cannot be a hub", name).
					Suggest("embed both, or move the marker to the kind")
			case first != nil:
				r.diags.Errorf(pos, "%s is a hub in %s as well", name, first.src.Path).WithRelated(first.pos).
					Suggest("keep the marker above one version, as a rule the stored one")
			default:
				found[key] = one
			}
		}
	}
	return found
}

// ordered returns hubs in the order of their positions.
func ordered(hubs map[groupKind]*hub) iter.Seq[*hub] {
	return slices.Values(slices.SortedFunc(maps.Values(hubs), func(a, b *hub) int {
		return cmp.Or(strings.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line))
	}))
}

// hubMarker returns the position of the marker of a hub above a type.
func (r *conversionReader) hubMarker(d load.Decl) (pos token.Position, ok bool) {
	for _, line := range markers.Lines(r.Fset, r.Above(d.File, d.Type)...) {
		switch name, value, hasValue := strings.Cut(line.Text, "="); {
		case name != "+"+model.HubMarker:
		case hasValue:
			r.diags.Errorf(line.Pos, "%s takes no value", name).Suggest("remove =%s", value)
		default:
			return line.Pos, true
		}
	}
	return pos, false
}

// hasMetadata reports whether a type is a struct that embeds TypeMeta and ObjectMeta.
func (r *conversionReader) hasMetadata(src *load.Package, d load.Decl) bool {
	has := map[string]bool{}
	for _, f := range r.StructFields(r.Named(src, d, nil)) {
		has[f.Name] = f.Embedded && f.Type.Name.Path == model.MetaV1
	}
	return has["TypeMeta"] && has["ObjectMeta"]
}

// addSpokes adds the packages of spokes to the requests, and the hubs to their peers. Spokes in neighbors are of other
// runs or outputs.
func (r *conversionReader) addSpokes(
	requests []*conversionRequest, neighbors []*load.Package, hubs map[groupKind]*hub,
) []*conversionRequest {
	withSpokes := map[*hub]bool{}
	between := map[[2]*load.Package]*hub{} // by the packages of a spoke and its hub
	for _, src := range slices.Concat(r.Input, neighbors) {
		if src.Foreign || len(hubs) == 0 {
			continue
		}
		i := slices.IndexFunc(requests, func(request *conversionRequest) bool { return request.src == src })
		if i >= 0 && len(requests[i].peers) == 0 { // its marker is false
			continue
		}
		r.readByHand(src, "\ntype ")
		gv := r.groupVersion(src)
		for _, name := range gotypes.DeclaredTypes(src) {
			at := hubs[groupKind{gv.Group, name}]
			if at == nil || at.src == src || gv.Version == "" || gv.Version == at.version || !r.hasMetadata(src, src.Decls[name]) {
				continue
			}
			withSpokes[at] = true
			between[[2]*load.Package{src, at.src}] = at
			params, other := src.Decls[name].Type.TypeParams, between[[2]*load.Package{at.src, src}]
			switch {
			case params != nil:
				r.diags.Errorf(r.Fset.Position(params.Pos()), "%s has type parameters, so that it cannot be converted to its hub", name).
					WithRelated(at.pos).Suggest("declare it without them, or rename it")
				continue
			case other != nil:
				r.diags.Errorf(
					at.pos, "the hub of %s is here, but that of %s in %s: generated code would make an import cycle", name, other.kind, src.Path,
				).WithRelated(other.pos).Suggest("mark both kinds in the same version")
				continue
			case slices.Contains(neighbors, src):
				at.partial = true
				continue
			}
			if i < 0 {
				i = len(requests)
				requests = append(requests, &conversionRequest{src: src, types: src, pos: at.pos, peers: r.shared, onlyHubs: true})
			}
			if marker := (model.Marker{Name: model.HubMarker, Text: at.src.Path, Pos: at.pos}); canImport(src, at.src, marker, &r.diags) {
				requests[i].add(at)
			}
		}
	}
	for at := range ordered(hubs) {
		if !withSpokes[at] && slices.Contains(r.Input, at.src) {
			r.diags.Warnf(
				at.pos, "nothing is converted to %s: no package of the run, or beside this one, has this kind in another version", at.kind,
			).Suggest("name the packages of the other versions, or remove the marker")
		}
	}
	return requests
}

// add makes the package of a hub a peer.
func (request *conversionRequest) add(at *hub) {
	request.hubs = append(request.hubs, at)
	if !slices.Contains(request.peers[:request.named], at.src) {
		request.peers = slices.Insert(slices.Clone(request.peers), request.named, at.src)
		request.named++
	}
}

// addHubs adds the hubs in the input to what is generated for their packages: methods if the module requires
// controller-runtime, or else nothing.
func (r *conversionReader) addHubs(models map[*load.Package]*model.Package, hubs map[groupKind]*hub) {
	for at := range ordered(hubs) {
		if !slices.Contains(r.Input, at.src) {
			continue
		}
		c := models[at.src].Conversions
		if c == nil {
			c = &model.Conversions{Pos: at.pos, OnlyHubs: true}
			models[at.src].Conversions = c
		}
		if r.Modules.RequiresDirectly(at.src.Dir(), controllerRuntime) && !at.src.HasMethod(at.kind, "Hub") {
			c.Hubs = append(c.Hubs, at.kind)
		}
	}
}

// readSpokes reads the kinds of a package that are converted to a hub, all types that their conversion needs, and what
// servers know of both.
func (r *conversionReader) readSpokes(request *conversionRequest, c *model.Conversions, s *servers) {
	gv := r.groupVersion(request.src)
	methods := r.Modules.RequiresDirectly(request.src.Dir(), controllerRuntime)
	if f := r.Modules.Above(request.src.Dir()); f != nil && len(request.hubs) > 0 && !load.Requires(f, load.Conversion) {
		pos := token.Position{Filename: f.Syntax.Name, Line: 1}
		r.diags.Warnf(pos, "generated code imports %s, which go.mod does not require", load.Conversion).
			Run("go get %s and then go mod tidy", load.Conversion).Once("go.mod " + f.Syntax.Name + load.Conversion)
	}
	for _, at := range request.hubs {
		pair := model.TypePair{In: r.Named(request.src, request.src.Decls[at.kind], nil), Out: r.Named(at.src, at.src.Decls[at.kind], nil)}
		r.readPair(pair)
		spoke := &model.Spoke{TypePair: pair, Group: gv.Group, Version: gv.Version, HubVersion: at.version, Partial: at.partial}
		spoke.Stored = cmp.Or(s.stored[groupKind{gv.Group, at.kind}], at.version)
		schema, hubSchema := s.schema(request.src, at.kind), s.schema(at.src, at.kind)
		spoke.Defaults, spoke.HubDefaults = defaultsIn(schema), defaultsIn(hubSchema)
		r.reportUnprotected(at.src, at.kind, spoke.Reversed(), hubSchema)
		r.reportUnprotected(request.src, at.kind, pair, schema)
		r.reportReplaced(pair.Out, hubSchema, map[string]bool{})
		r.reportReplaced(pair.In, schema, map[string]bool{})
		spoke.ConvertTo = methods && !request.src.HasMethod(at.kind, "ConvertTo")
		spoke.ConvertFrom = methods && !request.src.HasMethod(at.kind, "ConvertFrom")
		c.Spokes = append(c.Spokes, spoke)
	}
	c.OnlyHubs = request.onlyHubs
	c.Fillers = r.fillers(request.src)
}

// pairs returns the pairs of a type that need functions: with the first peer that has a type of this name if the
// package has a marker, and with all hubs of kinds that need it, and of their lists.
func (r *conversionReader) pairs(request *conversionRequest, t *model.Type) (found []model.TypePair) {
	add := func(peer *model.Type, needed bool) {
		pair := model.TypePair{In: t, Out: peer}
		isKnown := func(other model.TypePair) bool { return other.Identity() == pair.Identity() }
		if peer != nil && (needed || r.seen[pair.Identity()]) && !slices.ContainsFunc(found, isKnown) {
			found = append(found, pair)
		}
	}
	if !request.onlyHubs {
		add(r.peer(slices.Concat(request.peers[:request.marked], request.peers[request.named:]), t.Name.Name), true)
	}
	for _, at := range request.hubs {
		add(r.peer([]*load.Package{at.src}, t.Name.Name), t.Name.Name == at.kind+"List")
	}
	return found
}

// fillers returns the names of the functions in the tests of a package that return functions for filling random
// objects, in the form that apimachinery's package apitesting/fuzzer has given them: func(serializer.CodecFactory)
// []interface{}. It leaves out files that are only built on some systems or with some tags: elsewhere, the generated
// test would lack the functions.
func (r *conversionReader) fillers(src *load.Package) (names []string) {
	for _, name := range load.GoFiles(src.Dir()) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := r.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("CodecFactory)")) || !isUnconditional(filepath.Base(name), text) {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution) // the go command reports mistakes
		if file.Name.Name == src.Name {
			names = append(names, fillersIn(file)...)
		}
	}
	return names
}

// isUnconditional reports whether a Go file is built without any tag.
func isUnconditional(name string, text []byte) bool {
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
	match, err := nowhere.MatchFile("", name)
	return err == nil && match
}

func fillersIn(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || fn.Name.Name == "_" {
			continue
		}
		if fn.Type.Params.NumFields() != 1 || fn.Type.Results.NumFields() != 1 {
			continue
		}
		param, isSelector := fn.Type.Params.List[0].Type.(*ast.SelectorExpr)
		result, isSlice := fn.Type.Results.List[0].Type.(*ast.ArrayType)
		if isSelector && isSlice && param.Sel.Name == "CodecFactory" && isAny(result.Elt) {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// isAny reports whether a type is written as the empty interface.
func isAny(t ast.Expr) bool {
	if name, ok := t.(*ast.Ident); ok {
		return name.Name == "any"
	}
	iface, ok := t.(*ast.InterfaceType)
	return ok && iface.Methods.NumFields() == 0
}
