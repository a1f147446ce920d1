package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/parser"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// task is an output of a run: that of the command line, or one of kubegen.yaml. prepareAll sets the results.
type task struct {
	*plan.Plan
	flags   plan.Flags
	from    *config.Output  // nil for the command line
	given   map[string]bool // the flags on the command line, where they override the file
	sources *load.Sources   // of all outputs
	last    bool            // no other output is parsed after it

	clashes []render.Clash // packages that go without a family, each once
	jobs    []job
	trees   []output.Tree
}

// target is one family and where its output goes.
type target struct{ plan.Target }

// job is the work for one output directory, or for one module.
type job struct {
	targets []target
	api     *model.API
	within  string      // directory of the module that the job is confined to; "" for none
	release plan.Choice // of client-go
}

// prepareAll generates all outputs in memory. One that writes into packages of types comes before the others, which read
// these packages as they will be.
func (r *run) prepareAll(ctx context.Context, tasks []*task) (diags diag.List, err error) {
	said, errs := map[*task]diag.List{}, map[*task]error{}
	prepare := func(t *task) { said[t], errs[t] = r.prepare(ctx, t) }
	var first, others []*task
	for _, t := range tasks {
		if len(tasks) > 1 && slices.ContainsFunc(t.Targets, func(family plan.Target) bool { return family.Package != nil }) {
			first = append(first, t)
		} else {
			others = append(others, t)
		}
	}
	for range len(first) { // they may read what another of them writes
		changed := false
		for _, t := range first {
			prepare(t)
			changed = t.show() || changed
		}
		if !changed {
			break
		}
	}
	for i, t := range others {
		t.last = i == len(others)-1
		prepare(t)
	}
	var all []error
	for _, t := range tasks {
		t.place(said[t])
		diags = append(diags, said[t]...)
		all = append(all, errs[t])
	}
	if tasks[0].from != nil && !diags.HasErrors() {
		warnUnused(tasks, &diags)
		reportTwice(tasks, &diags)
	}
	tasks[0].sources.Forget()
	return diags, errors.Join(all...)
}

// show makes later calls of the parser see the files that the output will have in packages of types, and reports whether
// that is a change for them.
func (t *task) show() (changed bool) {
	flat := slices.DeleteFunc(slices.Clone(t.trees), func(tree output.Tree) bool { return !tree.Flat })
	changes, _ := output.Plan(flat...) // errors are reported when everything is compared
	for _, change := range changes {
		changed = t.sources.Change(change.Path, change.New.Bytes()) || changed
	}
	return changed
}

// prepare generates one output. It starts again without the optional families of packages where these clash.
func (r *run) prepare(ctx context.Context, t *task) (diag.List, error) {
	for {
		clashes := len(t.clashes)
		diags, err := r.attempt(ctx, t)
		if ctx.Err() != nil || len(t.clashes) == clashes {
			return diags, err
		}
	}
}

// attempt parses and generates one output, or for a list only parses it, and returns all that is wrong or doubtful.
func (r *run) attempt(ctx context.Context, t *task) (diags diag.List, err error) {
	r.progress.phase("finding packages", 0)
	t.jobs, diags = r.parse(ctx, t)
	if t.last {
		t.sources.Forget()
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	r.timings.end("parsed")
	saveMemory()
	for _, clash := range t.clashes {
		clash.Warn(&diags)
	}
	if diags.HasErrors() {
		for _, j := range t.jobs {
			for _, family := range j.targets {
				diags = append(diags, family.Check(j.api, &family.Options)...)
			}
		}
		return diags, nil
	}
	t.leaveOut(&diags)
	t.reportNothing(&diags)
	if !diags.HasErrors() && t.from == nil {
		warnUnused([]*task{t}, &diags)
	}
	for _, j := range t.jobs {
		diags = append(diags, crd.Compare(j.api, t.Manifests)...)
		reportDirs(j.targets, j.api, &diags)
	}
	if said := (diag.List{}); !diags.HasErrors() && !t.Parser.Beside { // what is beside the types does not depend on client-go
		for i, j := range t.jobs {
			t.jobs[i].release = t.Choose(j.api.ClientGo, &said)
		}
		for _, d := range said {
			if d.Severity == diag.Error && r.listing != "" { // a release that is too old is no reason to list nothing
				d.Severity = diag.Warning
			}
		}
		diags = append(diags, said...)
	}
	switch {
	case diags.HasErrors():
	case r.listing != "":
		_, _ = r.generate(t, dispensable(t.jobs), &diag.List{}) // only to find clashes
	default:
		t.trees, err = r.generate(t, t.jobs, &diags)
		r.timings.end("generated")
	}
	return diags, err
}

// parse reads the packages. It returns one job for all of them, or one for each module if the output goes into the
// modules.
func (r *run) parse(ctx context.Context, t *task) ([]job, diag.List) {
	cfg := t.Parser
	cfg.Listing = r.listing != ""
	cfg.Preview = cfg.Listing || r.breaking
	cfg.Sources = t.sources
	if t.from == nil {
		cfg.Meant = r.tool.meant
	}
	cfg.SwitchedOff = map[string][]string{}
	for _, clash := range t.clashes {
		cfg.SwitchedOff[clash.Package.Path] = append(cfg.SwitchedOff[clash.Package.Path], clash.Family.Switch)
	}
	cfg.Found = func(packages int) { r.progress.phase(fmt.Sprintf("reading %d packages", packages), 0) }
	if !t.PerModule {
		api, diags := parser.Parse(ctx, cfg, t.Patterns...)
		return []job{{targets: targetsOf(t.Targets), api: api}}, diags
	}
	parts, diags := parser.ParseModules(ctx, cfg, t.Home, t.Patterns...)
	var jobs []job
	for _, part := range parts { // for one without kinds, files of former kinds are removed
		if part.Root == "" && diags.HasErrors() {
			continue // no package was found
		}
		targets, said := t.In(plan.DefaultOutput(part.Root))
		diags = append(diags, said...)
		j := job{targets: targetsOf(targets), api: part.API}
		if len(parts) > 1 {
			j.within = part.Root
		}
		jobs = append(jobs, j)
	}
	return jobs, diags
}

func targetsOf(planned []plan.Target) []target {
	targets := make([]target, len(planned))
	for i, t := range planned {
		targets[i] = target{t}
	}
	return targets
}

// leaveOut switches off the families that it cannot have.
func (t *task) leaveOut(diags *diag.List) {
	for _, j := range t.jobs {
		if t.Consistent && slices.ContainsFunc(j.targets, func(family target) bool { return family.Switch == model.InformerSwitch }) {
			leaveOutInformers(j.api, diags)
		}
	}
}

// dispensable returns the jobs with only those families that packages can do without.
func dispensable(jobs []job) []job {
	reduced := slices.Clone(jobs)
	for i, j := range jobs {
		reduced[i].targets = nil
		for _, t := range j.targets {
			if t.Optional {
				reduced[i].targets = append(reduced[i].targets, t)
			}
		}
	}
	return reduced
}

// generate renders all files. It runs all families concurrently, because a single one leaves processors idle at its
// end.
func (r *run) generate(t *task, jobs []job, diags *diag.List) ([]output.Tree, error) {
	var lock sync.Mutex
	before := slices.Clone(t.clashes)
	clash := func(clash render.Clash) bool {
		lock.Lock()
		defer lock.Unlock()
		t.clashes = append(t.clashes, clash)
		return !slices.ContainsFunc(before, clash.Same)
	}
	if !t.Consistent {
		clash = nil // other runs may refer to the omitted packages
	}
	type rendering struct {
		render func(*diag.List) ([]output.Tree, error)
		trees  []output.Tree
		diags  diag.List
		err    error
	}
	var all []*rendering
	for _, j := range jobs {
		covered := t.Covers(j.within)
		for _, family := range j.targets {
			family.Options.Release, family.Options.Clash = j.release.Release, clash
			render := func(diags *diag.List) ([]output.Tree, error) { return family.tree(r.store, j.api, covered, diags) }
			if family.Package != nil {
				render = func(diags *diag.List) ([]output.Tree, error) {
					return family.beside(r.store, r.env, j.api, t.Parser.OnlyDeepCopyGen, diags)
				}
			}
			all = append(all, &rendering{render: render})
		}
	}
	r.progress.phase("generating", len(all))
	parallel.Each(all, func(one *rendering) {
		one.trees, one.err = one.render(&one.diags)
		r.progress.step(1)
	})
	slices.SortFunc(t.clashes, func(a, b render.Clash) int {
		return cmp.Or(cmp.Compare(a.Package.Path, b.Package.Path), cmp.Compare(a.Family.Name, b.Family.Name), cmp.Compare(a.Message, b.Message))
	})
	t.clashes = slices.CompactFunc(t.clashes, render.Clash.Same)
	var trees []output.Tree
	var errs []error
	for _, one := range all {
		*diags = append(*diags, one.diags...)
		errs = append(errs, one.err)
		trees = append(trees, one.trees...)
	}
	return trees, errors.Join(errs...)
}
