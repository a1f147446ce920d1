// Package conversion generates functions that convert objects between versions of an API, or between a version and the
// internal types of a server, and registers them with schemes. The files belong to the packages of the types.
package conversion

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of conversion functions, for all packages whose markers request them.
type Generator struct{}

var info = &plan.Info{
	Name: "conversion",
	Code: plan.Code{
		Templates: templates.Conversion,
		Outputs: []plan.Output{
			{Template: templates.Conversion + "/package/zz_generated.conversion.go.tmpl", In: hasFunctions},
			{
				Template: templates.Conversion + "/package/zz_generated.conversion_test.go.tmpl",
				In:       func(pkg *model.Package) bool { return len(pkg.Conversions.Spokes) > 0 },
			},
		},
	},
	Replaces: []plan.Tool{{Name: "conversion-gen"}},
	EnableFlag: plan.Flag{
		Name: "with-conversion", Default: "false", Usage: "write functions that convert kinds to hubs, marked +kubegen:conversion:hub, and types of packages marked +k8s:conversion-gen",
	},
	EnableHint: "add +kubegen:conversion:hub above the version of a kind that the others are converted to, or " +
		"+k8s:conversion-gen=example.com/api/v2, the package that its types are converted to, to the comment of a package",
}

func hasFunctions(pkg *model.Package) bool {
	return pkg.Conversions.Converts() || len(pkg.Conversions.Hubs) > 0
}

// Info and Package implement render.PackageGenerator.
func (Generator) Info() *plan.Info                { return info }
func (Generator) Package(pkg *model.Package) bool { return pkg.Conversions != nil }

// Views determines how each type is converted, and reports fields that need hand-written functions.
func (Generator) Views(api *model.API, opts *render.Options) (render.Views, diag.List) {
	functions, keepings := map[*model.Package][]*function{}, map[*model.Package][]*keeping{}
	var diags diag.List
	for _, pkg := range api.Packages {
		if pkg.Conversions != nil {
			c := newConverter(pkg, !opts.SkipUnsafe)
			functions[pkg], keepings[pkg] = c.all(), c.keepings()
			diags = append(diags, c.diags...)
		}
	}
	view := func(p *render.Package) any { return Conversions{p, functions[p.Model], keepings[p.Model]} }
	return render.Views{Package: view}, append(diags, reportUnkept(functions, keepings)...)
}
