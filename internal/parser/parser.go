// Package parser reads Go packages of Kubernetes API types into a model. It works on syntax alone: nothing is
// type-checked, no dependency is loaded, so it also reads types that do not compile yet. It generates nothing.
package parser

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/copies"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/lint"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/policy"
	"github.com/kubegen/kubegen/internal/registration"
	"github.com/kubegen/kubegen/internal/resolve"
)

// Config determines how packages are read.
type Config struct {
	// Dir is the directory that patterns are relative to; "" is the current directory.
	Dir string
	// Output is the absolute path of the directory that the output goes to; "" if that is in the module of the packages.
	Output string
	// Env is the environment of the go command, each variable as NAME=VALUE; nil is that of the process.
	Env []string
	// PluralExceptions maps kinds to their plurals, both as in Go: {"Endpoints": "Endpoints"}.
	PluralExceptions map[string]string
	// IncludedTypes names, for "group/version", the only kinds to include, marked +genclient or not. The group is the
	// group's name or its directory. Group/versions that are not listed include the marked kinds.
	IncludedTypes map[string][]string
	// LintRules are the names of rules to apply, see lint.Rules.
	LintRules []string
	// Clients is set if clients will be generated: kinds then need a list type, and packages an AddToScheme function.
	Clients bool
	// Internal includes unversioned types, which have no JSON tags. Otherwise they are skipped.
	Internal bool
	Policy   policy.Policy
	// VersionDirs excludes packages without +genclient, and those whose directory is not named like a version, such as
	// v1beta1, from all but DeepCopy methods and registration. kube_codegen.sh of k8s.io/code-generator does the same.
	VersionDirs bool
	// Registration are the marks of the files that register types and that the run writes; empty for none. It writes them
	// for packages with +k8s:register-gen or +groupName and, with RegisterKinds, for those with kinds. The parser ignores
	// existing files with one of the marks, because the run writes them again for the current types.
	Registration  origin.Marks
	RegisterKinds bool
	// Beside is set if the run writes files only beside the types: kinds are not read, and the caller reports if there is
	// nothing to generate.
	Beside bool
	// DeepCopy are the marks of the files with DeepCopy methods that the run writes; see Registration. Unless Policy.CopyOnRequest is
	// set, packages with kinds and without markers for DeepCopy methods are treated as marked, and their kinds and lists as
	// objects.
	DeepCopy origin.Marks
	// OnlyDeepCopyGen makes only the markers of deepcopy-gen ask for DeepCopy methods, not those of controller-gen.
	OnlyDeepCopyGen bool
	// Reports says what is reported of mistakes in types that are no errors. The zero value reports all.
	Reports Reports
	// Settle switches generators off for the packages of an API whose generated names would clash, with warnings, and reports whether
	// there are any: types are then read and named again, without these packages. It may be nil.
	Settle func(*model.API, *diag.List) bool
	// Found, if not nil, is called with the number of packages that match the patterns before they are read.
	Found func(packages int)
	// Meant returns what to do about a pattern that is no package, "" if it does not know; nil if there is no such function.
	Meant func(pattern string) string
	// Preview is set if nothing will be generated. What generated code would lack to compile is then not reported.
	Preview bool
	// Listing is set if kinds are only listed. What their generation needs besides, such as list types and AddToScheme functions, is
	// then not required.
	Listing bool
	// Release is the release of client-go that the code is generated for; 0 is that which the API's module determines.
	Release model.Release
	// Read reads the types that a generator needs beyond the kinds, for the packages of each Part; nil if none does.
	Read func(model.Reader) (model.Types, diag.List)
	// AlsoLoad returns a package to list together with an imported one, because Read will ask for its files; "" for none.
	// Listing many packages takes little longer than listing one. It may be nil.
	AlsoLoad func(importPath string) string
	// Indexes also reads the indexes of kinds, for listers and informers.
	Indexes bool
	// Imported is the mark of packages that are left out unless they are named: those imported from manifests; "" for none.
	Imported string
	// Manifests reads what the run writes manifests for, from the packages that match the patterns; nil if it writes none. It returns
	// the kinds by their types, and what is wrong with them.
	Manifests func(*gotypes.Reader, []*load.Package) (map[model.TypeRef]*resolve.Served, diag.List)
	// Served are the kinds of which other outputs of the run write manifests.
	Served map[model.TypeRef]*resolve.Served
	// List returns packages with their files and modules; nil stands for Sources.
	List func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	// ClientMarks are the marks of generated files that are not needed to read types, and whose imports go.mod may lack.
	ClientMarks origin.Marks
	// Sources list packages by the go command or the driver in GOPACKAGESDRIVER. They may be shared with other calls of
	// Parse; nil stands for new ones.
	Sources *load.Sources
}

// Loading returns how packages are loaded.
func (c Config) Loading() load.Config {
	env := environment.Environment{Dir: c.Dir, Vars: c.Env}
	if c.Env == nil {
		env.Vars = os.Environ()
	}
	return load.Config{
		Env: env, Marker: markers.Genclient, Parsed: []string{"\n// +k8s:"}, Generated: c.ClientMarks, Release: c.Release, Likely: c.likely(),
		AlsoLoad: c.AlsoLoad, Suggest: c.Meant, List: c.List, Sources: c.Sources,
	}
}

// registration returns for which packages the registration is written.
func (c Config) registration() registration.Config {
	return registration.Config{Marks: c.Registration, Kinds: c.RegisterKinds, Policy: c.Policy}
}

// likely returns packages that an API probably refers to: the one of the Scale type and, if the types of fields are read, those of common
// field types.
func (c Config) likely() (found []string) {
	if c.Read != nil || len(c.DeepCopy) > 0 || c.Manifests != nil {
		const module = "k8s.io/apimachinery/pkg/"
		found = append(found, module+"api/resource", module+"apis/meta/v1", module+"runtime", module+"types", module+"util/intstr")
	}
	if c.Beside {
		return found
	}
	found = append(found, "k8s.io/api/autoscaling/v1")
	if c.Read != nil {
		found = append(found, "k8s.io/api/core/v1")
		if c.AlsoLoad != nil {
			found = append(found, c.AlsoLoad("k8s.io/api/core/v1"))
		}
	}
	return append(found, gomod.ClientGoPackage) // its version is always needed
}

// Parse reads the packages that match the patterns (as of "go list"). The diagnostics report everything that is wrong
// or doubtful in the input. If there are errors among them, the API is incomplete and nothing should be generated. It
// is an error if there is nothing to generate; notes say which packages were read.
func Parse(ctx context.Context, cfg Config, patterns ...string) (*model.API, diag.List) {
	parts, diags := newParser(ctx, cfg).parse(patterns, together)
	return parts[0].API, diags
}

// together puts all packages into one part.
func together(*load.Package) string { return "" }

// Part is the part of the API that is declared in one module.
type Part struct {
	Root string // the module's directory
	API  *model.API
}

// ParseModules is like Parse, but returns one part for each main module; the other main modules are dependencies like
// any other. Packages outside all main modules belong to the part of the module in the directory home. Parts are
// ordered by directory.
func ParseModules(ctx context.Context, cfg Config, home string, patterns ...string) ([]Part, diag.List) {
	return newParser(ctx, cfg).parse(patterns, func(src *load.Package) string { return cmp.Or(src.Module, home) })
}

// parse returns a part for each result of moduleOf, at least one.
func (p *parser) parse(patterns []string, moduleOf func(*load.Package) string) ([]Part, diag.List) {
	found := p.load(patterns)
	if !p.requireModules(found) {
		found = nil // and nothing else is worth a message
	}
	if len(found) == 0 && len(patterns) > 0 && !p.HasErrors() {
		p.reportNoPackages(patterns)
	}
	all := found
	if p.cfg.VersionDirs {
		named := p.Named(patterns)
		besides := len(p.cfg.DeepCopy)+len(p.cfg.Registration) > 0
		found = slices.DeleteFunc(slices.Clone(found), func(src *load.Package) bool {
			p.beside[src] = p.outsideVersions(src)
			if p.beside[src] && !src.Mentions(markers.Genclient) && named(src.Path, src.Dir()) {
				why, candidate := p.whyNothing(src)
				p.passOver(src, candidate, "%s", why)
			}
			return p.beside[src] && !besides
		})
	}
	if len(p.cfg.DeepCopy) > 0 {
		p.copies = copies.Read(p.Loader, copies.Config{Marks: p.cfg.DeepCopy, Policy: p.cfg.Policy, OnlyDeepCopyGen: p.cfg.OnlyDeepCopyGen})
		p.outlined = nil
	}
	var units []*unit
	for _, src := range found {
		if u := p.readPackage(src); u != nil {
			units = append(units, u)
		}
	}
	p.reportUnusedIncludes()
	p.requireInstall(units)
	p.resolveMethodTypes(units)
	manifests, said := p.manifests(all)
	p.cfg.Reports.of(&p.List)
	byModule := map[string][]*load.Package{}
	for _, src := range found {
		byModule[moduleOf(src)] = append(byModule[moduleOf(src)], src)
	}
	if len(found) == 0 {
		byModule[""] = nil
	}
	var parts []Part
	var roots []string                       // of the modules that the output goes to
	imported := map[string][]*load.Package{} // the packages of types that the output in each of them imports
	something := false
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		root := cmp.Or(module, p.outputRoot())
		var clientGo model.Dependency
		if !p.cfg.Beside && len(found) > 0 {
			clientGo = p.withEvidence(p.Modules.Release(root))
		}
		api := p.part(byModule[module], units, clientGo)
		if len(api.Groups) > 0 {
			roots = append(roots, root)
			imported[root] = byModule[module]
		}
		something = something || len(api.Groups) > 0 ||
			slices.ContainsFunc(api.Packages, func(pkg *model.Package) bool { return pkg.Registration != nil || len(pkg.Copies) > 0 })
		parts = append(parts, Part{Root: module, API: api})
	}
	if !something && !manifests && len(all) > 0 && !p.HasErrors() && !p.cfg.Beside {
		p.reportNothing(all)
		p.noteUnseen(patterns, slices.Concat(all, p.imported))
	}
	if !something && !manifests && !p.HasErrors() {
		p.noteImported()
	}
	if something && !p.HasErrors() {
		p.notePassed(patterns, parts)
	}
	p.noteAside(patterns, units)
	if something && !p.cfg.Preview && !p.HasErrors() {
		p.reportObjects(units)
		for _, root := range roots {
			p.reportTypes(root, imported[root])
			p.reportDependencies(root)
		}
	}
	p.List = append(p.List, said...)
	lint.Misspelled(p.Loader, all, p.mode(), p.cfg.Manifests != nil, p.cfg.Reports.reports)
	p.soften()
	return parts, append(p.List, p.clashes...)
}

// manifests reads the kinds that get CustomResourceDefinitions, which their clients follow. It reports whether there are any.
func (p *parser) manifests(all []*load.Package) (something bool, said diag.List) {
	p.served = maps.Clone(p.cfg.Served)
	if p.cfg.Manifests == nil || p.HasErrors() {
		return false, nil
	}
	own, said := p.cfg.Manifests(p.newTypeReader(), all)
	if p.served == nil {
		p.served = own
	} else {
		maps.Copy(p.served, own)
	}
	return len(own) > 0, said
}

// load finds and reads the packages that match the patterns, without what the run writes again.
func (p *parser) load(patterns []string) []*load.Package {
	found := p.Find(patterns)
	if p.cfg.Found != nil && len(found) > 0 {
		p.cfg.Found(len(found))
	}
	p.Read(found)
	named := p.Named(patterns)
	found = slices.DeleteFunc(slices.Clone(found), func(src *load.Package) bool { // from which another run or output generates
		isImported := p.cfg.Imported != "" && !named(src.Path, src.Dir()) && slices.ContainsFunc(src.Files, func(f *load.File) bool {
			return origin.Has(f.Text, p.cfg.Imported)
		})
		if isImported {
			p.imported = append(p.imported, src)
		}
		return isImported
	})
	p.cfg.registration().Hide(p.Loader, found)
	return found
}

// soften turns warnings about packages of other modules into notes, because users cannot change these packages.
func (p *parser) soften() {
	foreign := map[string]bool{}
	for _, src := range p.Known {
		if src != nil && src.Foreign {
			for _, f := range src.Files {
				foreign[f.Name] = true
			}
		}
	}
	for _, d := range p.List {
		if d.Severity == diag.Warning && foreign[d.Pos.Filename] {
			d.Severity = diag.Note
		}
	}
}

// mistakef is markers.Mode.Mistake.
func (p *parser) mistakef(pos token.Position, then, format string, args ...any) *diag.Diagnostic {
	return p.mode().Mistake(&p.List, pos, then, format, args...)
}

// mode returns how to treat mistakes in markers.
func (p *parser) mode() markers.Mode { return markers.ModeOf(p.cfg.Policy) }

// part builds an API from some of the packages. Those that get only files beside their types are nothing but packages in it.
func (p *parser) part(found []*load.Package, all []*unit, clientGo model.Dependency) *model.API {
	given := found
	found = slices.DeleteFunc(slices.Clone(found), func(src *load.Package) bool { return p.beside[src] })
	var units []*unit
	for _, u := range all {
		if slices.Contains(found, u.src) {
			units = append(units, u)
		}
	}
	if p.cfg.Indexes {
		p.readIndexes(found, units)
	}
	api := p.named(found, units, clientGo)
	api.LeftOut, api.PackageNames = p.leftOut, p.Names()
	for _, src := range given {
		api.Packages = append(api.Packages, p.packages[src])
	}
	return api
}

// named reads the types and names everything, until no names clash.
func (p *parser) named(found []*load.Package, units []*unit, clientGo model.Dependency) *model.API {
	said := p.List
	for {
		p.List = slices.Clone(said)
		var types model.Types
		all := units
		if p.cfg.Read != nil {
			var diags diag.List
			types, diags = p.cfg.Read(p.newReader(found, units))
			p.List = append(p.List, diags...)
			all = append(slices.Clone(units), p.sharedUnits(types.Own, found, units)...)
		}
		var facts []*resolve.Package
		for _, u := range all {
			facts = append(facts, u.facts())
		}
		var resolved diag.List
		api := resolve.API(facts, types, p.served, p.cfg.Policy, &resolved)
		p.cfg.Reports.of(&resolved)
		p.List = append(p.List, resolved...)
		api.ClientGo = clientGo
		if p.cfg.Settle == nil || p.HasErrors() || !p.cfg.Settle(api, &p.clashes) {
			return api
		}
	}
}

// parser is the state of one Parse.
type parser struct {
	imported []*load.Package // left out, see Config.Imported
	*load.Loader
	cfg      Config
	plurals  resolve.Plurals
	packages map[*load.Package]*model.Package    // of the input
	copies   map[*load.Package][]*model.Declared // for model.Package
	beside   map[*load.Package]bool              // packages that get only files beside their types
	outlined *gotypes.Reader                     // see outline
	passed   []passedOver
	leftOut  []string  // for model.API
	clashes  diag.List // of Config.Settle

	served map[model.TypeRef]*resolve.Served // kinds of which the run writes CustomResourceDefinitions

	groupVersions map[string]bool // group/versions of the packages, as --included-types-overrides may name them
}

func newParser(ctx context.Context, cfg Config) *parser {
	return &parser{
		Loader:        load.NewLoader(ctx, cfg.Loading()),
		cfg:           cfg,
		plurals:       resolve.NewPlurals(cfg.PluralExceptions),
		packages:      map[*load.Package]*model.Package{},
		beside:        map[*load.Package]bool{},
		groupVersions: map[string]bool{},
	}
}

func (p *parser) newTypeReader() *gotypes.Reader { return gotypes.NewReader(p.Loader, p.cfg.Policy) }

// outline returns the outline for all types, since the set of files last changed.
func (p *parser) outline() *gotypes.Reader {
	if p.outlined == nil {
		p.outlined = p.newTypeReader().Outline()
	}
	return p.outlined
}

// fieldsOf returns the fields of a type, promoted ones included, whatever package these come from.
func (p *parser) fieldsOf(src *load.Package, d load.Decl) gotypes.Fields {
	return p.outline().AllFieldsOf(src, d)
}

// passedOver is a package with nothing to generate, and why.
type passedOver struct {
	src       *load.Package
	why       string
	candidate bool // it has types that may have been meant
}

func (p *parser) passOver(src *load.Package, candidate bool, format string, args ...any) *unit {
	p.passed = append(p.passed, passedOver{src, fmt.Sprintf(format, args...), candidate})
	return nil
}

// reportNothing explains why no kind was found in any of the packages.
func (p *parser) reportNothing(found []*load.Package) {
	packages := "the package"
	if len(found) > 1 {
		packages = fmt.Sprintf("any of %d packages", len(found))
	}
	p.mistakef(token.Position{}, "", "nothing to generate: no type in %s is marked +genclient", packages).
		Suggest("put // +genclient directly above the types that need a client")
	for _, passed := range p.passed {
		if !passed.candidate && len(p.passed) > 1 {
			continue // of many packages, list only the candidates
		}
		p.Notef(token.Position{}, "looked at %s: %s", passed.src.Path, passed.why)
	}
}

// notePassed notes that there is nothing in the parts for packages that the command line names, each by itself: who names
// a package expects something of it, but a pattern such as ./... also matches what is no API.
func (p *parser) notePassed(patterns []string, parts []Part) {
	used := map[string]bool{}
	for _, part := range parts {
		for _, pkg := range part.API.Packages {
			if pkg != nil && (pkg.Registration != nil || len(pkg.Copies) > 0) {
				used[pkg.Path] = true
			}
		}
		for _, g := range part.API.Groups {
			for _, v := range g.Versions {
				for _, pkg := range v.Packages {
					used[pkg.Path] = true
				}
				for _, s := range v.Structs {
					used[s.Package.Path] = true
				}
			}
		}
	}
	named := p.Named(patterns)
	for _, passed := range p.passed {
		if used[passed.src.Path] || !named(passed.src.Path, passed.src.Dir()) {
			continue
		}
		d := p.Notef(p.PackagePos(passed.src), "nothing is generated for package %s: %s", passed.src.Path, passed.why)
		if p.cfg.VersionDirs && p.cfg.Read != nil {
			d.Suggest("omit %s if the kinds of other packages use its structs: then these get apply configurations", diag.Setting("classic"))
		}
	}
}
