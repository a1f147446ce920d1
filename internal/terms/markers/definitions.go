package markers

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Markers of controller-gen's generator of apply configurations.
const (
	ApplyMarker       = "kubebuilder:ac:generate"
	ApplyOutputMarker = "kubebuilder:ac:output:package"
)

// Target is the kind of declaration that a marker belongs to.
type Target int

// Targets of markers.
const (
	Type     Target = iota // the comments above a type
	Package                // the comments of a package
	Field                  // the comments above a field
	Constant               // the comments above a constant
	File                   // the comments of a file that document no declaration; see OfFile
)

// Lists of targets.
var (
	anywhere    = []Target{Field, Type}
	onTypes     = []Target{Type}
	onFields    = []Target{Field}
	forPackages = []Target{Package}
	forFiles    = []Target{File}
)

// Effect is a set of the results that a marker determines.
type Effect int

// Effects of markers.
const (
	Code       Effect = 1 << iota // the Go code for kinds and packages
	Merging                       // how server-side apply merges a field, also by a marker above the type of the field
	Manifests                     // CustomResourceDefinitions
	Roles                         // Roles and ClusterRoles
	Webhooks                      // configurations of admission webhooks
	Applied                       // apply configurations as controller-gen generates them
	Converting                    // how functions convert a field, also by a marker above the type of a list
	OpenAPI                       // OpenAPI definitions
)

// ofFiles are the effects of markers that OfFile finds.
const ofFiles = ^(Code | Merging | Manifests | Converting | OpenAPI)

// Tools is a set of other tools than kubegen that read a marker.
type Tools int

// Tools with markers.
const (
	CodeGenerator   Tools = 1 << iota // k8s.io/code-generator v0.37, with gengo and kube-openapi: the classic tools
	ControllerTools                   // sigs.k8s.io/controller-tools v0.23: controller-gen
	OpenShift                         // its fork in github.com/openshift/api
)

// ValueType is the type of the value of a marker, or of one of its arguments.
//
// The classic tools take the text after the equals sign as it is, and so does Line.Read for markers that determine
// code. Everything else, and all arguments, are read as controller-gen does, token by token: a string is a Go literal
// or ends at a delimiter, text such as a"b is an error, a bare string loses its last token before a space, a second
// semicolon is part of a string, and nothing need follow the last comma.
type ValueType int

// Types of values. In declarative markers (+k8s:), a comment may follow an Int or Float.
const (
	NoValue ValueType = iota
	Int
	Float
	String
	Boolean
	Any     // any value, by its form: a number, Boolean, string, list or object
	Strings // a list
	Anys    // a list
	JSON    // a JSON value, or ref(Constant)
	Named   // arguments with names
	Verbs   // the verbs of a client, separated by commas
	Method  // a method of a client: GetScale,verb=get,subresource=scale
	Switch  // every value but false switches on
	Checked // the value is checked where the marker is used
)

// Argument is an argument of a marker.
type Argument struct {
	Name     string
	Type     ValueType
	Optional bool
}

// Definition describes a marker.
type Definition struct {
	Name      string
	Targets   []Target
	Effect    Effect
	Tools     Tools // the default follows from the prefix of the name
	Type      ValueType
	Arguments []Argument // for the type Named
	Optional  bool       // the value may be missing
	Adds      bool       // several markers of this name have an effect together
	Form      string     // example of the text after the name; the default follows from Type
	Help      string     // the effect, on one line
	Default   string     // the effect of a missing marker, unless it follows from Help
	Classic   string     // why a marker of no other tool has no effect with --classic; the default is that none knows it

	// Elsewhere describes the marker at other targets, if it differs there. It has the same name, effect and tools.
	Elsewhere *Definition
}

// NamesMarker is the name of the marker for kinds whose names differ from their types.
const NamesMarker = "kubegen:names"

// ConversionMarker is the name of the marker for how API servers convert objects from version to version.
const ConversionMarker = "kubegen:conversion"

// IndexMarker is the name of the marker that declares an index.
const IndexMarker = "kubegen:index"

// All lists all markers that kubegen reads, each once. kubegen reads the markers of other tools so that users need not
// declare the same twice. To add a marker, add its definition here or in schemaMarkers, and read it where it has its
// effect: views of kinds find it with Model.Marked.
var All = complete(slices.Concat(codeMarkers, mergingMarkers, schemaMarkers, openAPIMarkers, fileMarkers, gateMarkers))

// codeMarkers lists the markers that determine Go code, and the markers of kinds and packages that only determine
// manifests, ordered by target and origin.
var codeMarkers = []Definition{
	{Name: "genclient", Targets: onTypes, Effect: Code, Help: "generate code for this kind"},
	{Name: model.HelpersMarker, Targets: onTypes, Effect: Code,
		Help:      "also generate functions that iterate over pages, update with retries, and wait for a condition",
		Classic:   "the classic tools have no helpers",
		Elsewhere: &Definition{Targets: forPackages, Help: "as above each kind of the package"}},
	{Name: "genclient:method", Targets: onTypes, Effect: Code, Type: Method,
		Form: "=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale",
		Help: "one more client method; input= and result= default to the kind"},
	{Name: "genclient:noStatus", Targets: onTypes, Effect: Code,
		Help: "no UpdateStatus and ApplyStatus, even if there is a Status field"},
	{Name: "genclient:noVerbs", Targets: onTypes, Effect: Code, Help: "a client without the usual methods"},
	{Name: "genclient:nonNamespaced", Targets: onTypes, Effect: Code, Help: "the kind is cluster-scoped"},
	{Name: "genclient:onlyVerbs", Targets: onTypes, Effect: Code, Type: Verbs, Form: "=create,get",
		Help: "a client with only these methods"},
	{Name: "genclient:readonly", Targets: onTypes, Effect: Code, Help: "a client with only get, list and watch"},
	{Name: "genclient:skipVerbs", Targets: onTypes, Effect: Code, Type: Verbs, Form: "=delete,watch",
		Help: "a client without these methods"},
	{Name: model.ConversionMarker, Targets: anywhere, Effect: Code | Converting, Type: Checked, Form: "=false",
		Help: "no conversion functions for the type; the field is not converted",
		Elsewhere: &Definition{
			Targets: forPackages, Type: Checked, Form: "=example.com/api/v2",
			Help: "with --with-conversion: functions that convert the types to the ones with the same names in that package, and back; =false " +
				"only registers hand-written functions",
		}},
	{Name: model.ConvertedFromMarker, Targets: onTypes, Effect: Code, Type: Checked, Form: "=net/url.Values",
		Help: "a function that converts url.Values to the type"},
	{Name: model.DeepCopyMarker, Targets: onTypes, Effect: Code, Type: Checked, Form: "=true",
		Help: "generate DeepCopy methods for the type; false does not", Default: "the marker of the package",
		Elsewhere: &Definition{
			Targets: forPackages, Type: Switch, Form: "=package", Help: "generate DeepCopy methods for the types of this package; false does not",
		}},
	{Name: model.DeepCopyMarker + ":interfaces", Targets: onTypes, Effect: Code, Type: Checked,
		Form: "=k8s.io/apimachinery/pkg/runtime.Object",
		Help: "also generate DeepCopyObject, which returns the interface; separate several with commas"},
	{Name: model.DeepCopyMarker + ":nonpointer-interfaces", Targets: onTypes, Effect: Code, Type: Checked, Form: "=true",
		Help: "generate these methods with a value receiver"},
	{Name: model.DefaulterMarker, Targets: onTypes, Effect: Code, Type: Checked, Form: "=true",
		Help: "generate a function that sets the defaults of the type; false does not", Default: "the marker of the package",
		Elsewhere: &Definition{Targets: forPackages, Type: Checked, Adds: true, Form: "=TypeMeta",
			Help: "with --with-defaults: generate functions that set the defaults of the types with a field of this name; false does not"}},
	{Name: NamesMarker, Targets: onTypes, Effect: Code | Manifests, Type: Named, Form: ":kind=crontab,listKind=CronTabCollection",
		Arguments: []Argument{{"kind", String, true}, {"listKind", String, true}},
		Help:      "the kinds of objects and of their lists, if they differ from the type names",
		Default:   "the name of the type; the kind followed by List",
		Classic:   "the classic tools name kinds as their types"},
	{Name: IndexMarker, Targets: onTypes, Effect: Code, Type: Named, Form: ":path=.metadata.labels['app'],name=ByApp",
		Arguments: []Argument{{"path", String, true}, {"func", String, true}, {"name", String, true}},
		Help: "listers find objects by the values at a path, by the results of func=, a func(*Kind) []string of the package, or, without " +
			"either, by all selectable fields",
		Elsewhere: &Definition{Targets: onFields, Type: Named, Form: ":name=ByImage", Arguments: []Argument{{"name", String, true}},
			Help: "listers find objects by this field; name= renames the method"}},
	{Name: model.WithoutManagedFieldsMarker, Targets: onTypes, Effect: Code,
		Help: "informers of factories drop metadata.managedFields of these objects", Classic: "the classic tools have no such option"},
	{Name: model.NoApplyMarker, Targets: onFields, Effect: Code,
		Help: "apply configurations omit the field", Classic: "the classic tools apply all fields"},
	{Name: "resourceName", Targets: onTypes, Effect: Code, Type: String, Form: "=geese",
		Help: "the resource's name in URLs", Default: "the plural of the kind, in lower case"},

	{Name: model.ObjectMarker + ":generate", Targets: onTypes, Effect: Code, Type: Checked, Form: "=true",
		Help:      "same as +k8s:deepcopy-gen",
		Elsewhere: &Definition{Targets: forPackages, Type: Checked, Form: "=true", Help: "same as +k8s:deepcopy-gen=package"}},
	{Name: ApplyMarker, Targets: []Target{Type, Package}, Effect: Code | Applied, Type: Boolean, Form: "=true",
		Help: "with --applyconfig-markers: apply configurations as controller-gen generates them for the kinds of this package, or for this " +
			"type; =false excludes a type without +genclient"},
	{Name: model.ObjectMarker + ":root", Targets: onTypes, Effect: Code, Type: Boolean, Form: "=true",
		Help: "the type is a kind or a list: generate its DeepCopy methods and DeepCopyObject"},
	{Name: "kubebuilder:resource", Targets: onTypes, Effect: Code | Manifests, Type: Named, Adds: true,
		Form: ":path=geese,scope=Cluster,singular=goose,shortName=g;gs,categories=all",
		Arguments: []Argument{{"path", String, true}, {"scope", String, true}, {"singular", String, true},
			{"shortName", Strings, true}, {"categories", Strings, true}},
		Help: "the resource's name in URLs, its scope, and its names in kubectl", Default: "the plural of the kind; scope=Namespaced"},
	{Name: "kubebuilder:selectablefield", Targets: onTypes, Effect: Code | Manifests, Type: Named, Adds: true,
		Form:      ":JSONPath=.spec.image",
		Arguments: []Argument{{"JSONPath", String, false}}, Help: "field selectors can name the field"},
	{Name: "kubebuilder:storageversion", Targets: onTypes, Effect: Code | Manifests,
		Help: "objects are stored in this version; for one version of a kind"},
	{Name: "kubebuilder:skipversion", Targets: onTypes, Effect: Code | Manifests,
		Help: "the CustomResourceDefinition omits this version, which should have no +genclient; a kind without other versions has none"},
	{Name: "kubebuilder:subresource:scale", Targets: onTypes, Effect: Code | Manifests, Type: Named,
		Form:      ":specpath=.spec.replicas,statuspath=.status.replicas",
		Arguments: []Argument{{"specpath", String, false}, {"statuspath", String, false}, {"selectorpath", String, true}},
		Help:      "the kind has a scale subresource: adds GetScale and UpdateScale"},
	{Name: "kubebuilder:subresource:status", Targets: onTypes, Effect: Code | Manifests,
		Help: "the kind has a status subresource; a Status field implies it"},
	{Name: "kubebuilder:unservedversion", Targets: onTypes, Effect: Code | Manifests,
		Help: "this version is not served and should have no +genclient"},
	{Name: "kubebuilder:deprecatedversion", Targets: onTypes, Effect: Manifests, Type: Named,
		Form:      `:warning="use v2"`,
		Arguments: []Argument{{"warning", String, true}}, Help: "this version is deprecated"},
	{Name: "kubebuilder:metadata", Targets: onTypes, Effect: Manifests, Type: Named, Adds: true,
		Form:      `:labels="app=crontab"`,
		Arguments: []Argument{{"annotations", Strings, true}, {"labels", Strings, true}}, Help: "annotations and labels of the manifest"},
	{Name: ConversionMarker, Targets: onTypes, Effect: Manifests, Type: Named, Form: ":strategy=Webhook,serviceNamespace=system",
		Arguments: []Argument{{"strategy", String, false}, {"path", String, true}, {"serviceName", String, true},
			{"serviceNamespace", String, true}, {"servicePort", Int, true}, {"url", String, true}, {"conversionReviewVersions", Strings, true}},
		Help: "the webhook that converts objects from version to version: url=, or serviceNamespace=system, serviceName=webhook-service, " +
			"path=/convert, which are the defaults, and servicePort=; conversionReviewVersions=v1; strategy=None if nothing converts"},
	{Name: model.HubMarker, Targets: onTypes, Effect: Code,
		Help: "with --with-conversion: the other versions of the kind are converted to this one and back, with the methods of " +
			"controller-runtime if go.mod requires it",
		Classic: "the classic tools convert to the packages in +k8s:conversion-gen"},
	{Name: model.RestoreMarker, Targets: onFields, Effect: Code | Converting,
		Help:    "a field that another version lacks: an annotation of that version keeps the value",
		Classic: "the classic tools lose it, or demand a function"},
	{Name: "kubebuilder:printcolumn", Targets: onTypes, Effect: Manifests, Type: Named, Adds: true,
		Form: ":name=Phase,type=string,JSONPath=.status.phase",
		Arguments: []Argument{{"name", String, false}, {"type", String, false}, {"JSONPath", String, false},
			{"description", String, true}, {"format", String, true}, {"priority", Int, true}},
		Help: "a column of kubectl get"},

	{Name: model.ExternalTypesMarker, Targets: forPackages, Effect: Code, Type: Checked,
		Form: "=example.com/api/v1", Help: "conversion functions for the types of that package", Default: "the package itself"},
	{Name: "groupGoName", Targets: forPackages, Effect: Code, Type: String, Form: "=Stable",
		Help: "Go name of the group", Default: "the first label of the group's name"},
	{Name: "groupName", Targets: forPackages, Effect: Code | Manifests, Type: String, Optional: true,
		Form:    "=stable.example.com",
		Help:    "the API group; empty for the core group",
		Default: "the value of SchemeGroupVersion, GroupVersion or GroupName, or else the directory"},
	{Name: model.ApplySwitch, Targets: forPackages, Effect: Code, Type: Boolean, Form: "=false",
		Help: "no apply configurations for the types of this package"},
	{Name: model.ClientSwitch, Targets: forPackages, Effect: Code, Type: Boolean, Form: "=false",
		Help: "no clients for the types of this package"},
	{Name: model.InformerSwitch, Targets: forPackages, Effect: Code, Type: Boolean, Form: "=false",
		Help: "no informers for the types of this package"},
	{Name: model.ListerSwitch, Targets: forPackages, Effect: Code, Type: Boolean, Form: "=false",
		Help: "no listers for the types of this package"},
	{Name: model.DefaulterInputMarker, Targets: forPackages, Effect: Code, Type: String, Form: "=example.com/api/v1",
		Help: "the package with the types whose defaults are set", Default: "the package of the marker"},
	{Name: model.RegisterSwitch, Targets: forPackages, Effect: Code, Type: Switch, Form: "=package",
		Help: "generate the registration of this package, as with +groupName; =false disables it"},
	{Name: ApplyOutputMarker, Targets: forPackages, Effect: Applied, Type: String, Form: `="applyconfiguration"`,
		Help: "the directory of these apply configurations, relative to the package", Default: "applyconfiguration"},
	{Name: "kubebuilder:skip", Targets: forPackages, Effect: Manifests, Help: "the package has no kinds"},
	{Name: "versionName", Targets: forPackages, Effect: Code | Manifests, Tools: ControllerTools, Type: String, Form: "=v1",
		Help: "the API version", Default: "the value of SchemeGroupVersion or GroupVersion, or else the directory"},
}

// mergingMarkers lists the markers of fields that determine how server-side apply merges them
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy), except for the markers that also
// determine manifests.
var mergingMarkers = []Definition{
	{Name: "patchMergeKey", Targets: onFields, Effect: Merging, Type: String, Form: "=name",
		Help: "older form of +listMapKey; also a struct tag"},
	{Name: "patchStrategy", Targets: onFields, Effect: Merging, Type: String, Form: "=merge",
		Help: "older form of +listType; also a struct tag"},
	{Name: "union", Targets: onFields, Effect: Merging, Help: "at most one of the struct's fields is set"},
	{Name: "unionDeprecated", Targets: onFields, Effect: Merging, Help: "the field is a member of a union"},
	{Name: "unionDiscriminator", Targets: onFields, Effect: Merging, Help: "the field names the member of the union that is set"},
}

// Names of the markers of files.
const (
	RBACMarker                 = "kubebuilder:rbac"
	WebhookMarker              = "kubebuilder:webhook"
	WebhookConfigurationMarker = "kubebuilder:webhookconfiguration"
)

// fileMarkers lists the markers of files, which determine manifests other than CustomResourceDefinitions.
var fileMarkers = []Definition{
	{Name: RBACMarker, Targets: forFiles, Effect: Roles, Type: Named, Adds: true,
		Form: ":groups=apps,resources=deployments;deployments/status,verbs=get;list;watch",
		Arguments: []Argument{{"groups", Strings, true}, {"resources", Strings, true}, {"resourceNames", Strings, true},
			{"verbs", Strings, false},
			{"urls", Strings, true}, {"namespace", String, true}, {"roleName", String, true}},
		Help: "a rule of the controller's ClusterRole or, with namespace=, of a Role"},
	{Name: WebhookMarker, Targets: forFiles, Effect: Webhooks, Type: Named, Adds: true,
		Form: ":path=/validate-batch-example-com-v1-crontab,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=crontabs,verbs=create;update,versions=v1,name=vcrontab.example.com,admissionReviewVersions=v1",
		Arguments: []Argument{{"mutating", Boolean, false}, {"failurePolicy", String, false}, {"matchPolicy", String, true},
			{"sideEffects", String, true},
			{"timeoutSeconds", Int, true}, {"groups", Strings, false}, {"resources", Strings, false}, {"verbs", Strings, false},
			{"versions", Strings, false},
			{"name", String, false}, {"serviceName", String, true}, {"serviceNamespace", String, true}, {"path", String, true},
			{"servicePort", Int, true},
			{"webhookVersions", Strings, true}, {"admissionReviewVersions", Strings, false}, {"reinvocationPolicy", String, true},
			{"url", String, true}, {"patch", String, true}},
		Help: "an admission webhook"},
	{Name: WebhookConfigurationMarker, Targets: forFiles, Effect: Webhooks, Type: Named, Adds: true,
		Form:      ":mutating=true,name=mutating",
		Arguments: []Argument{{"mutating", Boolean, false}, {"name", String, true}},
		Help:      "the name of the configuration with all mutating or all validating webhooks"},
}

// complete sets the properties of definitions that follow from others. controller-gen reads the markers of
// k8s.io/code-generator and k8s.io/kube-openapi that determine manifests.
func complete(all []Definition) []Definition {
	forms := map[ValueType]string{
		Int: "=1", Float: "=1", String: `="text"`, Boolean: "=true", Any: "=value", Strings: "=a;b", Anys: "=a;b", JSON: `="text"`,
	}
	for i := range all {
		def := &all[i]
		if def.Form == "" {
			def.Form = forms[def.Type]
		}
		switch prefix, _, _ := strings.Cut(def.Name, ":"); {
		case def.Tools != 0 || prefix == "kubegen":
		case prefix == "kubebuilder":
			def.Tools = ControllerTools
		case prefix == "openshift":
			def.Tools = OpenShift
		case def.Effect&Manifests != 0:
			def.Tools = CodeGenerator | ControllerTools
		default:
			def.Tools = CodeGenerator
		}
		if other := def.Elsewhere; other != nil {
			other.Name, other.Effect, other.Tools = def.Name, def.Effect, def.Tools
		}
	}
	return all
}

var byName = func() map[string]*Definition {
	found := map[string]*Definition{}
	for i := range All {
		found[All[i].Name] = &All[i]
	}
	return found
}()

// headings lists the results of Where in the order of Listed.
var headings = []string{
	"above a type", "above a type, as for controller-gen", "in a package comment", "above a field", "above a field or its type",
	"in a package comment, for manifests", "in a package comment or above a field, for manifests", "above a type, for manifests",
	"above a field, for manifests", "above a field or its type, for manifests", "in a package comment or above a type, for OpenAPI definitions",
	"above a type, for OpenAPI definitions", "above a field, for OpenAPI definitions", "above a field or its type, for OpenAPI definitions",
	"in a comment of its own, for roles and webhooks",
}

// Listed returns the definitions for each place of each marker, ordered by place and name. Markers above types have the
// order of All, and kubegen's own are the first ones in package comments. Markers for the elements of a list are left
// out.
var Listed = sync.OnceValue(func() (list []Definition) {
	for _, def := range All {
		if !strings.HasPrefix(def.Name, Items) {
			list = append(list, def)
		}
		if def.Elsewhere != nil {
			list = append(list, *def.Elsewhere)
		}
	}
	slices.SortStableFunc(list, func(a, b Definition) int {
		at := slices.Index(headings, a.Where())
		switch order := at - slices.Index(headings, b.Where()); {
		case order != 0 || at == 0:
			return order
		case at == 2:
			order = min(int(a.Tools), 1) - min(int(b.Tools), 1)
			return cmp.Or(order, strings.Compare(a.Name, b.Name))
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
})

// Names returns the names of the markers that Listed returns, in its order.
func Names() (list []string) {
	for _, def := range Listed() {
		if !slices.Contains(list, def.Name) {
			list = append(list, def.Name)
		}
	}
	return list
}

// prefixed lists the markers of fields whose names may have the prefix k8s: or kubebuilder:.
var prefixed = []string{"default", "listMapKey", "listType", "mapType", "structType"}

// Plain returns the name of a marker without the prefix k8s: or kubebuilder: if a marker without it has the same effect
// on merging, and without a colon at the end.
func Plain(name string) string {
	name = strings.TrimSuffix(name, ":") // controller-gen also accepts default:=value
	for _, prefix := range []string{"k8s:", "kubebuilder:"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && slices.Contains(prefixed, rest) {
			return rest
		}
	}
	return name
}

// Find returns the definition for the text of a marker, with or without a leading "+", a value, and a prefix.
func Find(text string) (Definition, bool) {
	name := nameIn(text)
	if !strings.HasSuffix(name, ":") {
		name = Plain(name)
	}
	if def := byName[name]; def != nil {
		return *def, true
	}
	def := byName[name[:max(0, strings.LastIndexByte(name, ':'))]]
	if def != nil && (def.Type == Named || def.Effect&(Manifests|OpenAPI) != 0) {
		return *def, true
	}
	return Definition{}, false
}

// FindAll returns the definition of a marker in any form, or those of all markers whose names end in the given one
// after a colon, in any case: for MinLength the one of kubebuilder:validation:MinLength.
func FindAll(text string) []Definition {
	if def, ok := Find(text); ok {
		return []Definition{def}
	}
	suffix := ":" + strings.ToLower(nameIn(text))
	return slices.DeleteFunc(slices.Clone(Listed()), func(def Definition) bool {
		return suffix == ":" || !strings.HasSuffix(":"+strings.ToLower(def.Name), suffix)
	})
}

// nameIn returns the name in the text of a marker, without the leading "+" and a value.
func nameIn(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	return name
}

// lookup returns the definition of a marker that determines code, at a target if it has the target.
func lookup(name string, target Target) (Definition, bool) {
	def := byName[name]
	if def == nil || def.Effect&Code == 0 {
		return Definition{}, false
	}
	if def.Elsewhere != nil && slices.Contains(def.Elsewhere.Targets, target) {
		def = def.Elsewhere
	}
	return *def, true
}

// withArguments returns the definition of a marker that determines code and whose name is followed by a colon and the
// key of its first argument, and this key.
func withArguments(text string, target Target) (def Definition, key string, ok bool) {
	for end := strings.LastIndexByte(text, ':'); end >= 0; end = strings.LastIndexByte(text[:end], ':') {
		if def, ok = lookup(text[:end], target); ok && def.Type == Named {
			return def, text[end+1:], true
		}
	}
	return Definition{}, "", false
}

// manifest returns the definition of a marker that determines manifests, or nil.
func manifest(name string) *Definition {
	if def := byName[name]; def != nil && def.Effect&Manifests != 0 {
		return def
	}
	return nil
}

// converting lists the names of the markers that determine how functions convert fields.
var converting = sync.OnceValue(func() (names []string) {
	for _, def := range All {
		if def.Effect&Converting != 0 {
			names = append(names, def.Name)
		}
	}
	return names
})

// MentionsConversion reports whether a text contains the name of a marker that determines how functions convert fields.
func MentionsConversion(text string) bool {
	return slices.ContainsFunc(converting(), func(name string) bool { return strings.Contains(text, name) })
}

// OfIndexes reports whether the text of a marker, with or without the leading "+", declares an index.
func OfIndexes(text string) bool {
	def, known := Find(text)
	return known && def.Name == IndexMarker
}

// OfKinds reports whether the text of a marker is for kinds only: it begins with +genclient, or is one of kubegen's own
// markers for types that is neither for fields nor has an effect without clients.
func OfKinds(text string) bool {
	if strings.HasPrefix(text, Genclient) {
		return true
	}
	def, known := lookup(nameIn(text), Type)
	return known && def.Tools == 0 && def.Has(Type) && !def.Has(Field) && def.Name != NamesMarker && def.Name != model.HubMarker
}

// OfPackages reports whether the text of a marker that determines code may be in a package comment.
func OfPackages(text string) bool {
	def, known := lookup(nameIn(text), Type)
	return known && def.Has(Package)
}

// Switches returns the names of the package markers that switch off generators.
func Switches() (names []string) {
	for _, def := range Listed() {
		if def.Targets[0] == Package && (def.Type == Boolean || def.Type == Switch) {
			names = append(names, def.Name)
		}
	}
	return names
}

// Has reports whether the marker has a target.
func (d Definition) Has(target Target) bool { return slices.Contains(d.targets(), target) }

// targets returns all targets of the marker.
func (d Definition) targets() []Target {
	if d.Elsewhere != nil {
		return slices.Concat(d.Targets, d.Elsewhere.Targets)
	}
	return d.Targets
}

// Example returns an example of the marker, with the leading "+".
func (d Definition) Example() string { return "+" + d.Name + d.Form }

// ExampleOf returns an example of a marker with a known name.
func ExampleOf(name string) string { return byName[name].Example() }

// onlyManifests reports whether the marker determines no Go code but conversions.
func (d Definition) onlyManifests() bool { return d.Effect&^Converting == Manifests }

// argument returns an argument, or nil if there is none with the name.
func (d Definition) argument(name string) *Argument {
	i := slices.IndexFunc(d.Arguments, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Arguments[i]
}

// keys returns the names of the arguments.
func (d Definition) keys() (names []string) {
	for _, a := range d.Arguments {
		names = append(names, a.Name)
	}
	return names
}

// Takes describes the text after the marker's name. It is "" if there is none.
func (d Definition) Takes() string {
	switch d.Type {
	case Int:
		return "an integer"
	case Float:
		return "a number"
	case String:
		if d.onlyManifests() {
			return "text, in quotes if it is not a single word"
		}
		return "text"
	case Boolean:
		return "true or false"
	case Switch:
		return "package, true or false"
	case Any:
		return "a value: a number, a Boolean, text, a list such as {a,b} or an object such as {key: value}"
	case Strings, Anys:
		return "values, separated by semicolons"
	case JSON:
		return "a value in JSON"
	case Verbs:
		return "any of " + list(model.AllVerbs()) + ", separated by commas"
	case Method:
		return "a name and verb=, one of " + Join(methodVerbs) + "; optional: subresource=, and input= and result=, which take TYPE or PATH.TYPE"
	case Named:
		if d.Effect&Code != 0 {
			return strings.Join(d.keys(), "=, ") + "=, separated by commas; the values of a list are separated by semicolons, or by commas in braces"
		}
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

// Also returns the other names of the marker.
func (d Definition) Also() []string {
	if !slices.Contains(prefixed, d.Name) {
		return nil
	}
	return []string{"+k8s:" + d.Name, "+kubebuilder:" + d.Name}
}

// Where returns the place of the marker for a heading.
func (d Definition) Where() string {
	place := "above a field"
	switch first := d.Targets[0]; {
	case first == Field && d.Effect&Merging != 0:
		return "above a field or its type"
	case first == Type && !d.onlyManifests() && d.controllerGen():
		return "above a type, as for controller-gen"
	case first == Type:
		place = "above a type"
	case first == Package:
		place = "in a package comment"
	case first == File:
		return "in a comment of its own, for roles and webhooks"
	}
	switch {
	case len(d.Targets) == 1:
	case d.Targets[0] != Package:
		place += " or its type"
	case d.Targets[1] == Field:
		place += " or above a field"
	default:
		place += " or above a type"
	}
	switch {
	case d.onlyManifests():
		place += ", for manifests"
	case d.Effect&OpenAPI != 0:
		place += ", for OpenAPI definitions"
	}
	return place
}

// controllerGen reports whether Line.Read follows the rules of controller-gen for the marker rather than the rules of
// the classic tools. The rules for +versionName are the rules for +groupName.
func (d Definition) controllerGen() bool { return d.Tools == ControllerTools && d.Type != String }
