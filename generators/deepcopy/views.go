package deepcopy

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// hiddenInto is the counterpart of DeepCopyInto for types without exported copy methods that are part of types with
// them.
const hiddenInto = "deepCopyInto"

// general is the general view, renamed because embedding it must not hide its methods.
type general = render.Package

// Copies is the view of a package of types.
type Copies struct {
	*general
	plans []*methods
}

// Types returns the types with generated methods.
func (p Copies) Types() []*Type {
	var list []*Type
	for _, plan := range p.plans {
		list = append(list, &Type{p, plan})
	}
	return list
}

// Type is the view of a type with generated methods.
type Type struct {
	pkg  Copies
	plan *methods
}

// Name returns the type's name.
func (t *Type) Name() string { return t.plan.Name }

// Type returns the Go syntax of the type, with its type parameters.
func (t *Type) Type() gofile.Code {
	if len(t.plan.Params) == 0 {
		return gofile.Name(t.plan.Name)
	}
	var params []gofile.Code
	for _, name := range t.plan.Params {
		params = append(params, gofile.Name(name))
	}
	return gofile.Name(t.plan.Name) + "[" + gofile.Join(params, ", ") + "]"
}

// In and Out return the names of the receiver and of the copy.
func (t *Type) In() gofile.Code  { return gofile.Local("in") }
func (t *Type) Out() gofile.Code { return gofile.Local("out") }

// Reference reports whether the type is declared as a map or slice. Its methods then have a value receiver.
func (t *Type) Reference() bool { return isReference(t.plan.Type) }

// Receiver returns the type of the methods' receiver.
func (t *Type) Receiver() gofile.Code {
	if t.Reference() {
		return t.Type()
	}
	return "*" + t.Type()
}

// Into returns the name of the method that copies into another value, or "" if that is hand-written.
func (t *Type) Into() string {
	switch {
	case t.plan.hidden:
		return hiddenInto
	case t.plan.Methods.DeepCopyInto != nil:
		return ""
	}
	return "DeepCopyInto"
}

// Copy reports whether DeepCopy is generated.
func (t *Type) Copy() bool { return !t.plan.hidden && t.plan.Methods.DeepCopy == nil }

// Body returns the indented statements of the method named Into.
func (t *Type) Body() gofile.Code {
	in, out := place{Base: t.In(), Stars: 1}, place{Base: t.Out(), Stars: 1}
	if t.Reference() {
		in.Stars = 0
	}
	w := &writer{render.NewStatements(t.pkg.general)}
	switch s := t.plan.step; {
	case t.plan.Methods.DeepCopy != nil && t.plan.Methods.DeepCopy.Pointer:
		w.Linef("%s = *%s", out, in.Member("DeepCopy()"))
	case t.plan.Methods.DeepCopy != nil:
		w.Linef("%s = %s", out, in.Member("DeepCopy()"))
	default:
		if s == nil || s.how == eachField || s.how == eachKey && s.elem != nil {
			w.Linef("%s = %s", out, in)
		}
		if s != nil {
			w.copy(s, in, out)
		}
	}
	return gofile.Indented(gofile.Trimmed(w.Code()), 1)
}

// Value reports whether the hand-written DeepCopy returns a value instead of a pointer.
func (t *Type) Value() bool {
	byHand := t.plan.Methods.DeepCopy
	return byHand != nil && !byHand.Pointer
}

// Interfaces returns the interfaces with a DeepCopyNAME method.
func (t *Type) Interfaces() []Interface {
	var list []Interface
	for _, ref := range t.plan.Interfaces {
		list = append(list, Interface{ref.Name, t.pkg.TypeRef(ref)})
	}
	return list
}

// ByValue reports whether the methods for interfaces have a value receiver.
func (t *Type) ByValue() bool { return t.plan.ByValue }

// Interface is an interface: its name, and its Go syntax in the file.
type Interface struct {
	Name string
	Type gofile.Code
}
