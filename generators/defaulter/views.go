package defaulter

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// general is the general view, renamed because embedding it must not hide its methods.
type general = render.Package

// Defaults is the view of a package.
type Defaults struct{ *general }

var views = render.Views{Package: func(p *render.Package) any { return Defaults{p} }}

// Types returns the types whose defaults are set.
func (p Defaults) Types() []*Type {
	var list []*Type
	for _, of := range p.Model.Defaults.Types {
		list = append(list, &Type{p, of})
	}
	return list
}

// Type is the view of a type whose defaults are set.
type Type struct {
	pkg Defaults
	of  *model.Defaulted
}

// Function returns the name of the function.
func (t *Type) Function() string { return model.SetObjectDefaults + t.of.Name }

// Type returns the Go syntax of the type.
func (t *Type) Type() gofile.Code { return t.pkg.TypeRef(t.of.TypeRef) }

// Object reports whether schemes call the function.
func (t *Type) Object() bool { return t.of.Object }

// In returns the name of the parameter.
func (t *Type) In() gofile.Code { return gofile.Local("in") }

// Body returns the indented statements of the function.
func (t *Type) Body() gofile.Code {
	w := &writer{Statements: render.NewStatements(t.pkg.general)}
	w.set(t.of.Value, place{Base: t.In(), Stars: 1})
	return gofile.Indented(gofile.Trimmed(w.Code()), 1)
}
