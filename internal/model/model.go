// Package model holds the whole answer before anything is rendered: which groups, versions and kinds there are, what
// each of them is called in Go and in URLs, and what its clients can do. It is plain data with small methods; it reads
// no files and knows no templates.
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
	Groups []*Group // ordered by name, and of one name by directory

	// Structs are all structs that kinds with apply verbs consist of, those of other packages among them, ordered by
	// path and name. There are none unless they were asked for.
	Structs []*StructType

	// Packages are all packages that were read, ordered by path: those with kinds, and those without.
	Packages []*Package

	// LeftOut are the import paths of packages with kinds that are none of this API, because their types are unversioned.
	LeftOut []string

	ClientGo Dependency // what generated code depends on
}

// Dependency is a module that others require.
type Dependency struct {
	Version string         // that the go command selects; "" where nothing requires the module
	Pos     token.Position // of the requirement in a go.mod file; the zero Position where that is not known
}

// Group is an API group.
type Group struct {
	Name     string     // "apps" or "stable.example.com"; "" is the core group
	GoName   string     // "Apps"; an exported Go identifier that together with that of a version is unique in the API
	Dir      string     // "apps"; the folder of its generated packages, unique in the API
	Versions []*Version // highest priority first: v2, v1, v1beta1
}

// Version is one version of a group.
type Version struct {
	Group     *Group
	Name      string      // "v1"; "" is the unversioned, internal form
	Label     string      // what generated names and directories say in place of Name; "" where that is Name
	Packages  []*Package  // the packages that hold its kinds, ordered by path; empty where there are only Structs
	Resources []*Resource // ordered by kind

	// Structs are those that get an apply configuration, ordered by name. They may lie in packages without any kind,
	// which are not among Packages.
	Structs []*StructType
}

// Package is a Go package of API types.
type Package struct {
	Path string // import path
	Name string // Go package name
	Pos  token.Position

	Dir     string // the directory of its files, absolute
	Foreign bool   // of a module that is not at hand to be changed

	// Registration is what generated code registers of the package; nil where nothing is to be generated for that.
	Registration *Registration

	// GroupVersionVar names the package's exported schema.GroupVersion variable: "SchemeGroupVersion", "GroupVersion",
	// or "" where it has neither.
	GroupVersionVar string

	GroupFrom, VersionFrom Source // of the group's and the version's name; FromDefault for the version of unversioned types

	SwitchedOff []string // the markers by which it wants none of what a family generates, such as ClientSwitch
}

// The markers by which a package switches off what is generated for it.
const (
	ApplySwitch    = "k8s:applyconfiguration-gen"
	ClientSwitch   = "k8s:client-gen"
	InformerSwitch = "k8s:informer-gen"
	ListerSwitch   = "k8s:lister-gen"
	RegisterSwitch = "k8s:register-gen"
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
	HasStatus  bool // has a Status field, and no marker says that there is no status subresource

	// Scale is where the parts of the scale subresource are; nil where no marker says so.
	Scale *Scale

	// Verbs is what the markers leave of all verbs; NoVerbs (+genclient:noVerbs) gives it a client without any of them.
	Verbs   Verbs
	NoVerbs bool
	Methods []Method // ordered as written; those of +kubebuilder:subresource:scale last

	// What kubectl calls the resource; from +kubebuilder:resource, otherwise the kind in lower case and nothing.
	Singular               string
	ShortNames, Categories []string

	// The version is the one that is stored, in the kind's CustomResourceDefinition.
	Storage bool

	NameFrom, ScopeFrom Source
	StatusFrom          Source   // of HasStatus; the zero Source where nothing speaks of a status
	VerbsFrom           []Source // the markers that choose; none where there are all verbs

	List List
}

// Scale is where the parts of a kind's scale subresource are, each as the names of fields in JSON: {"spec", "replicas"}.
type Scale struct {
	SpecReplicas, StatusReplicas []string
	Selector                     []string // empty where there is none
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
	Implied     bool // by there being a subresource, not declared
	Name        string
	Verb        Verb
	Subresource string  // "" addresses the resource itself; "a/b" is nested
	Input       TypeRef // the body that it sends; the kind itself where not given
	Result      TypeRef // what it returns; the kind itself where not given

	// Schemes are the other packages that Input and Result come from, of those the ones that have an AddToScheme.
	// Some encodings, such as CBOR, need the types of bodies to be in the client's scheme.
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

// InternalVersion stands for the version of unversioned types in what they are registered with: runtime.APIVersionInternal.
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

// Dir returns the folder of its generated packages: "v1", or "internalversion".
func (v *Version) Dir() string { return strings.ToLower(cmp.Or(v.label(), "internalversion")) }

func (v *Version) label() string { return cmp.Or(v.Label, v.Name) }

// Applied returns the resources whose clients apply.
func (v *Version) Applied() []*Resource { return v.Filter((*Resource).IsRoot) }

// Filter returns the resources that keep wants.
func (v *Version) Filter(keep func(*Resource) bool) []*Resource {
	var kept []*Resource
	for _, r := range v.Resources {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// Listable reports whether a lister makes sense: something lists the kind, and reads or watches it. A kind that is
// watched but not read keeps its lister, since its informer needs one; +genclient:noVerbs is about the client alone.
func (r *Resource) Listable() bool {
	return r.Verbs.Has(VerbList) && (r.Verbs.Has(VerbGet) || r.Verbs.Has(VerbWatch))
}

// Watchable reports whether an informer can be filled: it lists and watches through the client.
func (r *Resource) Watchable() bool {
	return !r.NoVerbs && r.Verbs.Has(VerbList) && r.Verbs.Has(VerbWatch)
}

// GroupVersionKind returns the resource's kind with its group and version.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.Version.GroupVersion().WithKind(r.Kind)
}

// Type returns the kind's Go type.
func (r *Resource) Type() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.Kind} }

// ListType returns the Go type of lists of the kind.
func (r *Resource) ListType() TypeRef { return TypeRef{Path: r.Package.Path, Name: r.List.Name} }

// Select returns the API with only those versions that keep wants, and only groups that have any.
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
