package register

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// general is the general view, renamed because embedding it must not hide its methods.
type general = render.Package

// Registration is the view of a package of types.
type Registration struct{ *general }

var views = render.Views{Package: func(p *render.Package) any { return Registration{p} }}

// Group returns the name of the API group, as a Go string literal.
func (p Registration) Group() gofile.Code { return gofile.Quote(p.Model.Registration.Group) }

// Version returns the API version, as a Go string literal.
func (p Registration) Version() gofile.Code { return gofile.Quote(p.Model.Registration.Version) }

// Types returns the names of the structs to register.
func (p Registration) Types() []string { return p.Model.Registration.Types }

// Named returns the structs to register under other names than their own.
func (p Registration) Named() []model.Registered { return p.Model.Registration.Named }

// RegistersObjects reports whether SchemeBuilder.Register must take objects, as in controller-runtime, because other
// code calls it with objects.
func (p Registration) RegistersObjects() bool { return p.Model.Registration.Objects }

// Lacks reports whether no hand-written file of the package declares name.
func (p Registration) Lacks(name string) bool { return !p.HandWritten(name) }
