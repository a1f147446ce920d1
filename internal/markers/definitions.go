package markers

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// Target is the kind of declaration to which a marker belongs.
type Target int

// Targets of markers.
const (
	Type    Target = iota // the comments above a type
	Package               // the comments of a package
	Field                 // the comments above a field, or above the type of a field
)

func (t Target) String() string {
	return [...]string{"above a type", "in a package comment", "above a field or its type"}[t]
}

// Value is the kind of value after a marker's name.
type Value int

// Kinds of values.
const (
	None      Value = iota // +genclient:noStatus
	Text                   // +groupName=stable.example.com
	Bool                   // +k8s:client-gen=false
	Verbs                  // +genclient:skipVerbs=get,list
	Method                 // +genclient:method=GetScale,verb=get,subresource=scale
	Arguments              // +kubebuilder:resource:path=geese,shortName=g;go
	Switch                 // +k8s:register-gen=package; every value but false switches on
	Checked                // +kubebuilder:object:generate=true; the value is checked where the marker is used
)

// Definition describes a marker.
type Definition struct {
	Name    string
	Target  Target
	Value   Value
	Form    string   // example of the text after the name, such as "=get,list"
	Help    string   // the effect, on one line
	Keys    []string // allowed keys of Arguments
	Lists   []string // keys that take several values
	Needs   []string // required keys
	Default string   // the effect of a missing marker, unless it follows from Help

	manifest *ManifestDefinition // for a marker that only determines manifests
}

// Definitions lists all markers, ordered by target, origin and name. Markers with the prefix kubebuilder and the marker
// versionName come from sigs.k8s.io/controller-tools v0.23; kubegen reads them so that users need not declare the same
// twice. Markers of fields come from k8s.io/kube-openapi and determine how server-side apply merges
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy). Markers with the prefix kubegen
// are its own. All others come from k8s.io/code-generator v0.37.
var Definitions = []Definition{
	{Name: "genclient", Target: Type, Value: None, Help: "generate code for this kind"},
	{Name: model.HelpersMarker, Target: Type, Value: None, Help: "also generate functions that iterate over pages, update with retries, and wait for a condition"},
	{Name: "genclient:method", Target: Type, Value: Method, Form: "=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale",
		Help: "one more client method; input= and result= default to the kind"},
	{Name: "genclient:noStatus", Target: Type, Value: None, Help: "no UpdateStatus and ApplyStatus, even if there is a Status field"},
	{Name: "genclient:noVerbs", Target: Type, Value: None, Help: "a client without the usual methods"},
	{Name: "genclient:nonNamespaced", Target: Type, Value: None, Help: "the kind is cluster-scoped"},
	{Name: "genclient:onlyVerbs", Target: Type, Value: Verbs, Form: "=create,get", Help: "a client with only these methods"},
	{Name: "genclient:readonly", Target: Type, Value: None, Help: "a client with only get, list and watch"},
	{Name: "genclient:skipVerbs", Target: Type, Value: Verbs, Form: "=delete,watch", Help: "a client without these methods"},
	{Name: model.DeepCopyMarker, Target: Type, Value: Checked, Form: "=true",
		Help: "generate DeepCopy methods for the type; false does not", Default: "the marker of the package"},
	{Name: model.DeepCopyMarker + ":interfaces", Target: Type, Value: Checked, Form: "=k8s.io/apimachinery/pkg/runtime.Object",
		Help: "also generate DeepCopyObject, which returns the interface; separate several with commas"},
	{Name: model.DeepCopyMarker + ":nonpointer-interfaces", Target: Type, Value: Checked, Form: "=true",
		Help: "generate these methods with a value receiver"},
	{Name: NamesMarker, Target: Type, Value: Arguments, Form: ":kind=crontab,listKind=CronTabCollection", Keys: []string{"kind", "listKind"},
		Help: "the kinds of objects and of their lists, if they differ from the type names", Default: "the name of the type; the kind followed by List"},
	{Name: IndexMarker, Target: Type, Value: Arguments, Form: ":path=.metadata.labels['app'],name=ByApp", Keys: []string{"path", "func", "name"},
		Help: "listers find objects by the values at a path, by the results of func=, a func(*Kind) []string of the package, or, without either, by all selectable fields"},
	{Name: "resourceName", Target: Type, Value: Text, Form: "=geese", Help: "the resource's name in URLs", Default: "the plural of the kind, in lower case"},

	{Name: model.ObjectMarker + ":generate", Target: Type, Value: Checked, Form: "=true", Help: "same as +k8s:deepcopy-gen"},
	{Name: model.ObjectMarker + ":root", Target: Type, Value: Bool, Form: "=true", Help: "the type is a kind or a list: generate its DeepCopy methods and DeepCopyObject"},
	{Name: "kubebuilder:resource", Target: Type, Value: Arguments, Form: ":path=geese,scope=Cluster,singular=goose,shortName=g;gs,categories=all",
		Help: "the resource's name in URLs, its scope, and its names in kubectl", Keys: []string{"path", "scope", "singular", "shortName", "categories"},
		Lists:   []string{"shortName", "categories"},
		Default: "the plural of the kind; scope=Namespaced"},
	{Name: "kubebuilder:selectablefield", Target: Type, Value: Arguments, Form: ":JSONPath=.spec.image",
		Help: "field selectors can name the field", Keys: []string{"JSONPath"}, Needs: []string{"JSONPath"}},
	{Name: "kubebuilder:skipversion", Target: Type, Value: None, Help: "the CustomResourceDefinition omits this version, which should have no +genclient"},
	{Name: "kubebuilder:storageversion", Target: Type, Value: None, Help: "objects are stored in this version; for one version of a kind"},
	{Name: "kubebuilder:subresource:scale", Target: Type, Value: Arguments, Form: ":specpath=.spec.replicas,statuspath=.status.replicas",
		Help: "the kind has a scale subresource: adds GetScale and UpdateScale", Keys: []string{"specpath", "statuspath", "selectorpath"},
		Needs: []string{"specpath", "statuspath"}},
	{Name: "kubebuilder:subresource:status", Target: Type, Value: None, Help: "the kind has a status subresource; a Status field implies it"},
	{Name: "kubebuilder:unservedversion", Target: Type, Value: None, Help: "this version is not served and should have no +genclient"},

	{Name: model.HelpersMarker, Target: Package, Value: None, Help: "as above each kind of the package"},
	{Name: "groupGoName", Target: Package, Value: Text, Form: "=Stable",
		Help: "Go name of the group", Default: "the first label of the group's name"},
	{Name: "groupName", Target: Package, Value: Text, Form: "=stable.example.com",
		Help: "the API group; empty for the core group", Default: "the value of SchemeGroupVersion, GroupVersion or GroupName, or else the directory"},
	{Name: model.ApplySwitch, Target: Package, Value: Bool, Form: "=false",
		Help: "no apply configurations for the types of this package"},
	{Name: model.ClientSwitch, Target: Package, Value: Bool, Form: "=false", Help: "no clients for the types of this package"},
	{Name: model.DeepCopyMarker, Target: Package, Value: Switch, Form: "=package",
		Help: "generate DeepCopy methods for the types of this package; false does not"},
	{Name: model.InformerSwitch, Target: Package, Value: Bool, Form: "=false", Help: "no informers for the types of this package"},
	{Name: model.ListerSwitch, Target: Package, Value: Bool, Form: "=false", Help: "no listers for the types of this package"},
	{Name: model.RegisterSwitch, Target: Package, Value: Switch, Form: "=package",
		Help: "generate the registration of this package, as with +groupName; =false disables it"},
	{Name: model.ObjectMarker + ":generate", Target: Package, Value: Checked, Form: "=true", Help: "same as +k8s:deepcopy-gen=package"},
	{Name: "versionName", Target: Package, Value: Text, Form: "=v1",
		Help: "the API version", Default: "the value of SchemeGroupVersion or GroupVersion, or else the directory"},

	{Name: IndexMarker, Target: Field, Value: Arguments, Form: ":name=ByImage", Keys: []string{"name"},
		Help: "listers find objects by this field; name= renames the method"},

	{Name: "default", Target: Field, Value: Text, Form: `="now"`, Help: "the default value of the field, in JSON"},
	{Name: "k8s:openapi-gen", Target: Field, Value: Bool, Form: "=false", Help: "the field is not part of the merge schema"},
	{Name: "kubebuilder:pruning:PreserveUnknownFields", Target: Field, Value: None, Help: "objects may have fields that the type does not declare"},
	{Name: "kubebuilder:validation:Format", Target: Field, Value: Text, Form: "=int-or-string", Help: "with +kubebuilder:validation:Type: the format of the value"},
	{Name: "kubebuilder:validation:Schemaless", Target: Field, Value: None, Help: "the field can have any value"},
	{Name: "kubebuilder:validation:Type", Target: Field, Value: Text, Form: "=string", Help: "the JSON type of a Go type with JSON methods"},
	{Name: "kubebuilder:validation:XIntOrString", Target: Field, Value: None, Help: "the field is a number or a string"},
	{Name: "kubebuilder:validation:XPreserveUnknownFields", Target: Field, Value: None, Help: "same as +kubebuilder:pruning:PreserveUnknownFields"},
	{Name: "listMapKey", Target: Field, Value: Text, Form: "=name", Help: "with +listType=map: JSON name of a field that identifies an element"},
	{Name: "listType", Target: Field, Value: Text, Form: "=map", Help: "how a list merges: map, set, or atomic (as a whole)", Default: "atomic"},
	{Name: "mapType", Target: Field, Value: Text, Form: "=atomic", Help: "how a map merges: granular, or atomic (as a whole)", Default: "granular"},
	{Name: "patchMergeKey", Target: Field, Value: Text, Form: "=name", Help: "older form of +listMapKey; also a struct tag"},
	{Name: "patchStrategy", Target: Field, Value: Text, Form: "=merge", Help: "older form of +listType; also a struct tag"},
	{Name: "structType", Target: Field, Value: Text, Form: "=atomic", Help: "how a struct merges: granular, or atomic (as a whole)", Default: "granular"},
	{Name: "union", Target: Field, Value: None, Help: "at most one of the struct's fields is set"},
	{Name: "unionDeprecated", Target: Field, Value: None, Help: "the field is a member of a union"},
	{Name: "unionDiscriminator", Target: Field, Value: None, Help: "the field names the member of the union that is set"},
}

// NamesMarker is the name of the marker for kinds whose names differ from their types.
const NamesMarker = "kubegen:names"

// IndexMarker is the name of the marker that declares an index.
const IndexMarker = "kubegen:index"

// OfIndexes reports whether the text of a marker, with or without the leading "+", declares an index.
func OfIndexes(text string) bool {
	def, known := Find(text)
	return known && def.Name == IndexMarker
}

// prefixed lists the markers of fields whose names may have the prefix k8s: or kubebuilder:.
var prefixed = []string{"default", "listMapKey", "listType", "mapType", "structType"}

// Lookup returns the definition of a marker.
func Lookup(name string) (Definition, bool) {
	for _, d := range Definitions {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// lookup returns the definition of a marker for a target, or else for another target.
func lookup(name string, target Target) (Definition, bool) {
	for _, d := range Definitions {
		if d.Name == name && d.Target == target {
			return d, true
		}
	}
	return Lookup(name)
}

// Find returns the definition for the text of a marker, with or without a leading "+", a value, and a prefix.
func Find(text string) (Definition, bool) {
	text = strings.TrimPrefix(text, "+")
	if def, _, ok := withArguments(text, Type); ok {
		return def, true
	}
	name, _, _ := strings.Cut(text, "=")
	if def, ok := Lookup(name); ok {
		return def, true
	}
	for _, def := range Definitions {
		if slices.Contains(def.Also(), "+"+name) {
			return def, true
		}
	}
	for _, name := range []string{name, name[:max(0, strings.LastIndexByte(name, ':'))]} {
		if def := manifestByName[name]; def != nil {
			return def.definition(), true
		}
	}
	return Definition{}, false
}

// OfKinds reports whether the text of a marker is for kinds only: it begins with +genclient, or is one of kubegen's own
// markers for types that is not for fields.
func OfKinds(text string) bool {
	if strings.HasPrefix(text, Genclient) {
		return true
	}
	name := nameIn(text)
	return strings.HasPrefix(name, "kubegen:") && has(name, Type) && !has(name, Field) && name != IndexMarker && name != NamesMarker
}

// OfPackages reports whether the text of a marker may be in a package comment.
func OfPackages(text string) bool { return has(nameIn(text), Package) }

// nameIn returns the name in the text of a marker, without the leading "+" and a value.
func nameIn(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	return name
}

func has(name string, target Target) bool {
	return slices.ContainsFunc(Definitions, func(d Definition) bool { return d.Name == name && d.Target == target })
}

// Switches returns the names of the package markers that switch off generators.
func Switches() (names []string) {
	for _, d := range Definitions {
		if d.Target == Package && (d.Value == Bool || d.Value == Switch) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Names returns the names of all markers.
func Names() (list []string) {
	for _, d := range All() {
		if !slices.Contains(list, d.Name) {
			list = append(list, d.Name)
		}
	}
	return list
}

// withArguments returns the definition of a marker whose name is followed by a colon and its first key, and this key.
// It prefers a definition for the target.
func withArguments(text string, target Target) (def Definition, key string, ok bool) {
	for _, d := range Definitions {
		if rest, found := strings.CutPrefix(text, d.Name+":"); found && d.Value == Arguments && (!ok || d.Target == target) {
			def, key, ok = d, rest, true
		}
	}
	return def, key, ok
}

// Example returns an example of the marker, with the leading "+".
func (d Definition) Example() string { return "+" + d.Name + d.Form }

// Takes describes the text after the marker's name. It is "" if there is none.
func (d Definition) Takes() string {
	if d.manifest != nil {
		return d.manifest.takes()
	}
	switch d.Value {
	case Text:
		return "text"
	case Bool:
		return "true or false"
	case Switch:
		return "package, true or false"
	case Verbs:
		return "any of " + Join(model.AllVerbs()) + ", separated by commas"
	case Method:
		return "a name and verb=, one of " + Join(methodVerbs) + "; optional: subresource=, and input= and result=, which take TYPE or PATH.TYPE"
	case Arguments:
		return strings.Join(d.Keys, "=, ") + "=, separated by commas; the values of a list are separated by semicolons, or by commas in braces"
	}
	return ""
}

// Also returns the other names of the marker.
func (d Definition) Also() []string {
	if !slices.Contains(prefixed, d.Name) {
		return nil
	}
	return []string{"+k8s:" + d.Name, "+kubebuilder:" + d.Name}
}

// Where returns the place of the marker for a heading.
func (d Definition) Where() string {
	switch {
	case d.manifest != nil:
		return d.manifest.where()
	case d.Target == Type && d.controllerGen():
		return "above a type, as for controller-gen"
	case d.Target == Field && d.Name == IndexMarker:
		return "above a field"
	}
	return d.Target.String()
}

// controllerGen reports whether the marker comes from sigs.k8s.io/controller-tools.
func (d Definition) controllerGen() bool { return strings.HasPrefix(d.Name, "kubebuilder:") }
