package markers

import (
	"slices"
	"strings"
)

// rules is the prefix of markers for rules in OpenAPI definitions.
const rules = "k8s:validation:"

// openAPIMarkers lists the markers that only determine OpenAPI definitions.
var openAPIMarkers = ofRules([]Definition{
	{
		Name: "k8s:openapi-gen", Targets: onFields, Type: Boolean, Form: "=false", Help: "the field is not part of OpenAPI definitions",
		Elsewhere: &Definition{
			Targets: []Target{Package, Type}, Type: Checked, Form: "=true",
			Help: "with --with-openapi-definitions: the type, or all structs of the package, have a definition; =false omits a type",
		},
	},
	{
		Name: "k8s:openapi-model-package", Targets: []Target{Package, Type}, Type: String, Form: "=com.example.stable.v1",
		Help: "the first part of the names of models, as --with-openapi and --with-openapi-definitions write them",
	},
	{Name: "enum", Targets: onTypes, Help: "the values allowed are the constants of the type"},
	{Name: rules + "additionalProperties", Targets: anywhere, Form: ":maxLength=1", Help: "a rule for the values of a map"},
	{Name: rules + "cel", Targets: anywhere, Form: `[0]:rule="self.min <= self.max"`,
		Help: "a CEL rule that values must satisfy; +" + rules + `cel[0]:message="..." or messageExpression is also needed`},
	{Name: rules + "items", Targets: anywhere, Form: ":maxLength=1", Help: "a rule for the elements of a list"},
	{Name: rules + "properties", Targets: anywhere, Form: ":name:maxLength=1", Help: "a rule for the property name of a struct"},
})

// ofRules adds the rules that manifests have, too, and sets the effect of all markers.
func ofRules(all []Definition) []Definition {
	for _, name := range []string{"exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
		"minLength", "minProperties", "minimum", "multipleOf", "pattern", "uniqueItems"} {
		i := slices.IndexFunc(schemaMarkers, func(def Definition) bool { return strings.EqualFold(def.Name, Validation+name) })
		def := schemaMarkers[i]
		def.Name = rules + name
		all = append(all, def)
	}
	for i := range all {
		all[i].Effect = OpenAPI
	}
	return all
}
