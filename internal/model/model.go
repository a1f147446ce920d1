// Package model describes an API completely before anything is rendered: its groups, versions and kinds, their names in
// Go and in URLs, and the methods of their clients. It is plain data with small methods; it reads no files and knows
// nothing of templates.
package model

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// API is everything that one run generates code for.
type API struct {
	Groups []*Group // ordered by name, then by directory

	// Structs are all structs that the kinds with apply verbs consist of, including those of other packages, ordered by
	// path and name. It is empty unless Config.Read of the parser is set.
	Structs []*StructType

	// Packages are all packages that were read, ordered by path: those with kinds, and those without.
	Packages []*Package

	// LeftOut are the import paths of packages whose kinds are not part of this API because their types are
	// unversioned.
	LeftOut []string

	ClientGo Dependency // determines the client-go that the generated code depends on
}

// Dependency is what determines the release of client-go that code is generated for: a module of Kubernetes.
type Dependency struct {
	Module    string         // k8s.io/client-go, or one of those that it comes with; "" for none
	Version   string         // the one that is selected; "" for none
	Pos       token.Position // of the requirement in a go.mod file, without a column if only other modules have it; the zero Position if unknown
	Workspace string         // the version of k8s.io/client-go that the module's workspace selects; "" if it has none, or none is selected
}

// Group is an API group.
type Group struct {
	Name     string     // "apps" or "stable.example.com"; "" is the core group
	GoName   string     // "Apps", an exported Go identifier; together with that of a version it is unique in the API
	Dir      string     // "apps"; the directory of its generated packages, unique in the API
	Versions []*Version // highest priority first: v2, v1, v1beta1
}

// Version is one version of a group.
type Version struct {
	Group     *Group
	Name      string      // "v1"; "" is the unversioned, internal form
	Label     string      // replaces Name in generated names and directories; "" for Name itself
	Packages  []*Package  // the packages with its kinds, ordered by path; empty if it has only Structs
	Resources []*Resource // ordered by kind

	// Structs are the structs that get an apply configuration, ordered by name. They may belong to packages without
	// kinds, which are not in Packages.
	Structs []*StructType
}

// Package is a Go package of API types.
type Package struct {
	Path string // import path
	Name string // Go package name
	Pos  token.Position

	Dir     string // the directory of its files, absolute
	Foreign bool   // of a module that is not at hand to be changed

	// Copies are the types that get DeepCopy methods, ordered by name; none unless that was asked for.
	Copies []*Declared

	// Registration is what generated code registers of the package; nil where nothing is to be generated for that.
	Registration *Registration

	// GroupVersionVar names the package's exported schema.GroupVersion variable: "SchemeGroupVersion", "GroupVersion",
	// or "" if it has neither.
	GroupVersionVar string

	GroupFrom, VersionFrom Source // sources of the group's and the version's name; FromDefault for the version of unversioned types

	SwitchedOff []string // the markers that switch off a family for the package, such as ClientSwitch
}

// The markers with which a package switches off families.
const (
	ApplySwitch    = "k8s:applyconfiguration-gen"
	ClientSwitch   = "k8s:client-gen"
	InformerSwitch = "k8s:informer-gen"
	ListerSwitch   = "k8s:lister-gen"
	RegisterSwitch = "k8s:register-gen"
)

// HelpersMarker asks for functions around the requests of a kind, or of all kinds of a package.
const HelpersMarker = "kubegen:helpers"

// The markers that ask for DeepCopy methods, deepcopy-gen's and controller-gen's, or the beginning of those.
const (
	DeepCopyMarker = "k8s:deepcopy-gen"
	ObjectMarker   = "kubebuilder:object"
)

// Off reports whether the package is marked with a switch that is false, as in +k8s:client-gen=false.
func (p *Package) Off(marker string) bool { return slices.Contains(p.SwitchedOff, marker) }

// Registration is what a package registers with a runtime.Scheme, by AddToScheme.
type Registration struct {
	Group, Version string
	Types          []string // names of the structs that are registered: kinds, lists and options, sorted
}

// Resource is a kind and the resource that serves it.
type Resource struct {
	Version *Version
	Package *Package
	Pos     token.Position

	Kind       string // "CronTab"
	Plural     string // "CronTabs"; an exported Go identifier
	Name       string // "crontabs"; as in URLs
	Namespaced bool
	HasStatus  bool // has a Status field, and no marker disables the status subresource

	// Scale has the JSON paths of the scale subresource; nil if no marker declares them.
	Scale *Scale

	// Verbs are the verbs that the markers select; NoVerbs (+genclient:noVerbs) means that the client has none of them.
	Verbs   Verbs
	NoVerbs bool
	Methods []Method // in source order; those of +kubebuilder:subresource:scale last

	// Names of the resource in kubectl, from +kubebuilder:resource. Singular defaults to the kind in lower case, the
	// others are empty by default.
	Singular               string
	ShortNames, Categories []string

	// SelectableFields are the JSON paths of the fields that field selectors can name beyond those of the metadata, as in
	// +kubebuilder:selectablefield: ".spec.image".
	SelectableFields []string

	// Indexes are the indexes of the kind, in the order of their names; none unless they were asked for.
	Indexes []*Index

	// Storage reports whether this version is the storage version of the kind's CustomResourceDefinition.
	Storage bool

	NameFrom, ScopeFrom Source
	StatusFrom          Source   // of HasStatus; the zero Source if there is neither a field nor a marker
	HelpersFrom         Source   // the HelpersMarker; the zero Source if there are no Helpers
	VerbsFrom           []Source // the markers that select verbs; empty if the kind has all verbs

	List List
}

// Scale has the paths of a kind's scale subresource, each as a list of JSON field names: {"spec", "replicas"}.
type Scale struct {
	SpecReplicas, StatusReplicas []string
	Selector                     []string // empty where there is none
}

// JSONPath returns a list of JSON field names as CustomResourceDefinitions have it, ".spec.replicas"; "" if it is empty.
func JSONPath(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return "." + strings.Join(fields, ".")
}

// List is the list type of a kind.
type List struct {
	Name     string // "CronTabList"
	Pointers bool   // Items is a slice of pointers
}

// Method is a client method beyond the usual verbs, from +genclient:method or +kubebuilder:subresource:scale.
type Method struct {
	Pos         token.Position
	From        Source
	Implied     bool // added for a subresource, not declared by a marker
	Name        string
	Verb        Verb
	Subresource string  // "" addresses the resource itself; "a/b" is nested
	Input       TypeRef // type of the request body; the kind by default
	Result      TypeRef // type of the result; the kind by default

	// Schemes are the packages of Input and Result, other than the kind's, that have an AddToScheme function. Some
	// encodings, such as CBOR, require the types of bodies to be registered in the client's scheme.
	Schemes []string
}

// TypeRef names an exported Go type.
type TypeRef struct {
	Path string // import path
	Name string
}

// ParseTypeRef reads PATH.TYPE. Text without a dot is a name without a path.
func ParseTypeRef(text string) TypeRef {
	if i := strings.LastIndex(text, "."); i >= 0 {
		return TypeRef{Path: text[:i], Name: text[i+1:]}
	}
	return TypeRef{Name: text}
}

// InternalVersion is the version under which unversioned types are registered: runtime.APIVersionInternal.
const InternalVersion = "__internal"

// GroupVersion returns the group and version, with InternalVersion for the unversioned form.
func (v *Version) GroupVersion() schema.GroupVersion {
	name := v.Name
	if v.Internal() {
		name = InternalVersion
	}
	return schema.GroupVersion{Group: v.Group.Name, Version: name}
}

// Internal reports whether this is the unversioned form of a group, whose types have no JSON tags.
func (v *Version) Internal() bool { return v.Name == "" }

// GoName returns the exported Go identifier of the version: "V1", or "" for the internal form.
func (v *Version) GoName() string { return exported(v.label()) }

// Dir returns the directory of its generated packages: "v1", or "internalversion".
func (v *Version) Dir() string { return strings.ToLower(cmp.Or(v.label(), "internalversion")) }

func (v *Version) label() string { return cmp.Or(v.Label, v.Name) }

// Applied returns the resources whose clients apply.
func (v *Version) Applied() []*Resource { return v.Filter((*Resource).IsRoot) }

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

// Listable reports whether the kind gets a lister: it must have the verb list, and get or watch. A kind that can be
// watched but not read has a lister because its informer needs one; +genclient:noVerbs concerns only the client.
func (r *Resource) Listable() bool {
	return r.Verbs.Has(VerbList) && (r.Verbs.Has(VerbGet) || r.Verbs.Has(VerbWatch))
}

// Watchable reports whether the kind gets an informer, which requires list and watch.
func (r *Resource) Watchable() bool {
	return !r.NoVerbs && r.Verbs.Has(VerbList) && r.Verbs.Has(VerbWatch)
}

// GroupVersionKind returns the resource's kind with its group and version.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.Version.GroupVersion().WithKind(r.Kind)
}

// Helpers reports whether the kind has functions around requests.
func (r *Resource) Helpers() bool { return r.HelpersFrom != (Source{}) }

// Type returns the kind's Go type.
func (r *Resource) Type() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.Kind} }

// ListType returns the Go type of lists of the kind.
func (r *Resource) ListType() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.List.Name} }

// Select returns the API reduced to the versions for which keep returns true, and to the groups that have any.
func (a *API) Select(keep func(*Version) bool) *API {
	selected := *a
	selected.Groups = nil
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
