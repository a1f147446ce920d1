package cli

import (
	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/internal/plan"
)

// crdFlags adds the flags for the content of CustomResourceDefinitions.
func crdFlags(o *options, fs *pflag.FlagSet) {
	crds := &o.CRDs
	fs.StringSliceVar(&crds.Gates, "gates", nil, "feature `gates` that are on in CustomResourceDefinitions, or sets of them for directories of their own, in the form alpha:Foo,alpha:Bar,beta:Foo")
	annotate(fs.Lookup("gates"), listsKey, "true")
	fs.IntVar(&crds.DescriptionLimit, "crd-max-description-length", -1, "maximum `length` of each description in CustomResourceDefinitions; 0 leaves descriptions out")
	byDefault(fs, "crd-max-description-length", "no limit")
	fs.BoolVar(&crds.EmbeddedMeta, "crd-embedded-object-meta", false, "list the fields of metadata of objects inside others, such as templates")
	fs.BoolVar(&crds.Floats, "crd-allow-dangerous-types", false, "allow float32 and float64")
	fs.BoolVar(&crds.IgnoreUnexported, "crd-ignore-unexported-fields", false, "leave out unexported fields, even if they have JSON tags")
	manifestHeaderFlags(o, fs, plan.CRD)
	fs.StringVar(&crds.PreserveUnknownFields, "crd-preserve-unknown-fields", "", "value of spec.preserveUnknownFields: true or false")
	allow(fs.Lookup("crd-preserve-unknown-fields"), "true", "false")
}

// manifestHeaderFlags adds the flags for the text above the manifests of a generator.
func manifestHeaderFlags(o *options, fs *pflag.FlagSet, g *plan.ManifestGenerator) {
	f, file, year := g.Flags(&o.Flags), g.Name+"-header-file", g.Name+"-year"
	fs.StringVar(&f.HeaderFile, file, "", "`file` with the comment at the top of "+g.Objects+"; YEAR in it is replaced by --"+year)
	fs.StringVar(&f.Year, year, "", "`year` for that comment")
	byDefault(fs, year, "the year of --year")
}

// rbacFlags adds the flags for the content of roles and webhooks.
func rbacFlags(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.RBAC.RoleName, "rbac-role-name", rbac.DefaultRole, "`name` of the roles of markers without roleName=")
	fs.StringVar(&o.RBAC.FileName, "rbac-file-name", "role.yaml", "`name` of the file with the roles")
	manifestHeaderFlags(o, fs, plan.RBAC)
	manifestHeaderFlags(o, fs, plan.Webhook)
}
