package defaulter

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// value is an expression for a value, or for a pointer to it.
type value struct {
	code    gofile.Code
	pointer bool
}

func (v value) get() gofile.Code {
	if v.pointer {
		return "*" + v.code
	}
	return v.code
}

func (v value) address() gofile.Code {
	if v.pointer {
		return v.code
	}
	return "&" + v.code
}

// operand returns the value, or the pointer to it if dereferenced is false, as the operand of a selector or index.
func (v value) operand(dereferenced bool) gofile.Code {
	if v.pointer && dereferenced {
		v.code = "*" + v.code
	}
	if strings.HasPrefix(string(v.code), "*") {
		return "(" + v.code + ")"
	}
	return v.code
}

func (v value) index(i gofile.Code) value { return value{code: v.operand(true) + "[" + i + "]"} }

// writer writes the statements of a function.
type writer struct {
	*render.Package
	text  gofile.Builder
	loops int // number of loops around the statement
}

func (w *writer) linef(format gofile.Code, args ...any) {
	w.text.Add(gofile.Codef(format+"\n", args...))
}

// set writes statements that set the defaults in a value.
func (w *writer) set(s *model.Defaulting, v value) {
	if s.Unset != nil {
		w.unset(s, v)
	}
	for _, fn := range s.Calls {
		w.linef("%s(%s)", w.TypeRef(fn), v.address())
	}
	for _, part := range s.Parts {
		if part.HasEffect() {
			w.part(part, v)
		}
	}
}

// part writes statements that set the defaults in a part of a value.
func (w *writer) part(s *model.Defaulting, of value) {
	switch s.Access {
	case model.SameValue:
		w.set(s, of)
	case model.OfField:
		w.set(s, value{code: of.operand(false) + "." + gofile.Name(s.Field)})
	case model.OfPointer:
		w.linef("if %s != nil {", of.get())
		w.set(s, value{code: of.get(), pointer: true})
		w.linef("}")
	case model.OfElements:
		i := numbered("i", w.loops)
		w.linef("for %s := range %s {", i, of.get())
		elem := of.index(i)
		w.loops++
		if len(s.Parts) > 0 || len(s.Calls) > 1 {
			item := value{code: numbered("item", w.loops-1), pointer: true}
			w.linef("%s := &%s", item.code, elem.code)
			elem = item
		}
		w.set(s, elem)
		w.loops--
		w.linef("}")
	case model.OfKeys:
		key := numbered("key", w.loops)
		w.linef("for %s := range %s {", key, of.get())
		w.unset(s, of.index(key))
		w.linef("}")
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
func (w *writer) unset(s *model.Defaulting, v value) {
	place := v.get()
	if s.Unset.JSON != "" {
		w.linef("if %s == nil {", place)
		defer w.linef("}")
		text := gofile.QuoteLines(s.Unset.JSON)
		if s.Access == model.OfKeys {
			local := gofile.Local("value")
			w.linef("%s := %s", local, place)
			defer w.linef("%s = %s", place, local)
			v = value{code: local}
		}
		w.linef("if err := %s([]byte(%s), %s); err != nil {", w.Ident("encoding/json", "Unmarshal"), text, v.address())
		w.linef("panic(err)")
		w.linef("}")
		return
	}
	literal := w.literal(s.Unset)
	if s.Type.Underlying().Kind != model.Pointer {
		unset := zero(s.Unset.Of)
		switch {
		case literal == unset:
			return
		case s.Unset.Basic == nil:
			literal = w.typeName(s.Type) + "(" + literal + ")"
		}
		w.linef("if %s == %s {", place, unset)
		w.linef("%s = %s", place, literal)
		w.linef("}")
		return
	}
	w.linef("if %s == nil {", place)
	var path []*model.Type // from the pointer to the value
	for t := s.Type; t.IsPointer(); t = path[len(path)-1] {
		path = append(path, t.Underlying().Elem)
	}
	last := len(path) - 1
	local := gofile.Local("value")
	if of := path[last].Name; s.Unset.Basic == nil || of.Path != "" || !slices.Contains([]string{"string", "bool", "int"}, of.Name) {
		literal = w.typeName(path[last]) + "(" + literal + ")"
	}
	w.linef("%s := %s", local, literal)
	address := "&" + local
	for ; last > 0; last-- {
		next := numbered("value", len(path)-last)
		w.linef("%s := %s", next, w.converted(path[last-1], address))
		address = "&" + next
	}
	w.linef("%s = %s", place, w.converted(s.Type, address))
	w.linef("}")
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
	if t.Name.Path == "" {
		return gofile.Name(t.Name.Name)
	}
	return w.TypeRef(t.Name)
}

// literal returns a default value as code.
func (w *writer) literal(d *model.Default) gofile.Code {
	switch v := d.Basic.(type) {
	case string:
		return gofile.Quote(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case model.Number:
		digits, negative := strings.CutPrefix(string(v), "-")
		if negative {
			return "-" + gofile.Literal(digits)
		}
		return gofile.Literal(digits)
	}
	return w.TypeRef(d.Constant)
}

// zero returns the value of an unset variable of a predeclared type.
func zero(name string) gofile.Code {
	switch name {
	case "string":
		return `""`
	case "bool":
		return "false"
	}
	return "0"
}
