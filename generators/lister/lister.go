// Package lister generates listers, which read the caches of informers.
package lister

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// sharedIndexes is the template of the package shared by the indexes of all kinds.
const sharedIndexes = templates.SharedIndexes + "/indexes.go.tmpl"

// Generator is the generator of listers. Its root contains a directory for each group.
type Generator struct{}

var info = &plan.Info{
	Name: "lister",
	Code: plan.Code{
		Templates: templates.Listers,
		Switch:    model.ListerSwitch,
		Place:     []plan.Flag{{Name: "listers-name", Default: "listers", Usage: "directory of the listers"}},
		Outputs: []plan.Output{
			{Template: templates.VersionListers + "/expansion_generated.go.tmpl"},
			{Template: templates.VersionListers + "/kind.go.tmpl"},
			{Template: sharedIndexes, If: func(opts *plan.Options) bool { return !opts.Policy.NoIndexes },
				Doc: "Package indexes has the code that the indexes of all kinds share."},
		},
	},
	Replaces:   []plan.Tool{{Name: "lister-gen"}},
	Nothing:    "its kinds cannot be listed or watched",
	EnableFlag: plan.Flag{Name: "with-watch", Usage: "generate listers and informers"},
	Needs:      plan.Needs{Indexes: true},
}

// Info, Kind and Views implement render.KindGenerator.
func (Generator) Info() *plan.Info                                            { return info }
func (Generator) Kind(r *model.Resource) bool                                 { return r.Listable() }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }

// When reports whether the API needs the output file of a template.
func (Generator) When(a *render.API, template string) bool {
	return template != sharedIndexes || slices.ContainsFunc(a.Kinds(), (*render.Kind).Indexed)
}
