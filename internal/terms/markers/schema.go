package markers

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// Validation is the prefix of most markers for schemas. Items is the prefix of markers for the elements of a list.
const (
	Validation = crdschema.Validation
	Items      = Validation + "items:"
)

// schemaMarkers lists the markers of packages, types and fields that determine the schemas of manifests. The rows of
// crdschema.Keywords contain the markers with the value of a keyword.
var schemaMarkers = withItems(append(ofKeywords(), []Definition{
	{Name: Validation + "Optional", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, may be absent"},
	{Name: Validation + "Required", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, must be present"},

	{Name: Validation + "XValidation", Targets: anywhere, Type: Named, Adds: true,
		Form: `:rule="self.min <= self.max",message="min must not exceed max"`, Help: "a CEL rule that values must satisfy",
		Arguments: []Argument{
			{"rule", String, false}, {"message", String, true}, {"messageExpression", String, true}, {"reason", String, true},
			{"fieldPath", String, true}, {"optionalOldSelf", Boolean, true},
		}},

	{
		Name: "kubegen:schema", Targets: anywhere, Type: JSON, Adds: true, Form: `={"not":{"required":["a","b"]}}`,
		Help: "keywords of the schema in JSON, for keywords without a marker",
	},

	{Name: "required", Targets: onFields, Help: "the field must be present"},
	{Name: "optional", Targets: onFields, Help: "the field may be absent"},
	{Name: "k8s:required", Targets: onFields, Help: "the field must be present and not empty"},
	{Name: "k8s:optional", Targets: onFields, Help: "the field may be absent"},
	{Name: "nullable", Targets: onFields, Help: "the field may be null"},
	{Name: "kubebuilder:default", Targets: onFields, Type: Any, Help: "the default of the field"},
	{Name: "default", Targets: onFields, Effect: Merging, Type: JSON, Help: "the default value of the field, in JSON"},
	{Name: "kubebuilder:example", Targets: onFields, Type: Any, Help: "an example of a value"},
	{Name: Validation + "EmbeddedResource", Targets: onFields, Help: "the value is an object with apiVersion, kind and metadata"},
	{Name: Validation + "Schemaless", Targets: onFields, Effect: Merging, Help: "the field can have any value"},
	{Name: "k8s:immutable", Targets: onFields, Help: "the value cannot change once it is set"},
	{Name: "k8s:maxItems", Targets: onFields, Type: Int, Help: "the maximum length of a list"},
	{Name: "k8s:minimum", Targets: onFields, Type: Float, Help: "the minimum value"},
	{Name: "k8s:maximum", Targets: onFields, Type: Float, Help: "the maximum value"},

	{Name: Validation + "AtMostOneOf", Targets: onTypes, Type: Strings, Adds: true, Help: "at most one of these fields is set"},
	{Name: Validation + "ExactlyOneOf", Targets: onTypes, Type: Strings, Adds: true, Help: "one of these fields is set"},
	{Name: Validation + "AtLeastOneOf", Targets: onTypes, Type: Strings, Adds: true, Help: "at least one of these fields is set"},
	{Name: "k8s:enum", Targets: onTypes, Help: "the values allowed are the constants of the type"},

	{
		Name: "kubebuilder:pruning:PreserveUnknownFields", Targets: anywhere, Effect: Merging,
		Help: "objects may have fields that the type does not declare",
	},
	{Name: "kubebuilder:title", Targets: anywhere, Type: Any, Help: "the title in the schema"},
	{Name: "kubebuilder:externalDocs", Targets: anywhere, Type: Named, Form: `:url="https://example.com/api"`,
		Help: "a link to documentation", Arguments: []Argument{
			{"url", String, false}, {"description", String, true},
		}},

	{
		Name: "listType", Targets: anywhere, Effect: Merging, Type: String, Form: "=map",
		Help: "how a list merges: map, set, or atomic (as a whole)", Default: "atomic",
	},
	{
		Name: "listMapKey", Targets: anywhere, Effect: Merging | Converting, Type: String, Form: "=name",
		Help: "with +listType=map: JSON name of a field that identifies an element",
	},
	{
		Name: "mapType", Targets: anywhere, Effect: Merging, Type: String, Form: "=atomic",
		Help: "how a map merges: granular, or atomic (as a whole)", Default: "granular",
	},
	{
		Name: "structType", Targets: anywhere, Effect: Merging, Type: String, Form: "=atomic",
		Help: "how a struct merges: granular, or atomic (as a whole)", Default: "granular",
	},
	{Name: "k8s:listType", Targets: anywhere, Type: String, Form: "=map", Help: "same as +listType"},
	{Name: "k8s:listMapKey", Targets: anywhere, Effect: Converting, Type: String, Form: "=name", Help: "same as +listMapKey"},
}...))

// withItems adds, for each validation marker of fields and types, a marker for the elements of a list. It sets the
// effect of all markers.
func withItems(all []Definition) []Definition {
	for i := range all {
		all[i].Effect |= Manifests
	}
	for _, def := range all {
		if name, ok := strings.CutPrefix(def.Name, Validation); ok && slices.Equal(def.Targets, anywhere) {
			def.Name, def.Effect, def.Help = Items+name, Manifests, "for elements of a list: "+def.Help
			all = append(all, def)
		}
	}
	return all
}

// ofKeywords returns the markers for keywords of package crdschema.
func ofKeywords() (all []Definition) {
	for _, k := range crdschema.Keywords {
		if k.Marker == "" {
			continue
		}
		def := Definition{Name: Validation + k.Marker, Targets: anywhere, Form: k.Form, Help: k.Help}
		if k.Merging {
			def.Effect = Merging
		}
		switch k.Takes().(type) {
		case *string:
			def.Type = String
		case *bool:
			def.Type = Boolean
		case **int64:
			def.Type = Int
		case **float64:
			def.Type = Float
		case *[]crdschema.Value:
			def.Type = Anys
		}
		all = append(all, def)
	}
	return all
}
