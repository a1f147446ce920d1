package run

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/importer"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/objects"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// read reads an output: it sets Objects, Jobs and marked. Sources may forget what they have read for the last output.
func (r *Run) read(ctx context.Context, o *Output, last bool) (diags diag.List) {
	o.Jobs, diags = r.readJobs(ctx, o)
	if last && len(o.marked) == 0 {
		o.Sources.Forget(r.keepsPositions())
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case !diags.HasErrors():
		return append(diags, o.settle(r.Purpose)...)
	}
	for _, j := range o.Jobs {
		for _, t := range j.Targets {
			diags = append(diags, render.Check(t.Generator, j.API, &t.Options)...)
		}
	}
	return diags
}

// readJobs reads the packages of an output, derives its objects, and names everything. It returns one job for all
// packages, or one for each module if the output goes into the modules.
func (r *Run) readJobs(ctx context.Context, o *Output) (jobs []Job, diags diag.List) {
	r.Progress.Phase("finding packages", 0)
	if r.Purpose != facts.ToList {
		go render.ParseTemplates() // takes as long as reading a small API, and the go command takes longer
	}
	f, reported, diags := r.readFacts(ctx, o)
	var said, ofMarkers diag.List
	o.marked, ofMarkers = r.byMarkers(o, f)
	if !reported.HasErrors() {
		o.Objects, said = o.derive(f)
	} else {
		o.Objects = objects.Objects{}
	}
	served := r.served(o)
	var parts []*facts.Part
	if o.PerModule {
		parts = f.ByModule(o.Home, &reported)
	} else {
		parts = f.Together(&reported)
	}
	var apis []*model.API
	var switched diag.List
	for _, part := range parts {
		apis = append(apis, o.name(part, served, &reported, &switched))
	}
	f.Check(parts, apis, o.definesKinds(), said, o.Objects.Harmless, &reported)
	diags = slices.Concat(diags, ofMarkers, reported, switched)
	for i, part := range parts { // for a module without kinds, files of former kinds are removed
		j := Job{Targets: o.Targets, API: apis[i]}
		if o.PerModule {
			if part.Root == "" && diags.HasErrors() {
				continue // no package was found
			}
			targets, said := o.In(plan.DefaultOutput(part.Root))
			diags = append(diags, said...)
			if j.Targets = targets; len(parts) > 1 {
				j.within = part.Root
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, diags
}

// readFacts reads the facts about the packages of an output. It returns the diagnostics about the packages, and others.
func (r *Run) readFacts(ctx context.Context, o *Output) (f *facts.Facts, reported, others diag.List) {
	loading, cfg := o.Loading, o.Facts
	loading.Sources = o.Sources
	if o.From == nil {
		loading.Suggest = r.Meant
	}
	l := load.NewLoader(ctx, loading)
	found, reported := l.Find(o.Types.Patterns())
	others = o.readCRDs(ctx, l.Modules)
	if len(found) > 0 {
		r.Progress.Phase("reading "+diag.Count(len(found), "package"), 0)
	}
	cfg.Purpose, cfg.Defines = r.Purpose, o.CRDs != nil || slices.ContainsFunc(r.outputs, (*Output).definesKinds)
	for _, other := range r.outputs {
		cfg.Definitions = slices.Concat(cfg.Definitions, other.Definitions(), other.Types.Definitions)
	}
	for _, d := range o.ofModule {
		cfg.Definitions = append(cfg.Definitions, d.Name())
	}
	cfg.Imported = importer.Mark
	if cfg.Import != nil {
		from := *cfg.Import
		from.Defined, from.Served, cfg.Import = o.Types.Defined, crd.ServedBy(o.given()), &from
	}
	f = facts.Read(l, found, o.Types.Patterns(), cfg, &reported)
	return f, reported, others
}

// given returns the CustomResourceDefinitions named by --crds.
func (o *Output) given() []*crd.Definition { return slices.Concat(o.Manifests, o.ofModule) }

// readCRDs reads the CustomResourceDefinitions of the module named by --crds, once.
func (o *Output) readCRDs(ctx context.Context, modules *gomod.Modules) (diags diag.List) {
	if o.Module != "" && o.ofModule == nil {
		o.ofModule, diags = readModule(ctx, modules, strings.TrimSuffix(o.Module, "/..."))
	}
	return diags
}

// HasOwnGates reports whether the feature gates are for this run only, so that other sets remain.
func (o *Output) HasOwnGates() bool { return o.From != nil && o.Given["gates"] }

// derive derives the objects of an output from facts without errors.
func (o *Output) derive(f *facts.Facts) (objects.Objects, diag.List) {
	found, diags := objects.Derive(objects.Request{Plan: o.Plan, Within: o.Within, Once: o.HasOwnGates()}, f)
	o.reportMissing("the manifests of a group need all its packages", found.Missing, &diags)
	return found, diags
}

// definesKinds reports whether the output writes CustomResourceDefinitions, as far as it is prepared.
func (o *Output) definesKinds() bool {
	return slices.ContainsFunc(o.Objects.Definitions, func(m crd.Manifests) bool { return len(m.Files) > 0 })
}

// served returns how the CustomResourceDefinitions of all outputs serve kinds, as far as these outputs are prepared. Of
// several for a type, the ones of the output itself count first, and in each output the ones of the first set.
func (r *Run) served(by *Output) map[model.TypeRef]*kinds.Served {
	all := map[model.TypeRef]*kinds.Served{}
	others := slices.DeleteFunc(slices.Clone(r.outputs), func(o *Output) bool { return o == by })
	for _, o := range append(others, by) {
		for _, m := range slices.Backward(o.Objects.Definitions) {
			maps.Copy(all, m.Served())
		}
	}
	return all
}

// name names everything in a part, with the structs that generators need. Where names clash, it switches a generator
// off for a package, with a warning, and names everything again. Only the last diagnostics about names are reported.
func (o *Output) name(part *facts.Part, served map[model.TypeRef]*kinds.Served, reported, switched *diag.List) *model.API {
	for {
		reader := part.Reader()
		structs, ofStructs := o.ReadStructs(reader)
		api, ofNames := part.API(structs, served)
		diags := slices.Concat(*reported, ofStructs, reader.Mistakes(), ofNames)
		if diags.HasErrors() || !o.SwitchOff(api, switched) {
			*reported = diags
			return api
		}
	}
}
