// Package parser reads Go packages of Kubernetes API types into a model. It only uses syntax, without type checking or
// loading dependencies, and therefore also reads types that do not compile yet. It generates nothing.
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

// Purpose is what packages are read for.
type Purpose int

const (
	ToGenerate Purpose = iota
	ToCompare          // generated code is compared with a git revision: what it requires to compile is not reported
	ToList             // kinds are listed: list types and AddToScheme functions are optional as well
)

// Config determines how packages are read.
type Config struct {
	// Dir is the base directory of relative patterns; "" means the current directory.
	Dir string
	// Output is the absolute path of the output directory; "" if the output goes into the module of the packages.
	Output string
	// Env is the environment of the go command, as NAME=VALUE; nil means the environment of the process.
	Env []string
	// PluralExceptions maps kinds to their plurals, both as in Go: {"Endpoints": "Endpoints"}.
	PluralExceptions map[string]string
	// IncludedTypes maps "group/version" to the only kinds to include, with or without +genclient. The group is a name
	// or a directory. For other group/versions, all marked kinds are included.
	IncludedTypes map[string][]string
	// LintRules are the names of rules to apply; see lint.Rules.
	LintRules []string
	// Clients means that clients are generated: kinds then need a list type, and packages an AddToScheme function.
	Clients bool
	// Internal includes unversioned types, which have no JSON tags. Otherwise they are skipped.
	Internal bool
	Policy   policy.Policy
	// VersionDirs excludes packages without +genclient, and packages whose directory is not named like a version, such
	// as v1beta1, from everything except DeepCopy methods and registration. kube_codegen.sh of k8s.io/code-generator
	// does the same.
	VersionDirs bool
	// Registration lists the marks of the registration files that the run writes; it is empty if the run writes none.
	// They are written for packages with +k8s:register-gen or +groupName and, with RegisterKinds, for packages with
	// kinds. The parser ignores existing files with one of the marks, because the run writes them again for the current
	// types.
	Registration  origin.Marks
	RegisterKinds bool
	// Beside means that the run only writes files into the packages of types. Kinds are not read, and the caller
	// reports if there is nothing to generate.
	Beside bool
	// DeepCopy lists the marks of the DeepCopy files that the run writes; see Registration. Unless Policy.CopyOnRequest
	// is set, a package with kinds but without markers for DeepCopy methods is treated as if it had them, and its kinds
	// and lists as objects.
	DeepCopy origin.Marks
	// OnlyDeepCopyGen ignores requests for DeepCopy methods by the markers of controller-gen. Only deepcopy-gen's
	// count.
	OnlyDeepCopyGen bool
	// Reports selects the warnings and notes to report. The zero value selects all.
	Reports Reports
	// Settle switches generators off for packages whose generated names would clash, with warnings, and reports whether
	// there are any. If so, types are read and named again without these packages. Settle may be nil.
	Settle func(*model.API, *diag.List) bool
	// Found is called with the number of packages that match the patterns, before they are read. It may be nil.
	Found func(packages int)
	// Meant returns advice for a pattern that matches no package, or "". It may be nil.
	Meant   func(pattern string) string
	Purpose Purpose
	// Release is the release of client-go to generate for; 0 means the release that the API's module determines.
	Release model.Release
	// Read reads the types that a generator needs in addition to kinds, for the packages of each Part. It may be nil.
	Read func(model.Reader) (model.Types, diag.List)
	// AlsoLoad returns a package to list together with an imported one, because Read will ask for its files, or "".
	// Listing many packages takes little longer than listing one. AlsoLoad may be nil.
	AlsoLoad func(importPath string) string
	// Indexes means that the indexes of kinds are read, for listers and informers.
	Indexes bool
	// Imported is the mark of packages imported from manifests, which are omitted unless named explicitly; "" for none.
	Imported string
	// Manifests reads the kinds for which the run writes manifests, from the packages that match the patterns. It
	// returns them by their types, with diagnostics. It is nil if the run writes no manifests.
	Manifests func(*gotypes.Reader, []*load.Package) (map[model.TypeRef]*resolve.Served, diag.List)
	// Served are the kinds for which other outputs of the run write manifests.
	Served map[model.TypeRef]*resolve.Served
	// List returns packages with their files and modules. If it is nil, Sources are used.
	List func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	// ClientMarks are the marks of generated files that are not needed to read types, and whose imports may be missing
	// in go.mod.
	ClientMarks origin.Marks
	// Sources list packages with the go command or the driver in GOPACKAGESDRIVER. Several calls of Parse may share
	// them. If it is nil, new ones are created.
	Sources *load.Sources
}

// Loading returns the configuration for loading packages.
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

// registration returns the configuration for writing registrations.
func (c Config) registration() registration.Config {
	return registration.Config{Marks: c.Registration, Kinds: c.RegisterKinds, Policy: c.Policy}
}

// likely returns packages that an API probably imports: the package of the Scale type and, if the types of fields are
// read, the packages of common field types.
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

// Parse reads the packages that match the patterns, as in "go list". The diagnostics report all mistakes and doubts
// about the input. If they contain errors, the API is incomplete and nothing should be generated. If there is nothing
// to generate, that is an error, with notes on the packages that were read.
func Parse(ctx context.Context, cfg Config, patterns ...string) (*model.API, diag.List) {
	parts, diags := newParser(ctx, cfg).parse(patterns, together)
	return parts[0].API, diags
}

// together puts all packages into one part.
func together(*load.Package) string { return "" }

// Part is the part of the API declared in one module.
type Part struct {
	Root string // the module's directory
	API  *model.API
}

// ParseModules is like Parse, but returns one part for each main module. In a part, other main modules are ordinary
// dependencies. Packages outside all main modules belong to the part of the module in the directory home. Parts are
// ordered by directory.
func ParseModules(ctx context.Context, cfg Config, home string, patterns ...string) ([]Part, diag.List) {
	return newParser(ctx, cfg).parse(patterns, func(src *load.Package) string { return cmp.Or(src.Module, home) })
}

// parse returns at least one part, and a part for each different result of moduleOf.
func (p *parser) parse(patterns []string, moduleOf func(*load.Package) string) ([]Part, diag.List) {
	found := p.load(patterns)
	if !p.requireModules(found) {
		found = nil // everything else would be reported because of this
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
	var roots []string                       // directories of the modules that contain output
	imported := map[string][]*load.Package{} // by root: the packages of types that its output imports
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
	if something && p.cfg.Purpose == ToGenerate && !p.HasErrors() {
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

// manifests reads the kinds for which CustomResourceDefinitions are written. It reports whether there are any. Clients
// follow their names and scopes.
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

// load finds and reads the packages that match the patterns, without imported packages and without files that the run
// writes again.
func (p *parser) load(patterns []string) []*load.Package {
	found := p.Find(patterns)
	if p.cfg.Found != nil && len(found) > 0 {
		p.cfg.Found(len(found))
	}
	p.Read(found)
	named := p.Named(patterns)
	found = slices.DeleteFunc(slices.Clone(found), func(src *load.Package) bool { // another run or output generates code for these
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

// soften turns warnings about packages of other modules into notes, because users cannot edit these packages.
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

// mistakef calls markers.Mode.Mistake.
func (p *parser) mistakef(pos token.Position, then, format string, args ...any) *diag.Diagnostic {
	return p.mode().Mistake(&p.List, pos, then, format, args...)
}

// mode determines how mistakes in markers are treated.
func (p *parser) mode() markers.Mode { return markers.ModeOf(p.cfg.Policy) }

// part builds an API from some of the packages. Packages with output only in their own directory appear in
// api.Packages, but contribute no kinds.
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

// named reads the types and names everything, and repeats this until no names clash.
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
	imported []*load.Package // omitted packages; see Config.Imported
	*load.Loader
	cfg      Config
	plurals  resolve.Plurals
	packages map[*load.Package]*model.Package    // of the input
	copies   map[*load.Package][]*model.Declared // for model.Package
	beside   map[*load.Package]bool              // packages with output only in their own directory
	outlined *gotypes.Reader                     // see outline
	passed   []passedOver
	leftOut  []string  // for model.API
	clashes  diag.List // from Config.Settle

	served map[model.TypeRef]*resolve.Served // kinds for which the run writes CustomResourceDefinitions

	groupVersions map[string]bool // group/versions of the packages, as in --included-types-overrides
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

// outline returns the outline of all types. It is created again after DeepCopy files are hidden.
func (p *parser) outline() *gotypes.Reader {
	if p.outlined == nil {
		p.outlined = p.newTypeReader().Outline()
	}
	return p.outlined
}

// fieldsOf returns the fields of a type, including promoted fields from any package.
func (p *parser) fieldsOf(src *load.Package, d load.Decl) gotypes.Fields {
	return p.outline().AllFieldsOf(src, d)
}

// passedOver is a package for which nothing is generated, and the reason.
type passedOver struct {
	src       *load.Package
	why       string
	candidate bool // it has types that may have been meant
}

func (p *parser) passOver(src *load.Package, candidate bool, format string, args ...any) *unit {
	p.passed = append(p.passed, passedOver{src, fmt.Sprintf(format, args...), candidate})
	return nil
}

// reportNothing reports that no kind was found, with the reason for each package.
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

// notePassed notes packages that were named explicitly, but for which nothing is generated. Packages that are only
// matched by a pattern such as ./... are not noted, because they need not be part of the API.
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
			d.Suggest("omit %s if the kinds of other packages use its structs, which then have apply configurations", diag.Setting("classic"))
		}
	}
}
