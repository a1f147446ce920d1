// Package model describes an API completely before anything is rendered: its groups, versions and kinds, their names in
// Go and in URLs, the methods of their clients, and the policy of the tool that a run imitates. It consists of plain
// data with small methods and does not read files.
package model

import (
	"cmp"
	"go/token"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API is the input of the generators in one run.
type API struct {
	Groups []*Group // ordered by name, then by directory

	// Structs are all structs that kinds with apply verbs contain, including structs of other packages, ordered by path
	// and name. The list is empty unless a generator needs them.
	Structs []*StructType

	// Packages are all packages that were read, with and without kinds, ordered by path.
	Packages []*Package

	// PackageNames maps the import paths of all listed packages to the names in their package clauses.
	PackageNames map[string]string

	// LeftOut lists the import paths of packages with unversioned types. Their kinds are not part of this API.
	LeftOut []string

	ClientGo Dependency // determines the release of client-go that the generated code depends on

	all []*Group // the value of Groups before Select
}

// Dependency is the module of Kubernetes that determines the release of client-go for which code is generated.
type Dependency struct {
	Module    string         // k8s.io/client-go, or a module released together with it; "" if none is required
	Version   string         // the selected version; "" if none is selected
	Pos       token.Position // position of the requirement in a go.mod file; has no column if only other modules require it; invalid if unknown
	Workspace string         // the version of k8s.io/client-go that the workspace selects; "" without a workspace or selection
	Shown     Shown          // capabilities in the source of client-go, which override Version; nil for a known release or without source
	Missing   []Evidence     // requirements of generated code that this source lacks
}

// Group is an API group.
type Group struct {
	Name     string     // "apps" or "stable.example.com"; "" is the core group
	GoName   string     // "Apps"; an exported Go identifier, used by informer factories; with the GoName of a version, unique in the API
	Dir      string     // "apps"; the directory of its generated packages, unique in the API
	Versions []*Version // highest priority first: v2, v1, v1beta1
}

// Version is one version of a group.
type Version struct {
	Group       *Group
	Name        string      // "v1"; "" for unversioned (internal) types
	Label       string      // replaces Name in generated names and directories; "" if Name is used
	GroupGoName string      // Go name of the group in names of clients; "" for the GoName of Group
	Packages    []*Package  // packages with kinds of the version, ordered by path; empty if the version only has Structs
	Resources   []*Resource // ordered by kind

	// Structs are the structs for which apply configurations are generated, ordered by name. Their packages are not in
	// Packages unless they have kinds.
	Structs []*StructType
}

// Package is a Go package of API types.
type Package struct {
	Path string // import path
	Name string // Go package name
	Pos  token.Position

	Hides map[string]token.Position // declarations with predeclared names, such as len

	Dir     string // absolute path of the directory
	Foreign bool   // its module cannot be edited by the user

	// Copies are the types with generated DeepCopy methods, ordered by name. The list is empty if none are generated.
	Copies []*Declared

	// Conversions describes the conversion functions to generate, or is nil.
	Conversions *Conversions

	// Defaults describes the functions that set defaults, or is nil if the package requests none.
	Defaults *Defaults

	// Registration describes the registration code to generate, or is nil.
	Registration *Registration

	// ByHand means that the package requests registration code, but registers its types itself.
	ByHand bool

	// Unregistered means that the package has neither AddToScheme nor a SchemeBuilder, so that clientsets register its
	// kinds.
	Unregistered bool

	// SchemeBuilder is the name of a variable whose method AddToScheme registers the types, or "" if the package has a
	// function of that name.
	SchemeBuilder string

	// GroupVersionVar is the name of the package's exported variable of type schema.GroupVersion: "SchemeGroupVersion",
	// "GroupVersion", or "" if it has neither.
	GroupVersionVar string

	GroupFrom, VersionFrom Source // origins of the names of group and version; VersionFrom is FromDefault for unversioned types

	SwitchedOff []string // markers that switch off a generator for the package, such as ClientSwitch
}

// HasFiles reports whether files are generated in the package.
func (p *Package) HasFiles() bool {
	return p.Registration != nil || len(p.Copies) > 0 || p.Conversions != nil || p.Defaults != nil
}

// Markers that switch off generators for a package.
const (
	ApplySwitch    = "k8s:applyconfiguration-gen"
	ClientSwitch   = "k8s:client-gen"
	InformerSwitch = "k8s:informer-gen"
	ListerSwitch   = "k8s:lister-gen"
	RegisterSwitch = "k8s:register-gen"
)

// HelpersMarker is the marker that turns on helper functions for a kind, or for all kinds of a package.
const HelpersMarker = "kubegen:helpers"

// Markers of slices, which are types with some fields of a kind only.
const (
	WithoutManagedFieldsMarker = "kubegen:withoutManagedFields"
	NoApplyMarker              = "kubegen:noApply"
)

// Markers of deepcopy-gen and controller-gen that turn on DeepCopy methods. In comments, these names may have a suffix.
const (
	DeepCopyMarker = "k8s:deepcopy-gen"
	ObjectMarker   = "kubebuilder:object"
)

// Off reports whether the package has the marker with the value false, as in +k8s:client-gen=false.
func (p *Package) Off(marker string) bool { return slices.Contains(p.SwitchedOff, marker) }

// Registration describes what the AddToScheme function of a package adds to a runtime.Scheme.
type Registration struct {
	Group, Version string
	Types          []string // names of the structs to register: kinds, lists and options, sorted; without the structs in Named
	Named          []Registered
	Objects        bool // code that remains registers objects, such as &Foo{}, with SchemeBuilder.Register
}

// Registered is a struct that is registered under another name than its own.
type Registered struct{ Kind, Type string }

// Resource is a kind and the resource that serves it.
type Resource struct {
	Version *Version
	Package *Package
	Pos     token.Position

	Kind       string // "CronTab"; the name of the Go type
	Wire       string // the kind in objects if it differs from the name of the type; otherwise ""
	WireList   string // the kind in lists if it differs from the objects' kind followed by List; otherwise ""
	MetaApart  bool   // TypeMeta and ObjectMeta are embedded at different depths
	Plural     string // "CronTabs"; an exported Go identifier
	Name       string // "crontabs", as in URLs
	Namespaced bool
	HasStatus  bool // the type has a Status field, and no marker disables the status subresource

	// Scale has the JSON paths of the scale subresource, or is nil if no marker declares one.
	Scale *Scale

	// Merging lists parts of the kind that its CustomResourceDefinition may merge in another way than the Go types say.
	Merging []Merging

	// Verbs are the verbs selected by markers. NoVerbs (+genclient:noVerbs) means that the client has no verbs.
	Verbs   Verbs
	NoVerbs bool
	Methods []Method // in source order; methods from +kubebuilder:subresource:scale come last

	// Names of the resource in kubectl, from +kubebuilder:resource. Singular defaults to the kind in lower case. The
	// other two have no default.
	Singular               string
	ShortNames, Categories []string

	// SelectableFields are the JSON paths of fields, other than metadata fields, that field selectors can use, such as
	// ".spec.image". They come from +kubebuilder:selectablefield.
	SelectableFields []string

	// Indexes are the indexes of the kind, ordered by name. The list is empty if no indexes are generated.
	Indexes []*Index

	// Markers are the markers above the type that are not ignored, in source order.
	Markers []Marker

	NameFrom, ScopeFrom Source
	StatusFrom          Source   // origin of HasStatus; the zero Source without a field and without a marker
	HelpersFrom         Source   // the HelpersMarker; the zero Source if helpers are off
	VerbsFrom           []Source // the markers that select verbs; empty if the kind has all verbs

	List List
}

// Marked reports whether the kind has a marker.
func (r *Resource) Marked(name string) bool { return HasMarker(r.Markers, name) }

// Scale has the paths of a kind's scale subresource. Each is a list of JSON field names: {"spec", "replicas"}.
type Scale struct {
	SpecReplicas, StatusReplicas []string
	Selector                     []string // nil if the subresource has no selector
}

// Merging says how server-side apply merges a part of a kind.
type Merging struct {
	Path              []string // JSON field names; elements of lists and values of maps have the name Elements
	Type              string   // "array", "object", or "" for any value
	ListType, MapType string
	Keys              []string
	Lost              []string // fields of the Go type that the part does not have
}

// Elements is the name of elements in Merging.Path.
const Elements = "[]"

// JSONPath joins JSON field names as CustomResourceDefinitions do: ".spec.replicas". It returns "" for an empty list.
func JSONPath(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return "." + strings.Join(fields, ".")
}

// List describes the list type of a kind.
type List struct {
	Name     string // "CronTabList"
	Pointers bool   // Items is a slice of pointers
}

// Method is an additional client method, from +genclient:method or +kubebuilder:subresource:scale.
type Method struct {
	Pos         token.Position
	From        Source
	Implied     bool // added for a subresource rather than declared by +genclient:method
	Name        string
	Verb        Verb
	Subresource string  // "" addresses the resource itself; "a/b" is nested
	Input       TypeRef // type of the request body; the kind by default
	Result      TypeRef // type of the result; the kind by default

	// Schemes are the packages of Input and Result, without the kind's own package, that have an AddToScheme function.
	// Some encodings, such as CBOR, require that the client's scheme contains the types of request and response bodies.
	Schemes []string
}

// TypeRef names an exported Go type.
type TypeRef struct {
	Path string // import path
	Name string
}

// ParseTypeRef parses PATH.TYPE. Text without a dot is a type name with an empty path.
func ParseTypeRef(text string) TypeRef {
	if i := strings.LastIndex(text, "."); i >= 0 {
		return TypeRef{Path: text[:i], Name: text[i+1:]}
	}
	return TypeRef{Name: text}
}

// InternalVersion is the version under which a scheme registers unversioned types, like runtime.APIVersionInternal.
const InternalVersion = "__internal"

// GroupVersion returns the group and version. The version of unversioned types is InternalVersion.
func (v *Version) GroupVersion() schema.GroupVersion {
	name := v.Name
	if v.Internal() {
		name = InternalVersion
	}
	return schema.GroupVersion{Group: v.Group.Name, Version: name}
}

// Internal reports whether the version is unversioned. Its types have no JSON tags.
func (v *Version) Internal() bool { return v.Name == "" }

// GoName returns the version as an exported Go identifier, such as "V1". It returns "" for unversioned types.
func (v *Version) GoName() string { return exported(v.label()) }

// ClientName returns the Go names of group and version, as in the names of clients: "AppsV1".
func (v *Version) ClientName() string { return v.groupGoName() + v.GoName() }

func (v *Version) groupGoName() string { return cmp.Or(v.GroupGoName, v.Group.GoName) }

// Dir returns the directory of the generated packages: "v1", or "internalversion" for unversioned types.
func (v *Version) Dir() string { return strings.ToLower(cmp.Or(v.label(), "internalversion")) }

func (v *Version) label() string { return cmp.Or(v.Label, v.Name) }

// Filter returns the resources for which keep returns true.
func (v *Version) Filter(keep func(*Resource) bool) []*Resource {
	var kept []*Resource
	for _, r := range v.Resources {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// Listable reports whether a lister is generated for the kind. The kind must have the verb list, and get or watch.
// Watch is enough because the informer of such a kind needs a lister. +genclient:noVerbs only affects the client and is
// ignored.
func (r *Resource) Listable() bool {
	return r.Verbs.Has(VerbList) && (r.Verbs.Has(VerbGet) || r.Verbs.Has(VerbWatch))
}

// Watchable reports whether an informer is generated for the kind. This requires the verbs list and watch.
func (r *Resource) Watchable() bool {
	return !r.NoVerbs && r.Verbs.Has(VerbList) && r.Verbs.Has(VerbWatch)
}

// Scope returns the scope in words.
func (r *Resource) Scope() string {
	if r.Namespaced {
		return "namespaced"
	}
	return "cluster-scoped"
}

// GroupVersionKind returns the resource's kind with its group and version.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.Version.GroupVersion().WithKind(r.ObjectKind())
}

// ObjectKind returns the kind in objects.
func (r *Resource) ObjectKind() string { return cmp.Or(r.Wire, r.Kind) }

// Registered returns the kinds, other than the names of the types, under which the types of objects and lists are
// registered. Fake clients look up lists under the objects' kind followed by List.
func (r *Resource) Registered() (all []Registered) {
	if r.Wire != "" {
		all = append(all, Registered{r.Wire, r.Kind}, Registered{r.Wire + "List", r.List.Name})
	}
	if r.WireList != "" {
		all = append(all, Registered{r.WireList, r.List.Name})
	}
	return all
}

// Helpers reports whether helper functions are generated for the kind.
func (r *Resource) Helpers() bool { return r.HelpersFrom != (Source{}) }

// Type returns the kind's Go type.
func (r *Resource) Type() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.Kind} }

// ListType returns the Go type of lists of the kind.
func (r *Resource) ListType() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.List.Name} }

// Versions returns the versions of all groups, in order.
func (a *API) Versions() iter.Seq[*Version] {
	return func(yield func(*Version) bool) {
		for _, g := range a.Groups {
			for _, v := range g.Versions {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// Resources returns the kinds of all versions, in order.
func (a *API) Resources() iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		for v := range a.Versions() {
			for _, r := range v.Resources {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// AllGroups returns the groups before Select.
func (a *API) AllGroups() []*Group {
	if a.all != nil {
		return a.all
	}
	return a.Groups
}

// Struct returns the first of the Structs with a name, or nil. There are several if it is generic.
func (a *API) Struct(t TypeRef) *StructType {
	i, _ := slices.BinarySearchFunc(a.Structs, t.Path, func(s *StructType, path string) int { return strings.Compare(s.Path, path) })
	for ; i < len(a.Structs) && a.Structs[i].Path == t.Path; i++ {
		if a.Structs[i].Name == t.Name {
			return a.Structs[i]
		}
	}
	return nil
}

// Select returns a copy of the API with only the versions for which keep returns true. Groups without such a version
// are removed.
func (a *API) Select(keep func(*Version) bool) *API {
	selected := *a
	selected.Groups, selected.all = nil, a.AllGroups()
	for _, g := range a.Groups {
		some := *g
		some.Versions = nil
		for _, v := range g.Versions {
			if keep(v) {
				some.Versions = append(some.Versions, v)
			}
		}
		if len(some.Versions) > 0 {
			selected.Groups = append(selected.Groups, &some)
		}
	}
	return &selected
}

// RegistrationNames lists the exported names that a generated registration declares. The last two are optional
// functions.
var RegistrationNames = []string{
	"GroupName", "SchemeGroupVersion", "GroupVersion", "SchemeBuilder", "AddToScheme", "Install", "Kind", "Resource",
}
