// Package applyconfiguration is the family of apply configurations: builders for the objects that server-side apply is given,
// of all kinds with apply verbs and of the structs that those consist of.
package applyconfiguration

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/schema"
	"github.com/kubegen/kubegen/templates"
)

// Family describes the apply configurations. Fakes need their type converter even if there are none.
var Family = &render.Family{
	Name:      "applyconfiguration",
	Templates: templates.ApplyConfigurations,
	Replaces:  "applyconfiguration-gen",
	Switch:    model.ApplySwitch,
	Resources: (*model.Version).Applied,
	Structs:   func(v *model.Version) []*model.StructType { return v.Structs },
	Always:    true,
	Outputs: []render.Output{
		{Template: templates.ApplyConfigurations + "/utils.go.tmpl"},
		{Template: templates.ApplySchema + "/internal.go.tmpl",
			Doc: "Package internal has the schema that tells how apply configurations merge."},
		{Template: templates.VersionApplyConfigurations + "/struct.go.tmpl"},
	},
	Prepare: deriveSchema,
	View:    view,
}

// deriveSchema returns the schema of all structs as YAML. What an OpenAPI document says of a type wins.
func deriveSchema(api *model.API, opts *render.Options) (any, diag.List) {
	text, diags := schema.Derive(api.Structs)
	if !diags.HasErrors() && opts.OpenAPI != nil {
		var err error
		if text, err = schema.Override(text, opts.OpenAPI); err != nil {
			diags.Errorf(token.Position{}, "OpenAPI document: %v", err)
		}
	}
	return string(text), diags
}
