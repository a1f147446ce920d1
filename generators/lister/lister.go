// Package lister generates listers, which read the caches of informers.
package lister

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of listers. Its root contains a directory for each group.
type Generator struct{}

var info = &render.Info{
	Name:       "lister",
	Templates:  templates.Listers,
	Replaces:   []render.Tool{{Name: "lister-gen"}},
	Switch:     model.ListerSwitch,
	Nothing:    "its kinds cannot be listed or watched",
	Place:      []render.Flag{{Name: "listers-name", Default: "listers", Usage: "directory of the listers"}},
	EnableFlag: render.Flag{Name: "with-watch", Usage: "generate listers and informers"},
	Outputs: []render.Output{
		{Template: templates.VersionListers + "/expansion_generated.go.tmpl"},
		{Template: templates.VersionListers + "/kind.go.tmpl"},
		{Template: templates.VersionListers + "/kind_indexes.go.tmpl", Of: func(r *model.Resource) bool { return len(r.Indexes) > 0 }},
	},
	Needs: render.Needs{Indexes: true},
}

// Info, Kind and Views implement render.Generator.
func (Generator) Info() *render.Info                                          { return info }
func (Generator) Kind(r *model.Resource) bool                                 { return r.Listable() }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }
