package deepcopy

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// place is an expression for a value.
type place = render.Place

// writer writes the statements of a method body.
type writer struct{ render.Statements }

// copy writes statements that set out to a deep copy of in. in has been assigned to out before.
func (w *writer) copy(s *step, in, out place) {
	if text, ok := w.copied(s, in); ok {
		w.Linef("%s = %s", out, text)
		return
	}
	switch s.how {
	case into:
		if isReference(s.of) {
			w.Linef("if %s != nil {", in)
			defer w.Linef("}")
		}
		w.Linef("%s(%s)", in.Member("DeepCopyInto"), out.Address())
	case helper:
		w.Linef("%s(%s)", in.Member(hiddenInto), out.Address())
	case callNamed:
		w.Linef("if %s != nil {", in)
		w.Linef("%s = %s.DeepCopy%s()", out, in.Operand(), s.of.Name.Name)
		w.Linef("}")
	case pointer:
		w.pointer(s, in, out)
	case eachIndex:
		if isSlice(s) {
			w.Linef("%s = slices.Clone(%s)", out, in)
		}
		w.elements(s, in, out)
	case eachKey:
		w.values(s, in, out)
	case eachField:
		for _, f := range s.fields {
			w.copy(f.step, place{Base: in.Member(gofile.Name(f.name))}, place{Base: out.Member(gofile.Name(f.name))})
		}
	}
}

// copied returns an expression for a copy. ok is false if statements are needed.
func (w *writer) copied(s *step, in place) (text gofile.Code, ok bool) {
	switch s.how {
	case call:
		return in.Member("DeepCopy()"), true
	case callStar:
		return "*" + in.Member("DeepCopy()"), true
	case eachIndex:
		return "slices.Clone(" + in.Code() + ")", s.elem == nil
	case eachKey:
		return "maps.Clone(" + in.Code() + ")", s.elem == nil
	case pointer:
		returned, nilSafe := pointerMethod(s.of)
		return in.Operand() + ".DeepCopy()", returned && nilSafe
	}
	return "", false
}

// pointerMethod reports whether the DeepCopy method of a pointer's target returns a pointer, and whether it accepts
// nil.
func pointerMethod(t *model.Type) (returned, nilSafe bool) {
	if t.Kind == model.Named {
		return false, false // a declared pointer type has no methods
	}
	d := t.Elem.Declared
	switch {
	case d == nil || t.Elem.Kind == model.Interface || t.Elem.Kind == model.Param:
		return false, false
	case d.Methods.DeepCopy != nil:
		return d.Methods.DeepCopy.Pointer, d.Methods.DeepCopy.Generated
	}
	return d.Copied && !isReference(t.Elem), d.Methods.DeepCopyInto == nil || d.Copied
}

// pointer writes statements that copy the target of a pointer.
func (w *writer) pointer(s *step, in, out place) {
	w.Linef("if %s != nil {", in)
	defer w.Linef("}")
	if returned, _ := pointerMethod(s.of); returned {
		w.Linef("%s = %s.DeepCopy()", out, in.Operand())
		return
	}
	defer w.Leave("v")
	w.Linef("%s = %s", out, w.local(s.elem, in.Pointee(s.of)).Address())
}

// local writes statements that copy a value into a new variable. The name of the variable stays in use.
func (w *writer) local(s *step, in place) place {
	v := place{Base: w.Enter("v")}
	switch {
	case s == nil:
		w.Linef("%s := %s", v, in)
	case isSlice(s):
		w.Linef("%s := slices.Clone(%s)", v, in)
		w.elements(s, in, v)
	default:
		if text, ok := w.copied(s, in); ok {
			w.Linef("%s := %s", v, text)
			break
		}
		w.Linef("%s := %s", v, in)
		w.copy(s, in, v)
	}
	return v
}

func isSlice(s *step) bool { return s.how == eachIndex && s.of.Underlying().Kind == model.Slice }

// elements writes a loop that copies the elements of a slice or array, if an assignment is not enough.
func (w *writer) elements(s *step, in, out place) {
	if s.elem == nil {
		return
	}
	i := w.Enter("i")
	w.Linef("for %s := range %s {", i, out)
	w.copy(s.elem, in.Index(i), out.Index(i))
	w.Leave("i")
	w.Linef("}")
}

// values writes a loop that copies the values of a map.
func (w *writer) values(s *step, in, out place) {
	w.Linef("if %s != nil {", in)
	defer w.Linef("}")
	if name, ok := w.TypeName(s.of); ok {
		w.Linef("%s = make(%s, len(%s))", out, name, in)
	} else {
		w.Linef("%s = maps.Clone(%s)", out, in)
	}
	key, val := w.Enter("key"), place{Base: w.Enter("val")}
	defer w.Leave("key")
	defer w.Leave("val")
	w.Linef("for %s, %s := range %s {", key, val, in)
	defer w.Linef("}")
	text, ok := w.copied(s.elem, val)
	if !ok {
		defer w.Leave("v")
		text = w.local(s.elem, val).Code()
	}
	w.Linef("%s = %s", out.Index(key), text)
}
