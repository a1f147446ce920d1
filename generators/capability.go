package generators

import (
	"cmp"

	"github.com/kubegen/kubegen/internal/model"
)

// Has reports whether there is a capability: client-go has it, or the generated code has it in its place. To ask for one
// that model does not know is an error of the template.
func (d *Data) Has(c model.Capability) bool {
	return d.opts.release().Has(c) || d.Backports(c)
}

// Backports reports whether the generated code has a capability in client-go's place.
func (d *Data) Backports(c model.Capability) bool {
	return d.opts.Backport && c.Expressible() && !d.opts.release().Has(c)
}

func (o *Options) release() model.Release { return cmp.Or(o.Release, model.NewestRelease) }

// BackportsTypedInformers and BackportsFactoryContext report whether there are files for those capabilities.
func (d *Data) BackportsTypedInformers() bool { return d.Backports("TypedInformers") }
func (d *Data) BackportsFactoryContext() bool { return d.Backports("FactoryContext") }

// TypedCache returns a name of client-go's cache package that typed informers need, or of what stands in for it.
func (d *Data) TypedCache(name string) string { return d.cache("TypedInformers", name) }

// SyncResult returns the type of what waiting for caches results in.
func (d *Data) SyncResult() string { return d.cache("FactoryContext", "SyncResult") }

func (d *Data) cache(c model.Capability, name string) string {
	if d.Backports(c) {
		return d.Shared(name)
	}
	return "cache." + name
}

// InformerMaker returns the function that makes a kind's informer from all of its options.
func (d *Data) InformerMaker() string {
	switch {
	case d.Has("TypedInformers"):
		return "NewTyped" + d.Kind() + "InformerWithOptions"
	case d.Has("InformerOptions"):
		return "New" + d.Kind() + "InformerWithOptions"
	}
	return "new" + d.Kind() + "Informer"
}

// IndexInformer returns the type of what InformerMaker makes.
func (d *Data) IndexInformer() string {
	if d.Has("TypedInformers") {
		return d.Kind() + "IndexInformer"
	}
	return "cache.SharedIndexInformer"
}

// InformerInterface returns the kind's interface in the informers of its version.
func (d *Data) InformerInterface() string {
	if d.Has("TypedInformers") {
		return "Typed" + d.Kind() + "Informer"
	}
	return d.Kind() + "Informer"
}

// Run returns the call with which a factory runs an informer.
func (d *Data) Run() string {
	if d.Has("FactoryContext") {
		return "RunWithContext(ctx)"
	}
	return "Run(stopCh)"
}
