// Package defaulter generates functions that set the defaults of objects: the defaults in markers, and the ones of
// functions written by hand. The files belong to packages that request them.
package defaulter

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of functions that set defaults, for all packages whose markers request them.
type Generator struct{}

var info = &plan.Info{
	Name: "defaulter",
	Code: plan.Code{
		Templates: templates.Defaulter,
		Outputs:   []plan.Output{{Template: templates.Defaulter + "/package/zz_generated.defaults.go.tmpl"}},
	},
	Replaces: []plan.Tool{{Name: "defaulter-gen"}},
	EnableFlag: plan.Flag{
		Name: "with-defaults", Default: "false", Usage: "write functions that set defaults into packages marked +k8s:defaulter-gen",
	},
	EnableHint: "put +k8s:defaulter-gen=TypeMeta into the comments of packages whose objects have defaults",
}

// Info, Views and Package implement render.PackageGenerator.
func (Generator) Info() *plan.Info                                            { return info }
func (Generator) Package(pkg *model.Package) bool                             { return pkg.Defaults != nil }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }
