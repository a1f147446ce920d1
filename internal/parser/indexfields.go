package parser

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// way is the way from a kind to a value in it.
type way struct {
	steps []model.Step
	path  string // as in JSONPath, without the dot that comes first
	typ   *model.Type
	parts []model.Part // of the value, if it has several
}

// step returns the way one step further. path is what that adds to the path.
func (w way) step(step model.Step, path string, typ *model.Type) way {
	return way{append(slices.Clip(w.steps), step), strings.TrimPrefix(w.path+path, "."), typ, nil}
}

// field returns the way to a field.
func (w way) field(f *model.Field) way {
	name := f.JSON()
	if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == "-" {
		name = f.Name
	}
	if name != "" {
		name = "." + name
	}
	return w.step(model.Step{Kind: model.FieldStep, Name: f.Name}, name, f.Type)
}

// value returns the way to what pointers point to and named types are declared as.
func (w way) value() way {
	for range deepest {
		switch t := w.typ; {
		case t.Kind == model.Pointer:
			w = w.step(model.Step{Kind: model.PointerStep}, "", t.Elem)
		case t.Kind == model.Named && t.Basic() == "" && t.Elem != nil && t.Elem != t:
			w.typ = t.Elem
		default:
			return w
		}
	}
	return w
}

// deepest is how many types within each other a way goes through before it reaches a field: one may be declared as a slice of itself.
const deepest = 16

// elements returns the way to the values in slices, arrays and maps. A slice of bytes is one value.
func (w way) elements() way {
	for range deepest {
		w = w.value()
		switch t := w.typ; {
		case t.Kind == model.Array, t.Kind == model.Slice && t.Elem.Basic() != "byte" && t.Elem.Basic() != "uint8":
			w = w.step(model.Step{Kind: model.ElementsStep}, "[*]", t.Elem)
		case t.Kind == model.Map:
			w = w.step(model.Step{Kind: model.ValuesStep}, "[*]", t.Elem)
		default:
			return w
		}
	}
	return w
}

// index returns the index of what the way leads to.
func (w way) index(pos token.Position) *model.Index {
	parts := w.parts
	if parts == nil {
		parts = []model.Part{{Name: w.last(), Type: w.typ}}
	}
	return &model.Index{Pos: pos, Path: w.path, Steps: w.steps, Parts: parts}
}

// last returns the last field or key of the way.
func (w way) last() string {
	for _, step := range slices.Backward(w.steps) {
		if step.Name != "" {
			return step.Name
		}
	}
	return ""
}

// fieldsOf returns the fields of a struct.
func (r *indexReader) fieldsOf(t *model.Type) []*model.Field {
	for range 16 { // a struct may be declared as another
		if t.Struct == nil {
			return t.Fields
		}
		for ; r.known < len(r.structs); r.known++ {
			r.pending[r.structs[r.known].StructType] = r.structs[r.known]
		}
		s := r.pending[t.Struct]
		switch {
		case s == nil:
			return t.Struct.Fields
		case s.Like != nil:
			t = s.Like
			continue
		case s.Fields == nil && s.fields != nil:
			s.Fields = r.fieldsIn(s.scope, s.fields, true)
		}
		return s.Fields
	}
	return nil
}

// spot is a struct in a kind, and the way to it.
type spot struct {
	way
	outer *spot
}

// within reports whether the spot is in another one of the same struct, or is of it.
func (s *spot) within(of *model.StructType) bool {
	return s != nil && (s.typ.Struct == of || s.outer.within(of))
}

// marked is a field with a marker of an index, and the way to its values.
type markedField struct {
	*model.Field
	way
	at *spot
}

// ofFields returns the indexes of the fields of a kind, at any depth in the structs of the input. Of a struct that
// contains itself, these are the fields of the outermost one.
func (r *indexReader) ofFields(k *kind, kindType *model.Type) (found []*model.Index) {
	first, again := map[*model.StructType]*spot{}, map[*model.StructType]*spot{}
	var marked []markedField
	queue := []*spot{{way: way{typ: kindType}}}
	var enter func(at *spot, w way)
	enter = func(at *spot, w way) {
		for _, f := range r.fieldsOf(w.typ) {
			to := w.field(f).elements()
			if r.hasMarker(f) {
				marked = append(marked, markedField{f, to, at})
				continue
			}
			inner := to.typ.Struct
			switch next := (&spot{to, at}); {
			case to.typ.Kind != model.Struct || !token.IsExported(f.Name):
			case inner == nil:
				enter(at, to)
			case inner.Package == nil || at.within(inner):
			case first[inner] == nil:
				first[inner] = next
				queue = append(queue, next)
			case again[inner] == nil:
				again[inner] = next
			}
		}
	}
	for next := 0; next < len(queue); next++ {
		enter(queue[next], queue[next].way)
	}
	for _, m := range marked {
		for _, marker := range m.Markers {
			if isIndexMarker(marker) {
				found = append(found, r.ofField(k, m, marker, again)...)
			}
		}
	}
	return found
}

func (r *indexReader) hasMarker(f *model.Field) bool {
	return slices.ContainsFunc(f.Markers, isIndexMarker)
}

// isIndexMarker reports whether a marker is one of indexes, or is probably meant for one.
func isIndexMarker(m model.Marker) bool {
	return strings.HasPrefix(m.Name, "kubegen:") && m.Name != model.HelpersMarker
}

// ofField returns the index of a marked field. again has a second spot for each struct that the kind contains twice.
func (r *indexReader) ofField(k *kind, m markedField, marker model.Marker, again map[*model.StructType]*spot) []*model.Index {
	first := !r.effect[marker.Pos]
	r.effect[marker.Pos] = true
	text := "+" + marker.Name
	if marker.Value != "" {
		text += "=" + marker.Value
	}
	diags := &r.List
	if !first {
		diags = &diag.List{} // said for another kind
	}
	read := markers.Line{Text: text, Pos: marker.Pos}.Read(markers.Field, r.mode(), diags)
	if len(read) == 0 {
		return nil
	}
	for at := m.at; at.outer != nil; at = at.outer {
		if other := again[at.typ.Struct]; other != nil {
			r.Errorf(marker.Pos, "field %s is in kind %s more than once: at .%s and at .%s%s", m.Name, k.resource.Kind, m.path, other.path, strings.TrimPrefix(m.path, at.path)).
				Suggest("delete the marker, and index each of them by a marker above the kind: +kubegen:index:path=.%s,name=By...", m.path)
			return nil
		}
	}
	switch {
	case !token.IsExported(m.Name):
		r.Errorf(marker.Pos, "field %s is not exported: listers cannot read it", m.Name).Suggest("start its name with a capital letter")
		return nil
	case !m.typ.CanIndex():
		r.Errorf(marker.Pos, "field %s cannot be indexed: %s", m.Name, whatIs(m.typ)).Suggest("%s", indexable)
		return nil
	}
	name, _ := read[0].Arg("name")
	return r.add(k, m.index(marker.Pos), name, m.Name)
}
