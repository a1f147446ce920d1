// Package register is the family of registrations: what a package of API types needs to be known to a runtime.Scheme.
package register

import (
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// Family describes the registrations, one in each package of types that has none by hand.
var Family = &render.Family{
	Name:      "register",
	Templates: templates.Register,
	Replaces:  []string{"register-gen"},
	Switch:    model.RegisterSwitch,
	Provides:  render.Provides{Scheme: true},
	With:      render.Flag{Name: "with-register", Default: "false", Usage: "write AddToScheme and SchemeGroupVersion into packages of types that lack them"},
	Package:   func(pkg *model.Package) bool { return pkg.Registration != nil },
	Asked:     "put +groupName=stable.example.com or +k8s:register-gen=package into the comments of packages that have no AddToScheme by hand",
	Outputs:   []render.Output{{Template: templates.Register + "/package/zz_generated.register.go.tmpl"}},
	View:      view,
}
