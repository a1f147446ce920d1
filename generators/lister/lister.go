// Package lister generates listers, which read the caches of informers.
package lister

import (
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of listers. Its root contains a directory for each group.
type Generator struct{}

var info = &render.Info{
	Name: "lister",
	Code: render.Code{
		Templates: templates.Listers,
		Switch:    model.ListerSwitch,
		Place:     []render.Flag{{Name: "listers-name", Default: "listers", Usage: "directory of the listers"}},
		Outputs: []render.Output{
			{Template: templates.VersionListers + "/expansion_generated.go.tmpl"},
			{Template: templates.VersionListers + "/kind.go.tmpl"},
			{Template: templates.VersionListers + "/kind_indexes.go.tmpl", Of: func(r *model.Resource) bool { return len(r.Indexes) > 0 }},
		},
	},
	Replaces:   []render.Tool{{Name: "lister-gen"}},
	Nothing:    "its kinds cannot be listed or watched",
	EnableFlag: render.Flag{Name: "with-watch", Usage: "generate listers and informers"},
	Needs:      render.Needs{Indexes: true},
}

// Info, Kind, Views and Generate implement render.CodeGenerator.
func (Generator) Info() *render.Info                                          { return info }
func (Generator) Kind(r *model.Resource) bool                                 { return r.Listable() }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	return render.Generate(g, in)
}
