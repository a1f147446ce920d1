// Package informer generates informers and their SharedInformerFactory.
package informer

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of informers. Its root is the package of the factory.
type Generator struct{}

var info = &plan.Info{
	Name: "informer",
	Code: plan.Code{
		Templates: templates.Informers,
		KeepsCase: true,
		Switch:    model.InformerSwitch,
		Place: []plan.Flag{
			{Name: "informers-name", Default: "informers", Usage: "directory of the informers"}, {Default: "externalversions"},
		},
		Outputs: []plan.Output{
			{Template: templates.Informers + "/factory.go.tmpl"},
			{Template: templates.Informers + "/generic.go.tmpl"},
			{Template: templates.Informers + "/options.go.tmpl", If: hasFeeds},
			{Template: templates.Informers + "/wait.go.tmpl", If: hasFeeds},
			{Template: templates.Informers + "/with_consistency.go.tmpl", If: consistent},
			{Template: templates.Consistency + "/consistency.go.tmpl", If: consistent,
				Doc: "Package consistency has the names of github.com/kubegen/kubegen/consistency, the store of own writes."},
			{Template: templates.SharedInformers + "/factory_interfaces.go.tmpl"},
			{Template: templates.SharedInformers + "/feed.go.tmpl", If: hasFeeds},
			{Template: templates.SharedInformers + "/namespaces.go.tmpl", If: hasFeeds},
			{Template: templates.SharedInformers + "/typed_informer.go.tmpl", If: backports(model.TypedInformers)},
			{Template: templates.SharedInformers + "/sync_result.go.tmpl", If: backports(model.FactoryContext)},
			{Template: templates.GroupInformers + "/interface.go.tmpl"},
			{Template: templates.VersionInformers + "/interface.go.tmpl"},
			{Template: templates.VersionInformers + "/kind.go.tmpl"},
		},
	},
	Replaces:   []plan.Tool{{Name: "informer-gen"}},
	Nothing:    "its kinds cannot be listed or watched",
	EnableFlag: plan.Flag{Name: "with-watch", Usage: "generate listers and informers"},
	Needs:      plan.Needs{Indexes: true, OwnWrites: true},
}

// Info, Kind and Views implement render.KindGenerator.
func (Generator) Info() *plan.Info                                            { return info }
func (Generator) Kind(r *model.Resource) bool                                 { return r.Watchable() }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }

// consistent reports whether the code is generated with which controllers wait for caches to contain their writes.
func consistent(opts *plan.Options) bool { return opts.Consistency }

// hasFeeds reports whether the factory tracks how the caches of its informers are filled: the requests sent for each
// kind, and the result of the last one. Factories of client-go do not.
func hasFeeds(opts *plan.Options) bool { return !opts.Policy.NoFeeds }

// backports returns a function that reports whether the generated code provides a capability that client-go lacks.
func backports(c model.Capability) func(*plan.Options) bool {
	return func(opts *plan.Options) bool { return opts.Backports(c) }
}
