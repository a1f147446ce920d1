package facts

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
)

// Part is the part of the packages whose output goes into one module.
type Part struct {
	Root string // the module's directory; "" for the directory that Parts was given

	*Facts
	root     string          // the directory of the module with the output
	given    []*load.Package // all packages of the part
	packages []*load.Package // the ones with output that is not only in their own directory
	units    []*unit
	clientGo model.Dependency
	before   diag.List // diagnostics before the first Reader
	naming   bool      // before is set
}

// Together returns all packages as one part.
func (p *Facts) Together() []*Part {
	return p.parts(func(*load.Package) string { return "" })
}

// ByModule returns one part for each main module. In a part, other main modules are ordinary dependencies. Packages
// outside all main modules belong to the part of the module in the directory home. Parts are ordered by directory.
func (p *Facts) ByModule(home string) []*Part {
	return p.parts(func(src *load.Package) string { return cmp.Or(src.Module, home) })
}

// parts returns at least one part, and a part for each different result of moduleOf.
func (p *Facts) parts(moduleOf func(*load.Package) string) (parts []*Part) {
	p.cfg.Reports.of(&p.List)
	byModule := map[string][]*load.Package{}
	for _, src := range p.found {
		byModule[moduleOf(src)] = append(byModule[moduleOf(src)], src)
	}
	if len(p.found) == 0 {
		byModule[""] = nil
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		part := &Part{Root: module, Facts: p, root: cmp.Or(module, p.outputRoot()), given: byModule[module]}
		if p.cfg.Needs.Kinds && len(p.found) > 0 {
			part.clientGo = p.withEvidence(p.Modules.Release(part.root))
		}
		part.packages = slices.DeleteFunc(slices.Clone(part.given), func(src *load.Package) bool { return p.excluded[src] })
		for _, u := range p.units {
			if slices.Contains(part.packages, u.src) {
				part.units = append(part.units, u)
			}
		}
		if p.cfg.Needs.Indexes {
			part.readIndexes()
		}
		parts = append(parts, part)
	}
	return parts
}

// Reader returns a reader of the part's structs. It discards the diagnostics of an earlier Reader of the part.
func (p *Part) Reader() model.Reader {
	if p.naming {
		p.List = slices.Clone(p.before)
	} else {
		p.before, p.naming = slices.Clone(p.List), true
	}
	return p.newReader()
}

// API names everything in the part. types are the structs that generators have read with Reader. served maps types to
// the kinds for which the run writes CustomResourceDefinitions, whose names and scopes clients follow.
func (p *Part) API(types model.Types, served map[model.TypeRef]*naming.Served) *model.API {
	var facts []*naming.Package
	for _, u := range slices.Concat(p.units, p.sharedUnits(types.Own)) {
		facts = append(facts, u.facts())
	}
	var said diag.List
	api := naming.API(facts, types, served, p.cfg.Policy, &said)
	p.cfg.Reports.of(&said)
	p.List = append(p.List, said...)
	api.ClientGo, api.LeftOut, api.PackageNames = p.clientGo, p.leftOut, p.Names()
	for _, src := range p.given {
		api.Packages = append(api.Packages, p.Facts.packages[src])
	}
	return api
}

// Check reports mistakes about the whole: packages for which nothing is generated, requirements of generated code, and
// misspelled markers. apis are the APIs of parts. manifests reports whether the run writes CustomResourceDefinitions
// for some of the packages, and said are the diagnostics about these. Check returns all diagnostics.
func (p *Facts) Check(parts []*Part, apis []*model.API, manifests bool, said diag.List) diag.List {
	something := slices.ContainsFunc(apis, func(api *model.API) bool {
		return len(api.Groups) > 0 ||
			slices.ContainsFunc(api.Packages, func(pkg *model.Package) bool { return pkg.Registration != nil || len(pkg.Copies) > 0 })
	})
	failed := p.HasErrors()
	switch {
	case failed:
	case something:
		p.notePassed(apis)
	case !manifests:
		if len(p.all) > 0 && p.cfg.Needs.Kinds {
			p.reportNothing()
			p.unseen = p.patterns
		}
		if !p.HasErrors() {
			p.noteImported()
		}
	}
	p.noteAside()
	if something && p.cfg.Purpose == ToGenerate && !p.HasErrors() {
		p.reportObjects()
		for i, part := range parts {
			if len(apis[i].Groups) > 0 {
				p.reportTypes(part.root, part.given)
				p.reportDependencies(part.root)
			}
		}
	}
	p.List = append(p.List, said...)
	p.check(true)
	p.soften()
	p.reportGuesses()
	return p.List
}

// notePassed notes packages that were named explicitly, but for which nothing is generated. Packages that are only
// matched by a pattern such as ./... are not noted, because they need not be part of the API.
func (p *Facts) notePassed(apis []*model.API) {
	used := map[string]bool{}
	for _, api := range apis {
		for _, pkg := range api.Packages {
			if pkg != nil && (pkg.Registration != nil || len(pkg.Copies) > 0) {
				used[pkg.Path] = true
			}
		}
		for v := range api.Versions() {
			for _, pkg := range v.Packages {
				used[pkg.Path] = true
			}
			for _, s := range v.Structs {
				used[s.Package.Path] = true
			}
		}
	}
	named := p.Named(p.patterns)
	for _, passed := range p.passed {
		if used[passed.src.Path] || !named(passed.src.Path, passed.src.Dir()) {
			continue
		}
		pos := p.PackagePos(passed.src)
		if p.imports(passed.src) {
			pos = token.Position{}
		}
		d := p.Notef(pos, "nothing is generated for package %s: %s", passed.src.Path, passed.why)
		if p.cfg.VersionDirs && p.cfg.Needs.FieldTypes {
			d.Suggest("omit %s if the kinds of other packages use its structs, which then have apply configurations", diag.Setting("classic"))
		}
	}
}
