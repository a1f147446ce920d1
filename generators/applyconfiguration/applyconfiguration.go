// Package applyconfiguration generates apply configurations. An apply configuration is a type that builds objects, or
// parts of them, for server-side apply. There is one for each kind with an apply verb and for the structs in its
// fields.
package applyconfiguration

import (
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Generator is the generator of apply configurations. Fake clientsets need its type converter even if no kind has an
// apply verb.
type Generator struct{}

var info = &plan.Info{
	Name: "applyconfiguration",
	Code: plan.Code{
		ReadsTypes: true,
		Templates:  templates.ApplyConfigurations,
		Switch:     model.ApplySwitch,
		Always:     true,
		Bare:       true,
		Place:      []plan.Flag{{Name: "applyconfig-name", Default: "applyconfiguration", Usage: "directory of the apply configurations"}},
		Outputs: []plan.Output{
			{Template: templates.ApplyConfigurations + "/utils.go.tmpl"},
			{Template: templates.ApplySchema + "/internal.go.tmpl",
				Doc: "Package internal has the schema for merging apply configurations."},
			{Template: templates.VersionApplyConfigurations + "/struct.go.tmpl"},
		},
	},
	Replaces:   []plan.Tool{{Name: "applyconfiguration-gen"}},
	Nothing:    "its kinds cannot be applied",
	Needs:      plan.Needs{Types: true},
	EnableFlag: plan.Flag{Name: "with-applyconfig", Usage: "generate apply configurations and Apply methods"},
}

// Info, Kind and Structs implement render.StructGenerator.
func (Generator) Info() *plan.Info                             { return info }
func (Generator) Kind(r *model.Resource) bool                  { return r.IsRoot() }
func (Generator) Structs(v *model.Version) []*model.StructType { return v.Structs }

// reportUnapplied reports apply methods with an input type that has no apply configuration.
func reportUnapplied(api *model.API, opts *render.Options, diags *diag.List) {
	if len(api.Structs) == 0 {
		return // the types of fields were not read
	}
	applied := map[model.TypeRef]bool{}
	for _, s := range api.Structs {
		applied[s.TypeRef] = s.Version != nil || s.Published != ""
	}
	for r := range api.Resources() {
		for _, m := range r.Methods {
			has, known := applied[m.Input]
			if m.Verb != model.VerbApply || r.Package.Off(model.ApplySwitch) || has || opts.Externals[m.Input] != "" ||
				!known && strings.HasPrefix(m.Input.Path, "k8s.io/api/") {
				continue
			}
			diags.Errorf(m.Pos, "method %s of %s applies %s, which has no apply configuration", m.Name, r.Kind, m.Input.Name).
				Suggest("use another input type").Or("name the package of its apply configuration with %s", diag.Setting("applyconfig-externals"))
		}
	}
}

// unapplied returns the types of the kinds without an apply configuration.
func unapplied(api *model.API) (types []model.TypeRef) {
	for _, g := range api.AllGroups() {
		for _, v := range g.Versions {
			for _, r := range v.Filter(isUnapplied) {
				types = append(types, r.Type())
			}
		}
	}
	return types
}

func isUnapplied(r *model.Resource) bool { return !r.IsRoot() }

// deriveSchema returns the merge schema of all structs as YAML.
func deriveSchema(api *model.API, opts *render.Options) (string, diag.List) {
	rules, diags := applyschema.Derive(api.Structs)
	for _, d := range diags {
		if opts.Policy.AcceptMistakes { // the classic tools ignore these markers
			d.Severity = diag.Warning
			d.Suggest("correct the markers; until then they are ignored")
		}
	}
	reportUnapplied(api, opts, &diags)
	for _, s := range api.Structs {
		if other := takenBy(s, "Status"); other != nil && s.Resource.HasStatus {
			diags.Warnf(
				s.Resource.Pos, "Extract%sStatus is not generated for the status of kind %s: kind %s has a function of that name", s.Resource.Kind,
				s.Resource.Kind, other.Resource.Kind,
			).WithRelated(other.Resource.Pos).Suggest("call Extract%sFrom with the subresource status", s.Resource.Kind)
		}
	}
	rules.Deduce(unapplied(api)...)
	return rules.String(), diags
}
