package applyconfiguration

import (
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// The general views, renamed because embedding them must not hide their methods.
type (
	api = render.API
	of  = render.Struct
)

// API is what templates are given for the API as a whole.
type API struct{ *api }

// Struct is what templates are given for a struct.
type Struct struct {
	*of

	// Of the apply configuration, computed on first use.
	fields []builderField
	made   *members
}

func view(general any) any {
	switch general := general.(type) {
	case *render.API:
		return API{general}
	case *render.Struct:
		return &Struct{of: general}
	}
	return general
}

// Parser returns the function that returns the schema.
func (a API) Parser() string { return a.RefIn(templates.ApplySchema, "Parser") }

// ExtractInto returns the function that reads which fields a field manager owns.
func (s *Struct) ExtractInto() string { return s.RefIn(templates.ApplySchema, "ExtractInto") }

// SchemaPackage returns the package of structured-merge-diff that client-go uses.
func (a API) SchemaPackage() string {
	if a.Has(model.SchemeTypeConverter) {
		return "typed"
	}
	return "typedv4"
}

// SchemaYAML returns the schema of all structs as a Go string.
func (a API) SchemaYAML() string {
	text := a.Prepared.(string)
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
