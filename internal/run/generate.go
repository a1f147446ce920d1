package run

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/imports"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
	"github.com/kubegen/kubegen/internal/objects"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// Prepare generates all outputs in memory. Outputs that write manifests or into packages of types come first, because
// the others depend on these manifests and packages.
func (r *Run) Prepare(ctx context.Context, outputs []*Output) (diags diag.List, err error) {
	said, errs := map[*Output]diag.List{}, map[*Output]error{}
	for _, o := range outputs { // before any package is searched for
		o.disk, o.Types, o.Objects = &r.disk, imports.New(o.Plan), &objects.Objects{}
		said[o] = r.importTypes(ctx, o)
		r.definitions = append(r.definitions, o.Definitions()...)
	}
	prepare := func(o *Output) {
		if said[o].HasErrors() {
			return
		}
		of := said[o]
		said[o], errs[o] = r.prepareOutput(ctx, o)
		said[o] = append(of, o.Types.Place(said[o])...)
	}
	var first, others []*Output
	inOrder := slices.Clone(outputs)
	slices.SortStableFunc(inOrder, func(a, b *Output) int { return ordinal(a) - ordinal(b) })
	r.withManifests = slices.DeleteFunc(slices.Clone(outputs), func(o *Output) bool { return o.CRDs == nil })
	for _, o := range inOrder {
		beside := func(t plan.Target) bool { return t.Dir == "" }
		if len(outputs) > 1 && (o.CRDs != nil || slices.ContainsFunc(o.Targets, beside)) {
			first = append(first, o)
		} else {
			others = append(others, o)
		}
	}
	for range len(first) { // they may read each other's files
		changed := false
		for _, o := range first {
			prepare(o)
			changed = o.show() || changed
		}
		if !changed {
			break
		}
	}
	for i, o := range others {
		o.last = i == len(others)-1
		prepare(o)
	}
	var all []error
	for _, o := range outputs {
		o.Place(said[o])
		diags = append(diags, said[o]...)
		all = append(all, errs[o])
	}
	if outputs[0].From != nil && !diags.HasErrors() {
		warnUnused(outputs, &diags)
		reportTwice(outputs, &diags)
	}
	outputs[0].Sources.Forget(r.keepsPositions())
	return diags, errors.Join(all...)
}

// importTypes makes the packages of types that an output imports.
func (r *Run) importTypes(ctx context.Context, o *Output) (diags diag.List) {
	if o.Import == nil {
		return nil
	}
	if len(o.Import.Copies) > 0 {
		r.Progress.Phase("copying types", 0)
		diags = o.Types.Copy(ctx, &r.disk, r.Offline)
		r.Progress.Ended("copied")
	}
	if diags.HasErrors() || ctx.Err() != nil {
		return diags
	}
	r.Progress.Phase("importing types", 0)
	diags = append(diags, o.Types.Write(ctx, o.Sources)...)
	r.Progress.Ended("imported")
	return diags
}

// ordinal orders outputs that write manifests before others, because clients depend on the manifests of all outputs.
func ordinal(o *Output) int {
	if o.CRDs != nil {
		return 0
	}
	return 1
}

// show lets later outputs read the files that this one will write into packages of types. It reports whether any of
// them is new to the loader.
func (o *Output) show() (changed bool) {
	flat := slices.DeleteFunc(slices.Clone(o.Trees), func(tree output.Tree) bool { return !tree.Flat })
	changes, _ := output.Plan(flat...) // errors are reported when everything is compared
	for _, change := range changes {
		if filepath.Ext(change.Path) == ".go" { // not a manifest
			changed = o.Sources.Change(change.Path, change.New.Bytes()) || changed
		}
	}
	return changed
}

// prepareOutput reads one output and, unless r.Purpose is facts.ToList, generates it. It returns all diagnostics.
func (r *Run) prepareOutput(ctx context.Context, o *Output) (diags diag.List, err error) {
	if o.removed {
		o.Jobs = []Job{{Targets: o.Targets, API: &model.API{}}}
		if r.Purpose != facts.ToList {
			o.Trees, err = r.generate(o, &diags)
		}
		return diags, err
	}
	r.Progress.Phase("finding packages", 0)
	if r.Purpose != facts.ToList {
		go render.ParseTemplates() // takes as long as reading a small API, and the go command takes longer
	}
	o.Jobs, diags = r.read(ctx, o)
	if o.last {
		o.Sources.Forget(r.keepsPositions())
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	r.Progress.Ended("parsed")
	if diags.HasErrors() {
		for _, j := range o.Jobs {
			for _, t := range j.Targets {
				diags = append(diags, render.Check(t.Generator, j.API, &t.Options)...)
			}
		}
		return diags, nil
	}
	o.narrow(r.Purpose == facts.ToList, &diags)
	o.leaveOut(&diags)
	o.reportNothing(&diags)
	if !diags.HasErrors() && o.From == nil {
		warnUnused([]*Output{o}, &diags)
	}
	for _, j := range o.Jobs {
		diags = append(diags, o.compare(j.API)...)
		CheckDirectories(j.Targets, j.API, o.Import != nil, &diags)
	}
	if said := (diag.List{}); !diags.HasErrors() && o.Facts.Needs.Kinds { // files in packages of types do not depend on client-go
		for i, j := range o.Jobs {
			o.Jobs[i].Release = o.Choose(j.API.ClientGo, &said)
		}
		for _, d := range said {
			if d.Severity == diag.Error && r.Purpose == facts.ToList { // a release that is too old does not prevent a listing
				d.Severity = diag.Warning
			}
		}
		diags = append(diags, said...)
	}
	if !diags.HasErrors() && r.Purpose != facts.ToList {
		o.Trees, err = r.generate(o, &diags)
		r.Progress.Ended("generated")
	}
	return diags, err
}

// keepsPositions reports whether later steps need positions in source files: those of schemas, for breaking changes.
func (r *Run) keepsPositions() bool { return len(r.withManifests) > 0 }

// read reads the packages, and names everything. It returns one job for all packages, or one for each module if the
// output goes into the modules.
func (r *Run) read(ctx context.Context, o *Output) (jobs []Job, diags diag.List) {
	loading, cfg := o.Loading, o.Facts
	loading.Sources = o.Sources
	if o.From == nil {
		loading.Suggest = r.Meant
	}
	served := r.served(o)
	cfg.Purpose, cfg.Manifests = r.Purpose, o.CRDs != nil || len(served) > 0

	l := load.NewLoader(ctx, loading)
	found := l.Find(o.Types.Patterns())
	said := o.readModule(ctx, l)
	cfg.Import, cfg.Definitions = o.served(cfg.Import), slices.Clone(r.definitions)
	for _, d := range o.ofModule {
		cfg.Definitions = append(cfg.Definitions, d.Name())
	}
	if len(found) > 0 {
		r.Progress.Phase("reading "+diag.Count(len(found), "package"), 0)
	}
	f := facts.Read(l, found, o.Types.Patterns(), cfg)
	var ofObjects diag.List
	o.Objects, ofObjects = o.derive(f)
	own := o.Objects.Served()
	maps.Copy(served, own)

	parts := f.Together()
	if o.PerModule {
		parts = f.ByModule(o.Home)
	}
	var apis []*model.API
	var switched diag.List
	for _, part := range parts {
		apis = append(apis, o.name(part, served, &switched))
	}
	diags = slices.Concat(said, f.Check(parts, apis, len(own) > 0, ofObjects), switched)
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

// derive derives the objects of the output from facts, unless these have errors.
func (o *Output) derive(f *facts.Facts) (*objects.Objects, diag.List) {
	if f.HasErrors() {
		return &objects.Objects{}, nil
	}
	found, diags := objects.Derive(objects.Request{Plan: o.Plan, Within: o.Within, Once: o.From != nil && o.Given["gates"]}, f)
	o.reportMissing("the manifests of a group need all its packages", found.Missing, &diags)
	return found, diags
}

// served returns the kinds for which other outputs write manifests, as far as these outputs are prepared.
func (r *Run) served(by *Output) map[model.TypeRef]*naming.Served {
	all := map[model.TypeRef]*naming.Served{}
	for _, o := range r.withManifests {
		if o != by {
			maps.Copy(all, o.Objects.Served())
		}
	}
	return all
}

// name names everything in a part, with the structs that generators need. Where names clash, it switches a generator
// off for a package, with a warning, and names everything again.
func (o *Output) name(part *facts.Part, served map[model.TypeRef]*naming.Served, switched *diag.List) *model.API {
	for {
		structs, said := o.ReadStructs(part.Reader())
		part.List = append(part.List, said...)
		api := part.API(structs, served)
		if part.HasErrors() || !o.SwitchOff(api, switched) {
			return api
		}
	}
}

// leaveOut switches off informers without clients or listers, if the command generates all three.
func (o *Output) leaveOut(diags *diag.List) {
	for _, j := range o.Jobs {
		if o.Consistent && slices.ContainsFunc(j.Targets, func(t plan.Target) bool { return t.Info().Switch == model.InformerSwitch }) {
			LeaveOutInformers(j.API, diags)
		}
	}
}

// generate renders all files. It runs all generators concurrently, because a single one leaves processors idle at its
// end.
func (r *Run) generate(o *Output, diags *diag.List) ([]output.Tree, error) {
	type rendering struct {
		target plan.Target
		render func(*diag.List) ([]output.Tree, error)
		trees  []output.Tree
		diags  diag.List
		err    error
	}
	trees, removed, err := o.Types.Trees(o.disk)
	if err != nil {
		return nil, err
	}
	var all []*rendering
	for _, j := range o.Jobs {
		covered := o.Covers(j.within)
		for _, t := range j.Targets {
			t.Options.Client = j.Release.Client
			all = append(all, &rendering{target: t, render: func(diags *diag.List) ([]output.Tree, error) {
				if g, ok := t.Generator.(render.PackageGenerator); ok {
					defer forget(g, j.API)
					return o.beside(t, g, j.API, removed, diags)
				}
				return o.tree(t, j.API, covered, diags)
			}})
		}
	}
	r.Progress.Phase("generating", len(all))
	inOrder := slices.Clone(all)
	slices.SortStableFunc(inOrder, func(a, b *rendering) int { return cmp.Compare(rank(a.target), rank(b.target)) })
	parallel.Each(inOrder, func(one *rendering) {
		one.trees, one.err = one.render(&one.diags)
		r.Progress.Step(1)
	})
	manifests, err := o.Objects.Trees(o.disk, o.KeepStale)
	trees = append(trees, manifests...)
	errs := []error{err, o.reportOthers(diags)}
	for _, one := range all {
		*diags = append(*diags, one.diags...)
		errs = append(errs, one.err)
		trees = append(trees, one.trees...)
	}
	o.reportAmongTypes(trees, diags)
	return trees, errors.Join(errs...)
}

// rank orders generators whose facts are not needed afterwards before others.
func rank(t plan.Target) int {
	if t.Info().Provides.DeepCopy {
		return 0
	}
	return 1
}

// forget frees the memory of facts that only one generator needs, after it has rendered its files.
func forget(g render.Generator, api *model.API) {
	if g.Info().Provides.DeepCopy {
		for _, pkg := range api.Packages {
			pkg.Copies = nil
		}
	}
}
