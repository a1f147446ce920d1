package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/checks"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/spelling"
)

// options holds the flags of all commands. Each command declares some of them.
type options struct {
	plan.Flags

	action             action
	script             bool // kube_codegen.sh runs the command
	version            bool
	format, cpuProfile string
	verbosity          int
	buildTags          []string
}

// Tool is a command, or a subcommand that declares flags.
type Tool struct {
	Name           string
	sub            string // name of the subcommand; "" for a command
	short          string // description on one line, or several if necessary
	usage          string // the command line
	examples       string
	command        plan.Command
	defaults       plan.Flags
	inTypePackages bool                           // it writes to the packages of the types
	flags          func(*options, *pflag.FlagSet) // for input and output
	action         func() action                  // nil if it writes files or verifies them
	commands       []subcommand
	options        map[string]string // names of settings in the command's messages, by the names of their flags
}

func newOptions(tool Tool) *options {
	o := &options{Flags: tool.defaults, format: "text", action: &generating{}}
	if tool.action != nil {
		o.action = tool.action()
	}
	return o
}

// flagSet declares the flags of a command.
func (t Tool) flagSet(o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet(t.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	o.action.declare(o, fs)
	under(fs, thisCommand)
	t.settings(o, fs)
	o.action.declareRun(o, fs)
	fs.IntVarP(&o.verbosity, "v", "v", 0, "print what was done and how long it took; with `level` 2, also the names of the changed files")
	fs.StringVar(&o.cpuProfile, "cpuprofile", "", "write a CPU profile of the run to this `file`")
	fs.BoolVar(&o.version, "version", false, "print the version")
	ignoreLogFlags(fs)
	under(fs, runFlags)
	return fs
}

// settings declares the flags for input and output. For kubegen, they are also the settings of kubegen.yaml. Common
// flags come first.
func (t Tool) settings(o *options, fs *pflag.FlagSet) {
	if !t.inTypePackages {
		fs.StringVar(&o.OutputDir, "output-dir", o.OutputDir, "output `directory`")
		fs.StringVar(&o.OutputPkg, "output-pkg", "", "import `path` of the output directory")
		byDefault(fs, "output-pkg", "from go.mod")
		under(fs, outputFlags)
	}
	t.flags(o, fs)
	if !t.inTypePackages {
		fs.StringSliceVar(&o.PluralExceptions, "plural-exceptions", nil, "irregular plurals, in the form Kind:Plural,...")
	}
	fs.StringSliceVar(&o.LintRules, "lint-rules", nil, "additional checks: "+strings.Join(checks.Rules(), ", "))
	allow(fs.Lookup("lint-rules"), checks.Rules()...)
	under(fs, inputFlags)
	fs.StringVar(&o.Templates, "templates", "", "`directory` of templates that replace kubegen's or add output files, see docs/templates.md")
	under(fs, contentFlags)
	if !t.inTypePackages {
		fs.StringVar(&o.ClientGoVersion, "client-go-version", "", "`release` of client-go to generate for, such as v0.35")
		byDefault(fs, "client-go-version", "from go.mod")
		annotate(fs.Lookup("client-go-version"), suggestKey, releases()...)
		fs.BoolVar(&o.Backport, "backport", false, "generate features of newer client-go releases for older ones, where possible")
		under(fs, compatibilityFlags)
	}
}

// releases returns the releases of client-go for which code can be generated, newest first.
func releases() (names []string) {
	for release := model.PreviewRelease; release >= model.OldestRelease; release-- {
		names = append(names, release.String())
	}
	return names
}

func headerFlag(o *options, fs *pflag.FlagSet, name string) {
	o.HeaderFlag = cmp.Or(o.HeaderFlag, name)
	fs.StringVar(&o.HeaderFile, name, "", "`file` with the text that starts every generated file")
}

// outputFileFlag declares the flag that names the file of a generator in each package.
func outputFileFlag(o *options, fs *pflag.FlagSet, g render.Generator) {
	name := strings.TrimSuffix(path.Base(g.Info().Outputs[0].Template), ".tmpl")
	fs.StringVar(&o.OutputFile, "output-file", name, "name of the file in each package")
}

func openAPIFlag(o *options, fs *pflag.FlagSet, name string) {
	o.OpenAPIFlag = name
	fs.StringVar(&o.OpenAPISchema, name, "", "JSON `file` with an OpenAPI document, whose merge rules override the rules of the types")
}

// clientsetFlags declares the flags that determine the contents of a clientset.
func clientsetFlags(o *options, fs *pflag.FlagSet) {
	fs.BoolVar(&o.Fake, "fake-clientset", o.Fake, "generate the fake clientset")
	fs.StringVar(&o.APIPath, "clientset-api-path", o.APIPath, "URL `path` of the API groups on the server")
	fs.BoolVar(&o.PrefersProtobuf, "prefers-protobuf", false, "use protobuf by default")
	fs.StringVar(&o.ApplyConfigurations, "apply-configuration-package", "", "generate Apply methods that take the apply configurations below this import `path`")
}

func includedTypesFlag(o *options, fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.IncludedTypes, "included-types-overrides", nil, "generate only these `kinds` for their versions, in the form group/version/Kind,...")
}

// ignoreLogFlags accepts the logging flags that the commands of k8s.io/code-generator inherit from klog, so that
// scripts which set them keep working. They have no effect.
func ignoreLogFlags(fs *pflag.FlagSet) {
	for _, name := range []string{"add_dir_header", "alsologtostderr", "legacy_stderr_threshold_behavior", "logtostderr", "one_output", "skip_headers", "skip_log_headers"} {
		fs.Bool(name, false, "")
		_ = fs.MarkHidden(name)
	}
	for _, name := range []string{"alsologtostderrthreshold", "log_backtrace_at", "log_dir", "log_file", "log_file_max_size", "stderrthreshold", "vmodule"} {
		fs.String(name, "", "")
		_ = fs.MarkHidden(name)
	}
}

// advice returns advice for an error of the command line: the flag that was probably meant, or a reference to the help.
func (t Tool) advice(err error, args []string, fs *pflag.FlagSet) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if len(name) < 2 || arg[0] != '-' || !strings.Contains(err.Error(), name[1:]) { // -verify is -v with the value erify
			continue
		}
		if strings.HasPrefix(arg, "--") && !strings.HasPrefix(err.Error(), "unknown") {
			continue // its value is wrong
		}
		if nearest, ok := spelling.Nearest(name, flagNames(fs)); ok {
			return "did you mean --" + nearest + "?"
		}
	}
	return "see " + strings.TrimSpace(t.Name+" "+t.sub) + " --help"
}

// flagNames returns the names of all flags that are not hidden.
func flagNames(fs *pflag.FlagSet) (names []string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// check checks the flags that concern neither input nor output.
func (o *options) check() error {
	var errs []error
	if !slices.Contains(diag.Formats, o.format) {
		errs = append(errs, fmt.Errorf("--format: unknown format %q (known are %s)", o.format, strings.Join(diag.Formats, ", ")))
	}
	return errors.Join(append(errs, o.action.check(o))...)
}
