package facts

import (
	"cmp"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Part is the part of the packages whose output goes into one module.
type Part struct {
	Root string // the module's directory; "" for the directory that Parts was given

	*Facts
	root     string          // the directory of the module with the output
	given    []*load.Package // all packages of the part
	packages []*load.Package // the ones with output that is not only in their own directory
	units    []*kinds.Package
	clientGo model.Dependency
}

// Together returns all packages as one part. diags are the diagnostics so far, which it returns with its own.
func (p *Facts) Together(diags diag.List) ([]*Part, diag.List) {
	return p.parts(func(*load.Package) string { return "" }, diags)
}

// ByModule returns one part for each main module. In a part, other main modules are ordinary dependencies. Packages
// outside all main modules belong to the part of the module in the directory home. Parts are ordered by directory. Like
// Together, it takes and returns diagnostics.
func (p *Facts) ByModule(home string, diags diag.List) ([]*Part, diag.List) {
	return p.parts(func(src *load.Package) string { return cmp.Or(src.Module, home) }, diags)
}

// parts returns at least one part, and a part for each different result of moduleOf.
func (p *Facts) parts(moduleOf func(*load.Package) string, diags diag.List) (parts []*Part, _ diag.List) {
	diags = reported(p.cfg.Reports, diags)
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
		for _, pkg := range p.units {
			if slices.Contains(part.packages, pkg.Source) {
				part.units = append(part.units, pkg)
			}
		}
		if p.cfg.Needs.Indexes {
			diags = append(diags, part.readIndexes(diags)...)
		}
		parts = append(parts, part)
	}
	return parts, diags
}

// Reader returns a reader of the part's structs.
func (p *Part) Reader() *Reader {
	r := &Reader{types: p.NewTypeReader(), byType: map[model.TypeRef]*model.Resource{}}
	for _, src := range p.packages {
		r.types.Packages[src] = p.models[src]
		r.packages = append(r.packages, p.models[src])
	}
	for _, pkg := range p.units {
		for k := range pkg.Readable() {
			r.kinds = append(r.kinds, k.Resource)
			r.byType[k.Resource.Type()] = k.Resource
		}
	}
	return r
}

// API names everything in the part. types are the structs that generators have read with Reader. served maps types to
// the kinds for which the run writes CustomResourceDefinitions, whose names and scopes clients follow.
func (p *Part) API(types model.Types, served map[model.TypeRef]*kinds.Served) (*model.API, diag.List) {
	api, diags := API(slices.Concat(p.units, p.sharedUnits(types.Own)), types, served, p.cfg.Policy)
	api.ClientGo, api.LeftOut, api.PackageNames = p.clientGo, p.leftOut, p.Names()
	for _, src := range p.given {
		api.Packages = append(api.Packages, p.models[src])
	}
	return api, reported(p.cfg.Reports, diags)
}

// Check reports mistakes about the whole: packages for which nothing is generated, requirements of generated code, and
// misspelled markers. apis are the APIs of parts. manifests reports whether the run writes CustomResourceDefinitions
// for some of the packages, and said are the diagnostics about these. harmless has the positions of misspelled markers,
// with true if the manifests would be the same without the mistake. Check returns diags, which has those of Read and of
// all parts, with its own, and sets the severity and advice for packages that users cannot edit.
func (p *Facts) Check(
	parts []*Part, apis []*model.API, manifests bool, said diag.List, harmless map[token.Position]bool, diags diag.List,
) diag.List {
	something := slices.ContainsFunc(apis, func(api *model.API) bool {
		return len(api.Groups) > 0 || slices.ContainsFunc(api.Packages, (*model.Package).HasFiles)
	})
	failed := diags.HasErrors()
	switch {
	case failed:
	case something:
		p.notePassed(apis, &diags)
	case !manifests:
		if len(p.all) > 0 && p.cfg.Needs.Kinds {
			p.reportNothing(&diags)
			p.unseen = p.patterns
		} else if p.cfg.Needs.Schemas {
			p.unseen = p.patterns
		}
		if !diags.HasErrors() {
			p.noteImported(&diags)
		}
	}
	if something && !diags.HasErrors() {
		for i, part := range parts {
			if len(apis[i].Groups) > 0 {
				p.reportMixed(part.root, &diags)
			}
		}
	}
	outline := p.NewTypeReader().Outline()
	if something && p.cfg.Purpose == ToGenerate && !diags.HasErrors() {
		diags = append(diags, p.reportObjects(outline)...)
		for i, part := range parts {
			if len(apis[i].Groups) > 0 {
				p.reportTypes(part.root, part.given, &diags)
				diags = append(diags, p.reportDependencies(part.root)...)
			}
		}
	}
	diags = slices.Concat(diags, said, p.Mistakes())
	p.harmless = harmless
	diags = append(diags, p.check(outline, true, diags)...)
	p.soften(&diags)
	p.reportGuesses(&diags)
	return diags
}

// readIndexes reads the indexes of the kinds with listers. It reports no marker that earlier diagnostics are about.
func (p *Part) readIndexes(earlier diag.List) (diags diag.List) {
	marked := indexLines(p.Loader, p.packages)
	if len(marked) == 0 {
		return diags
	}
	if p.cfg.Policy.NoIndexes {
		diags.Warnf(marked[0].Pos, "%s: the classic tools have no indexes: it has no effect", marked[0].Text).Suggest("remove it").
			Or("omit %s", diag.Setting("classic"))
		return diags
	}
	types := p.NewTypeReader()
	for _, src := range p.packages {
		types.Packages[src] = p.models[src]
	}
	var withLister []*kinds.Kind
	refused := false // for a kind that might have the marker
	for _, pkg := range p.units {
		for _, k := range pkg.Included {
			refused = refused || k.Resource == nil
			if k.Resource != nil && k.Resource.Listable() && !pkg.Types.Off(model.ListerSwitch) {
				withLister = append(withLister, k)
			}
		}
	}
	return setIndexes(p.Loader, types, withLister, marked, !refused, earlier)
}

// Reader implements model.Reader for some of the packages.
type Reader struct {
	types    *gotypes.Reader
	packages []*model.Package
	kinds    []*model.Resource
	byType   map[model.TypeRef]*model.Resource
}

// Packages returns the packages of the part, as model.Reader requires.
func (r *Reader) Packages() []*model.Package { return r.packages }

// Kinds returns the kinds in these packages.
func (r *Reader) Kinds() []*model.Resource { return r.kinds }

// Structs returns the structs that types contain, with the kinds that they belong to.
func (r *Reader) Structs(types ...model.TypeRef) []*model.StructType {
	found := r.types.Structs(types...)
	for _, s := range found {
		s.Resource = r.byType[s.TypeRef]
	}
	return found
}

// Mistakes returns errors about files that cannot be read or parsed, and about types that are infinite or too large.
func (r *Reader) Mistakes() diag.List { return append(r.types.Mistakes(), r.types.Refused()...) }

// Files returns the names of the Go files of packages, by import path.
func (r *Reader) Files(importPaths ...string) map[string][]string {
	p := r.types.Loader
	p.Preload(importPaths...)
	files := map[string][]string{}
	for _, importPath := range importPaths {
		if src := p.Known[importPath]; src != nil {
			for _, f := range src.Files {
				files[importPath] = append(files[importPath], filepath.Base(f.Name))
			}
		}
	}
	return files
}

// WhyMissing returns the reason why a package was not found, and the commands that make it available.
func (r *Reader) WhyMissing(importPath string) (why, commands string) {
	return r.types.WhyMissing(importPath)
}

// sharedUnits returns a unit for each package that has some of the structs but no kinds.
func (p *Part) sharedUnits(structs []*model.StructType) []*kinds.Package {
	reached := map[*model.Package]bool{}
	for _, s := range structs {
		reached[s.Package] = true
	}
	for _, pkg := range p.units {
		delete(reached, pkg.Types)
	}
	var shared []*kinds.Package
	for _, read := range p.checked {
		if !reached[read.Types] || !slices.Contains(p.packages, read.Source) {
			continue
		}
		pkg := &kinds.Package{Source: read.Source, Types: read.Types, Markers: read.Markers, Shared: true}
		_ = nameGroupVersion(p.Loader, pkg, p.cfg.Policy) // no API server has that group, and the names only become directories
		shared = append(shared, pkg)
	}
	return shared
}

// withEvidence adds the capabilities shown by the source of client-go to the dependency that determines the release. It
// returns found unchanged if the release is known or the source is missing.
func (p *Facts) withEvidence(found model.Dependency) model.Dependency {
	clientGo, unknown := p.Modules.Unknown(found)
	if !unknown {
		return found
	}
	const machineryPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"
	p.Preload(machineryPackage)
	dirs := map[string]string{}
	for module, importPath := range map[string]string{
		load.ClientGo: load.ClientGoPackage, "k8s.io/apimachinery": machineryPackage,
	} {
		src := p.Known[importPath]
		if src == nil {
			return found
		}
		root, ok := strings.CutSuffix(filepath.ToSlash(src.Dir()), strings.TrimPrefix(importPath, module))
		if !ok {
			return found
		}
		dirs[module] = filepath.FromSlash(root)
	}
	source := load.NewEvidence(dirs)
	clientGo.Shown, clientGo.Missing = source.Shown(), source.Missing()
	return clientGo
}
