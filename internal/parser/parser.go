// Package parser reads Go packages of Kubernetes API types into a model. It works on syntax alone: nothing is
// type-checked, no dependency is loaded, so types that do not compile yet are read as well. What it makes of them is
// generated elsewhere.
package parser

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// Config says how to read packages.
type Config struct {
	// Dir is the folder that patterns are relative to; "" is the current one.
	Dir string
	// Env are the variables that the go command runs with, each as NAME=VALUE; nil are those of the process.
	Env []string
	// PluralExceptions maps kinds to their plurals, both as in Go: {"Endpoints": "Endpoints"}.
	PluralExceptions map[string]string
	// IncludedTypes names, for "group/version", the only kinds to include, marked +genclient or not. The group is the
	// group's name or its folder; group/versions that are not listed include what is marked.
	IncludedTypes map[string][]string
	// LintRules are names out of LintRules.
	LintRules []string
	// Clients says that clients will be generated: kinds then need a list type, and packages an AddToScheme.
	Clients bool
	// Internal says that unversioned types, those without JSON tags, are wanted. Otherwise they are passed over.
	Internal bool
	// Classic says that the input is to be taken as the tools of k8s.io/code-generator take it. What they accept is
	// accepted. Go names and directories come from +groupName and the package's path, whatever its code declares, and the
	// markers of kubebuilder choose neither the scope of a kind nor its methods.
	Classic bool
	// VersionDirs leaves out packages without +genclient, and those whose directory is not called as a version, such as
	// v1beta1. kube_codegen.sh of k8s.io/code-generator looks for its input so.
	VersionDirs bool
	// Registration says that the run writes a file into packages that registers their types: those with +k8s:register-gen or
	// +groupName and, with RegisterKinds, those with kinds. A file that begins with one of its Headers is one of these, of an
	// earlier run, and does not count: what it declares will be there in any case, and as the types are now.
	Registration  Headers
	RegisterKinds bool
	// Beside says that files go beside the types alone, so that the caller knows if there is nothing to generate.
	Beside bool
	// WithoutApply are the import paths of packages to be read as if they had +k8s:applyconfiguration-gen=false.
	WithoutApply []string
	// Found is told how many packages match the patterns, before they are read. It may be nil.
	Found func(packages int)
	// Types says that the structs which kinds consist of are wanted, as apply configurations need them. It takes a look
	// into the packages that their fields are of.
	Types bool
	// List finds packages, their files and modules; nil asks the go command, or the driver that GOPACKAGESDRIVER names.
	List func(ctx context.Context, patterns []string) ([]*packages.Package, error)
}

// Headers are lines, one of which marks a generated file; none stand for files that the run does not write.
type Headers []string

func (c Config) environ() []string {
	if c.Env != nil {
		return c.Env
	}
	return os.Environ()
}

func (c Config) getenv(name string) string {
	return environment.Environment{Vars: c.environ()}.Getenv(name)
}

// Parse reads the packages that match the patterns (as of "go list"). The diagnostics tell everything that is wrong or
// doubtful with the input; if there are errors among them the API is incomplete and nothing should be generated.
// Finding nothing to generate is an error that says what was looked at.
func Parse(ctx context.Context, cfg Config, patterns ...string) (*model.API, diag.List) {
	parts, diags := newParser(cfg).parse(ctx, patterns, together)
	return parts[0].API, diags
}

// together puts all packages into one part.
func together(*source) string { return "" }

// Part is what one module has of all that was read.
type Part struct {
	Root string // the module's folder
	API  *model.API
}

// ParseModules is Parse, but for each main module by itself: what a package of one module uses of another one, it uses
// as of any dependency. Packages of no main module count to the one in the folder home. Parts are ordered by folder.
func ParseModules(ctx context.Context, cfg Config, home string, patterns ...string) ([]Part, diag.List) {
	return newParser(cfg).parse(ctx, patterns, func(src *source) string { return cmp.Or(src.module, home) })
}

// parse returns a part for each answer of moduleOf, one at least.
func (p *parser) parse(ctx context.Context, patterns []string, moduleOf func(*source) string) ([]Part, diag.List) {
	p.ctx = ctx
	found := p.load(ctx, patterns)
	if len(found) == 0 && len(patterns) > 0 && !p.HasErrors() {
		p.reportNoPackages(patterns)
	}
	all := found
	if p.cfg.VersionDirs {
		found = slices.DeleteFunc(slices.Clone(found), p.outsideVersions)
	}
	var units []*unit
	for _, src := range found {
		if u := p.readPackage(src); u != nil {
			units = append(units, u)
		}
	}
	p.reportUnusedIncludes()
	p.requireInstall(units)
	p.resolveMethodTypes(ctx, units)
	byModule := map[string][]*source{}
	for _, src := range found {
		byModule[moduleOf(src)] = append(byModule[moduleOf(src)], src)
	}
	if len(found) == 0 {
		byModule[""] = nil
	}
	var parts []Part
	something := false
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		api := p.part(ctx, byModule[module], units)
		something = something || len(api.Groups) > 0 ||
			slices.ContainsFunc(api.Packages, func(pkg *model.Package) bool { return pkg.Registration != nil })
		parts = append(parts, Part{Root: module, API: api})
	}
	if !something && len(all) > 0 && !p.HasErrors() && !p.cfg.Beside {
		p.reportNothing(all)
		p.noteUnseen(patterns, all)
	}
	p.soften()
	return parts, p.List
}

// soften makes notes of the warnings about packages of other modules: who reads them cannot change the text.
func (p *parser) soften() {
	foreign := map[string]bool{}
	for _, src := range p.sources {
		if src != nil && src.foreign {
			for _, f := range src.files {
				foreign[f.name] = true
			}
		}
	}
	for _, d := range p.List {
		if d.Severity == diag.Warning && foreign[d.Pos.Filename] {
			d.Severity = diag.Note
		}
	}
}

// mistakef reports what the input has that cannot be meant: an error, but only a warning where the classic generators
// accept it. It then says as well what comes of it, unless that is "".
func (p *parser) mistakef(pos token.Position, then, format string, args ...any) *diag.Diagnostic {
	if p.cfg.Classic && then != "" {
		return p.Warnf(pos, "%s: %s", fmt.Sprintf(format, args...), then)
	}
	if p.cfg.Classic {
		return p.Warnf(pos, format, args...)
	}
	return p.Errorf(pos, format, args...)
}

// mode says how to take markers.
func (p *parser) mode() markers.Mode {
	if p.cfg.Classic {
		return markers.Classic
	}
	return markers.Strict
}

// part makes an API of some of the packages.
func (p *parser) part(ctx context.Context, found []*source, all []*unit) *model.API {
	var units []*unit
	for _, u := range all {
		if slices.Contains(found, u.src) {
			units = append(units, u)
		}
	}
	var structs []*model.StructType
	if p.cfg.Types {
		structs = p.readTypes(ctx, found, units)
		units = append(units, p.sharedUnits(structs, found, units)...)
	}
	api := p.assemble(units, structs)
	api.LeftOut, api.ClientGo = p.leftOut, p.clientGo()
	for _, src := range found {
		api.Packages = append(api.Packages, p.packages[src])
	}
	return api
}

// parser is the state of one Parse.
type parser struct {
	diag.List
	cfg      Config
	ctx      context.Context // of the one call of parse
	fset     *token.FileSet
	plural   interface{ Name(*types.Type) string }
	input    []*source                  // what matches the patterns
	sources  map[string]*source         // by import path; nil for packages that there are not
	missing  map[string]string          // why there is no such package, by import path
	packages map[*source]*model.Package // of the input
	passed   []passedOver
	leftOut  []string                   // for model.API
	plain    map[*model.StructType]bool // structs that get no apply configuration although kinds consist of them

	goMods   []*modfile.File   // that say what is required
	selected map[string]string // versions of modules whose packages were listed

	groupVersions map[string]bool // that the packages have, as --included-types-overrides may write them

	// What the parser asks the world.
	list     func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	readFile func(name string) ([]byte, error)
}

func newParser(cfg Config) *parser {
	p := &parser{
		cfg:      cfg,
		fset:     token.NewFileSet(),
		plural:   namer.NewPublicPluralNamer(cfg.PluralExceptions),
		sources:  map[string]*source{},
		missing:  map[string]string{},
		packages: map[*source]*model.Package{},
		plain:    map[*model.StructType]bool{},

		selected: map[string]string{},

		groupVersions: map[string]bool{},

		readFile: os.ReadFile,
	}
	if p.list = cfg.List; p.list == nil {
		p.list = p.cfg.goList
	}
	return p
}

// passedOver is a package without anything to generate, and why.
type passedOver struct {
	src       *source
	why       string
	candidate bool // it has what could be meant to be generated from
}

func (p *parser) passOver(src *source, candidate bool, format string, args ...any) *unit {
	p.passed = append(p.passed, passedOver{src, fmt.Sprintf(format, args...), candidate})
	return nil
}

// reportNothing explains why no kind was found in any of the packages.
func (p *parser) reportNothing(found []*source) {
	packages := "the package"
	if len(found) > 1 {
		packages = fmt.Sprintf("any of %d packages", len(found))
	}
	p.mistakef(token.Position{}, "", "nothing to generate: no type in %s is marked +genclient", packages).
		Suggest("put // +genclient directly above the types that need a client")
	for _, passed := range p.passed {
		if !passed.candidate && len(p.passed) > 1 {
			continue // of many packages those matter that could have been meant
		}
		p.Notef(token.Position{}, "looked at %s: %s", passed.src.path, passed.why)
	}
}

// pluralOf returns the exported plural of a kind. The namer takes the first byte for the first letter.
func (p *parser) pluralOf(kind string) string {
	plural := func(name string) string { return p.plural.Name(&types.Type{Name: types.Name{Name: name}}) }
	if _, size := utf8.DecodeRuneInString(kind); size > 1 && p.cfg.PluralExceptions[kind] == "" {
		return kind[:size] + plural("X" + kind[size:])[1:]
	}
	return plural(kind)
}
