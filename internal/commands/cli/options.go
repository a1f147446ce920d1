package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/facts/checks"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// options holds the values of the flags of all commands. Each command declares some of them.
type options struct {
	plan.Flags
	format    string
	verbosity int
	version   bool
	buildTags []string

	verify, dryRun bool   // of commands that write files
	script         string // the current directory of kube_codegen.sh, if it runs the command
	exitCode       bool   // of outdated
	describes      int    // how often gen-controller's -w is given

	long       bool   // of list: all facts about all kinds
	listFormat string // table or json

	against string // of breaking: the revision
	strict  bool   // methods added to interfaces are breaking
}

// intoDirectory returns the declaration of the flags for input and output of a command with an output directory. own
// declares the ones of this command alone. For kubegen, they are also the settings of kubegen.yaml. Common flags come
// first.
func intoDirectory(own declaration) declaration {
	return declare(func(o *options, fs *pflag.FlagSet) {
		fs.StringVar(&o.OutputDir, "output-dir", o.OutputDir, "output `directory`")
		fs.StringVar(&o.OutputPkg, "output-pkg", "", "import `path` of the output directory")
		byDefault(fs, "output-pkg", "from go.mod")
		under(fs, outputFlags)
	}, own, func(o *options, fs *pflag.FlagSet) {
		fs.StringSliceVar(&o.PluralExceptions, "plural-exceptions", nil, "irregular plurals, in the form Kind:Plural,...")
		ofAll(o, fs)
		fs.StringVar(&o.ClientGoVersion, "client-go-version", "", "`release` of client-go to generate for, such as v0.35")
		byDefault(fs, "client-go-version", "from go.mod")
		fs.BoolVar(&o.Backport, "backport", false, "generate features of newer client-go releases for older ones, where possible")
		under(fs, compatibilityFlags)
	})
}

// ofAll declares the flags of all commands that generate.
func ofAll(o *options, fs *pflag.FlagSet) {
	o.KnownRules = checks.Rules()
	fs.StringSliceVar(&o.LintRules, "lint-rules", nil, "additional checks: "+strings.Join(checks.Rules(), ", "))
	allow(fs.Lookup("lint-rules"), checks.Rules()...)
	under(fs, inputFlags)
	fs.StringVar(&o.Templates, "templates", "", "`directory` of templates that replace kubegen's or add output files, see docs/templates.md")
	under(fs, contentFlags)
}

// runOptions declares the flags about the run itself, of all commands that read packages.
func runOptions(o *options, fs *pflag.FlagSet) {
	fs.IntVarP(&o.verbosity, "v", "v", 0, "print what was done and how long it took; with `level` 2, also the names of the changed files")
	fs.BoolVar(&o.version, "version", false, "print the version")
	ignoreLogFlags(fs)
	under(fs, runFlags)
}

// writeFlags declares the flags of commands that write files.
func writeFlags(o *options, fs *pflag.FlagSet) {
	fs.BoolVar(&o.verify, "verify", false, "write nothing; print a diff and exit with 1 if there is one")
	fs.BoolVar(&o.dryRun, "dry-run", false, "write nothing; list what would be written and deleted")
	formatFlag(o, fs)
}

// formatFlag declares the flag for the format of messages.
func formatFlag(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.format, "format", o.format, "`format` of messages: text, json or github (annotations)")
}

func headerFlag(o *options, fs *pflag.FlagSet, name string) {
	o.HeaderFlag = cmp.Or(o.HeaderFlag, name)
	fs.StringVar(&o.HeaderFile, name, "", "`file` with the text that starts every generated file")
}

// openAPIFlag accepts the flag of applyconfiguration-gen for an OpenAPI document, from which it takes the merge rules
// that kubegen derives from the types.
func openAPIFlag(o *options, fs *pflag.FlagSet, name string) {
	o.OpenAPIFlag = name
	fs.StringVar(&o.OpenAPISchema, name, "", "`file` with an OpenAPI document, without effect: merge rules follow from the types")
	inFile(fs.Lookup(name), false)
}

// clientsetFlags declares the flags that determine the contents of a clientset.
func clientsetFlags(o *options, fs *pflag.FlagSet) {
	fs.BoolVar(&o.Fake, "fake-clientset", o.Fake, "generate the fake clientset")
	fs.StringVar(&o.APIPath, "clientset-api-path", o.APIPath, "URL `path` of the API groups on the server")
	fs.BoolVar(&o.PrefersProtobuf, "prefers-protobuf", false, "use protobuf by default")
	fs.StringVar(
		&o.ApplyConfigurations, "apply-configuration-package", "",
		"generate Apply methods that take the apply configurations below this import `path`",
	)
}

func includedTypesFlag(o *options, fs *pflag.FlagSet) {
	fs.StringSliceVar(
		&o.IncludedTypes, "included-types-overrides", nil, "generate only these `kinds` for their versions, in the form group/version/Kind,...",
	)
}

// ignoreLogFlags accepts the logging flags that the commands of k8s.io/code-generator inherit from klog, so that
// scripts which set them keep working. They have no effect.
func ignoreLogFlags(fs *pflag.FlagSet) {
	for _, name := range []string{
		"add_dir_header", "alsologtostderr", "legacy_stderr_threshold_behavior", "logtostderr", "one_output", "skip_headers", "skip_log_headers",
	} {
		fs.Bool(name, false, "")
		_ = fs.MarkHidden(name)
	}
	for _, name := range []string{
		"alsologtostderrthreshold", "log_backtrace_at", "log_dir", "log_file", "log_file_max_size", "stderrthreshold", "vmodule",
	} {
		fs.String(name, "", "")
		_ = fs.MarkHidden(name)
	}
}

// advice returns advice for an error of the command line: the flag that was probably meant, or a reference to the help.
func (in *invocation) advice(err error, args []string) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if len(name) < 2 || arg[0] != '-' || !strings.Contains(err.Error(), name[1:]) { // -verify is -v with the value erify
			continue
		}
		if strings.HasPrefix(arg, "--") && !strings.HasPrefix(err.Error(), "unknown") {
			continue // its value is wrong
		}
		if meant := diag.Meant(name, flagNames(in.flags), "--"); meant != "" {
			return meant
		}
	}
	return in.seeHelp()
}

// seeHelp returns the advice to read the help of the command.
func (in *invocation) seeHelp() string { return "see " + in.command.line() + " --help" }

// flagNames returns the names of all flags that are not hidden.
func flagNames(fs *pflag.FlagSet) (names []string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// checkFormat checks the format of messages.
func (o *options) checkFormat() error {
	if !slices.Contains(diag.Formats, o.format) {
		return fmt.Errorf("--format: unknown format %q (known are %s)", o.format, strings.Join(diag.Formats, ", "))
	}
	return nil
}

// checkWrite checks the flags of writeFlags.
func (o *options) checkWrite() error {
	if o.verify && o.dryRun {
		return errors.Join(o.checkFormat(), errors.New("--verify and --dry-run cannot be used together"))
	}
	return o.checkFormat()
}
