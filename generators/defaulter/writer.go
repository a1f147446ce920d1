package defaulter

import (
	"slices"
	"strconv"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// place is an expression for a value.
type place = render.Place

// writer writes the statements of a function.
type writer struct {
	render.Statements
	loops int // number of loops around the statement
}

// set writes statements that set the defaults in a value.
func (w *writer) set(s *model.Defaulting, v place) {
	if s.SetsUnset() {
		w.unset(s, v)
	}
	for _, fn := range s.Calls {
		w.Linef("%s(%s)", w.TypeRef(fn), v.Address())
	}
	for _, part := range s.Parts {
		if part.HasEffect() {
			w.part(part, v)
		}
	}
}

// part writes statements that set the defaults in a part of a value.
func (w *writer) part(s *model.Defaulting, of place) {
	switch s.Access {
	case model.SameValue:
		w.set(s, of)
	case model.OfField:
		w.set(s, place{Base: of.Member(gofile.Name(s.Field))})
	case model.OfPointer:
		w.Linef("if %s != nil {", of)
		w.set(s, place{Base: of.Base, Stars: of.Stars + 1})
		w.Linef("}")
	case model.OfElements:
		i := numbered("i", w.loops)
		w.Linef("for %s := range %s {", i, of)
		elem := of.Index(i)
		w.loops++
		if len(s.Parts) > 0 || len(s.Calls) > 1 {
			item := place{Base: numbered("item", w.loops-1), Stars: 1}
			w.Linef("%s := %s", item.Base, elem.Address())
			elem = item
		}
		w.set(s, elem)
		w.loops--
		w.Linef("}")
	case model.OfKeys:
		key := numbered("key", w.loops)
		w.Linef("for %s := range %s {", key, of)
		w.unset(s, of.Index(key))
		w.Linef("}")
	}
}

// numbered returns the name of a variable in n loops, with a number from the second one on.
func numbered(name string, n int) gofile.Code {
	if n > 0 {
		name += strconv.Itoa(n + 1)
	}
	return gofile.Local(name)
}

// unset writes statements that set a value to its default if it is unset.
func (w *writer) unset(s *model.Defaulting, v place) {
	if s.Unset.JSON != "" {
		w.Linef("if %s == nil {", v)
		defer w.Linef("}")
		text := gofile.QuoteLines(s.Unset.JSON)
		if s.Access == model.OfKeys {
			local := gofile.Local("value")
			w.Linef("%s := %s", local, v)
			defer w.Linef("%s = %s", v, local)
			v = place{Base: local}
		}
		w.Linef("if err := %s([]byte(%s), %s); err != nil {", w.Ident("encoding/json", "Unmarshal"), text, v.Address())
		w.Linef("panic(err)")
		w.Linef("}")
		return
	}
	literal := w.literal(s.Unset)
	if s.Type.Underlying().Kind != model.Pointer {
		if s.Unset.Basic == nil {
			literal = w.typeName(s.Type) + "(" + literal + ")"
		}
		w.Linef("if %s == %s {", v, render.Zero(s.Unset.Of))
		w.Linef("%s = %s", v, literal)
		w.Linef("}")
		return
	}
	w.Linef("if %s == nil {", v)
	var path []*model.Type // from the pointer to the value
	for t := s.Type; t.IsPointer(); t = path[len(path)-1] {
		path = append(path, t.Underlying().Elem)
	}
	last := len(path) - 1
	local := gofile.Local("value")
	if of := path[last].Name; s.Unset.Basic == nil || of.Path != "" || !slices.Contains([]string{"string", "bool", "int"}, of.Name) {
		literal = w.typeName(path[last]) + "(" + literal + ")"
	}
	w.Linef("%s := %s", local, literal)
	address := "&" + local
	for ; last > 0; last-- {
		next := numbered("value", len(path)-last)
		w.Linef("%s := %s", next, w.converted(path[last-1], address))
		address = "&" + next
	}
	w.Linef("%s = %s", v, w.converted(s.Type, address))
	w.Linef("}")
}

// converted returns a pointer as a value of a pointer type.
func (w *writer) converted(t *model.Type, pointer gofile.Code) gofile.Code {
	if t.Kind != model.Named {
		return pointer
	}
	return w.typeName(t) + "(" + pointer + ")"
}

// typeName returns the Go syntax of a declared or predeclared type.
func (w *writer) typeName(t *model.Type) gofile.Code {
	name, _ := w.TypeName(t)
	return name
}

// literal returns a default value as code.
func (w *writer) literal(d *model.Default) gofile.Code {
	switch v := d.Basic.(type) {
	case string:
		return gofile.Quote(v)
	case bool:
		return gofile.Codef("%t", v)
	case model.Number:
		return gofile.Literal(string(v))
	}
	return w.TypeRef(d.Constant)
}
