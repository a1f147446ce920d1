package applyconfiguration

import (
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// The general views, renamed because embedding them must not hide their methods.
type (
	api = render.API
	of  = render.Struct
)

// API is the view of the API as a whole.
type API struct {
	*api
	schema string // the merge schema of all structs, as YAML
}

// Struct is the view of a struct.
type Struct struct {
	*of

	// The fields below describe the apply configuration. They are computed on first use.
	fields []builderField
	made   *members
}

// Views derives the merge schema of all structs.
func (Generator) Views(api *model.API, opts *render.Options) (render.Views, diag.List) {
	merged, diags := deriveSchema(api, opts)
	return render.Views{
		API:    func(a *render.API) any { return API{a, merged} },
		Struct: func(s *render.Struct) any { return &Struct{of: s} },
	}, diags
}

// Parser returns the generated function that returns the parser of the merge schema.
func (a API) Parser() gofile.Code { return a.RefIn(templates.ApplySchema, "Parser") }

// Misnamed is a kind whose schema has another name in schemes, because the kind has a method OpenAPIModelName: its own,
// or a method of metadata embedded at different depths.
type Misnamed struct {
	GroupVersion gofile.Code
	Kind, Schema string
}

// Misnamed returns the misnamed kinds. For kinds without an apply configuration, it only considers their metadata.
func (a API) Misnamed() (kinds []Misnamed) {
	for _, view := range a.Structs() {
		s := view.(*Struct)
		if name := applyschema.ModelName(s.Model); s.Extracts() && name != "" && name != s.SchemaType() {
			kinds = append(kinds, Misnamed{s.GroupVersion(), s.ObjectKind(), s.SchemaType()})
		}
	}
	for _, g := range a.Model.AllGroups() {
		for _, v := range g.Versions {
			for _, r := range v.Filter(func(r *model.Resource) bool { return r.MetaApart && isUnapplied(r) }) {
				k := render.Kind{Version: &render.Version{Group: &render.Group{API: a.api, Model: g}, Model: v}, Model: r}
				kinds = append(kinds, Misnamed{k.GroupVersion(), k.ObjectKind(), applyschema.NameOf(r.Type())})
			}
		}
	}
	return kinds
}

// ExtractInto returns the generated function that extracts the fields owned by a field manager.
func (s *Struct) ExtractInto() gofile.Code { return s.RefIn(templates.ApplySchema, "ExtractInto") }

// SchemaPackage returns the package of structured-merge-diff used by the release of client-go.
func (a API) SchemaPackage() gofile.Code {
	switch {
	case a.Has(model.MergeDiffV7):
		return "typedv7"
	case a.Has(model.SchemeTypeConverter):
		return "typed"
	}
	return "typedv4"
}

// SchemaYAML returns the merge schema of all structs as a Go string literal.
func (a API) SchemaYAML() gofile.Code { return gofile.QuoteLines(a.schema) }
