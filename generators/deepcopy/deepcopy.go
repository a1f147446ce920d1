// Package deepcopy generates DeepCopy methods, which return copies that share no memory with the original. The files
// belong to the packages of the types.
package deepcopy

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of DeepCopy methods, for all packages and types whose markers request them.
type Generator struct{}

var info = &plan.Info{
	Name: "deepcopy",
	Code: plan.Code{
		Templates: templates.DeepCopy,
		Switch:    model.DeepCopyMarker,
		Outputs:   []plan.Output{{Template: templates.PackageDeepCopy + "/zz_generated.deepcopy.go.tmpl"}},
	},
	Replaces:   []plan.Tool{{Name: "deepcopy-gen"}, {Name: "controller-gen", File: "zz_generated.deepcopy.go"}},
	Imported:   true,
	EnableFlag: plan.Flag{Name: "with-deepcopy", Default: "false", Usage: "write DeepCopy methods into packages of types"},
	EnableHint: "put +k8s:deepcopy-gen=package into the comments of packages whose types are to have DeepCopy methods",
}

// Info and Package implement render.PackageGenerator.
func (Generator) Info() *plan.Info                { return info }
func (Generator) Package(pkg *model.Package) bool { return len(pkg.Copies) > 0 }

// Views determines how each type is copied, and reports types that cannot be copied.
func (Generator) Views(api *model.API, _ *render.Options) (render.Views, diag.List) {
	plans := map[*model.Package][]*methods{}
	var diags diag.List
	for _, pkg := range api.Packages {
		c := &copier{home: pkg.Path, planned: map[*model.Declared]bool{}, search: search{methods: true, known: map[*model.Type]bool{}}}
		for _, d := range pkg.Copies {
			c.add(d)
		}
		plans[pkg] = c.finish()
		diags = append(diags, c.diags...)
	}
	return render.Views{Package: func(p *render.Package) any { return Copies{p, plans[p.Model]} }}, diags
}
