package informer

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// General views, renamed because embedding them must not hide their methods.
type (
	api     = render.API
	group   = render.Group
	version = render.Version
	kind    = render.Kind
)

// API, Group, Version and Informer are the views of this generator.
type (
	API struct {
		*api
		shared
	}
	Group struct {
		*group
		shared
	}
	Version struct {
		*version
		shared
	}
	Informer struct {
		*kind
		shared
	}
)

var views = render.Views{
	API:     func(a *render.API) any { return API{a, shared{a}} },
	Group:   func(g *render.Group) any { return Group{g, shared{g.API}} },
	Version: func(v *render.Version) any { return Version{v, shared{v.API}} },
	Kind:    func(k *render.Kind) any { return Informer{k, shared{k.API}} },
}

// shared has the methods for files of every scope.
type shared struct{ in *render.API }

// Shared refers to a name in the package shared by informers and their factory.
func (s shared) Shared(name string) gofile.Code { return s.in.RefIn(templates.SharedInformers, name) }

// TypedCache refers to a name required by typed informers: in client-go's cache package, or in its generated
// replacement.
func (s shared) TypedCache(name string) gofile.Code { return s.cache(model.TypedInformers, name) }

// SyncResult returns the result type of waiting for caches.
func (s shared) SyncResult() gofile.Code { return s.cache(model.FactoryContext, "SyncResult") }

func (s shared) cache(c model.Capability, name string) gofile.Code {
	if s.in.Backports(c) {
		return s.Shared(name)
	}
	return "cache." + gofile.Name(name)
}

// Feeds reports whether the factory tracks how the caches of its informers are filled.
func (s shared) Feeds() bool { return hasFeeds(&s.in.Options().Options) }

// TakesResource reports whether the function that creates an informer needs to know the resource.
func (s shared) TakesResource() bool { return s.in.Has(model.InformerNames) || s.Feeds() }

// Consistent reports whether the code is generated with which controllers wait for caches to contain their writes.
func (s shared) Consistent() bool { return consistent(&s.in.Options().Options) }

// Consistency refers to a name in the package with that code.
func (s shared) Consistency(name string) gofile.Code { return s.in.RefIn(templates.Consistency, name) }

// Run returns the method call that runs an informer of a factory.
func (s shared) Run() gofile.Code {
	if s.in.Has(model.FactoryContext) {
		return "RunWithContext(ctx)"
	}
	return "Run(stopCh)"
}

// Example returns the call chain from a factory to its first informer: "Stable().V1().CronTabs".
func (a API) Example() string {
	first := a.Kinds()[0]
	return first.GroupGoName() + "()." + first.MethodName() + "()." + first.Plural()
}

// ExampleResource returns the resource of that informer: "crontabs.stable.example.com/v1".
func (a API) ExampleResource() string {
	first := a.Kinds()[0]
	resource := first.Version.Model.GroupVersion().WithResource(first.ResourceName())
	return resource.GroupResource().String() + "/" + resource.Version
}

// ExampleType returns the type of that informer's objects, for comments: "*v1.CronTab".
func (a API) ExampleType() string {
	first := a.Kinds()[0]
	return "*" + first.Model.Package.Name + "." + first.Kind()
}

// KindTypes returns the body of a constraint that only the types of all kinds satisfy.
func (a API) KindTypes() gofile.Code { return typeSet(a.Kinds()) }

// NamespacedKindTypes is like KindTypes for the namespaced kinds. It returns "" if there are none.
func (a API) NamespacedKindTypes() gofile.Code {
	return typeSet(slices.DeleteFunc(a.Kinds(), func(k *render.Kind) bool { return !k.Namespaced() }))
}

// mostTypes is the greatest number of types that the compiler accepts in a union.
const mostTypes = 100

func typeSet(kinds []*render.Kind) gofile.Code {
	if len(kinds) > mostTypes {
		return "runtime.Object\n\tmetav1.Object"
	}
	var types []gofile.Code
	for _, k := range kinds {
		types = append(types, "*"+k.Type())
	}
	return gofile.Join(types, " |\n\t\t")
}

// WithoutManagedFields returns the entries of a map for the types of kinds with the marker of this name.
func (a API) WithoutManagedFields() gofile.Code {
	var entries gofile.Code
	for _, k := range a.Kinds() {
		if k.Model.Marked(model.WithoutManagedFieldsMarker) {
			entries += "\nreflect.TypeFor[*" + k.Type() + "](): true,"
		}
	}
	if entries != "" {
		entries += "\n"
	}
	return entries
}

// ExampleVar returns the name of a variable for the first informer: "cronTabs".
func (a API) ExampleVar() string { return a.Kinds()[0].Struct() }

// InformerMaker returns the function that creates a kind's informer from all options.
func (k Informer) InformerMaker() string {
	switch {
	case k.Has(model.TypedInformers):
		return "NewTyped" + k.Kind() + "InformerWithOptions"
	case k.Has(model.InformerOptions):
		return "New" + k.Kind() + "InformerWithOptions"
	}
	return "new" + k.Kind() + "Informer"
}

// IndexInformer returns the result type of InformerMaker.
func (k Informer) IndexInformer() gofile.Code {
	if k.Has(model.TypedInformers) {
		return gofile.Name(k.Kind() + "IndexInformer")
	}
	return "cache.SharedIndexInformer"
}

// HidesTypedInformer reports whether the kind's interface is named TypedInformer. The struct that embeds it has a
// method with this name, so it cannot be embedded under its own name.
func (k Informer) HidesTypedInformer() bool { return k.Kind()+"Informer" == "TypedInformer" }

// InformerInterface returns the kind's interface in the informers of its version.
func (k Informer) InformerInterface() string {
	if k.Has(model.TypedInformers) {
		return "Typed" + k.Kind() + "Informer"
	}
	return k.Kind() + "Informer"
}

// NewInformerArgs returns the first arguments of the function that creates an informer from clients.
func (k Informer) NewInformerArgs() gofile.Code {
	var args []gofile.Code
	if k.Has(model.WatchListSemantics) {
		args = append(args, "client")
	}
	if k.TakesResource() {
		args = append(args, "resource")
	}
	namespace := gofile.Code(`""`)
	if k.Namespaced() {
		namespace = "namespace"
	}
	return gofile.Join(append(args, namespace, "&"+k.Type()+"{}", "options"), ", ")
}

// NamespaceOr returns the name of the namespace parameter, or "_" if the kind is cluster-scoped.
func (k Informer) NamespaceOr() string {
	if k.Namespaced() {
		return "namespace"
	}
	return "_"
}

// ToIndexInformer returns the function that converts a cache.SharedIndexInformer to the result type of InformerMaker.
// It returns "" if that is the same type.
func (k Informer) ToIndexInformer() gofile.Code {
	if k.Has(model.TypedInformers) {
		return "To" + k.IndexInformer()
	}
	return ""
}
