package facts

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// fieldPath is a path from a kind to a value in it. Paths share their common beginning.
type fieldPath struct {
	to     *passage
	typ    *model.Type
	within string       // path before the first step, for messages
	names  string       // end of the path if the value has several parts
	parts  []model.Part // of the value, if it has several
}

// passage is a step together with the steps before it.
type passage struct {
	model.Step
	text   string // the text of the step in the path
	number int    // number of the step, from 1
	before *passage
}

// step returns the path with one more step. text is the text of the step.
func (w fieldPath) step(step model.Step, text string, typ *model.Type) fieldPath {
	return fieldPath{to: &passage{step, text, w.length() + 1, w.to}, typ: typ, within: w.within}
}

// follow returns the path extended by steps of another path: the steps after from, the last of them to.
func (w fieldPath) follow(to, from *passage) fieldPath {
	if to == from {
		return w
	}
	return w.follow(to.before, from).step(to.Step, to.text, nil)
}

// length returns the number of steps.
func (w fieldPath) length() int {
	if w.to == nil {
		return 0
	}
	return w.to.number
}

// steps returns the steps in order.
func (w fieldPath) steps() []model.Step {
	list := make([]model.Step, w.length())
	for at := w.to; at != nil; at = at.before {
		list[at.number-1] = at.Step
	}
	return list
}

// path returns the path in the syntax of JSONPath, without the leading dot.
func (w fieldPath) path() string {
	texts := []string{w.names}
	for at := w.to; at != nil; at = at.before {
		texts = append(texts, at.text)
	}
	slices.Reverse(texts)
	return strings.TrimPrefix(w.within+strings.Join(texts, ""), ".")
}

// shown returns the path for messages, with a leading dot. The middle of a long path is replaced by dots.
func (w fieldPath) shown() string {
	text := "." + w.path()
	const part = 40
	if len(text) <= 2*part {
		return text
	}
	head, tail := strings.LastIndexAny(text[:part], ".["), strings.IndexAny(text[len(text)-part:], ".[")
	if head <= 0 || tail < 0 {
		return text // the first or last name is too long to be cut
	}
	return text[:head] + "..." + text[len(text)-part+tail:]
}

// field returns the path to a field.
func (w fieldPath) field(f *model.Field) fieldPath {
	name := f.JSON()
	if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == "-" {
		name = f.Name
	}
	if name != "" {
		name = "." + name
	}
	return w.step(model.Step{Kind: model.FieldStep, Name: f.Name}, name, f.Type)
}

// value returns the path extended through pointers and named types to the underlying value.
func (w fieldPath) value() fieldPath {
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

// deepest is the maximum number of nested types on a path before it reaches a field. A type may be declared as a slice
// of itself.
const deepest = 16

// maxSteps is the maximum number of steps of an index. Each may become a nested loop.
const maxSteps = 100

// deeper is the advice for paths that exceed maxSteps.
const deeper = "write a function, and +kubegen:index:func=NAME above the kind"

// elements returns the path to the values in slices, arrays and maps. A slice of bytes is one value.
func (w fieldPath) elements() fieldPath {
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

// index returns the index of the values at the path.
func (w fieldPath) index(pos token.Position) *model.Index {
	parts := w.parts
	if parts == nil {
		parts = []model.Part{{Name: w.last(), Type: w.typ}}
	}
	return &model.Index{Pos: pos, Path: w.path(), Steps: w.steps(), Parts: parts}
}

// last returns the last field or key of the path.
func (w fieldPath) last() string {
	for at := w.to; at != nil; at = at.before {
		if at.Name != "" {
			return at.Name
		}
	}
	return ""
}

// occurrence is a struct in a kind, and the path to it.
type occurrence struct {
	fieldPath
	outer *occurrence
}

// within reports whether the occurrence is a value of the struct of, or is inside such a value.
func (s *occurrence) within(of *model.StructType) bool {
	return s != nil && (s.typ.Struct == of || s.outer.within(of))
}

// markedField is a field with an index marker, and the path to its values.
type markedField struct {
	*model.Field
	fieldPath
	at    *occurrence
	twice *fieldPath // another path to it, through structs without names; or nil
}

// ofFields returns the indexes of the fields of a kind, at any depth in the structs of the input. If a struct contains
// itself, only the fields of the outermost one count.
func (r *indexReader) ofFields(k *kinds.Kind, kindType *model.Type) (found []*model.Index) {
	first, again := map[*model.StructType]*occurrence{}, map[*model.StructType]*occurrence{}
	var marked []*markedField
	byField := map[token.Position]*markedField{}
	queue := []*occurrence{{fieldPath: fieldPath{typ: kindType}}}
	var enter func(at *occurrence, w fieldPath)
	enter = func(at *occurrence, w fieldPath) {
		for _, f := range r.types.StructFields(w.typ) {
			to := w.field(f).elements()
			if slices.ContainsFunc(f.Markers, func(m model.Marker) bool { return markers.OfIndexes(m.Name) }) {
				if known := byField[f.Pos]; known != nil {
					known.twice = &to
				} else {
					byField[f.Pos] = &markedField{f, to, at, nil}
					marked = append(marked, byField[f.Pos])
				}
				continue
			}
			inner := to.typ.Struct
			switch next := (&occurrence{to, at}); {
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
		enter(queue[next], queue[next].fieldPath)
	}
	for _, m := range marked {
		for _, marker := range m.Markers {
			if markers.OfIndexes(marker.Name) {
				found = append(found, r.ofField(k, m, marker, again)...)
			}
		}
	}
	return found
}

// ofField returns the index of a marked field. again holds a second occurrence of each struct that the kind contains
// twice.
func (r *indexReader) ofField(k *kinds.Kind, m *markedField, marker model.Marker, again map[*model.StructType]*occurrence) []*model.Index {
	first := !r.effect[marker.Pos]
	r.effect[marker.Pos] = true
	read, mistakes := markers.Line{Text: marker.Written(), Pos: marker.Pos}.Read(markers.Field, markers.Strict)
	if first { // for another kind, they are reported there
		r.diags = append(r.diags, mistakes...)
	}
	if len(read) == 0 {
		return nil
	}
	twice := ""
	if m.twice != nil {
		twice = m.twice.shown()
	}
	for at := m.at; at.outer != nil && twice == ""; at = at.outer {
		if other := again[at.typ.Struct]; other != nil {
			twice = other.follow(m.to, at.to).shown()
		}
	}
	if twice != "" {
		r.diags.Errorf(marker.Pos, "field %s is in kind %s more than once: at %s and at %s", m.Name, k.Resource.Kind, m.shown(), twice).
			Suggest("delete the marker, and index each of them by a marker above the kind: +kubegen:index:path=%s,name=By...", m.shown())
		return nil
	}
	switch {
	case !token.IsExported(m.Name):
		r.diags.Errorf(marker.Pos, "field %s is not exported: listers cannot read it", m.Name).Suggest("start its name with a capital letter")
		return nil
	case m.length() > maxSteps:
		r.diags.Errorf(
			marker.Pos, "field %s of kind %s, at %s, is too deep for an index: it takes more than %d steps", m.Name, k.Resource.Kind, m.shown(),
			maxSteps,
		).Suggest("%s", deeper)
		return nil
	case !m.typ.CanIndex():
		r.diags.Errorf(marker.Pos, "field %s cannot be indexed: %s", m.Name, whatIs(m.typ)).Suggest("%s", indexable)
		return nil
	}
	return r.add(k, m.index(marker.Pos), read[0].String("name"), m.Name)
}
