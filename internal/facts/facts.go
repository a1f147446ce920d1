// Package facts reads facts from Go packages of Kubernetes API types: groups, versions, kinds and their markers. It
// only uses syntax, without type checking or loading dependencies, and therefore also reads types that do not compile
// yet. With API, it combines them into a model.API with all names. It generates nothing.
package facts

import (
	"go/token"
	"os"
	"slices"
	"sync"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Purpose is what packages are read for.
type Purpose int

const (
	ToGenerate Purpose = iota
	ToCompare          // generated code is compared with a git revision: what it requires to compile is not reported
	ToList             // kinds are listed: list types and AddToScheme functions are optional as well
)

// Config determines which facts are read, by the plan of the output.
type Config struct {
	products.Output                   // what the run writes into packages of types
	Others          []products.Output // what other outputs of the run write there
	Purpose         Purpose
	Imported        string // the mark of packages imported from manifests, which are omitted unless named explicitly; "" for none
	kinds.Manifests
	Import *Import // nil if the run imports nothing
}

// Loading returns the configuration for loading packages. Without variables, the environment is the one of the process.
// companions are set if field types are needed.
func (c Config) Loading(companions model.Companions) load.Config {
	env := c.Environment
	if env.Vars == nil {
		env.Vars = os.Environ()
	}
	typed := []string{"TypeMeta"}
	if c.Needs.Schemas {
		typed = append(typed, "ObjectMeta")
	}
	return load.Config{
		Env: env, Marker: markers.Genclient, Typed: typed, Parsed: append(markers.Texts(^0), "\n// +k8s:"), Companions: companions,
		Likely: c.likely(companions),
	}
}

// apiMachinery are the packages with types of many fields, apart from metav1.
var apiMachinery = []string{
	"k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/types",
	"k8s.io/apimachinery/pkg/util/intstr",
}

// likely returns packages that an API probably imports: the package of the Scale type and, if the types of fields are
// read, the packages of common field types.
func (c Config) likely(companions model.Companions) (found []string) {
	if c.readsTypes() {
		found = append(slices.Clone(apiMachinery), model.MetaV1)
	}
	if !c.Needs.Kinds {
		return found
	}
	found = append(found, "k8s.io/api/autoscaling/v1")
	if c.Needs.Types {
		found = append(found, "k8s.io/api/core/v1", companions.Of("k8s.io/api/core/v1"))
	}
	return append(found, load.ClientGoPackage) // its version is always needed
}

// readsTypes reports whether the types of fields are read.
func (c Config) readsTypes() bool {
	return c.Needs.Types || c.Needs.Schemas || c.Output.ReadsTypes()
}

// Facts are the facts about the packages that match the patterns of a run.
type Facts struct {
	*load.Loader
	cfg        Config
	patterns   []string
	all        []*load.Package                  // packages that match the patterns, except for imported ones
	found      []*load.Package                  // the packages among them with facts
	packages   []*kinds.Package                 // the ones in all
	described  []*kinds.Package                 // see Objects
	types      *gotypes.Reader                  // of their Objects
	named      []*kinds.Package                 // packages with group and version
	units      []*kinds.Package                 // the ones among these for which something is generated
	models     map[*load.Package]*model.Package // of the input
	products   *products.Reading
	clientless map[*load.Package]bool // by plan.Plan.VersionDirs
	excluded   map[*load.Package]bool // of these, packages whose structs have no apply configurations either
	imported   []*load.Package        // omitted packages; see Config.Imported
	checked    []*kinds.Package       // facts for checks, of the packages in found
	unseen     []string               // the patterns if nothing is found in these, otherwise nil
	passed     []passedOver
	leftOut    []string                            // for model.API
	harmless   map[token.Position]bool             // see Check
	inFiles    map[markers.Effect]*markers.InFiles // see FileMarkers

	registersObjects func() map[string]bool // see products.RegistersObjects
}

// Read reads the facts about the packages that a loader has found for patterns. It returns diags, which has those of
// the loader, with all mistakes and doubts about the input. If they contain errors, nothing should be generated.
func Read(l *load.Loader, found []*load.Package, patterns []string, cfg Config, diags diag.List) (*Facts, diag.List) {
	p := &Facts{
		Loader: l, cfg: cfg, patterns: patterns,
		models:     map[*load.Package]*model.Package{},
		clientless: map[*load.Package]bool{}, excluded: map[*load.Package]bool{},
		inFiles: map[markers.Effect]*markers.InFiles{},
	}
	p.registersObjects = sync.OnceValue(func() map[string]bool { return products.RegistersObjects(l, p.all) })
	// A new outline is needed for each package, whose types would otherwise remain in memory.
	newOutline := func() *gotypes.Reader { return gotypes.NewReader(l, cfg.Policy).Outline() }
	marked := &packageMarkers{l.Fset, cfg.Policy, map[*load.Package][]model.Marker{}, map[*load.Package]diag.List{}}
	p.products = products.NewReading(l, &cfg.Output, cfg.Others, marked.of)
	if cfg.Import != nil {
		markImports(found, cfg.Import, p.outputRoot(), &diags)
	}
	l.Read(found, p.products.Hidden)
	p.all, p.imported = withoutImported(l, found, patterns, cfg.Imported)
	diags = append(diags, l.Mistakes()...)
	if cfg.Purpose != ToList && cfg.readsTypes() {
		if missing := requireModules(l, p.all, cfg.Needs.Scheme); len(missing) > 0 {
			p.all, diags = nil, append(diags, missing...) // everything else would be reported because of this
		}
	}
	if len(p.all) == 0 && len(patterns) > 0 && !diags.HasErrors() {
		diags = append(diags, p.reportNoPackages()...)
	}
	p.found = p.all
	if cfg.VersionDirs() {
		diags = append(diags, p.withinVersions(newOutline(), len(cfg.Files) > 0)...)
	}
	for _, src := range l.Input {
		p.models[src] = &model.Package{
			Path: src.Path, Name: src.Name, Pos: l.PackagePos(src), Hides: l.Hides(src), Dir: src.Dir(), Foreign: src.Foreign,
		}
	}
	diags = append(diags, p.products.Read(p.models)...)
	if cfg.Import == nil {
		diags = append(diags, p.products.NotRead()...)
	}
	for _, src := range p.all {
		pkg := newPackage(newOutline(), src)
		pkg.Types, pkg.Markers, pkg.Converted = p.models[src], marked.of(src), p.products.Writes(products.Conversions, src)
		p.packages = append(p.packages, pkg)
	}
	p.checked = slices.DeleteFunc(slices.Clone(p.packages), func(pkg *kinds.Package) bool { return !slices.Contains(p.found, pkg.Source) })
	for _, pkg := range p.checked {
		ok, mistakes := p.readPackage(pkg, newOutline())
		if diags = slices.Concat(diags, marked.mistakes[pkg.Source], mistakes); ok {
			p.units = append(p.units, pkg)
		}
	}
	diags = append(diags, p.check(newOutline(), false, diags)...)
	p.reportUnusedIncludes(&diags)
	if cfg.Import != nil {
		p.reportAliases(&diags)
	}
	if cfg.Import != nil && cfg.Needs.Kinds && !diags.HasErrors() { // no kinds are read for --types-only
		cfg.Import.reportUnknown(p.named, &diags)
	}
	if cfg.Needs.Scheme && cfg.Purpose != ToList {
		products.RequireInstall(l, p.units, &diags)
	}
	diags = append(diags, p.checkMethodTypes(newOutline())...)
	diags = append(diags, l.Mistakes()...) // of packages that were read on the way
	if cfg.Needs.Schemas && !diags.HasErrors() {
		p.describe(&diags)
	}
	return p, diags
}

// Sources returns the packages that match the patterns, except for imported ones.
func (p *Facts) Sources() []*load.Package { return p.all }

// NewTypeReader returns a reader of Go types.
func (p *Facts) NewTypeReader() *gotypes.Reader {
	types := gotypes.NewReader(p.Loader, p.cfg.Policy)
	types.ModelNames = p.products.ModelNames(types)
	return types
}

// withoutImported returns the packages without the ones that are imported from manifests, which have a mark, and these.
// Another run or output generates code for them, unless the patterns name them.
func withoutImported(l *load.Loader, found []*load.Package, patterns []string, mark string) (all, imported []*load.Package) {
	named := l.Named(patterns)
	for _, src := range found {
		hasMark := func(f *load.File) bool { return gofile.HasMark(f.Text, mark) }
		if mark != "" && !named(src.Path, src.Dir()) && slices.ContainsFunc(src.Files, hasMark) {
			imported = append(imported, src)
		} else {
			all = append(all, src)
		}
	}
	return all, imported
}

// packageMarkers reads the markers of packages, each once.
type packageMarkers struct {
	fset     *token.FileSet
	policy   model.Policy
	found    map[*load.Package][]model.Marker
	mistakes map[*load.Package]diag.List // in these
}

// of returns the markers of a package.
func (m *packageMarkers) of(src *load.Package) []model.Marker {
	found, ok := m.found[src]
	if !ok {
		found, m.mistakes[src] = gotypes.PackageMarkers(m.fset, src, m.policy)
		m.found[src] = found
	}
	return found
}
