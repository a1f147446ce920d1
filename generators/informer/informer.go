// Package informer generates informers and their SharedInformerFactory.
package informer

import (
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

const (
	typedInformer = templates.SharedInformers + "/typed_informer.go.tmpl"
	syncResult    = templates.SharedInformers + "/sync_result.go.tmpl"
	feed          = templates.SharedInformers + "/feed.go.tmpl"
	namespaces    = templates.SharedInformers + "/namespaces.go.tmpl"
	options       = templates.Informers + "/options.go.tmpl"
	waits         = templates.Informers + "/wait.go.tmpl"
)

// Generator is the generator of informers. Its root is the package of the factory.
var Generator = &render.Generator{
	Name:       "informer",
	Templates:  templates.Informers,
	Replaces:   []render.Tool{{Name: "informer-gen"}},
	KeepsCase:  true,
	Switch:     model.InformerSwitch,
	Nothing:    "its kinds cannot be listed or watched",
	Place:      []render.Flag{{Name: "informers-name", Default: "informers", Usage: "directory of the informers"}, {Default: "externalversions"}},
	EnableFlag: render.Flag{Name: "with-watch", Usage: "generate listers and informers"},
	Resources: func(v *model.Version) []*model.Resource {
		return v.Filter(func(r *model.Resource) bool { return !r.Package.Off(model.InformerSwitch) && r.Watchable() })
	},
	Outputs: []render.Output{
		{Template: templates.Informers + "/factory.go.tmpl"},
		{Template: templates.Informers + "/generic.go.tmpl"},
		{Template: options},
		{Template: waits},
		{Template: templates.Informers + "/with_consistency.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/store.go.tmpl", If: consistent,
			Doc: "Package consistency keeps a controller from acting on caches that are older than its own writes (KEP-5647)."},
		{Template: templates.Consistency + "/informers.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/requests.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/answers.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/uncertain.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/owners.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/asked.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/restored.go.tmpl", If: consistent},
		{Template: templates.Consistency + "/current.go.tmpl", If: consistent},
		{Template: templates.SharedInformers + "/factory_interfaces.go.tmpl"},
		{Template: feed},
		{Template: namespaces},
		{Template: typedInformer},
		{Template: syncResult},
		{Template: templates.GroupInformers + "/interface.go.tmpl"},
		{Template: templates.VersionInformers + "/interface.go.tmpl"},
		{Template: templates.VersionInformers + "/kind.go.tmpl"},
	},
	When: func(a *render.API, template string) bool {
		switch template {
		case typedInformer:
			return a.Backports(model.TypedInformers)
		case syncResult:
			return a.Backports(model.FactoryContext)
		case feed, namespaces, options, waits:
			return hasFeeds(a)
		}
		return true
	},
	Needs: render.Needs{Indexes: true},
	Views: views.Fixed(),
}

// consistent reports whether the code is generated with which controllers wait for caches to contain their writes.
func consistent(opts *render.Options) bool { return opts.Consistency }

// hasFeeds reports whether the factory tracks how the caches of its informers are filled: the requests sent for each
// kind, and the result of the last one. Factories of client-go do not.
func hasFeeds(a *render.API) bool { return !a.Options().Policy.NoFeeds }
