package markers

import (
	"slices"
	"strings"
	"sync"
)

// Kind is the type of the value of a marker for manifests, or of one of its arguments.
type Kind int

// Kinds of values. In declarative markers (+k8s:), a comment may follow an Int or Float.
const (
	NoValue Kind = iota
	Int
	Float
	String
	Boolean
	Any     // any value, by its form: a number, Boolean, string, list or object
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
	Form      string     // example of the text after the name, unless one follows from Kind
	Help      string     // the effect, on one line
}

// Validation is the prefix of most markers for schemas. Items is the prefix of markers for the elements of a list.
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

// Manifest lists the markers that determine CustomResourceDefinitions, which come from sigs.k8s.io/controller-tools
// v0.23.
var Manifest = withItems([]ManifestDefinition{
	{Name: "groupName", Targets: forPackages, Kind: String, Form: "=stable.example.com", Optional: true, Help: "the API group of the package's kinds"},
	{Name: "versionName", Targets: forPackages, Kind: String, Form: "=v1", Help: "the version of the package's kinds, if it is not the name of the package"},
	{Name: Validation + "Optional", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, may be absent"},
	{Name: Validation + "Required", Targets: []Target{Package, Field}, Help: "the field, or all fields of the package, must be present"},
	{Name: "kubebuilder:skip", Targets: forPackages, Help: "the package has no kinds"},

	{Name: Validation + "Maximum", Targets: anywhere, Kind: Float, Help: "the maximum value"},
	{Name: Validation + "Minimum", Targets: anywhere, Kind: Float, Help: "the minimum value"},
	{Name: Validation + "ExclusiveMaximum", Targets: anywhere, Kind: Boolean, Help: "numbers must be less than the maximum"},
	{Name: Validation + "ExclusiveMinimum", Targets: anywhere, Kind: Boolean, Help: "numbers must be greater than the minimum"},
	{Name: Validation + "MultipleOf", Targets: anywhere, Kind: Float, Help: "numbers must be multiples of this one"},
	{Name: Validation + "MinProperties", Targets: anywhere, Kind: Int, Help: "the minimum number of keys of an object"},
	{Name: Validation + "MaxProperties", Targets: anywhere, Kind: Int, Help: "the maximum number of keys of an object"},
	{Name: Validation + "MaxLength", Targets: anywhere, Kind: Int, Help: "the maximum length of a string"},
	{Name: Validation + "MinLength", Targets: anywhere, Kind: Int, Help: "the minimum length of a string"},
	{Name: Validation + "Pattern", Targets: anywhere, Kind: String, Form: `="^[a-z]+$"`, Help: "a regular expression that a string must match"},
	{Name: Validation + "MaxItems", Targets: anywhere, Kind: Int, Help: "the maximum length of a list"},
	{Name: Validation + "MinItems", Targets: anywhere, Kind: Int, Help: "the minimum length of a list"},
	{Name: Validation + "UniqueItems", Targets: anywhere, Kind: Boolean, Help: "the elements of a list differ"},
	{Name: Validation + "Enum", Targets: anywhere, Kind: Anys, Help: "the values allowed"},
	{Name: Validation + "Format", Targets: anywhere, Kind: String, Form: "=date-time", Help: "the OpenAPI format, such as date-time"},
	{Name: Validation + "Type", Targets: anywhere, Kind: String, Form: "=string", Help: "the JSON type, if it does not follow from the Go type"},
	{Name: Validation + "XPreserveUnknownFields", Targets: anywhere, Help: "fields that the schema does not list are kept"},
	{Name: Validation + "XEmbeddedResource", Targets: anywhere, Help: "the value is an object with apiVersion, kind and metadata"},
	{Name: Validation + "XIntOrString", Targets: anywhere, Help: "the value is an integer or a string"},
	{Name: Validation + "XValidation", Targets: anywhere, Kind: Named, Form: `:rule="self.min <= self.max",message="min must not exceed max"`, Help: "a CEL rule that values must satisfy", Arguments: []Argument{
		{"rule", String, false}, {"message", String, true}, {"messageExpression", String, true}, {"reason", String, true},
		{"fieldPath", String, true}, {"optionalOldSelf", Boolean, true},
	}},

	{Name: "kubegen:schema", Targets: anywhere, Kind: JSON, Form: `={"not":{"required":["a","b"]}}`, Help: "keywords of the schema in JSON, for keywords without a marker"},

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
	{Name: "k8s:maxItems", Targets: onFields, Kind: Int, Help: "the maximum length of a list"},
	{Name: "k8s:minimum", Targets: onFields, Kind: Float, Help: "the minimum value"},
	{Name: "k8s:maximum", Targets: onFields, Kind: Float, Help: "the maximum value"},

	{Name: Validation + "AtMostOneOf", Targets: onTypes, Kind: Strings, Help: "at most one of these fields is set"},
	{Name: Validation + "ExactlyOneOf", Targets: onTypes, Kind: Strings, Help: "one of these fields is set"},
	{Name: Validation + "AtLeastOneOf", Targets: onTypes, Kind: Strings, Help: "at least one of these fields is set"},
	{Name: "k8s:enum", Targets: onTypes, Help: "the values allowed are the constants of the type"},

	{Name: "kubebuilder:pruning:PreserveUnknownFields", Targets: anywhere, Help: "fields that the schema does not list are kept"},
	{Name: "kubebuilder:title", Targets: anywhere, Kind: Any, Help: "the title in the schema"},
	{Name: "kubebuilder:externalDocs", Targets: anywhere, Kind: Named, Form: `:url="https://example.com/api"`, Help: "a link to documentation", Arguments: []Argument{
		{"url", String, false}, {"description", String, true},
	}},

	{Name: "listType", Targets: anywhere, Kind: String, Form: "=map", Help: "map, set or atomic: how server-side apply merges a list"},
	{Name: "listMapKey", Targets: anywhere, Kind: String, Form: "=name", Help: "a field that identifies the elements of a list of type map"},
	{Name: "mapType", Targets: anywhere, Kind: String, Form: "=atomic", Help: "granular or atomic: how server-side apply merges a map"},
	{Name: "structType", Targets: anywhere, Kind: String, Form: "=atomic", Help: "granular or atomic: how server-side apply merges a struct"},
	{Name: "k8s:listType", Targets: anywhere, Kind: String, Form: "=map", Help: "map, set or atomic: how server-side apply merges a list"},
	{Name: "k8s:listMapKey", Targets: anywhere, Kind: String, Form: "=name", Help: "a field that identifies the elements of a list of type map"},

	{Name: "kubebuilder:subresource:status", Targets: onTypes, Help: "the kind has a status subresource"},
	{Name: "kubebuilder:subresource:scale", Targets: onTypes, Kind: Named, Form: ":specpath=.spec.replicas,statuspath=.status.replicas", Help: "the kind has a scale subresource", Arguments: []Argument{
		{"specpath", String, false}, {"statuspath", String, false}, {"selectorpath", String, true},
	}},
	{Name: "kubebuilder:printcolumn", Targets: onTypes, Kind: Named, Form: ":name=Phase,type=string,JSONPath=.status.phase", Help: "a column of kubectl get", Arguments: []Argument{
		{"name", String, false}, {"type", String, false}, {"JSONPath", String, false}, {"description", String, true}, {"format", String, true}, {"priority", Int, true},
	}},
	{Name: "kubebuilder:resource", Targets: onTypes, Kind: Named, Form: ":path=geese,scope=Cluster", Help: "names and scope of the kind", Arguments: []Argument{
		{"path", String, true}, {"shortName", Strings, true}, {"categories", Strings, true}, {"singular", String, true}, {"scope", String, true},
	}},
	{Name: NamesMarker, Targets: onTypes, Kind: Named, Form: ":kind=crontab,listKind=CronTabCollection", Help: "the kinds of objects and of their lists", Arguments: []Argument{
		{"kind", String, true}, {"listKind", String, true},
	}},
	{Name: "kubebuilder:storageversion", Targets: onTypes, Help: "objects are stored in this version"},
	{Name: "kubebuilder:skipversion", Targets: onTypes, Help: "the manifest leaves out this version"},
	{Name: "kubebuilder:unservedversion", Targets: onTypes, Help: "this version is not served"},
	{Name: "kubebuilder:deprecatedversion", Targets: onTypes, Kind: Named, Form: `:warning="use v2"`, Help: "this version is deprecated", Arguments: []Argument{{"warning", String, true}}},
	{Name: "kubebuilder:metadata", Targets: onTypes, Kind: Named, Form: `:labels="app=crontab"`, Help: "annotations and labels of the manifest", Arguments: []Argument{
		{"annotations", Strings, true}, {"labels", Strings, true},
	}},
	{Name: "kubebuilder:selectablefield", Targets: onTypes, Kind: Named, Form: ":JSONPath=.spec.image", Help: "a field for field selectors", Arguments: []Argument{{"JSONPath", String, false}}},
})

// withItems adds, for each validation marker of fields and types, a marker for the elements of a list.
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

// All returns all markers: Definitions, then the markers that only determine manifests, ordered by place and name.
// Markers for the elements of a list are left out.
var All = sync.OnceValue(func() []Definition {
	all := slices.Clone(Definitions)
	sorted := slices.SortedFunc(slices.Values(Manifest), func(a, b ManifestDefinition) int { return strings.Compare(a.Name, b.Name) })
	for _, targets := range [][]Target{forPackages, {Package, Field}, onTypes, onFields, anywhere} {
		for _, def := range sorted {
			if _, other := Lookup(def.Name); !other && slices.Equal(def.Targets, targets) && !strings.HasPrefix(def.Name, Items) {
				all = append(all, def.definition())
			}
		}
	}
	return all
})

// definition describes the marker to users.
func (d *ManifestDefinition) definition() Definition {
	return Definition{Name: d.Name, Target: d.Targets[0], Form: d.form(), Help: d.Help, manifest: d}
}

// form returns an example of the text after the name.
func (d *ManifestDefinition) form() string {
	if d.Form != "" {
		return d.Form
	}
	forms := map[Kind]string{Int: "=1", Float: "=1", String: `="text"`, Boolean: "=true", Any: "=value", Strings: "=a;b", Anys: "=a;b", JSON: `="text"`}
	return forms[d.Kind]
}

// where returns the place of the marker for a heading.
func (d *ManifestDefinition) where() string {
	place := map[Target]string{Package: "in a package comment", Type: "above a type", Field: "above a field"}[d.Targets[0]]
	if len(d.Targets) > 1 {
		place = "above a field or its type"
		if d.Targets[0] == Package {
			place = "in a package comment or above a field"
		}
	}
	return place + ", for manifests"
}

// takes describes the text after the name.
func (d *ManifestDefinition) takes() string {
	switch d.Kind {
	case Int:
		return "an integer"
	case Float:
		return "a number"
	case String:
		return "text, in quotes if it is not a single word"
	case Boolean:
		return "true or false"
	case Any:
		return "a value: a number, a Boolean, text, a list such as {a,b} or an object such as {key: value}"
	case Strings, Anys:
		return "values, separated by semicolons"
	case JSON:
		return "a value in JSON"
	case Named:
		var names []string
		for _, a := range d.Arguments {
			name := a.Name + "="
			if a.Optional {
				name = "[" + name + "]"
			}
			names = append(names, name)
		}
		return strings.Join(names, ", ") + ", separated by commas"
	}
	return ""
}
