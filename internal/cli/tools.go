package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/internal/plan"
)

// Kubegen generates everything in one pass, laid out as by kube_codegen.sh's gen_client --with-watch.
var Kubegen = Tool{
	Name:  "kubegen",
	short: "Generate the clientset, fake, scheme, listers, informers and apply configurations for types marked +genclient.",
	usage: "kubegen [flags] [packages]    (as for go list; default: the outputs of kubegen.yaml, or all packages of the module)",
	examples: `  kubegen                                 # the outputs of kubegen.yaml, or all kinds of this module, into its pkg/generated
  kubegen --output-dir client ./api/v1    # into client/clientset/versioned, client/listers, ...
  kubegen --verify ./apis/...             # in CI: a diff and exit code 1 if anything is stale
  kubegen list ./apis/...                 # what would be generated, and why; --format json for programs
  kubegen breaking --against REV ./apis/... # what callers lose since a git revision; exit code 1 if anything
  kubegen markers [NAME]                  # what markers there are, and what they mean
`,
	defaults: plan.Flags{APIPath: "/apis", Fake: true},
	command:  plan.Command{WholeModule: true, APIPath: true, Consistent: true, ExternalsFlag: "applyconfig-externals", Layout: plan.Everything},
	flags: func(o *options, fs *pflag.FlagSet) {
		fs.Lookup("output-dir").Usage += ` (default pkg/generated of the module)`
		fs.BoolVar(&o.Classic, "classic", false, "use the names and exported API that the tools of k8s.io/code-generator generate")
		fs.StringSliceVar(&o.Only, "only", nil, "of "+strings.Join(familyNames(), ", ")+" generate only these")
		allow(fs.Lookup("only"), familyNames()...)
		headerFlag(o, fs, "boilerplate")
		familyFlags(o, fs)
		fs.StringSliceVar(&o.Externals, "applyconfig-externals", nil, "packages of existing apply configurations, in the form PATH.TYPE:PATH,...")
		openAPIFlag(o, fs, "applyconfig-openapi-schema")
		fs.StringVar(&o.Manifests, "crds", "", "`directory` with CustomResourceDefinition manifests, which must agree with the types")
		fs.StringVar(&o.OneInputAPI, "one-input-api", "", "use only this directory below the packages given")
		clientsetFlags(o, fs)
		headerFlag(o, fs, "go-header-file")
		_ = fs.MarkHidden("go-header-file")
	},
}

func init() {
	Kubegen.commands = map[string]subcommand{
		"breaking": {tool: breaking(Kubegen)},
		"list":     {tool: list(Kubegen)},
		"markers":  {run: printMarkers},
	}
}

// GenClientset is client-gen of k8s.io/code-generator.
var GenClientset = Tool{
	Name:  "gen-clientset",
	short: "Generate a clientset for the types marked +genclient. The flags are those of client-gen.",
	usage: "gen-clientset [flags] [packages]",
	examples: `  gen-clientset --output-dir pkg/client -n versioned ./apis/...
  gen-clientset --output-dir pkg/client -n versioned --input-base ./apis --input stable/v1
`,
	defaults: plan.Flags{Classic: true, APIPath: "/apis", Fake: true, InputBase: "k8s.io/kubernetes/pkg/apis"},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringSliceVar(&o.Inputs, "input", nil, "input instead of packages, in the form group/version,...")
		fs.StringVar(&o.InputBase, "input-base", o.InputBase, "import path or directory that contains --input")
		name := clientset.Family.Place[0].Name
		o.Names = map[string]*string{name: fs.StringP(name, "n", "internalclientset", "name of the clientset's package")}
		fs.BoolVar(&o.ClientsetOnly, "clientset-only", false, "generate no clients for groups and kinds")
		clientsetFlags(o, fs)
		fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if name == "clientset-path" { // the old name
				name = "output-pkg"
			}
			return pflag.NormalizedName(name)
		})
	},
	command: plan.Command{Unversioned: true, APIPath: true, Layout: plan.Named(clientset.Family)},
}

// GenLister is lister-gen of k8s.io/code-generator.
var GenLister = Tool{
	Name:     "gen-lister",
	short:    "Generate listers for the types marked +genclient. The flags are those of lister-gen.",
	usage:    "gen-lister [flags] packages",
	examples: "  gen-lister --output-dir pkg/client/listers ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	flags:    func(o *options, fs *pflag.FlagSet) { headerFlag(o, fs, "go-header-file") },
	command:  plan.Command{Unversioned: true, Layout: plan.One(lister.Family)},
}

// GenInformer is informer-gen of k8s.io/code-generator.
var GenInformer = Tool{
	Name:  "gen-informer",
	short: "Generate informers for the types marked +genclient. The flags are those of informer-gen.",
	usage: "gen-informer [flags] packages",
	examples: `  gen-informer --output-dir pkg/client/informers --listers-package example.com/api/client/listers \
    --versioned-clientset-package example.com/api/client/versioned ./apis/...
`,
	defaults: plan.Flags{Classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringVar(&o.VersionedClientset, "versioned-clientset-package", "", "import path of the clientset")
		fs.StringVar(&o.InternalClientset, "internal-clientset-package", "", "import path of the clientset for unversioned types")
		fs.StringVar(&o.Listers, "listers-package", "", "import path of the directory of the listers")
		fs.BoolVar(&o.SingleDirectory, "single-directory", false, "write to the output directory itself, without externalversions")
	},
	command: plan.Command{Unversioned: true, Layout: plan.ByVersion(informer.Family)},
}

// GenApplyConfiguration is applyconfiguration-gen of k8s.io/code-generator.
var GenApplyConfiguration = Tool{
	Name:     "gen-applyconfiguration",
	short:    "Generate apply configurations for the types marked +genclient. The flags are those of applyconfiguration-gen.",
	usage:    "gen-applyconfiguration [flags] packages",
	examples: "  gen-applyconfiguration --output-dir pkg/client/applyconfiguration ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringSliceVar(&o.Externals, "external-applyconfigurations", nil, "packages of existing apply configurations, in the form PATH.TYPE:PATH,...")
		openAPIFlag(o, fs, "openapi-schema")
	},
	command: plan.Command{ExternalsFlag: "external-applyconfigurations", Layout: plan.One(applyconfiguration.Family)},
}

// GenDeepCopy is deepcopy-gen of k8s.io/code-generator.
var GenDeepCopy = Tool{
	Name:     "gen-deepcopy",
	short:    "Generate DeepCopy methods for the types of packages marked +k8s:deepcopy-gen. The flags are those of deepcopy-gen.",
	usage:    "gen-deepcopy [flags] packages",
	examples: "  gen-deepcopy ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	beside:   true,
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		outputFileFlag(o, fs, deepcopy.Family)
		fs.StringSlice("bounding-dirs", nil, "") // up to v0.35, and without effect: the packages given bound the types
		_ = fs.MarkHidden("bounding-dirs")
	},
	command: plan.Command{Layout: plan.Beside(deepcopy.Family)},
}

// GenRegister is register-gen of k8s.io/code-generator.
var GenRegister = Tool{
	Name:     "gen-register",
	short:    "Register the types of packages marked +groupName or +k8s:register-gen with schemes. The flags are those of register-gen.",
	usage:    "gen-register [flags] packages",
	examples: "  gen-register ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	beside:   true,
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		outputFileFlag(o, fs, register.Family)
	},
	command: plan.Command{Layout: plan.Beside(register.Family)},
}

// familyNames are the names of all families.
func familyNames() []string {
	var names []string
	for _, f := range generators.All {
		names = append(names, f.Name)
	}
	return names
}

// familyFlags declares the flags of the families: those that omit them, and those that set their directories.
func familyFlags(o *options, fs *pflag.FlagSet) {
	o.With, o.Names = map[string]*bool{}, map[string]*string{}
	for _, f := range generators.All {
		if with := f.With; with.Name != "" && o.With[with.Name] == nil {
			o.With[with.Name] = fs.Bool(with.Name, with.Default != "false", with.Usage)
		}
		for _, dir := range f.Place {
			if dir.Name != "" {
				o.Names[dir.Name] = fs.String(dir.Name, dir.Default, dir.Usage)
			}
		}
	}
}
