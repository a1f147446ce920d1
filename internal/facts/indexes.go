// This file determines the indexes of listers from +kubegen:index markers, which name paths above a kind or its
// fields, or functions that return keys. It reads types and sets Resource.Indexes; generators write the listers.

package facts

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// indexReader finds the indexes of kinds. It reads the fields of a struct when it reaches the struct.
type indexReader struct {
	*load.Loader
	types  *gotypes.Reader
	effect map[token.Position]bool // positions of the markers that have an effect, or an error
	diags  diag.List
}

// setIndexes sets the indexes of listed kinds, which have listers. marked holds the index markers of all packages, see
// Lines. If all is set, it reports markers that have neither an effect nor an earlier diagnostic; otherwise they may
// belong to a kind that was refused.
func setIndexes(l *load.Loader, types *gotypes.Reader, listed []*kinds.Kind, marked []markers.Line, all bool, earlier diag.List) diag.List {
	r := &indexReader{Loader: l, types: types, effect: map[token.Position]bool{}}
	for _, k := range listed {
		r.readKind(k)
	}
	for _, line := range marked {
		isHere := func(d *diag.Diagnostic) bool { return d.Pos == line.Pos }
		if !r.effect[line.Pos] && !slices.ContainsFunc(earlier, isHere) && !slices.ContainsFunc(r.diags, isHere) && all {
			r.diags.Warnf(line.Pos, "%s has no effect: it is neither above a kind with a lister nor above a field of one", line.Text).
				Suggest("move it directly above a field, or delete it")
		}
	}
	return append(r.diags, types.Refused()...)
}

// indexLines returns the index markers in all comments.
func indexLines(l *load.Loader, found []*load.Package) (lines []markers.Line) {
	for _, src := range found {
		for f := range src.Parsed("+kubegen:") {
			for _, line := range markers.Lines(l.Fset, f.Syntax.Comments...) {
				if markers.OfIndexes(line.Text) {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}

// readKind sets the indexes of a kind, from markers above its fields and above the kind.
func (r *indexReader) readKind(k *kinds.Kind) {
	d, ok := r.Lookup(k.Source, k.Resource.Kind)
	if !ok || d.Type == nil {
		return
	}
	kindType := r.types.Named(k.Source, d, nil)
	found := r.ofFields(k, kindType)
	for _, m := range k.Resource.Markers {
		if m.Name == markers.IndexMarker {
			r.effect[m.Pos] = true
			found = append(found, r.ofMarker(k, kindType, m, found)...)
		}
	}
	slices.SortStableFunc(found, func(a, b *model.Index) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	names, paths := map[string]token.Position{}, map[string]token.Position{}
	for _, index := range found {
		if first, again := paths[index.ID()]; again {
			r.diags.Errorf(index.Pos, "kind %s has two indexes of %s", k.Resource.Kind, index.ID()).WithRelated(first).Suggest("keep one of them")
		} else if first, again := names[index.Name]; again {
			r.diags.Errorf(index.Pos, "kind %s has two indexes named %s", k.Resource.Kind, index.Name).WithRelated(first).
				Suggest("rename one of them, with name=By... in its marker")
		}
		names[index.Name], paths[index.ID()] = index.Pos, index.Pos
	}
	slices.SortStableFunc(found, func(a, b *model.Index) int { return cmp.Compare(a.Name, b.Name) })
	k.Resource.Indexes = found
}

// add names an index and checks it. name is the name in the marker, or "".
func (r *indexReader) add(k *kinds.Kind, index *model.Index, name, wish string) []*model.Index {
	index.Name = cmp.Or(name, model.IndexName(wish))
	switch rest, ok := strings.CutPrefix(index.Name, "By"); {
	case !token.IsIdentifier(index.Name) || !ok || !model.Exportable(rest) || model.IndexName(rest) != index.Name:
		r.diags.Errorf(index.Pos, "%q cannot be the name of an index", index.Name).
			Suggest("choose a Go name that begins with By, as in name=ByImage")
		return nil
	case index.Name == k.Resource.Plural:
		r.diags.Errorf(index.Pos, "the lister of %s has a method %s already", k.Resource.Kind, index.Name).
			Suggest("choose another name, with name=By... in the marker")
		return nil
	}
	return []*model.Index{index}
}

// ofMarker returns the indexes of a marker above a kind. before holds the indexes of fields.
func (r *indexReader) ofMarker(k *kinds.Kind, kindType *model.Type, m model.Marker, before []*model.Index) (found []*model.Index) {
	name, path, function := m.String("name"), m.String("path"), m.String("func")
	paths := []string{path}
	switch {
	case path != "" && function != "":
		r.diags.Errorf(m.Pos, "+%s has both path= and func=", m.Name).Suggest("write two markers")
		return nil
	case function != "":
		if !r.isKeyFunc(k, function) {
			r.diags.Errorf(
				m.Pos, "%s is not an exported function of package %s that takes *%s and returns []string", function, k.Types.Name, k.Resource.Kind,
			).Suggest("declare func %s(obj *%s) []string there", strings.TrimPrefix(model.IndexName(function), "By"), k.Resource.Kind)
			return nil
		}
		index := &model.Index{
			Pos: m.Pos, Func: function, Parts: []model.Part{{Type: &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "string"}}}},
		}
		return r.add(k, index, name, function)
	case path == "":
		paths = slices.DeleteFunc(slices.Clone(k.Resource.SelectableFields), func(path string) bool {
			return slices.ContainsFunc(before, func(index *model.Index) bool { return index.Path == strings.TrimPrefix(path, ".") })
		})
		if len(k.Resource.SelectableFields) == 0 || name != "" {
			r.diags.Errorf(m.Pos, "+%s above kind %s has neither path= nor func=", m.Name, k.Resource.Kind).
				Suggest("add path= or func=, move it above a field, or declare fields with +kubebuilder:selectablefield")
			return nil
		}
	}
	for _, path := range paths {
		at, err := r.resolve(kindType, path)
		if err != nil {
			r.diags.Errorf(m.Pos, "the path %s does not lead to a value of kind %s: %v", path, k.Resource.Kind, err).Suggest(
				"write it as kubectl does: .spec.image, .metadata.labels['app'], .spec.ports[*].name, .status.conditions[?(@.type=='Ready')].status",
			)
			continue
		}
		if at.length() > maxSteps {
			r.diags.Errorf(m.Pos, "the path %s in kind %s takes more than %d steps", at.shown(), k.Resource.Kind, maxSteps).Suggest("%s", deeper)
			continue
		}
		index := at.index(m.Pos)
		if i := slices.IndexFunc(index.Parts, func(part model.Part) bool { return !part.Type.CanIndex() }); i >= 0 {
			r.diags.Errorf(m.Pos, "%s of kind %s cannot be indexed: %s", path, k.Resource.Kind, whatIs(index.Parts[i].Type)).Suggest("%s", indexable)
			continue
		}
		found = append(found, r.add(k, index, name, at.last())...)
	}
	return found
}

// isKeyFunc reports whether the kind's package exports a function with this name that returns keys of the kind.
func (r *indexReader) isKeyFunc(k *kinds.Kind, name string) bool {
	d, ok := r.Lookup(k.Source, name)
	fn, isFunc := d.Node.(*ast.FuncDecl)
	if !ok || !isFunc || !token.IsExported(name) || fn.Type.TypeParams != nil {
		return false
	}
	params, results := fn.Type.Params.List, fn.Type.Results
	if len(params) != 1 || len(params[0].Names) > 1 || results == nil || len(results.List) != 1 || len(results.List[0].Names) > 1 {
		return false
	}
	param, result := r.types.TypeOf(k.Source, d.File, params[0].Type), r.types.TypeOf(k.Source, d.File, results.List[0].Type)
	return param.Kind == model.Pointer && param.Elem.Name == k.Resource.Type() &&
		result.Kind == model.Slice && result.Elem.Kind == model.Basic && result.Elem.Name.Name == "string"
}

// indexable describes the types of values that can be indexed.
const indexable = "strings, booleans, integers, named types and pointers of these, and slices and maps of them can be indexed; " +
	"for anything else write a function, and +kubegen:index:func=NAME above the kind"

// whatIs describes a type that cannot be indexed.
func whatIs(t *model.Type) string {
	name := t.Name.Name
	switch {
	case t.Kind == model.Unknown && t.Why != "":
		return "its type cannot be read: " + t.Why
	case t.Kind == model.Unknown:
		return "its type cannot be read"
	case t.Kind == model.Struct && name == "":
		return "it is a struct"
	case t.Kind == model.Struct:
		return "it is the struct " + name
	case t.Kind == model.Interface:
		return "it is an interface"
	case t.Kind == model.Slice:
		return "it is a slice of bytes"
	case t.Kind == model.Named && t.Basic() != "":
		return fmt.Sprintf("it is a %s, of type %s", name, t.Basic())
	case name != "":
		return "it is a " + name
	}
	return "it is a function or channel"
}
