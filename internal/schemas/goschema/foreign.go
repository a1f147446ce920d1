package goschema

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// isStandard reports whether a package is part of the standard library. Module paths of users may lack a dot as well.
func isStandard(src *load.Package) bool {
	return src.Module == "" && !src.Foreign && model.IsStandard(src.Path)
}

// isOwn reports whether users can edit a package.
func isOwn(src *load.Package) bool { return !src.Foreign && !isStandard(src) }

// firstError returns the first error in a list, or nil if there is none.
func firstError(found diag.List) *diag.Diagnostic {
	if i := slices.IndexFunc(found, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 {
		return found[i]
	}
	return nil
}

// mistake returns the first error in a type that users cannot edit, or in a type that it refers to. It returns nil if
// there is none.
func (r *Reader) mistake(root *gotypes.Declaration) *diag.Diagnostic {
	var seen []*gotypes.Declaration
	for d := range r.reachable(root, func(d *gotypes.Declaration) bool { return !r.correct[d] && !isOwn(d.Package) }) {
		if why := firstError(r.derive(d).diags); why != nil {
			return why
		}
		seen = append(seen, d)
	}
	for _, d := range seen {
		r.correct[d] = true
	}
	return nil
}

// usable reports whether a type in the declaration has a schema. If users can edit the declaration, but not the type,
// it reports at pos why the type has none.
func (t *deriver) usable(pos token.Pos, d *gotypes.Declaration) bool {
	if !isOwn(t.of.Package) || isOwn(d.Package) {
		return true
	}
	why := t.mistake(d)
	if why == nil {
		return true
	}
	t.errorf(pos, "%s.%s has no schema: %s", d.Package.Name, d.Name, why.Message).Suggest("%s", t.insteadOf(d))
	return false
}

var jsonNumber = model.TypeRef{Path: "encoding/json", Name: "Number"}

// ofNumber reports whether an expression is the type of a declaration such as `type Number json.Number`. encoding/json
// only writes numbers for the type json.Number itself, and strings for all others of its kind.
func ofNumber(in *gotypes.Declaration, e *gotypes.Expr) bool {
	return e == in.Type && !in.Alias && e.Name == jsonNumber
}

var rawMessage = model.TypeRef{Path: "encoding/json", Name: "RawMessage"}

// instead holds advice on types to use in an API in place of types of the standard library.
var instead = map[model.TypeRef]string{
	{Path: "time", Name: "Time"}:     "use metav1.Time",
	{Path: "math/big", Name: "Int"}:  "use resource.Quantity, or a string",
	{Path: "net/url", Name: "URL"}:   "use string",
	{Path: "net", Name: "IPNet"}:     "use string",
	{Path: "regexp", Name: "Regexp"}: "use string",
}

const orSchemaless = "or add +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields to the field"

// anyJSON returns the type for any value in JSON, of the newest module that go.mod requires.
func (r *Reader) anyJSON() model.TypeRef {
	modules := crdschema.APIExtensions
	if i := slices.IndexFunc(modules, r.types.Modules.Requires); i >= 0 {
		return crdschema.JSONIn(modules[i], "v1")
	}
	return crdschema.JSONIn(modules[len(modules)-1], "v1")
}

func (r *Reader) insteadOf(d *gotypes.Declaration) string {
	if d.TypeRef == rawMessage {
		return "for any value in JSON, use JSON of " + r.anyJSON().Path + ", " + orSchemaless
	}
	if advice, ok := instead[d.TypeRef]; ok {
		return advice
	}
	if isStandard(d.Package) {
		return "use a basic type, or declare a struct with JSON tags"
	}
	return "declare a type of your own with the fields that the API has, " + orSchemaless
}
