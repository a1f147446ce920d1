package cli

import (
	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Kubegen generates everything in one pass, with the layout of gen_client --with-watch in kube_codegen.sh.
var Kubegen = Command{
	Name:  "kubegen",
	short: "Generate the clientset, fake, scheme, listers, informers and apply configurations for types marked +genclient.",
	usage: `kubegen [flags] [packages]
       kubegen COMMAND [arguments]

Packages are patterns of go list, such as ./apis/... Without any, kubegen
generates all packages of the module. If there is a kubegen.yaml, it generates
the outputs there that read these packages, or all outputs.`,
	about: `  kubegen                               # what kubegen.yaml says, or all kinds
                                        # of the module, into its pkg/generated
  kubegen --output-dir client ./api/v1  # into client/clientset/versioned, ...
  kubegen verify ./apis/...             # in CI: a diff and exit code 1 if stale

`,
	flags:   toolFlags(kubegenSettings),
	maxArgs: anyNumber,
	run:     writing(everything),
	commands: []Command{
		initCommand, newCommand, verifyCommand, listCommand, breakingCommand, importCommand, outdatedCommand, markersCommand, versionCommand,
		helpCommand,
		GenClientset, GenLister, GenInformer, GenApplyConfiguration, GenDeepCopy, GenRegister, GenConversion, GenDefaulter, GenOpenAPI,
		GenController,
	},
}

// Checks returns Kubegen for another command, whose messages name flags with that of kubegen. There may be nothing to
// generate, which is an error only if it is required.
func Checks(required bool) Command {
	command := everything
	if !required {
		command = everything.OrNothing()
	}
	return Command{
		Name: Kubegen.Name, flags: Kubegen.flags, maxArgs: anyNumber, run: writing(command),
		settings: func(flag diag.Setting) diag.Setting { return diag.Setting(Kubegen.Name+" --") + flag },
	}
}

// everything is what kubegen and most of its commands generate.
var everything = plan.Command{
	WholeModule: true, APIPath: true, Consistent: true, ExternalsFlag: "applyconfig-externals", Layout: plan.Everything,
}

// clientDefaults are the settings of clients without flags.
var clientDefaults = plan.ClientOptions{APIPath: "/apis", Fake: true}

// kubegenSettings declares the flags for input and output of kubegen and most of its commands. They are also the
// settings of kubegen.yaml.
var kubegenSettings = intoDirectory(func(o *options, fs *pflag.FlagSet) {
	o.ClientOptions, o.Settings = clientDefaults, plan.Settings{}
	byDefault(fs, "output-dir", "pkg/generated in the module of the packages")
	headerFlag(o, fs, "boilerplate")
	fs.StringVar(
		&o.ManifestHeader, plan.ManifestHeader, "", "`file` with the comment at the top of CustomResourceDefinitions, roles and webhooks",
	)
	fs.StringVar(&o.Year, "year", "", "`year` in place of the word YEAR in these texts")
	byDefault(fs, "year", "the word is removed")
	placeFlags(o, fs)
	under(fs, outputFlags)

	fs.StringVar(
		&o.Manifests, "crds", "",
		"`directory` with CustomResourceDefinition manifests, or import path of a required module with them below; types must agree with them, "+
			"and clients of imported Go packages follow them",
	)
	includedTypesFlag(o, fs)
	fs.StringVar(&o.OneInputAPI, "one-input-api", "", "use only this `path` below the packages given")
	byDefault(fs, "one-input-api", "all")
	extraPeersFlag(o, fs)
	under(fs, inputFlags)

	selectionFlags(o, fs)
	fs.BoolVar(
		&o.Consistency, "with-consistency", false, "generate code that keeps controllers from acting on caches older than their own writes",
	)
	clientsetFlags(o, fs)
	fs.StringSliceVar(
		&o.Externals, "applyconfig-externals", nil, "`packages` of existing apply configurations, in the form PATH.TYPE:PATH,...",
	)
	openAPIFlag(o, fs, "applyconfig-openapi-schema")
	fs.BoolVar(
		&o.ApplyMarkers, "applyconfig-markers", false,
		"also write the apply configurations that controller-gen generates for packages marked +kubebuilder:ac:generate=true, in the same places",
	)
	for _, info := range generators.Infos() {
		for _, f := range info.Flags {
			declareSetting(o, fs, f)
		}
	}
	under(fs, contentFlags)

	fs.BoolVar(&o.Classic, "classic", false, "use the names and exported API that the tools of k8s.io/code-generator generate")
	under(fs, compatibilityFlags)

	headerFlag(o, fs, "go-header-file")
	_ = fs.MarkHidden("go-header-file")
	fs.StringVar(&o.script, "kube-codegen", "", "") // set by kube_codegen.sh
	fs.Lookup("kube-codegen").NoOptDefVal = "."
	_ = fs.MarkHidden("kube-codegen")
})
