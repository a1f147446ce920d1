package cli

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/conversion"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/defaulter"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/openapi"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Scripts run the replacements of the classic tools one after the other on the same types. Each mistake that is not an
// error is reported once: misspelled markers of DeepCopy methods, defaults and registration by the commands for these,
// and all others by gen-clientset. If a generator cannot handle a type, its own command reports that.
var (
	clientsetReports = model.Reports{
		NotMarkers: []string{model.DeepCopyMarker, model.ConversionMarker, model.DefaulterMarker, model.RegisterSwitch},
	}
	noReports = model.Reports{Nothing: true}
)

// reportsOf returns the reports of a command that runs generators, or of the function of kube_codegen.sh that does.
func reportsOf(only ...string) model.Reports {
	for _, of := range []struct {
		generator render.Generator
		reports   model.Reports
	}{
		{deepcopy.Generator{}, model.Reports{OnlyMarkers: model.DeepCopyMarker}},
		{conversion.Generator{}, model.Reports{OnlyMarkers: model.ConversionMarker}},
		{defaulter.Generator{}, model.Reports{OnlyMarkers: model.DefaulterMarker}},
		{register.Generator{}, model.Reports{OnlyMarkers: model.RegisterSwitch}},
		{openapi.Generator{}, noReports},
	} {
		if slices.Contains(only, of.generator.Info().Name) {
			return of.reports
		}
	}
	return clientsetReports
}

// toolFlags declares the flags of a command that replaces a tool and writes files.
func toolFlags(settings declaration) declaration { return declare(settings, writeFlags, runOptions) }

// writing returns a function that generates and writes files, or verifies them.
func writing(command plan.Command) func(context.Context, *invocation) int {
	return func(ctx context.Context, in *invocation) int { return in.write(ctx, command) }
}

// GenClientset replaces client-gen of k8s.io/code-generator.
var GenClientset = Command{
	Name:  "gen-clientset",
	short: "Generate a clientset for the types marked +genclient. Takes the flags of client-gen.",
	usage: "gen-clientset [flags] [packages]",
	about: `  gen-clientset --output-dir client -n versioned ./apis/...
  gen-clientset --output-dir client --input-base ./apis --input stable/v1

`,
	flags: toolFlags(intoDirectory(func(o *options, fs *pflag.FlagSet) {
		o.ClientOptions, o.InputBase = clientDefaults, "k8s.io/kubernetes/pkg/apis"
		name := (clientset.Generator{}).Info().Place[0].Name
		fs.StringP(name, "n", "internalclientset", "`name` of the clientset's package")
		o.Settings = plan.Settings{name: fs.Lookup(name).Value}
		classicHeader(o, fs)
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
	})),
	maxArgs: anyNumber,
	run: writing(plan.Command{
		Unversioned: true, APIPath: true, Reports: clientsetReports, Layout: plan.One(clientset.Generator{}.Info()),
	}),
}

// GenLister replaces lister-gen of k8s.io/code-generator.
var GenLister = classic(
	"gen-lister", "Generate listers for the types marked +genclient. Takes the flags of lister-gen.",
	"  gen-lister --output-dir pkg/client/listers ./apis/...", intoDirectory(classicHeader),
	plan.Command{Unversioned: true, Reports: noReports, Layout: plan.One(lister.Generator{}.Info())},
)

// GenInformer replaces informer-gen of k8s.io/code-generator.
var GenInformer = classic(
	"gen-informer", "Generate informers for the types marked +genclient. Takes the flags of informer-gen.",
	`  gen-informer --output-dir client/informers \
    --listers-package example.com/api/client/listers \
    --versioned-clientset-package example.com/api/client/versioned ./apis/...`,
	intoDirectory(declare(classicHeader, func(o *options, fs *pflag.FlagSet) {
		fs.BoolVar(&o.SingleDirectory, "single-directory", false, "write to the output directory itself, without externalversions")
		under(fs, outputFlags)
		fs.StringVar(&o.VersionedClientset, "versioned-clientset-package", "", "import `path` of the clientset")
		byDefault(fs, "versioned-clientset-package", "required")
		fs.StringVar(&o.Listers, "listers-package", "", "import `path` of the directory of the listers")
		byDefault(fs, "listers-package", "required")
		fs.StringVar(&o.InternalClientset, "internal-clientset-package", "", "import `path` of the clientset for unversioned types")
		under(fs, inputFlags)
	})),
	plan.Command{Unversioned: true, Reports: noReports, Layout: plan.ByVersion(informer.Generator{}.Info())},
)

// GenApplyConfiguration replaces applyconfiguration-gen of k8s.io/code-generator.
var GenApplyConfiguration = classic(
	"gen-applyconfiguration", "Generate apply configurations for the types marked +genclient. Takes the flags of applyconfiguration-gen.",
	"  gen-applyconfiguration --output-dir pkg/client/applyconfiguration ./apis/...",
	intoDirectory(declare(classicHeader, func(o *options, fs *pflag.FlagSet) {
		fs.StringSliceVar(
			&o.Externals, "external-applyconfigurations", nil, "`packages` of existing apply configurations, in the form PATH.TYPE:PATH,...",
		)
		openAPIFlag(o, fs, "openapi-schema")
		under(fs, contentFlags)
	})),
	plan.Command{ExternalsFlag: "external-applyconfigurations", Reports: noReports, Layout: plan.One(applyconfiguration.Generator{}.Info())},
)

// GenDeepCopy replaces deepcopy-gen of k8s.io/code-generator.
var GenDeepCopy = inPackages(
	"gen-deepcopy", "Generate DeepCopy methods for the types of packages marked +k8s:deepcopy-gen. Takes the flags of deepcopy-gen.",
	deepcopy.Generator{}, func(_ *options, fs *pflag.FlagSet) {
		fs.StringSlice("bounding-dirs", nil, "") // of deepcopy-gen up to v0.35; no effect, because the given packages bound the types
		_ = fs.MarkHidden("bounding-dirs")
	},
)

// GenConversion replaces conversion-gen of k8s.io/code-generator.
var GenConversion = inPackages(
	"gen-conversion", "Generate functions that convert the types of packages marked +k8s:conversion-gen. Takes the flags of conversion-gen.",
	conversion.Generator{}, func(o *options, fs *pflag.FlagSet) {
		fs.StringSliceVar(&o.BasePeers, "base-peer-dirs", nil, "import `paths` of packages of apimachinery whose functions are called")
		byDefault(fs, "base-peer-dirs", "pkg/apis/meta/v1, pkg/conversion and pkg/runtime")
		extraPeersFlag(o, fs)
		under(fs, inputFlags)
		fs.BoolVar(&o.SkipUnsafe, "skip-unsafe", false, "copy values instead of using the same memory for types with the same fields")
		under(fs, contentFlags)
	},
)

// GenDefaulter replaces defaulter-gen of k8s.io/code-generator.
var GenDefaulter = inPackages(
	"gen-defaulter", "Generate functions that set defaults for packages marked +k8s:defaulter-gen. Takes the flags of defaulter-gen.",
	defaulter.Generator{}, func(o *options, fs *pflag.FlagSet) {
		extraPeersFlag(o, fs)
		under(fs, inputFlags)
	},
)

// GenRegister replaces register-gen of k8s.io/code-generator.
var GenRegister = inPackages(
	"gen-register", "Register the types of packages marked +groupName or +k8s:register-gen with schemes. Takes the flags of register-gen.",
	register.Generator{},
)

// GenOpenAPI replaces openapi-gen of k8s.io/kube-openapi.
var GenOpenAPI = genOpenAPI()

func genOpenAPI() Command {
	dir := (openapi.Generator{}).Info().EnableFlag.Name
	renamed := []struct{ setting, name, short, value, usage string }{
		{dir, "output-dir", "", "", "output `directory`"},
		{openapi.PackageSetting, "output-pkg", "", "", "import `path` of the output directory"},
		{openapi.FileSetting, "output-file", "", "generated.openapi.go", "name of the file with the definitions"},
		{openapi.NamesSetting, "output-model-name-file", "", "", "`name` of the file with OpenAPIModelName methods in each package"},
		{openapi.ReportFlag, "report-filename", "r", "-", "`file` for violations of API rules; - prints them as notes"},
	}
	flags := declare(classicHeader, func(o *options, fs *pflag.FlagSet) {
		o.Settings = plan.Settings{}
		for _, f := range renamed {
			fs.StringP(f.name, f.short, f.value, f.usage)
			o.Settings[f.setting] = fs.Lookup(f.name).Value
		}
		fs.StringSlice("readonly-pkg", nil, "`packages` that get no such methods")
		o.Settings[openapi.ReadOnlySetting] = fs.Lookup("readonly-pkg").Value
		under(fs, outputFlags)
	}, ofAll)
	layout := func(r plan.Request) (_ []plan.Target, err error) {
		if r.Settings.Text(dir) == "" {
			err = diag.Errorf("%s is required", diag.Setting("output-dir"))
		}
		return nil, err
	}
	c := classic(
		"gen-openapi", "Generate OpenAPI definitions for packages and types marked +k8s:openapi-gen=true. Takes the flags of openapi-gen.",
		"  gen-openapi --output-dir pkg/openapi ./apis/...", flags, plan.Command{Reports: noReports, Layout: layout},
	)
	c.settings = func(flag diag.Setting) diag.Setting {
		for _, f := range renamed {
			if flag == diag.Setting(f.setting) {
				return diag.Setting(f.name)
			}
		}
		return flag
	}
	return c
}

// inPackages returns a command that writes files of one generator into packages of types.
func inPackages(name, short string, g render.PackageGenerator, more ...declaration) Command {
	flags := declare(classicHeader, func(o *options, fs *pflag.FlagSet) {
		file := strings.TrimSuffix(path.Base(g.Info().Outputs[0].Template), ".tmpl")
		fs.StringVar(&o.OutputFile, "output-file", file, "name of the file in each package")
		under(fs, outputFlags)
	}, declare(more...), ofAll)
	return classic(name, short, "  "+name+" ./apis/...", flags, plan.Command{Reports: reportsOf(g.Info().Name), Layout: plan.Beside(g.Info())})
}

// classicHeader declares the flag for the header of files, as the tools of k8s.io/code-generator have it.
func classicHeader(o *options, fs *pflag.FlagSet) {
	o.Classic = true
	headerFlag(o, fs, "go-header-file")
	under(fs, outputFlags)
}

// classic returns a command that replaces a tool of k8s.io/code-generator.
func classic(name, short, example string, settings declaration, command plan.Command) Command {
	return Command{
		Name: name, short: short, usage: name + " [flags] packages", about: example + "\n\n", flags: toolFlags(settings), maxArgs: anyNumber,
		run: writing(command),
	}
}

func extraPeersFlag(o *options, fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.ExtraPeers, "extra-peer-dirs", nil, "more `packages` whose functions generated conversions and defaults call")
}
