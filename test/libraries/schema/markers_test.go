package schema_test

import (
	"slices"
	"testing"

	. "github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestFieldMarkers checks that each marker that is documented for fields changes the schema.
func TestFieldMarkers(t *testing.T) {
	lists := list(named("Elem", nil, field("name", stringType)))
	writesItself := named("Own", nil, field("name", stringType))
	writesItself.Struct.Methods = model.Methods{JSON: true}
	tests := map[string]struct {
		on   *model.Type
		with []string // the markers beside it
		any  bool     // of the struct, not of a field
	}{
		"default":         {on: stringType},
		"k8s:openapi-gen": {on: stringType},
		"kubebuilder:pruning:PreserveUnknownFields":     {on: named("Other", nil, field("name", stringType))},
		"kubebuilder:validation:Format":                 {on: writesItself, with: []string{"kubebuilder:validation:Type=string"}},
		"kubebuilder:validation:Schemaless":             {on: stringType},
		"kubebuilder:validation:Type":                   {on: writesItself},
		"kubebuilder:validation:XIntOrString":           {on: stringType},
		"kubebuilder:validation:XPreserveUnknownFields": {on: named("Other", nil, field("name", stringType))},
		"listMapKey":         {on: lists, with: []string{"listType=map"}},
		"listType":           {on: lists, with: []string{"listMapKey=name"}},
		"mapType":            {on: mapOf(stringType)},
		"patchMergeKey":      {on: lists, with: []string{"patchStrategy=merge"}},
		"patchStrategy":      {on: lists},
		"structType":         {on: named("Other", nil, field("name", stringType))},
		"union":              {any: true},
		"unionDeprecated":    {on: stringType},
		"unionDiscriminator": {on: stringType, with: []string{"unionDeprecated"}},
	}
	for _, def := range markers.All {
		if def.Effect&markers.Merging == 0 {
			continue
		}
		test, ok := tests[def.Name]
		if !ok {
			t.Errorf("+%s is documented for fields, but has no test here", def.Name)
			continue
		}
		schema := func(above ...string) string {
			if test.any {
				return schemaOf(named("Kind", marked(above...), field("one", stringType), field("two", stringType)))
			}
			return schemaOf(named("Kind", nil, field("one", test.on, above...), field("two", stringType, "unionDeprecated")))
		}
		if without, with := schema(test.with...), schema(slices.Concat([]string{def.Name + def.Form}, test.with)...); with == without {
			t.Errorf("+%s changes nothing about\n%s", def.Name, without)
		}
	}
}

// schemaOf returns the schema of a kind, or why there is none.
func schemaOf(t *model.Type) string {
	derived, diags := Derive([]*model.StructType{kind(t)})
	if len(diags) > 0 {
		return diags[0].Message
	}
	return derived.String()
}
