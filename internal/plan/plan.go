// Package plan turns the flags and environment of a command and kubegen.yaml into a plan: the packages to read, the
// generators to run, their output directories, and the release of client-go. It knows of generators what their Info
// says, and reads the headers that flags name, but neither types nor manifests.
package plan

import (
	"errors"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Command has the properties of a command.
type Command struct {
	// WholeModule means that without arguments, the command reads all packages of the module and writes into it.
	WholeModule bool
	// Unversioned includes types without JSON tags.
	Unversioned bool
	// Consistent means that clients, listers and informers are generated together and refer to each other.
	Consistent bool
	// Script means that kube_codegen.sh runs the command, and other tools that write into packages of types beside it.
	Script bool
	// APIPath means that the command has --clientset-api-path.
	APIPath bool
	// ExternalsFlag is the name of the flag for existing apply configurations.
	ExternalsFlag string
	// ExternalsSeparator is between a type and a package in values of ExternalsFlag; "" means ":".
	ExternalsSeparator string
	// Reports selects the warnings and notes that the command reports.
	Reports model.Reports
	// Layout returns the generators and their output directories.
	Layout Layout
	// Policy is replaced by --classic in a plan.
	Policy model.Policy
	Conventions
}

// OrNothing returns the command with MayBeEmpty, for runs that write nothing and accept hand-written manifests.
func (c Command) OrNothing() Command {
	c.MayBeEmpty, c.AnyManifest = true, true
	return c
}

// Conventions are decisions that controller-gen takes in another way than kubegen. A linter takes the last one, too.
type Conventions struct {
	// KeepStale leaves files that are no longer generated.
	KeepStale bool
	// AnyManifest replaces a manifest of the same kind whether or not it has an annotation of the tool that wrote it.
	AnyManifest bool
	// NoGates means that feature gates have no effect on manifests.
	NoGates bool
	// OwnHeaders means that each generator has a header and a year of its own, which may be any text.
	OwnHeaders bool
	// Nested means that patterns such as ./... also match packages of nested modules.
	Nested bool
	// OtherValuesFalse means that values of +k8s:deepcopy-gen above a type other than true and false are taken as
	// false.
	OtherValuesFalse bool
	// MayBeEmpty means that input for which nothing is generated is not reported.
	MayBeEmpty bool
}

// Plan describes a run. It is not modified after Resolve.
type Plan struct {
	load.Environment
	Command
	Flags    *Flags
	Patterns []string // package patterns
	Targets  []Target
	// PluralExceptions and IncludedTypes are the values of these flags.
	PluralExceptions map[string]string
	IncludedTypes    map[string][]string
	Output           string // absolute path of the output directory; "" if the output goes into the module of the packages
	// PerModule means that the output for each module goes into that module, and the output for packages outside all
	// modules into the module at Home.
	PerModule bool
	Home      string

	Import *Import // nil if the run imports nothing
	// ManifestTargets are the generators of manifests that the run executes.
	ManifestTargets []Target

	CodeDir string // directory of Go files instead of the packages of types; "" for these

	Needs   Needs         // of all targets
	Wanted  model.Release // release of client-go from the flag, or 0
	Options Options       // for all targets

	all     []*Info
	applied *Plan // for the packages that markers request apply configurations for, without patterns and output; or nil
}

// Resolve makes a plan with some of all generators. The plan is valid if there are no errors among the diagnostics.
func Resolve(all []*Info, cmd Command, flags *Flags, env load.Environment) (*Plan, diag.List) {
	p, diags := decide(all, cmd, flags, env)
	if flags.ApplyMarkers && !diags.HasErrors() {
		var said diag.List
		p.applied, said = decide(all, p.applying(), flags.applying(), env)
		diags = append(diags, said...)
	}
	outputDir := flags.OutputDir
	if cmd.WholeModule && outputDir == "" {
		outputDir = p.chooseOutput()
	}
	p, said := p.into(outputDir)
	return p, append(diags, said...)
}

// decide makes the part of a plan that does not depend on the output directory.
func decide(all []*Info, cmd Command, flags *Flags, env load.Environment) (*Plan, diag.List) {
	p := &Plan{Environment: env, Command: cmd, Flags: flags, all: all}
	if flags.Classic {
		p.Policy = flags.policy()
	}
	var diags diag.List
	check := diags.AddError
	flags.check(all, &diags)
	check(env.CheckFlags())
	if cmd.APIPath {
		flags.checkAPIPath(&diags)
	}
	p.PluralExceptions, p.IncludedTypes = flags.plurals(&diags), flags.included(&diags)
	externals := flags.external(cmd, &diags)
	header, err := readHeader(env, flags.HeaderFlag, flags.HeaderFile, flags.Year, cmd.OwnHeaders)
	check(err)
	imports := flags.Import.Imports()
	if imports {
		flags.Import.classify(env)
		check(flags.imports(all))
	} else {
		p.Patterns, err = patternsOf(env, cmd, flags)
		check(err)
	}
	if err == nil && len(p.Patterns) == 0 && !imports && !flags.ByMarkers {
		diags.Warnf(token.Position{}, "no packages given: nothing is generated for any kind; name packages such as ./apis/v1")
	}
	if flags.OpenAPISchema != "" {
		const reason = "the document is not read, because merge rules follow from the types and their markers"
		diags.Notef(token.Position{}, "%s: %s", diag.Setting(flags.OpenAPIFlag), reason).Suggest("remove it")
	}
	check(p.manifests())
	if flags.CodeDir != "" {
		p.CodeDir = p.At(flags.CodeDir)
		check(p.CheckOutput(p.CodeDir, "output-dir"))
	}
	p.Wanted, err = flags.release()
	check(err)
	p.Options = Options{
		Header: header, ClientOptions: flags.ClientOptions, Externals: externals,
		Backport: flags.Backport, Policy: p.Policy, SkipUnsafe: flags.SkipUnsafe,
	}
	return p, diags
}

// into returns the plan with an output directory, its targets, and what these read.
func (p *Plan) into(outputDir string) (*Plan, diag.List) {
	placed := *p
	targets, diags := p.In(outputDir)
	placed.Targets = targets
	if outputDir != "" {
		placed.Output = p.At(outputDir)
	}
	if outputDir != "" && !diags.HasErrors() {
		pkg, _, _ := p.outputPackage(outputDir) // In has reported mistakes
		placed.Import = placed.imports(pkg)
	}
	placed.Needs = placed.needs()
	return &placed, diags
}

// ClientMarks returns the marks of all generators with packages of their own, and of the tools that these replace.
func (p *Plan) ClientMarks() (marks gofile.ToolMarks) {
	for _, info := range p.all {
		if info.HasPackages() {
			marks = append(marks, info.Marks("")...)
		}
	}
	return marks
}

// Stale returns the marks of the files of a generator that the run removes from packages of types where it writes
// none. kube_codegen.sh keeps the ones of tools that it does not run, because they are still in use. There are none
// if the run writes a file that the go command ignores, which takes the place of another one only when the user moves
// it.
func (p *Plan) Stale(t Target) gofile.ToolMarks {
	switch marks := t.Marks(); {
	case p.KeepStale || p.CodeDir != "" || ignored(t.Options.FileName):
		return nil
	case p.Script:
		return marks[:min(2, len(marks))]
	default:
		return marks
	}
}

// ignored reports whether the go command ignores a file because of its name.
func ignored(name string) bool {
	return name != "" && (filepath.Ext(name) != ".go" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "."))
}

// needs returns what the targets need. Types are needed if the generated code can refer to what their reader generates.
func (p *Plan) needs() (n Needs) {
	n.Kinds = p.Import != nil // kubegen list has imported kinds without clients
	reader := p.typeReader()
	for _, t := range slices.Concat(p.Targets, p.ManifestTargets) {
		of := t.Info().Needs
		n.Kinds, n.Scheme, n.Indexes = n.Kinds || t.Info().HasPackages(), n.Scheme || of.Scheme, n.Indexes || of.Indexes
		n.Types = n.Types || of.Types && p.Flags.ApplyConfigurations == "" && reader != nil && t.Options.Roots[reader.Templates].Path != ""
		n.Schemas, n.OwnWrites, n.Markers = n.Schemas || of.Schemas, n.OwnWrites || t.OwnWrites(), n.Markers|of.Markers
	}
	if p.Flags.ApplyMarkers {
		n.Markers |= markers.Applied
	}
	return n
}

// VersionDirs reports whether packages without +genclient, and packages whose directory is not named like a version,
// such as v1beta1, are excluded from everything except DeepCopy methods and registration. kube_codegen.sh of
// k8s.io/code-generator does the same. Structs of packages without +genclient that are named, as for
// applyconfiguration-gen, are included.
func (p *Plan) VersionDirs() bool { return p.Flags.Classic && p.Consistent && p.Needs.Kinds }

// typeReader returns the generator that reads types in addition to kinds, or nil.
func (p *Plan) typeReader() *Info {
	for _, info := range p.all {
		if info.ReadsTypes {
			return info
		}
	}
	return nil
}

// In returns the plan's targets for another output directory.
func (p *Plan) In(outputDir string) ([]Target, diag.List) {
	if err := p.CheckModule(); err != nil {
		var diags diag.List
		diags.AddError(err)
		return nil, diags
	}
	pkg, diags, err := p.outputPackage(outputDir)
	targets, err2 := p.Layout(Request{
		Flags: p.Flags, OutputDir: p.At(outputDir), Named: outputDir != "", Package: pkg, Options: p.Options, all: p.all,
	})
	var outside error
	if outputDir != "" {
		outside = p.CheckOutput(outputDir, "output-dir")
	}
	diags.AddError(errors.Join(err2, err, outside))
	for _, t := range targets {
		if t.Dir != "" && outside == nil {
			diags.AddError(p.CheckInside(t.Dir, diag.Textf("remove it, or choose a directory there with %s", diag.Setting("output-dir"))))
		}
	}
	return targets, diags
}

// outputPackage returns the import path of the output directory.
func (p *Plan) outputPackage(outputDir string) (importPath string, diags diag.List, err error) {
	if outputDir == "" {
		return strings.TrimSuffix(p.Flags.OutputPkg, "/"), nil, nil // the layout reports the missing flag
	}
	return PackageOf(p.Environment, p.At(outputDir), p.Flags.OutputPkg, "output-dir")
}

// PackageOf returns the import path of an absolute directory, which a setting chose: the given one of --output-pkg, or
// else the one in its module. It warns if they differ.
func PackageOf(env load.Environment, dir, given string, setting diag.Setting) (importPath string, diags diag.List, err error) {
	derived, ok := env.ImportPath(dir)
	given = strings.TrimSuffix(given, "/")
	switch {
	case given == "" && !ok:
		return "", nil, diag.Errorf("%s is not in a module: give its import path with %s", diag.Value(env.Name(dir)), diag.Setting("output-pkg"))
	case given == "":
		given = derived
	}
	if err := module.CheckImportPath(given); err != nil {
		return "", nil, diag.Errorf("output package: %w (correct %s or %s)", err, diag.Setting("output-pkg"), setting)
	}
	if ok && given != derived {
		diags.Warnf(
			token.Position{}, "%s is %s, but according to go.mod the import path of %s is %s", diag.Setting("output-pkg"), given,
			env.Name(dir), derived,
		)
	}
	return given, diags, nil
}

// chooseOutput returns the default output directory: pkg/generated in the module of the packages. Unless --output-pkg
// is set, PerModule becomes true.
func (p *Plan) chooseOutput() string {
	root, _, ok := p.FindModule(".")
	p.PerModule = p.Flags.OutputPkg == ""
	if p.PerModule && !ok {
		for _, pattern := range p.Patterns {
			if root, _, ok = p.FindModule(strings.TrimSuffix(pattern, "...")); ok {
				break
			}
		}
	}
	if !ok {
		return ""
	}
	p.Home = root
	return DefaultOutput(root)
}

// DefaultOutput returns the default output directory of a module.
func DefaultOutput(root string) string { return filepath.Join(root, "pkg", "generated") }

// patternsOf returns the patterns of the packages to read: the arguments, and the values of --input.
func patternsOf(e load.Environment, cmd Command, flags *Flags) ([]string, error) {
	var patterns []string
	for _, pattern := range flags.Patterns {
		patterns = append(patterns, filepath.ToSlash(pattern))
	}
	for _, input := range flags.Inputs {
		joined := path.Join(filepath.ToSlash(flags.InputBase), input)
		_, err := os.Stat(e.At(joined))
		if strings.HasPrefix(flags.InputBase, ".") && (path.Clean(flags.InputBase) != "." || err == nil) { // else the input is an import path
			joined = "./" + joined
		}
		patterns = append(patterns, joined)
	}
	if flags.OneInputAPI != "" {
		if len(patterns) != 1 {
			return nil, diag.Errorf("%s requires one packages argument, the directory that contains it", diag.Setting("one-input-api"))
		}
		dir := path.Join(strings.TrimSuffix(strings.TrimSuffix(patterns[0], "..."), "/"), flags.OneInputAPI)
		if strings.HasPrefix(patterns[0], ".") {
			dir = "./" + dir
		}
		return []string{dir + "/..."}, nil
	}
	if len(patterns) == 0 {
		if !cmd.WholeModule {
			return nil, nil
		}
		patterns = []string{e.WholeModule()}
	}
	patterns = e.EachModule(patterns)
	if cmd.Nested {
		patterns = e.WithNested(patterns)
	}
	return patterns, nil
}

// Covers returns a function that reports whether the plan's patterns would match a package if it existed. Unless within
// is "", the package must be in the module in that directory. Files generated from such a package, but not by this run,
// are stale.
func (p *Plan) Covers(within string) func(importPath string) bool {
	return Coverage(p.Environment, p.Patterns, within)
}
