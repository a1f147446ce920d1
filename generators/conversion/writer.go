package conversion

import (
	"fmt"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// place is an expression for a value.
type place = render.Place

// writer writes the statements of a function.
type writer struct{ render.Statements }

// field writes statements that convert a field, or says why there are none. A field that cannot be converted is left
// to a function written by hand.
func (w *writer) field(f *field, function string, in, out place) {
	switch {
	case f.step != nil:
		w.convert(f.step, place{Base: in.Member(gofile.Name(f.Name))}, place{Base: out.Member(gofile.Name(f.out))})
	case f.kept:
		w.comment(fmt.Sprintf("Field %s is kept in an annotation: %s.", f.Name, f.note))
	case f.note != "":
		w.comment(fmt.Sprintf("Field %s is left to %s: %s.", f.Name, function, f.note))
	}
}

func (w *writer) comment(text string) {
	for _, line := range gofile.CommentLines(text) {
		w.Linef("%s", gofile.Trimmed(gofile.Comment("", line)))
	}
}

// convert writes statements that set out to the converted value of in.
func (w *writer) convert(s *step, in, out place) {
	switch s.how {
	case assign:
		w.Linef("%s = %s", out, in)
	case cast:
		w.Linef("%s = %s(%s)", out, w.typeName(s.pair.Out), in)
	case reinterpret:
		w.reinterpret(s.pair.Out, in, out)
	case call:
		w.call(s, in.Address(), out.Address())
	case pointer:
		w.optional(in, out, func() {
			target := s.pair.Out.Underlying().Elem
			w.Linef("%s = new(%s)", out, w.typeName(target))
			w.convert(s.elem, in.Pointee(s.pair.In), out.Pointee(s.pair.Out))
		})
	case eachIndex:
		if s.pair.Out.Underlying().Kind == model.Array {
			w.elements(s, in, out)
			return
		}
		w.optional(in, out, func() {
			w.Linef("%s = make(%s, len(%s))", out, w.typeName(s.pair.Out), in)
			w.elements(s, in, out)
		})
	case eachKey:
		w.optional(in, out, func() { w.values(s, in, out) })
	}
}

// optional writes statements for a value that may be nil.
func (w *writer) optional(in, out place, do func()) {
	w.Linef("if %s != nil {", in)
	do()
	w.Linef("} else {")
	w.Linef("%s = nil", out)
	w.Linef("}")
}

// reinterpret writes a statement that sets out to the memory of in.
func (w *writer) reinterpret(t *model.Type, in, out place) {
	w.Linef("%s = *(*%s)(%s(%s))", out, w.typeName(t), w.Ident("unsafe", "Pointer"), in.Address())
}

// call writes a call of a conversion function.
func (w *writer) call(s *step, in, out gofile.Code) {
	function := gofile.Name(s.function)
	if s.byHand != nil {
		function = w.TypeRef(s.byHand.TypeRef)
	}
	err := gofile.Local("err")
	w.Linef("if %s := %s(%s, %s, %s); %s != nil {", err, function, in, out, gofile.Local("s"), err)
	w.Linef("return %s", err)
	w.Linef("}")
}

// elements writes a loop that converts the elements of a slice or array.
func (w *writer) elements(s *step, in, out place) {
	if s.elem.how == assign && s.pair.Out.Underlying().Kind == model.Slice {
		w.Linef("copy(%s, %s)", out, in)
		return
	}
	i := w.Enter("i")
	defer w.Leave("i")
	w.Linef("for %s := range %s {", i, in)
	w.convert(s.elem, in.Index(i), out.Index(i))
	w.Linef("}")
}

// values writes statements that convert the keys and values of a map.
func (w *writer) values(s *step, in, out place) {
	w.Linef("%s = make(%s, len(%s))", out, w.typeName(s.pair.Out), in)
	key, val := place{Base: w.Enter("key")}, place{Base: w.Enter("val")}
	defer w.Leave("key")
	defer w.Leave("val")
	w.Linef("for %s, %s := range %s {", key, val, in)
	defer w.Linef("}")
	types := s.pair.Out.Underlying()
	converted := func(s *step, t *model.Type, from place, name string) place {
		switch s.how {
		case assign:
			return from
		case cast:
			return place{Base: w.typeName(t) + "(" + from.Code() + ")"}
		}
		v := place{Base: w.Enter(name)}
		w.Linef("var %s %s", v, w.typeName(t))
		w.convert(s, from, v)
		return v
	}
	newKey := converted(s.key, types.Key, key, "newKey")
	newVal := converted(s.elem, types.Elem, val, "newVal")
	w.Linef("%s = %s", out.Index(newKey.Code()), newVal)
	if s.key.how > cast {
		w.Leave("newKey")
	}
	if s.elem.how > cast {
		w.Leave("newVal")
	}
}

// fromValues writes statements that set a field to the values of its key in url.Values.
func (w *writer) fromValues(f *field, in, out place) {
	values := place{Base: gofile.Local("values")}
	to := place{Base: out.Member(gofile.Name(f.Name))}
	if f.step == nil {
		if f.Type.Name.Name == "" && (f.Type.Kind == model.Struct || f.Type.Kind == model.Array) {
			return
		}
		w.Linef("if len(%s) == 0 {", in.Index(gofile.Quote(f.key)))
	} else {
		w.Linef("if %s := %s; len(%s) > 0 {", values, in.Index(gofile.Quote(f.key)), values)
		switch f.step.how {
		case call:
			w.call(f.step, values.Address(), to.Address())
		case assign:
			w.Linef("%s = %s", to, values)
		case first:
			w.Linef("%s = %s", to, values.Index("0"))
		}
		w.Linef("} else {")
	}
	w.Linef("%s = %s", to, w.zero(f.Type))
	w.Linef("}")
}

// zero returns the zero value of a type, which is no unnamed struct.
func (w *writer) zero(t *model.Type) gofile.Code {
	switch under := t.Underlying(); under.Kind {
	case model.Basic:
		return render.Zero(under.Name.Name)
	case model.Struct, model.Array:
		return w.typeName(t) + "{}"
	}
	return "nil"
}

// typeName returns the Go syntax of a type that has a name in the package.
func (w *writer) typeName(t *model.Type) gofile.Code {
	name, _ := w.TypeName(t)
	return name
}
