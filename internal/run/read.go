package run

import (
	"context"
	"slices"
	"strings"

	definitions "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reading is what a run has read for a request.
type reading struct {
	*Request
	facts  *facts.Facts      // nil if no packages are read
	given  []*crd.Definition // CustomResourceDefinitions named by --crds
	about  diag.List         // about the packages
	others diag.List

	objects Objects   // in the manifests that the run writes; see derive
	said    diag.List // about these
}

// read reads the packages of a request. It returns the requests by markers in them. all are the requests of the run.
func (r *Run) read(ctx context.Context, o *Request, all []*Request) (*reading, []*Request) {
	read := &reading{Request: o}
	if o.removed {
		return read, nil
	}
	if r.Purpose != facts.ToList && len(o.Plan.Targets) > 0 {
		go render.ParseTemplates() // takes as long as reading a small API, and the go command takes longer
	}
	loading := o.Loading
	loading.Sources = r.Sources
	if o.From == nil {
		loading.Suggest = r.Meant
	}
	l := load.NewLoader(ctx, loading)
	found, diags := l.Find(o.Types.Patterns())
	read.about = diags
	read.given, read.others = o.definitions(ctx, l.Modules)
	cfg := facts.Config{Output: o.written, Purpose: r.Purpose, Imported: importer.Mark}
	if definers := o.definers(); len(definers) > 0 {
		cfg.Own, cfg.Gates = true, definers[0].GateNames()
	}
	for _, other := range all {
		cfg.Defines = cfg.Defines || Configured[definitions.Generator](other) != nil
		names, statuses := other.existing()
		cfg.Definitions = slices.Concat(cfg.Definitions, names, other.Types.Definitions)
		cfg.Statuses = append(cfg.Statuses, statuses...)
		if of := other.written; other.Plan != o.Plan && (len(of.Files) > 0 || of.ModelNames != nil) {
			cfg.Others = append(cfg.Others, other.provides())
		}
	}
	for _, d := range read.given[len(o.crds):] {
		cfg.Definitions, cfg.Statuses = append(cfg.Definitions, d.Name()), append(cfg.Statuses, d.Statuses()...)
	}
	if from := o.Plan.Import; from != nil {
		cfg.Import = &facts.Import{
			Path: from.Path, Kinds: o.Plan.Flags.Import.Kinds, Versions: o.Plan.Flags.Import.Versions,
			Defined: o.Types.Defined, Fields: o.Types.Fields, Served: crd.ServedBy(read.given),
		}
	}
	read.facts, read.about = facts.Read(l, found, o.Types.Patterns(), cfg, read.about)
	marked, said := r.byMarkers(o, read.facts)
	read.others = append(read.others, said...)
	return read, marked
}

// definitions returns the CustomResourceDefinitions named by --crds: in a directory, or in a module.
func (o *Request) definitions(ctx context.Context, modules *load.Modules) ([]*crd.Definition, diag.List) {
	if o.module == "" {
		return o.crds, nil
	}
	found, diags := readModule(ctx, modules, strings.TrimSuffix(o.module, "/..."))
	return slices.Concat(o.crds, found), diags
}

// existing returns the names of the CustomResourceDefinitions in manifests that flags name, and those of their versions
// that have a status subresource, as KIND.GROUP/VERSION.
func (o *Request) existing() (names, statuses []string) {
	for _, d := range o.crds {
		names, statuses = append(names, d.Name()), append(statuses, d.Statuses()...)
	}
	if patch := Configured[schemapatch.Generator](o); patch != nil {
		for _, t := range patch.Templates {
			names = append(names, t.Name())
			if d := t.Definition(); d != nil {
				statuses = append(statuses, d.Statuses()...)
			}
		}
	}
	return names, statuses
}

// provides returns what an output writes into packages of types.
func (o *Request) provides() products.Output {
	provided := o.written
	if o.Plan.CodeDir != "" { // the files are elsewhere
		provided.Reads = func(string) bool { return false }
		return provided
	}
	patterns := slices.Clone(o.Plan.Patterns)
	for _, pkg := range o.Types.Packages {
		patterns = append(patterns, pkg.Path)
	}
	matches := plan.Coverage(o.Plan.Environment, patterns, "")
	provided.Reads = func(importPath string) bool { return matches(importPath) && (o.Within == nil || o.Within(importPath)) }
	return provided
}
