// Package clientset generates the clientset, its fake, its scheme and the clients of all kinds.
package clientset

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of clientsets. Its root is the package of the clientset.
type Generator struct{}

var info = &plan.Info{
	Name: "clientset",
	Code: plan.Code{
		Templates: templates.Clientset,
		Switch:    model.ClientSwitch,
		Bare:      true,
		Empty:     true,
		Place: []plan.Flag{
			{Name: "clientset-name", Default: "clientset", Usage: "directory that contains the clientset"},
			{Name: "versioned-name", Default: "versioned", Usage: "directory of the clientset, below --clientset-name"},
		},
		Outputs: []plan.Output{
			{Template: templates.Clientset + "/clientset.go.tmpl"},
			{Template: templates.Scheme + "/register.go.tmpl",
				Doc: "Package scheme provides the scheme of the clientset, with the Go types of all its groups, and codecs for them."},
			{Template: templates.FakeClientset + "/clientset_generated.go.tmpl",
				Doc: "Package fake provides a clientset for tests that stores its objects in memory."},
			{Template: templates.FakeClientset + "/register.go.tmpl"},
			{Template: resources},
			{Template: subresources},

			{Template: templates.Clients + "/group_client.go.tmpl", Doc: "Package {package} provides the clients for the kinds of {gv}."},
			{Template: templates.Clients + "/generated_expansion.go.tmpl"},
			{Template: templates.Clients + "/kind.go.tmpl"},
			{Template: kindHelpers, Of: (*model.Resource).Helpers, Without: "rename the kind, or remove +" + model.HelpersMarker},
			{Template: sharedHelpers, Doc: "Package helpers has the code that the helpers of all kinds share."},
			{Template: sharedFakes, Doc: "Package fakes has the code that the fake clients of all kinds share."},
			{Template: templates.FakeClients + "/fake_group_client.go.tmpl",
				Doc: "Package fake provides clients for the kinds of {gv} that store their objects in memory."},
			{Template: templates.FakeClients + "/fake_kind.go.tmpl"},
		},
	},
	Replaces: []plan.Tool{{Name: "client-gen"}},
	Needs:    plan.Needs{Scheme: true, Types: true},
}

// Info, Kind and Views implement render.KindGenerator.
func (Generator) Info() *plan.Info                                            { return info }
func (Generator) Kind(*model.Resource) bool                                   { return true }
func (Generator) Views(*model.API, *render.Options) (render.Views, diag.List) { return views, nil }
