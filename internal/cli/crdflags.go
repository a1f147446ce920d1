package cli

import "github.com/spf13/pflag"

// crdFlags adds the flags for the content of CustomResourceDefinitions.
func crdFlags(o *options, fs *pflag.FlagSet) {
	crds := &o.CRDs
	fs.IntVar(&crds.DescriptionLimit, "crd-max-description-length", -1, "maximum `length` of each description in CustomResourceDefinitions; 0 leaves descriptions out")
	byDefault(fs, "crd-max-description-length", "no limit")
	fs.BoolVar(&crds.EmbeddedMeta, "crd-embedded-object-meta", false, "list the fields of metadata of objects inside others, such as templates")
	fs.BoolVar(&crds.Floats, "crd-allow-dangerous-types", false, "allow float32 and float64")
	fs.BoolVar(&crds.IgnoreUnexported, "crd-ignore-unexported-fields", false, "leave out unexported fields, even if they have JSON tags")
	fs.StringVar(&crds.HeaderFile, "crd-header-file", "", "`file` with the comment at the top of CustomResourceDefinitions; YEAR in it is replaced by --crd-year")
	fs.StringVar(&crds.Year, "crd-year", "", "`year` for that comment")
	byDefault(fs, "crd-year", "the year of --year")
	fs.StringVar(&crds.PreserveUnknownFields, "crd-preserve-unknown-fields", "", "value of spec.preserveUnknownFields: true or false")
	allow(fs.Lookup("crd-preserve-unknown-fields"), "true", "false")
}
