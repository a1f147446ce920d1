package generators

import "github.com/kubegen/kubegen/internal/model"

// Clientset generates the clientset, its fake, its scheme and the clients of all kinds. Its root is the package of the
// clientset itself.
var Clientset = Generator{
	Name:      "clientset",
	Replaces:  "client-gen",
	Resources: (*model.Version).Clients,
	Outputs: []Output{
		{Scope: PerAPI, Path: "clientset.go", Template: "clientset/clientset.go.tmpl"},
		{Scope: PerAPI, Path: "scheme/register.go", Template: "clientset/scheme/register.go.tmpl",
			Doc: "Package scheme has the scheme of the clientset: the Go types of all its groups, and codecs for them."},
		{Scope: PerAPI, Path: "fake/clientset_generated.go", Template: "clientset/fake/clientset_generated.go.tmpl", When: (*Data).Fake,
			Doc: "Package fake has a clientset for tests, which keeps its objects in memory."},
		{Scope: PerAPI, Path: "fake/register.go", Template: "clientset/fake/register.go.tmpl", When: (*Data).Fake},

		{Scope: PerVersion, Path: "typed/{group}/{version}/{Group}_client.go", When: (*Data).Typed,
			Template: "clientset/typed/group/version/group_client.go.tmpl", Doc: "Package {package} has the clients for the kinds of {gv}."},
		{Scope: PerVersion, Path: "typed/{group}/{version}/generated_expansion.go", When: (*Data).Typed,
			Template: "clientset/typed/group/version/generated_expansion.go.tmpl"},
		{Scope: PerResource, Path: "typed/{group}/{version}/{kind}.go", When: (*Data).Typed,
			Template: "clientset/typed/group/version/kind.go.tmpl"},
		{Scope: PerVersion, Path: "typed/{group}/{version}/fake/fake_{Group}_client.go", When: (*Data).TypedFake,
			Template: "clientset/typed/group/version/fake/fake_group_client.go.tmpl",
			Doc:      "Package fake has clients for the kinds of {gv} that keep their objects in memory."},
		{Scope: PerResource, Path: "typed/{group}/{version}/fake/fake_{kind}.go", When: (*Data).TypedFake,
			Template: "clientset/typed/group/version/fake/fake_kind.go.tmpl"},
	},
}

// Listers generates the listers of all kinds. Its root is the folder above the groups.
var Listers = Generator{
	Name:      "lister",
	Replaces:  "lister-gen",
	Resources: (*model.Version).Listers,
	Outputs: []Output{
		{Scope: PerVersion, Path: "{group}/{version}/expansion_generated.go", Template: "listers/group/version/expansion_generated.go.tmpl"},
		{Scope: PerResource, Path: "{group}/{version}/{kind}.go", Template: "listers/group/version/kind.go.tmpl"},
	},
}

// Informers generates the informers of all kinds and their factory. Its root is the package of the factory.
var Informers = Generator{
	Name:      "informer",
	Replaces:  "informer-gen",
	Resources: (*model.Version).Informers,
	Outputs: []Output{
		{Scope: PerAPI, Path: "factory.go", Template: "informers/factory.go.tmpl"},
		{Scope: PerAPI, Path: "generic.go", Template: "informers/generic.go.tmpl"},
		{Scope: PerAPI, Path: "internalinterfaces/factory_interfaces.go", Template: "informers/internalinterfaces/factory_interfaces.go.tmpl"},
		{Scope: PerAPI, Path: "internalinterfaces/typed_informer.go", When: (*Data).BackportsTypedInformers,
			Template: "informers/internalinterfaces/typed_informer.go.tmpl"},
		{Scope: PerAPI, Path: "internalinterfaces/sync_result.go", When: (*Data).BackportsFactoryContext,
			Template: "informers/internalinterfaces/sync_result.go.tmpl"},
		{Scope: PerGroup, Path: "{Group}/interface.go", Template: "informers/group/interface.go.tmpl"},
		{Scope: PerVersion, Path: "{Group}/{version}/interface.go", Template: "informers/group/version/interface.go.tmpl"},
		{Scope: PerResource, Path: "{Group}/{version}/{kind}.go", Template: "informers/group/version/kind.go.tmpl"},
	},
}

// ApplyConfigurations generates the apply configurations: builders for the objects that server-side apply is given, of
// all kinds with apply verbs and of the structs that those consist of. Its root is the folder above the groups.
var ApplyConfigurations = Generator{
	Name:      "applyconfiguration",
	Replaces:  "applyconfiguration-gen",
	Resources: (*model.Version).Applied,
	Structs:   func(v *model.Version) []*model.StructType { return v.Structs },
	Outputs: []Output{
		{Scope: PerAPI, Path: "utils.go", Template: "applyconfigurations/utils.go.tmpl"},
		{Scope: PerAPI, Path: "internal/internal.go", Template: "applyconfigurations/internal/internal.go.tmpl",
			Doc: "Package internal has the schema that tells how apply configurations merge."},
		{Scope: PerStruct, Path: "{group}/{version}/{kind}.go", Template: "applyconfigurations/group/version/struct.go.tmpl"},
	},
}
