package cli

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/parser"
)

// options are what the flags of all commands set; each command has some of them.
type options struct {
	patterns []string

	outputDir, outputPkg string
	headerFile           string
	pluralExceptions     []string
	lintRules            []string
	classic              bool // always with the gen-* commands
	verify, dryRun       bool
	version              bool
	format, cpuProfile   string
	templates            string
	clientGoVersion      string
	backport             bool
	verbosity            int

	// clientset
	inputs, includedTypes []string
	inputBase             string
	clientsetName         string
	apiPath               string
	clientsetOnly, fake   bool
	applyConfigurations   string
	prefersProtobuf       bool

	// informers
	versionedClientset, internalClientset, listers string
	singleDirectory                                bool

	// apply configurations
	externals     []string
	openAPISchema string

	listing string // format of "kubegen list"; "" for other commands

	breaking bool // "kubegen breaking"
	against  string
	allow    []string

	// kubegen
	withApply                                bool
	applyName                                string
	only                                     []string
	withWatch                                bool
	versionedName, listersName, informerName string
	oneInputAPI                              string
}

// Tool is one of the commands.
type Tool struct {
	Name     string
	short    string // one line: what it does
	usage    string // the command line
	examples string
	flags    func(*options, *pflag.FlagSet)
	defaults options
	targets  func(*run) ([]target, error)
}

func newOptions(tool Tool) *options {
	o := tool.defaults
	o.format = "text"
	return &o
}

// flagSet declares the flags of a command.
func (t Tool) flagSet(o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet(t.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.outputDir, "output-dir", o.outputDir, "folder for the output")
	fs.StringVar(&o.outputPkg, "output-pkg", "", "its import `path` (default: from go.mod)")
	t.flags(o, fs)
	fs.StringSliceVar(&o.pluralExceptions, "plural-exceptions", nil, "irregular plurals, as Kind:Plural,...")
	fs.StringSliceVar(&o.lintRules, "lint-rules", nil, strings.Join(parser.LintRules, ", "))
	fs.StringVar(&o.clientGoVersion, "client-go-version", "", "`release` of client-go to generate for, as v0.35 (default: as go.mod has it)")
	fs.BoolVar(&o.backport, "backport", false, "give older client-go what newer ones have, where code can express it")
	fs.StringVar(&o.templates, "templates", "", "`folder` of templates that replace kubegen's or add output files, see docs/templates.md")
	fs.BoolVar(&o.verify, "verify", false, "write nothing; print a diff and exit 1 if there is one")
	fs.BoolVar(&o.dryRun, "dry-run", false, "write nothing; list what would be written and deleted")
	fs.IntVarP(&o.verbosity, "v", "v", 0, "say what was done and how long it took")
	fs.StringVar(&o.cpuProfile, "cpuprofile", "", "write a CPU profile of the run to this `file`")
	fs.BoolVar(&o.version, "version", false, "print the version")
	ignoreLogFlags(fs)
	return fs
}

func formatFlag(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.format, "format", o.format, "of messages: text, json or github (annotations)")
}

func headerFlag(o *options, fs *pflag.FlagSet, name string) {
	fs.StringVar(&o.headerFile, name, "", "`file` whose text starts every generated file")
}

func openAPIFlag(o *options, fs *pflag.FlagSet, name string) {
	fs.StringVar(&o.openAPISchema, name, "", "OpenAPI document, a JSON `file`, that says how types merge, over what they say")
}

func clientsetFlags(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.apiPath, "clientset-api-path", o.apiPath, "path of the groups on the API server")
	fs.BoolVar(&o.fake, "fake-clientset", o.fake, "generate the fake clientset")
	fs.StringVar(&o.applyConfigurations, "apply-configuration-package", "", "generate Apply methods with the types in `pkg`")
	fs.BoolVar(&o.prefersProtobuf, "prefers-protobuf", false, "clients ask for protobuf by default")
	fs.StringSliceVar(&o.includedTypes, "included-types-overrides", nil, "group/version/Kind,...: of these versions, only these")
}

// ignoreLogFlags accepts the logging flags that the commands of k8s.io/code-generator inherit from klog, so that
// scripts which set them keep working. They change nothing here.
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

// help prints the command's help: examples first, then the flags.
func (t Tool) help(w io.Writer, fs *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\n%s\nUsage: %s\n\n%s", t.short, t.examples, t.usage, fs.FlagUsages())
}

// advice says what to do about an error of the command line: the flag that was likely meant, or where to look.
func (t Tool) advice(err error, fs *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		fs.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if nearest, ok := markers.Nearest(unknown.GetSpecifiedName(), names); ok {
			return "did you mean --" + nearest + "?"
		}
	}
	return "see " + t.Name + " --help"
}

// plurals reads --plural-exceptions.
func (o *options) plurals() (map[string]string, error) {
	plurals := map[string]string{}
	var errs []error
	for _, pair := range o.pluralExceptions {
		kind, plural, ok := strings.Cut(pair, ":")
		if !ok || kind == "" || plural == "" || strings.Contains(plural, ":") {
			errs = append(errs, fmt.Errorf("--plural-exceptions: %q is not of the form Kind:Plural", pair))
			continue
		}
		plurals[kind] = plural
	}
	return plurals, errors.Join(errs...)
}

// published reads --external-applyconfigurations.
func (o *options) published() (map[model.TypeRef]string, error) {
	published := map[model.TypeRef]string{}
	var errs []error
	for _, entry := range o.externals {
		typ, pkg, ok := strings.Cut(entry, ":")
		ref := model.ParseTypeRef(typ)
		if !ok || !token.IsIdentifier(ref.Name) || module.CheckImportPath(ref.Path) != nil || module.CheckImportPath(pkg) != nil {
			errs = append(errs, fmt.Errorf("--%s: %q is not of the form PATH.TYPE:PATH, as in example.com/api/v1.Foo:example.com/client/applyconfiguration/api/v1",
				o.externalsFlag(), entry))
			continue
		}
		published[ref] = pkg
	}
	return published, errors.Join(errs...)
}

// externalsFlag returns what the flag for external apply configurations is called: only kubegen has names of others.
func (o *options) externalsFlag() string {
	if o.applyName != "" {
		return "applyconfig-externals"
	}
	return "external-applyconfigurations"
}

// included reads --included-types-overrides.
func (o *options) included() (map[string][]string, error) {
	included := map[string][]string{}
	var errs []error
	for _, entry := range o.includedTypes {
		parts := strings.Split(entry, "/")
		if len(parts) == 2 { // group/Kind of unversioned types
			parts = []string{parts[0], "", parts[1]}
		}
		if len(parts) != 3 || parts[2] == "" {
			errs = append(errs, fmt.Errorf("--included-types-overrides: %q is not of the form group/version/Kind", entry))
			continue
		}
		key := parts[0] + "/" + parts[1]
		included[key] = append(included[key], parts[2])
	}
	return included, errors.Join(errs...)
}

// check reports what is wrong with the flags themselves.
func (o *options) check() error {
	var errs []error
	for _, rule := range o.lintRules {
		if !slices.Contains(parser.LintRules, rule) {
			errs = append(errs, fmt.Errorf("--lint-rules: unknown rule %q (known are %s)", rule, strings.Join(parser.LintRules, ", ")))
		}
	}
	for _, dir := range []struct{ flag, name string }{
		{"clientset-name", o.clientsetName}, {"versioned-name", o.versionedName},
		{"listers-name", o.listersName}, {"applyconfig-name", o.applyName}, {"informers-name", o.informerName},
	} {
		if dir.name != "" && module.CheckImportPath("x/"+dir.name) != nil {
			errs = append(errs, fmt.Errorf("--%s: %q cannot be part of an import path; use a name such as clients", dir.flag, dir.name))
		}
	}
	for _, pkg := range []struct{ flag, path string }{
		{"versioned-clientset-package", o.versionedClientset}, {"internal-clientset-package", o.internalClientset},
		{"listers-package", o.listers}, {"apply-configuration-package", o.applyConfigurations},
	} {
		if err := module.CheckImportPath(strings.TrimSuffix(pkg.path, "/")); pkg.path != "" && err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", pkg.flag, err))
		}
	}
	if !slices.Contains(diag.Formats, o.format) {
		errs = append(errs, fmt.Errorf("--format: %q is none of %s", o.format, strings.Join(diag.Formats, ", ")))
	}
	if o.verify && o.dryRun {
		errs = append(errs, errors.New("--verify and --dry-run are two answers to one question; leave one out"))
	}
	if !slices.Contains([]string{"", "table", "json"}, o.listing) {
		errs = append(errs, fmt.Errorf("--format: %q is neither table nor json", o.listing))
	}
	return errors.Join(append(errs, o.checkBreaking())...)
}

// checkAPIPath reports what is wrong with --clientset-api-path, where the command has that.
func (r *run) checkAPIPath() error {
	if r.tool.defaults.apiPath == "" || strings.HasPrefix(r.apiPath, "/") && !strings.HasSuffix(r.apiPath, "/") {
		return nil
	}
	err := fmt.Errorf("--clientset-api-path: %q must start with / and not end with it", r.apiPath)
	if !r.classic || r.apiPath == "" {
		return err
	}
	r.warn("%v: clients take it as it is", err)
	return nil
}
