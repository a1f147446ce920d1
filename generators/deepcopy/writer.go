package deepcopy

import (
	"go/token"
	"strconv"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// place is an expression for a value: base, dereferenced stars times.
type place struct {
	base  gofile.Code
	stars int
}

func (p place) code() gofile.Code { return stars(p.stars) + p.base }

// stars returns operators that dereference a pointer n times.
func stars(n int) (code gofile.Code) {
	for range n {
		code += "*"
	}
	return code
}

// operand returns the value as an expression that can be indexed or have its methods called.
func (p place) operand() gofile.Code {
	if p.stars == 0 {
		return p.base
	}
	return "(" + p.code() + ")"
}

// member returns a field or method of the value. Go dereferences one pointer implicitly.
func (p place) member(name gofile.Code) gofile.Code {
	if p.stars == 1 {
		return p.base + "." + name
	}
	return p.operand() + "." + name
}

func (p place) index(i gofile.Code) place { return place{base: p.operand() + "[" + i + "]"} }

// address returns a pointer to the value.
func (p place) address() gofile.Code {
	if p.stars == 0 {
		return "&" + p.base
	}
	return place{p.base, p.stars - 1}.code()
}

// pointee returns the target of a pointer. A declared pointer type has no methods, so it is dereferenced explicitly.
func (p place) pointee(t *model.Type) place {
	if t.Kind == model.Named {
		return place{base: "(*" + p.code() + ")"}
	}
	return place{p.base, p.stars + 1}
}

// writer writes the statements of a method body.
type writer struct {
	*render.Package
	text                  gofile.Builder
	indexes, keys, locals int // number of these variables in scope
}

// linef adds a line of code. Arguments are as for gofile.Codef, or of type place.
func (w *writer) linef(format gofile.Code, args ...any) {
	for i, arg := range args {
		if p, ok := arg.(place); ok {
			args[i] = p.code()
		}
	}
	w.text.Add(gofile.Codef(format+"\n", args...))
}

// copy writes statements that set out to a deep copy of in. in has been assigned to out before.
func (w *writer) copy(s *step, in, out place) {
	if text, ok := w.copied(s, in); ok {
		w.linef("%s = %s", out, text)
		return
	}
	switch s.how {
	case into:
		if isReference(s.of) {
			w.linef("if %s != nil {", in)
			defer w.linef("}")
		}
		w.linef("%s(%s)", in.member("DeepCopyInto"), out.address())
	case helper:
		w.linef("%s(%s)", in.member(hiddenInto), out.address())
	case callNamed:
		w.linef("if %s != nil {", in)
		w.linef("%s = %s.DeepCopy%s()", out, in.operand(), s.of.Name.Name)
		w.linef("}")
	case pointer:
		w.pointer(s, in, out)
	case eachIndex:
		if isSlice(s) {
			w.linef("%s = slices.Clone(%s)", out, in)
		}
		w.elements(s, in, out)
	case eachKey:
		w.values(s, in, out)
	case eachField:
		for _, f := range s.fields {
			w.copy(f.step, place{base: in.member(gofile.Name(f.name))}, place{base: out.member(gofile.Name(f.name))})
		}
	}
}

// copied returns an expression for a copy. ok is false if statements are needed.
func (w *writer) copied(s *step, in place) (text gofile.Code, ok bool) {
	switch s.how {
	case call:
		return in.member("DeepCopy()"), true
	case callStar:
		return "*" + in.member("DeepCopy()"), true
	case eachIndex:
		return "slices.Clone(" + in.code() + ")", s.elem == nil
	case eachKey:
		return "maps.Clone(" + in.code() + ")", s.elem == nil
	case pointer:
		returned, nilSafe := pointerMethod(s.of)
		return in.operand() + ".DeepCopy()", returned && nilSafe
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
	w.linef("if %s != nil {", in)
	defer w.linef("}")
	if returned, _ := pointerMethod(s.of); returned {
		w.linef("%s = %s.DeepCopy()", out, in.operand())
		return
	}
	defer func() { w.locals-- }()
	w.linef("%s = %s", out, w.local(s.elem, in.pointee(s.of)).address())
}

// local writes statements that copy a value into a new variable. The name of the variable stays in use.
func (w *writer) local(s *step, in place) place {
	w.locals++
	v := place{base: numbered("v", w.locals)}
	switch {
	case s == nil:
		w.linef("%s := %s", v, in)
	case isSlice(s):
		w.linef("%s := slices.Clone(%s)", v, in)
		w.elements(s, in, v)
	default:
		if text, ok := w.copied(s, in); ok {
			w.linef("%s := %s", v, text)
			break
		}
		w.linef("%s := %s", v, in)
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
	i := w.indexName()
	w.linef("for %s := range %s {", i, out)
	w.indexes++
	w.copy(s.elem, in.index(i), out.index(i))
	w.indexes--
	w.linef("}")
}

// values writes a loop that copies the values of a map.
func (w *writer) values(s *step, in, out place) {
	w.linef("if %s != nil {", in)
	defer w.linef("}")
	if name, ok := w.typeName(s.of); ok {
		w.linef("%s = make(%s, len(%s))", out, name, in)
	} else {
		w.linef("%s = maps.Clone(%s)", out, in)
	}
	w.keys++
	defer func() { w.keys-- }()
	key, val := numbered("key", w.keys), place{base: numbered("val", w.keys)}
	w.linef("for %s, %s := range %s {", key, val, in)
	defer w.linef("}")
	text, ok := w.copied(s.elem, val)
	if !ok {
		defer func() { w.locals-- }()
		text = w.local(s.elem, val).code()
	}
	w.linef("%s = %s", out.index(key), text)
}

// indexName returns the name for the next nested index variable.
func (w *writer) indexName() gofile.Code {
	const names = "ijk"
	if w.indexes < len(names) {
		return gofile.Local(names[w.indexes : w.indexes+1])
	}
	return gofile.Local("i" + strconv.Itoa(w.indexes+1))
}

// numbered returns the name of the nth variable, with a number from the second one on.
func numbered(name string, n int) gofile.Code {
	if n > 1 {
		name += strconv.Itoa(n)
	}
	return gofile.Local(name)
}

// typeName returns the Go syntax of a type. ok is false if the type cannot be named outside its package.
func (w *writer) typeName(t *model.Type) (text gofile.Code, ok bool) {
	prefixed := func(prefix gofile.Code, elem *model.Type) (gofile.Code, bool) {
		text, ok := w.typeName(elem)
		return prefix + text, ok
	}
	if t.Name.Name == "" {
		switch t.Kind {
		case model.Pointer:
			return prefixed("*", t.Elem)
		case model.Slice:
			return prefixed("[]", t.Elem)
		case model.Array:
			text, ok = prefixed("["+gofile.Length(t.Len)+"]", t.Elem)
			return text, ok && t.Len != ""
		case model.Map:
			key, ok := w.typeName(t.Key)
			elem, ok2 := w.typeName(t.Elem)
			return "map[" + key + "]" + elem, ok && ok2
		}
		return "", false
	}
	switch {
	case t.Name.Path == "" || t.Kind == model.Param:
		return gofile.Name(t.Name.Name), true
	case t.Name.Path != w.Model.Path && !token.IsExported(t.Name.Name):
		return "", false
	}
	text = w.TypeRef(t.Name)
	var args []gofile.Code
	for _, arg := range t.Args {
		name, ok := w.typeName(arg)
		if !ok {
			return "", false
		}
		args = append(args, name)
	}
	if len(args) > 0 {
		text += "[" + gofile.Join(args, ", ") + "]"
	}
	return text, true
}
