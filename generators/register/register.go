// Package register generates the code that adds the types of a package to a runtime.Scheme. The files belong to the
// packages of the types.
package register

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of registration code, for all packages without hand-written registration code.
type Generator struct{}

var info = &plan.Info{
	Name: "register",
	Code: plan.Code{
		Templates: templates.Register,
		Switch:    model.RegisterSwitch,
		Outputs:   []plan.Output{{Template: templates.Register + "/package/zz_generated.register.go.tmpl"}},
	},
	Replaces: []plan.Tool{{Name: "register-gen"}},
	Imported: true,
	EnableFlag: plan.Flag{
		Name: "with-register", Default: "false", Usage: "generate AddToScheme and SchemeGroupVersion for packages of types without them",
	},
	EnableHint: "add +groupName=stable.example.com or +k8s:register-gen=package to the comment of a package without a hand-written " +
		"AddToScheme",
}

// Info, Views and Package implement render.PackageGenerator.
func (Generator) Info() *plan.Info                                            { return info }
func (Generator) Package(pkg *model.Package) bool                             { return pkg.Registration != nil }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }
