package conversion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// general is the general view, renamed because embedding it must not hide its methods.
type general = render.Package

// Conversions is the view of a package of types.
type Conversions struct {
	*general
	functions []*function
	keepings  []*keeping
}

// Registers reports whether the package has a scheme builder for generated code.
func (p Conversions) Registers() bool {
	return p.Model.Conversions.Registers || p.Model.Registration != nil
}

// Local returns the name of a variable of the functions.
func (p Conversions) Local(name string) gofile.Code { return gofile.Local(name) }

// Free returns a name, with a number if the package has a declaration of that name.
func (p Conversions) Free(wish string) gofile.Code {
	name := wish
	for n := 2; p.HandWritten(name); n++ {
		name = fmt.Sprint(wish, n)
	}
	return gofile.Name(name)
}

// Functions returns the generated functions.
func (p Conversions) Functions() []*Function {
	var list []*Function
	for _, f := range p.functions {
		list = append(list, &Function{p, f})
	}
	return list
}

// Registered returns the functions to register: the generated ones, and then the hand-written ones of the package. As
// with conversion-gen, those from url.Values are also registered as generated ones if they are written by hand.
func (p Conversions) Registered() (list []Registered) {
	byHand := slices.Clone(p.Model.Conversions.Functions)
	byHand = slices.DeleteFunc(byHand, func(f *model.ConversionFunc) bool { return f.Path != p.Model.Path })
	for _, f := range p.functions {
		if !f.byHand || f.values && slices.ContainsFunc(byHand, func(own *model.ConversionFunc) bool { return own.Name == f.FuncName() }) {
			list = append(list, Registered{"AddGeneratedConversionFunc", f.FuncName()})
		}
	}
	slices.SortFunc(byHand, func(a, b *model.ConversionFunc) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range byHand {
		list = append(list, Registered{"AddConversionFunc", f.Name})
	}
	return list
}

// Registered is a function to register.
type Registered struct {
	Method gofile.Code // of runtime.Scheme
	Name   string
}

// Function is the view of the generated functions for a pair of types.
type Function struct {
	pkg Conversions
	*function
}

// Name returns the name of the function.
func (f *Function) Name() string { return f.FuncName() }

// Exported reports whether the function is generated. Otherwise it is hand-written, and can call the automatic one.
func (f *Function) Exported() bool { return !f.byHand }

// From and To return the Go syntax of the types.
func (f *Function) From() gofile.Code { return f.pkg.name(f.In) }
func (f *Function) To() gofile.Code   { return f.pkg.name(f.Out) }

// name returns the Go syntax of a type that has a name in the package.
func (p Conversions) name(t *model.Type) gofile.Code {
	name, _ := p.TypeName(t)
	return name
}

// Body returns the indented statements of the automatic function.
func (f *Function) Body() gofile.Code {
	w := &writer{render.NewStatements(f.pkg.general)}
	in, out := place{Base: gofile.Local("in"), Stars: 1}, place{Base: gofile.Local("out"), Stars: 1}
	switch {
	case f.whole:
		w.reinterpret(f.Out, in, out)
	case f.values:
		for _, one := range f.fields {
			w.fromValues(one, in, out)
		}
	default:
		for _, one := range f.fields {
			w.field(one, f.FuncName(), in, out)
		}
	}
	if !w.keeps(f.pkg, f.TypePair, place{Base: gofile.Local("in")}, place{Base: gofile.Local("out")}) {
		w.Linef("return nil")
	}
	return gofile.Indented(gofile.Trimmed(w.Code()), 1)
}
