package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// clientDefaults are the settings of clients without flags.
var clientDefaults = render.ClientOptions{APIPath: "/apis", Fake: true}

// Kubegen generates everything in one pass, with the layout of gen_client --with-watch in kube_codegen.sh.
var Kubegen = Tool{
	Name:  "kubegen",
	short: "Generate the clientset, fake, scheme, listers, informers and apply configurations for types marked +genclient.",
	usage: `kubegen [flags] [packages]
       kubegen COMMAND [arguments]

Packages are patterns of go list, such as ./apis/... Without any, kubegen
generates all packages of the module. If there is a kubegen.yaml, it generates
the outputs there that read these packages, or all outputs.`,
	examples: `  kubegen                               # what kubegen.yaml says, or all kinds
                                        # of the module, into its pkg/generated
  kubegen --output-dir client ./api/v1  # into client/clientset/versioned, ...
  kubegen verify ./apis/...             # in CI: a diff and exit code 1 if stale
`,
	defaults: plan.Flags{ClientFlags: plan.ClientFlags{ClientOptions: clientDefaults}},
	command:  plan.Command{WholeModule: true, APIPath: true, Consistent: true, ExternalsFlag: "applyconfig-externals", Layout: plan.Everything},
	flags: func(o *options, fs *pflag.FlagSet) {
		byDefault(fs, "output-dir", "pkg/generated in the module of the packages")
		headerFlag(o, fs, "boilerplate")
		fs.StringVar(&o.Year, "year", "", "`year` in place of the word YEAR in that text")
		byDefault(fs, "year", "the word is removed")
		nameFlags(o, fs)
		for _, g := range plan.ManifestGenerators {
			fs.StringVar(&g.Flags(&o.Flags).Dir, g.Flag, "", g.Help)
			if g.Default != "" {
				fs.Lookup(g.Flag).NoOptDefVal = "true"
			}
		}
		under(fs, outputFlags)

		fs.StringVar(&o.Manifests, "crds", "", "`directory` with CustomResourceDefinition manifests, or import path of a required module with them below; types must agree with them, and clients of imported Go packages follow them")
		includedTypesFlag(o, fs)
		fs.StringVar(&o.OneInputAPI, "one-input-api", "", "use only this `path` below the packages given")
		byDefault(fs, "one-input-api", "all")
		under(fs, inputFlags)

		fs.StringSliceVar(&o.Only, "only", nil, "generate only these `generators`: "+strings.Join(plan.Names(), ", "))
		allow(fs.Lookup("only"), plan.Names()...)
		omitted := withFlags(o, fs)
		for _, g := range plan.ManifestGenerators {
			omitted = append(omitted, g.Name)
		}
		last := len(omitted) - 1
		byDefault(fs, "only", "all but "+strings.Join(omitted[:last], ", ")+" and "+omitted[last])
		fs.BoolVar(&o.Consistency, "with-consistency", false, "generate code that keeps controllers from acting on caches older than their own writes")
		clientsetFlags(o, fs)
		fs.StringSliceVar(&o.Externals, "applyconfig-externals", nil, "`packages` of existing apply configurations, in the form PATH.TYPE:PATH,...")
		openAPIFlag(o, fs, "applyconfig-openapi-schema")
		fs.BoolVar(&o.ApplyMarkers, "applyconfig-markers", false, "also write the apply configurations that controller-gen generates for packages marked +kubebuilder:ac:generate=true, in the same places")
		crdFlags(o, fs)
		rbacFlags(o, fs)
		under(fs, contentFlags)

		fs.BoolVar(&o.Classic, "classic", false, "use the names and exported API that the tools of k8s.io/code-generator generate")
		under(fs, compatibilityFlags)

		headerFlag(o, fs, "go-header-file")
		_ = fs.MarkHidden("go-header-file")
		fs.BoolVar(&o.script, "kube-codegen", false, "") // set by kube_codegen.sh
		_ = fs.MarkHidden("kube-codegen")
	},
}

// Scripts run the replacements of the classic tools one after the other on the same types. Each mistake that is not an
// error is reported once: misspelled markers of DeepCopy methods and registration by the commands that generate these,
// and all others by gen-clientset. If a generator cannot handle a type, its own command reports that.
const (
	deepcopyMarkers = model.DeepCopyMarker
	registerMarkers = model.RegisterSwitch
)

var asGenClientset = facts.Reports{Nothing: true}

// scriptReports returns the reports of a function of kube_codegen.sh, by the generators that it runs. They are the same
// as for the corresponding command.
func scriptReports(only []string) facts.Reports {
	for _, tool := range []Tool{GenDeepCopy, GenRegister} {
		if slices.Contains(only, strings.TrimPrefix(tool.Name, "gen-")) {
			return tool.command.Reports
		}
	}
	return GenClientset.command.Reports
}

// GenClientset replaces client-gen of k8s.io/code-generator.
var GenClientset = Tool{
	Name:  "gen-clientset",
	short: "Generate a clientset for the types marked +genclient. Takes the flags of client-gen.",
	usage: "gen-clientset [flags] [packages]",
	examples: `  gen-clientset --output-dir client -n versioned ./apis/...
  gen-clientset --output-dir client --input-base ./apis --input stable/v1
`,
	defaults: plan.Flags{
		Classic: true, ClientFlags: plan.ClientFlags{ClientOptions: clientDefaults}, InputFlags: plan.InputFlags{InputBase: "k8s.io/kubernetes/pkg/apis"},
	},
	flags: func(o *options, fs *pflag.FlagSet) {
		name := (clientset.Generator{}).Info().Place[0].Name
		o.Names = map[string]*string{name: fs.StringP(name, "n", "internalclientset", "`name` of the clientset's package")}
		headerFlag(o, fs, "go-header-file")
		under(fs, outputFlags)
		fs.StringSliceVar(&o.Inputs, "input", nil, "input instead of packages, in the form group/version,...")
		fs.StringVar(&o.InputBase, "input-base", o.InputBase, "import `path` or directory that contains --input")
		includedTypesFlag(o, fs)
		under(fs, inputFlags)
		clientsetFlags(o, fs)
		fs.BoolVar(&o.ClientsetOnly, "clientset-only", false, "generate no clients for groups and kinds")
		under(fs, contentFlags)
		fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if name == "clientset-path" { // the old name
				name = "output-pkg"
			}
			return pflag.NormalizedName(name)
		})
	},
	command: plan.Command{Unversioned: true, APIPath: true, Reports: facts.Reports{NotMarkers: []string{deepcopyMarkers, registerMarkers}}, Layout: plan.Named(clientset.Generator{})},
}

// GenLister replaces lister-gen of k8s.io/code-generator.
var GenLister = Tool{
	Name:     "gen-lister",
	short:    "Generate listers for the types marked +genclient. Takes the flags of lister-gen.",
	usage:    "gen-lister [flags] packages",
	examples: "  gen-lister --output-dir pkg/client/listers ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		under(fs, outputFlags)
	},
	command: plan.Command{Unversioned: true, Reports: asGenClientset, Layout: plan.One(lister.Generator{})},
}

// GenInformer replaces informer-gen of k8s.io/code-generator.
var GenInformer = Tool{
	Name:  "gen-informer",
	short: "Generate informers for the types marked +genclient. Takes the flags of informer-gen.",
	usage: "gen-informer [flags] packages",
	examples: `  gen-informer --output-dir client/informers \
    --listers-package example.com/api/client/listers \
    --versioned-clientset-package example.com/api/client/versioned ./apis/...
`,
	defaults: plan.Flags{Classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.BoolVar(&o.SingleDirectory, "single-directory", false, "write to the output directory itself, without externalversions")
		under(fs, outputFlags)
		fs.StringVar(&o.VersionedClientset, "versioned-clientset-package", "", "import `path` of the clientset")
		byDefault(fs, "versioned-clientset-package", "required")
		fs.StringVar(&o.Listers, "listers-package", "", "import `path` of the directory of the listers")
		byDefault(fs, "listers-package", "required")
		fs.StringVar(&o.InternalClientset, "internal-clientset-package", "", "import `path` of the clientset for unversioned types")
		under(fs, inputFlags)
	},
	command: plan.Command{Unversioned: true, Reports: asGenClientset, Layout: plan.ByVersion(informer.Generator{})},
}

// GenApplyConfiguration replaces applyconfiguration-gen of k8s.io/code-generator.
var GenApplyConfiguration = Tool{
	Name:     "gen-applyconfiguration",
	short:    "Generate apply configurations for the types marked +genclient. Takes the flags of applyconfiguration-gen.",
	usage:    "gen-applyconfiguration [flags] packages",
	examples: "  gen-applyconfiguration --output-dir pkg/client/applyconfiguration ./apis/...\n",
	defaults: plan.Flags{Classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		under(fs, outputFlags)
		fs.StringSliceVar(&o.Externals, "external-applyconfigurations", nil, "`packages` of existing apply configurations, in the form PATH.TYPE:PATH,...")
		openAPIFlag(o, fs, "openapi-schema")
		under(fs, contentFlags)
	},
	command: plan.Command{ExternalsFlag: "external-applyconfigurations", Reports: asGenClientset, Layout: plan.One(applyconfiguration.Generator{})},
}

// GenDeepCopy replaces deepcopy-gen of k8s.io/code-generator.
var GenDeepCopy = Tool{
	Name:           "gen-deepcopy",
	short:          "Generate DeepCopy methods for the types of packages marked +k8s:deepcopy-gen. Takes the flags of deepcopy-gen.",
	usage:          "gen-deepcopy [flags] packages",
	examples:       "  gen-deepcopy ./apis/...\n",
	defaults:       plan.Flags{Classic: true},
	inTypePackages: true,
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		outputFileFlag(o, fs, deepcopy.Generator{})
		under(fs, outputFlags)
		fs.StringSlice("bounding-dirs", nil, "") // of deepcopy-gen up to v0.35; no effect, because the given packages bound the types
		_ = fs.MarkHidden("bounding-dirs")
	},
	command: plan.Command{Reports: facts.Reports{OnlyMarkers: deepcopyMarkers}, Layout: plan.Beside(deepcopy.Generator{})},
}

// GenRegister replaces register-gen of k8s.io/code-generator.
var GenRegister = Tool{
	Name:           "gen-register",
	short:          "Register the types of packages marked +groupName or +k8s:register-gen with schemes. Takes the flags of register-gen.",
	usage:          "gen-register [flags] packages",
	examples:       "  gen-register ./apis/...\n",
	defaults:       plan.Flags{Classic: true},
	inTypePackages: true,
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		outputFileFlag(o, fs, register.Generator{})
		under(fs, outputFlags)
	},
	command: plan.Command{Reports: facts.Reports{OnlyMarkers: registerMarkers}, Layout: plan.Beside(register.Generator{})},
}

// withFlags declares the flags that omit generators. It returns the names of the generators omitted by default.
func withFlags(o *options, fs *pflag.FlagSet) (omitted []string) {
	o.With = map[string]*bool{}
	for _, g := range generators.All {
		with := g.Info().EnableFlag
		if with.Name != "" && o.With[with.Name] == nil {
			o.With[with.Name] = fs.Bool(with.Name, with.Default != "false", with.Usage)
		}
		if with.Default == "false" {
			omitted = append(omitted, g.Info().Name)
		}
	}
	return omitted
}

// nameFlags declares the flags that set the directories of generators.
func nameFlags(o *options, fs *pflag.FlagSet) {
	o.Names = map[string]*string{}
	for _, g := range generators.All {
		for _, dir := range g.Info().Place {
			if dir.Name != "" {
				o.Names[dir.Name] = fs.String(dir.Name, dir.Default, dir.Usage)
			}
		}
	}
}
