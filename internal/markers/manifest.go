package markers

import (
	"slices"
	"strings"
)

// Kind is the type of the value of a marker for manifests, or of one of its arguments.
type Kind int

// Kinds of values. Those of Declarative are ints or floats after which a comment may follow.
const (
	NoValue Kind = iota
	Int
	Float
	String
	Boolean
	Any     // whatever the text looks like: a number, Boolean, string, list or object
	Strings // a list
	Anys    // a list
	JSON    // a JSON value, or ref(Constant)
	Named   // arguments with names
)

// Argument is an argument of a marker for manifests.
type Argument struct {
	Name     string
	Kind     Kind
	Optional bool
}

// ManifestDefinition describes a marker that determines CustomResourceDefinitions.
type ManifestDefinition struct {
	Name      string
	Targets   []Target
	Kind      Kind
	Arguments []Argument // for the kind Named
	Optional  bool       // the value may be missing
	Help      string     // one line: what it does
}

// Validation is the prefix of most markers for schemas, and Items that of those for the elements of a list.
const (
	Validation = "kubebuilder:validation:"
	Items      = Validation + "items:"
)

var (
	anywhere    = []Target{Field, Type}
	onTypes     = []Target{Type}
	onFields    = []Target{Field}
	forPackages = []Target{Package}
)

// Manifest lists the markers that determine CustomResourceDefinitions: those of sigs.k8s.io/controller-tools v0.23.
var Manifest = withItems([]ManifestDefinition{
	{Name: "groupName", Targets: forPackages, Kind: String, Optional: true, Help: "the API group of the package's kinds"},
	{Name: "versionName", Targets: forPackages, Kind: String, Help: "the version of the package's kinds, if it is not the name of the package"},
	{Name: Validation + "Optional", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, may be absent"},
	{Name: Validation + "Required", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, must be present"},
	{Name: "kubebuilder:skip", Targets: forPackages, Help: "the package has no kinds"},

	{Name: Validation + "Maximum", Targets: anywhere, Kind: Float, Help: "the greatest number allowed"},
	{Name: Validation + "Minimum", Targets: anywhere, Kind: Float, Help: "the smallest number allowed"},
	{Name: Validation + "ExclusiveMaximum", Targets: anywhere, Kind: Boolean, Help: "numbers must be less than the maximum"},
	{Name: Validation + "ExclusiveMinimum", Targets: anywhere, Kind: Boolean, Help: "numbers must be greater than the minimum"},
	{Name: Validation + "MultipleOf", Targets: anywhere, Kind: Float, Help: "numbers must be multiples of this one"},
	{Name: Validation + "MinProperties", Targets: anywhere, Kind: Int, Help: "the least number of keys of an object"},
	{Name: Validation + "MaxProperties", Targets: anywhere, Kind: Int, Help: "the greatest number of keys of an object"},
	{Name: Validation + "MaxLength", Targets: anywhere, Kind: Int, Help: "the greatest length of a string"},
	{Name: Validation + "MinLength", Targets: anywhere, Kind: Int, Help: "the least length of a string"},
	{Name: Validation + "Pattern", Targets: anywhere, Kind: String, Help: "a regular expression that a string must match"},
	{Name: Validation + "MaxItems", Targets: anywhere, Kind: Int, Help: "the greatest length of a list"},
	{Name: Validation + "MinItems", Targets: anywhere, Kind: Int, Help: "the least length of a list"},
	{Name: Validation + "UniqueItems", Targets: anywhere, Kind: Boolean, Help: "the elements of a list differ"},
	{Name: Validation + "Enum", Targets: anywhere, Kind: Anys, Help: "the values allowed"},
	{Name: Validation + "Format", Targets: anywhere, Kind: String, Help: "the OpenAPI format, such as date-time"},
	{Name: Validation + "Type", Targets: anywhere, Kind: String, Help: "the JSON type, if it does not follow from the Go type"},
	{Name: Validation + "XPreserveUnknownFields", Targets: anywhere, Help: "fields that the schema lacks are kept"},
	{Name: Validation + "XEmbeddedResource", Targets: anywhere, Help: "the value is an object with apiVersion, kind and metadata"},
	{Name: Validation + "XIntOrString", Targets: anywhere, Help: "the value is an integer or a string"},
	{Name: Validation + "XValidation", Targets: anywhere, Kind: Named, Help: "a CEL rule that values must satisfy", Arguments: []Argument{
		{"rule", String, false}, {"message", String, true}, {"messageExpression", String, true}, {"reason", String, true},
		{"fieldPath", String, true}, {"optionalOldSelf", Boolean, true},
	}},

	{Name: "required", Targets: onFields, Help: "the field must be present"},
	{Name: "optional", Targets: onFields, Help: "the field may be absent"},
	{Name: "k8s:required", Targets: onFields, Help: "the field must be present and not empty"},
	{Name: "k8s:optional", Targets: onFields, Help: "the field may be absent"},
	{Name: "nullable", Targets: onFields, Help: "the field may be null"},
	{Name: "kubebuilder:default", Targets: onFields, Kind: Any, Help: "the default of the field"},
	{Name: "default", Targets: onFields, Kind: JSON, Help: "the default of the field, in JSON"},
	{Name: "kubebuilder:example", Targets: onFields, Kind: Any, Help: "an example of a value"},
	{Name: Validation + "EmbeddedResource", Targets: onFields, Help: "the value is an object with apiVersion, kind and metadata"},
	{Name: Validation + "Schemaless", Targets: onFields, Help: "the type of the field does not contribute to its schema"},
	{Name: "k8s:immutable", Targets: onFields, Help: "the value cannot change once it is set"},
	{Name: "k8s:maxItems", Targets: onFields, Kind: Int, Help: "the greatest length of a list"},
	{Name: "k8s:minimum", Targets: onFields, Kind: Float, Help: "the smallest number allowed"},
	{Name: "k8s:maximum", Targets: onFields, Kind: Float, Help: "the greatest number allowed"},

	{Name: Validation + "AtMostOneOf", Targets: onTypes, Kind: Strings, Help: "at most one of these fields is set"},
	{Name: Validation + "ExactlyOneOf", Targets: onTypes, Kind: Strings, Help: "one of these fields is set"},
	{Name: Validation + "AtLeastOneOf", Targets: onTypes, Kind: Strings, Help: "at least one of these fields is set"},
	{Name: "k8s:enum", Targets: onTypes, Help: "the values allowed are the constants of the type"},

	{Name: "kubebuilder:pruning:PreserveUnknownFields", Targets: anywhere, Help: "fields that the schema lacks are kept"},
	{Name: "kubebuilder:title", Targets: anywhere, Kind: Any, Help: "the title in the schema"},
	{Name: "kubebuilder:externalDocs", Targets: anywhere, Kind: Named, Help: "where documentation is", Arguments: []Argument{
		{"url", String, false}, {"description", String, true},
	}},

	{Name: "listType", Targets: anywhere, Kind: String, Help: "map, set or atomic: how server-side apply merges a list"},
	{Name: "listMapKey", Targets: anywhere, Kind: String, Help: "a field by which elements of a list of type map are told apart"},
	{Name: "mapType", Targets: anywhere, Kind: String, Help: "granular or atomic: how server-side apply merges a map"},
	{Name: "structType", Targets: anywhere, Kind: String, Help: "granular or atomic: how server-side apply merges a struct"},
	{Name: "k8s:listType", Targets: anywhere, Kind: String, Help: "map, set or atomic: how server-side apply merges a list"},
	{Name: "k8s:listMapKey", Targets: anywhere, Kind: String, Help: "a field by which elements of a list of type map are told apart"},

	{Name: "kubebuilder:subresource:status", Targets: onTypes, Help: "the kind has a status subresource"},
	{Name: "kubebuilder:subresource:scale", Targets: onTypes, Kind: Named, Help: "the kind has a scale subresource", Arguments: []Argument{
		{"specpath", String, false}, {"statuspath", String, false}, {"selectorpath", String, true},
	}},
	{Name: "kubebuilder:printcolumn", Targets: onTypes, Kind: Named, Help: "a column of kubectl get", Arguments: []Argument{
		{"name", String, false}, {"type", String, false}, {"JSONPath", String, false}, {"description", String, true}, {"format", String, true}, {"priority", Int, true},
	}},
	{Name: "kubebuilder:resource", Targets: onTypes, Kind: Named, Help: "names and scope of the kind", Arguments: []Argument{
		{"path", String, true}, {"shortName", Strings, true}, {"categories", Strings, true}, {"singular", String, true}, {"scope", String, true},
	}},
	{Name: "kubebuilder:storageversion", Targets: onTypes, Help: "objects are stored in this version"},
	{Name: "kubebuilder:skipversion", Targets: onTypes, Help: "the manifest leaves out this version"},
	{Name: "kubebuilder:unservedversion", Targets: onTypes, Help: "this version is not served"},
	{Name: "kubebuilder:deprecatedversion", Targets: onTypes, Kind: Named, Help: "this version is deprecated", Arguments: []Argument{{"warning", String, true}}},
	{Name: "kubebuilder:metadata", Targets: onTypes, Kind: Named, Help: "annotations and labels of the manifest", Arguments: []Argument{
		{"annotations", Strings, true}, {"labels", Strings, true},
	}},
	{Name: "kubebuilder:selectablefield", Targets: onTypes, Kind: Named, Help: "a field for field selectors", Arguments: []Argument{{"JSONPath", String, false}}},
})

// withItems adds a form for the elements of a list for each marker of validation that both fields and types can have.
func withItems(all []ManifestDefinition) []ManifestDefinition {
	for _, def := range all {
		if name, ok := strings.CutPrefix(def.Name, Validation); ok && slices.Equal(def.Targets, anywhere) {
			def.Name, def.Help = Items+name, "for elements of a list: "+def.Help
			all = append(all, def)
		}
	}
	return all
}

var manifestByName = func() map[string]*ManifestDefinition {
	byName := map[string]*ManifestDefinition{}
	for i := range Manifest {
		byName[Manifest[i].Name] = &Manifest[i]
	}
	return byName
}()

// otherTools are the markers with the prefix kubebuilder that determine no manifests of kinds.
var otherTools = []string{"kubebuilder:object:", "kubebuilder:rbac", "kubebuilder:webhook", "kubebuilder:ac:", "kubebuilder:conversion", "kubebuilder:doc", "kubebuilder:scaffold", "kubebuilder:docs-gen"}
