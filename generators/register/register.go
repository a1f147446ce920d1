// Package register generates the code that adds the types of a package to a runtime.Scheme. The files belong to the
// packages of the types.
package register

import (
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of registration code, for all packages without hand-written registration code.
var Generator = &render.Generator{
	Name:       "register",
	Templates:  templates.Register,
	Replaces:   []render.Tool{{Name: "register-gen"}},
	Switch:     model.RegisterSwitch,
	Provides:   render.Provides{Scheme: true},
	EnableFlag: render.Flag{Name: "with-register", Default: "false", Usage: "generate AddToScheme and SchemeGroupVersion for packages of types without them"},
	Package:    func(pkg *model.Package) bool { return pkg.Registration != nil },
	EnableHint: "add +groupName=stable.example.com or +k8s:register-gen=package to the comment of a package without a hand-written AddToScheme",
	Outputs:    []render.Output{{Template: templates.Register + "/package/zz_generated.register.go.tmpl"}},
	Views:      views.Fixed(),
}
