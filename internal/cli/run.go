package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/parser"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// run is one run of a command.
type run struct {
	*options
	tool           Tool
	env            environment.Environment
	stdout, stderr io.Writer

	timings  timings
	progress *progress
	clashes  []render.Clash // packages without apply configurations because names collide, each once
	writing  *writing
	files    *parser.Files // of the packages that were listed
}

// target is one family and where its output goes.
type target struct{ plan.Target }

// job is the work for one output directory, or for one module.
type job struct {
	targets []target
	api     *model.API
	within  string // directory of the module that the job is confined to; "" for none
}

// do parses, generates, and commits or verifies.
func (r *run) do(ctx context.Context) int {
	r.timings.begun = time.Now()
	if err := r.check(); err != nil {
		return r.fail(err)
	}
	p, diags := plan.Resolve(r.tool.command, &r.Flags, r.env)
	r.announce(diags)
	if diags.HasErrors() {
		return exitError
	}
	r.progress.w, _ = terminal(r.stderr)
	r.progress.start()
	defer r.progress.end()
	return r.carryOut(ctx, p)
}

// carryOut carries out the plan. It starts again without the apply configurations of packages whose names collide.
func (r *run) carryOut(ctx context.Context, p *plan.Plan) int {
	r.progress.phase("finding packages", 0)
	jobs, diags := r.parse(ctx, p)
	if ctx.Err() != nil {
		return r.fail(errInterrupted)
	}
	r.timings.end("parsed")
	for _, clash := range r.clashes {
		diags.Warnf(clash.Pos, "no apply configurations for package %s: %s", clash.Package.Path, clash.Message).
			Suggest("add +k8s:applyconfiguration-gen=false to the package comment, or generate no apply configurations at all with --with-applyconfig=false")
	}
	if diags.HasErrors() {
		for _, j := range jobs {
			for _, t := range j.targets {
				diags = append(diags, t.Check(j.api, &t.Options)...)
			}
		}
		return r.refuse(diags, nil)
	}
	leaveOut(p, jobs, &diags)
	r.reportNothing(jobs, &diags)
	if !diags.HasErrors() {
		warnUnused(p, jobs, &diags)
	}
	for _, j := range jobs {
		diags = append(diags, crd.Compare(j.api, p.Manifests)...)
		reportDirs(j.targets, j.api, &diags)
	}
	if diags.HasErrors() {
		return r.refuse(diags, nil)
	}
	clashes := len(r.clashes)
	if r.listing != "" {
		if p.Release(jobs[0].api.ClientGo, &diags); diags.HasErrors() {
			return r.refuse(diags, nil)
		}
		_, _ = r.generate(p, dispensable(jobs), &diag.List{}) // only to find clashes
		if ctx.Err() != nil {
			return r.fail(errInterrupted)
		}
		if len(r.clashes) > clashes {
			return r.carryOut(ctx, p)
		}
		r.print(diags)
		return r.list(jobs)
	}
	trees, err := r.generate(p, jobs, &diags)
	if ctx.Err() != nil {
		return r.fail(errInterrupted)
	}
	r.timings.end("generated")
	if len(r.clashes) > clashes {
		return r.carryOut(ctx, p)
	}
	if diags.HasErrors() {
		return r.refuse(diags, err)
	}
	var changes []output.Change
	if err == nil {
		r.progress.phase("comparing", 0)
		changes, err = output.Plan(trees...)
	}
	r.timings.end("compared")
	if err != nil && (!r.verify && !r.breaking || len(changes) == 0) { // files that cannot be written can still be compared
		return r.refuse(diags, err)
	}
	r.print(diags)
	if !r.breaking {
		r.warnCallers(ctx, r.compareAPI(ctx, jobs, changes))
	}
	code := exitDone
	switch {
	case r.breaking:
		code = r.reportBreaking(ctx, jobs, trees, changes)
	case r.verify:
		code = r.report(changes)
	case r.dryRun:
		for _, change := range changes {
			fmt.Fprintf(r.stdout, "%s %s\n", change.Kind, r.env.Name(change.Path))
		}
	default:
		r.progress.start()
		r.progress.phase(fmt.Sprintf("writing %d files", len(changes)), 0)
		err := r.writing.do(func() error {
			output.Clean(trees...)
			return output.Commit(ctx, changes)
		})
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		if err != nil {
			return r.fail(err)
		}
		r.timings.end("written")
		r.progress.end()
	}
	if r.verbosity > 0 {
		for _, j := range jobs {
			r.summarize(j.api)
		}
		r.count(trees, changes)
		fmt.Fprintln(r.stderr, &r.timings)
	}
	return code
}

// refuse prints the diagnostics, and err if it is not nil, and ends the run.
func (r *run) refuse(diags diag.List, err error) int {
	r.print(diags)
	if err != nil {
		r.fail(err)
	}
	return exitError
}

// parse reads the packages. It returns one job for all of them, or one for each module if the output goes into the
// modules.
func (r *run) parse(ctx context.Context, p *plan.Plan) ([]job, diag.List) {
	cfg := p.Parser
	cfg.Preview = r.listing != "" || r.breaking
	r.files = parser.Remember(&cfg)
	cfg.SwitchedOff = map[string][]string{}
	for _, clash := range r.clashes {
		cfg.SwitchedOff[clash.Package.Path] = append(cfg.SwitchedOff[clash.Package.Path], clash.Switch)
	}
	cfg.Found = func(packages int) { r.progress.phase(fmt.Sprintf("reading %d packages", packages), 0) }
	if !p.PerModule {
		api, diags := parser.Parse(ctx, cfg, p.Patterns...)
		return []job{{targets: targetsOf(p.Targets), api: api}}, diags
	}
	parts, diags := parser.ParseModules(ctx, cfg, p.Home, p.Patterns...)
	var jobs []job
	for _, part := range parts { // for one without kinds, files of former kinds are removed
		targets, said := p.In(plan.DefaultOutput(part.Root))
		diags = append(diags, said...)
		j := job{targets: targetsOf(targets), api: part.API}
		if len(parts) > 1 {
			j.within = part.Root
		}
		jobs = append(jobs, j)
	}
	return jobs, diags
}

// leaveOut switches off the families that the jobs cannot have.
func leaveOut(p *plan.Plan, jobs []job, diags *diag.List) {
	for _, j := range jobs {
		if p.Consistent && slices.ContainsFunc(j.targets, func(t target) bool { return t.Switch == model.InformerSwitch }) {
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
			if t.Without != "" {
				reduced[i].targets = append(reduced[i].targets, t)
			}
		}
	}
	return reduced
}

func targetsOf(planned []plan.Target) []target {
	targets := make([]target, len(planned))
	for i, t := range planned {
		targets[i] = target{t}
	}
	return targets
}

// summarize prints the kinds of the API.
func (r *run) summarize(api *model.API) {
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			if len(v.Resources) == 0 {
				continue
			}
			var kinds []string
			for _, resource := range v.Resources {
				kinds = append(kinds, resource.Kind)
			}
			fmt.Fprintf(r.stderr, "%s: %s\n", path.Join(g.Name, v.Dir()), strings.Join(kinds, ", "))
		}
	}
}

// count prints the numbers of changed files of the output directories and, with -v 2, their names, a line for each directory.
func (r *run) count(trees []output.Tree, changes []output.Change) {
	for _, tree := range trees {
		changed, removed := 0, 0
		names := map[string][]string{} // by directory
		for _, change := range changes {
			below, ok := strings.CutPrefix(change.Path, filepath.Clean(tree.Dir)+string(filepath.Separator))
			if !ok || tree.Flat && !tree.Has(below) {
				continue
			}
			dir, name := path.Split("./" + filepath.ToSlash(below))
			if change.Kind == output.Delete {
				removed++
				name += " (removed)"
			} else {
				changed++
			}
			names[dir] = append(names[dir], name)
		}
		if len(tree.Files)+changed+removed == 0 {
			continue
		}
		summary := fmt.Sprintf("%d files, %d changed", len(tree.Files), changed)
		if removed > 0 {
			summary += fmt.Sprintf(", %d removed", removed)
		}
		fmt.Fprintf(r.stderr, "%s: %s\n", r.env.Name(tree.Dir), summary)
		if r.verbosity < 2 {
			continue
		}
		for _, dir := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(r.stderr, "    %s  %s\n", dir, strings.Join(names[dir], " "))
		}
	}
}

// generate renders all files. It runs all families concurrently, because a single one leaves processors idle at its
// end.
func (r *run) generate(p *plan.Plan, jobs []job, diags *diag.List) ([]output.Tree, error) {
	release := p.Release(jobs[0].api.ClientGo, diags)
	var lock sync.Mutex
	before := slices.Clone(r.clashes)
	clash := func(clash render.Clash) bool {
		lock.Lock()
		defer lock.Unlock()
		r.clashes = append(r.clashes, clash)
		return !slices.ContainsFunc(before, func(b render.Clash) bool { return b.Package.Path == clash.Package.Path })
	}
	if !p.Consistent {
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
		covered := p.Covers(j.within)
		for _, t := range j.targets {
			t.Options.Release, t.Options.Clash = release, clash
			render := func(diags *diag.List) ([]output.Tree, error) { return t.tree(j.api, covered, diags) }
			if t.Package != nil {
				render = func(diags *diag.List) ([]output.Tree, error) { return t.beside(r.env, j.api, diags) }
			}
			all = append(all, &rendering{render: render})
		}
	}
	r.progress.phase("generating", len(all))
	parallel.Each(all, func(one *rendering) {
		one.trees, one.err = one.render(&one.diags)
		r.progress.step(1)
	})
	slices.SortFunc(r.clashes, func(a, b render.Clash) int {
		return cmp.Or(cmp.Compare(a.Package.Path, b.Package.Path), cmp.Compare(a.Message, b.Message))
	})
	r.clashes = slices.CompactFunc(r.clashes, func(a, b render.Clash) bool { return a.Package.Path == b.Package.Path })
	var trees []output.Tree
	var errs []error
	for _, one := range all {
		*diags = append(*diags, one.diags...)
		errs = append(errs, one.err)
		trees = append(trees, one.trees...)
	}
	return trees, errors.Join(errs...)
}

// tree renders the files of one family; it returns nil if there are none. covered reports whether a package would be
// read if it existed.
func (t target) tree(api *model.API, covered func(string) bool, diags *diag.List) ([]output.Tree, error) {
	if t.Only != nil {
		if api = api.Select(t.Only); len(api.Groups) == 0 {
			return nil, nil
		}
	}
	if t.Lacks != "" && len(api.Groups) > 0 {
		return nil, fmt.Errorf("--%s is required for the unversioned types of %s", t.Lacks, api.Groups[0].Versions[0].Packages[0].Path)
	}
	snapshot, err := output.Read(t.Dir, t.Marks()...)
	if err != nil {
		return nil, err
	}
	t.Options.HandWritten = snapshot.HandWritten
	var files []output.File
	if len(api.Groups) > 0 || t.Options.Bare {
		var wrong diag.List
		files, wrong = t.Render(api, &t.Options)
		*diags = append(*diags, wrong...)
	}
	depth := t.depth()
	others := t.leftovers(snapshot, files, func(pkg string) bool { return covered(pkg) && !slices.Contains(api.LeftOut, pkg) })
	if !t.Options.ClientsetOnly {
		others.report(t.Dir, t.Replaces[0], diags)
	}
	return []output.Tree{{
		Dir: t.Dir, Mark: t.GeneratedBy(), Adopt: t.ReplacedBy(), Files: files, Snapshot: snapshot,
		Stale: func(rel string, sources []string) bool {
			if t.Options.ClientsetOnly && strings.HasPrefix(rel, "typed/") {
				return false // the clientset needs the clients, even if this run does not write them
			}
			return strings.Count(rel, "/") <= depth && !slices.ContainsFunc(sources, func(s string) bool {
				return !covered(s) || slices.Contains(api.LeftOut, s) // another command generates from those
			})
		},
		StaleAdopted: func(rel string) bool { return !t.Options.ClientsetOnly && others.stale(rel) },
	}}, nil
}

// depth returns the maximal depth of the family's files in directories.
func (t target) depth() int {
	deepest := 0
	for _, o := range t.Outputs {
		deepest = max(deepest, o.Depth())
	}
	return deepest
}

// report prints the result of --verify.
func (r *run) report(changes []output.Change) int {
	if len(changes) == 0 {
		return exitDone
	}
	named := slices.Clone(changes)
	for i := range named {
		named[i].Path = r.env.Name(named[i].Path)
	}
	if err := output.Diff(r.stdout, named); err != nil {
		return exitError // execute says why
	}
	files := "1 file is"
	if len(changes) > 1 {
		files = fmt.Sprintf("%d files are", len(changes))
	}
	if r.format == "text" {
		fmt.Fprintf(r.stderr, "%s: %s out of date (run the same command without --verify)\n", r.tool.Name, files)
		return exitStale
	}
	var diags diag.List
	for _, change := range changes {
		what := map[output.Kind]string{output.Create: "is missing", output.Update: "is out of date", output.Delete: "is left over"}[change.Kind]
		diags.Errorf(token.Position{Filename: change.Path, Line: 1}, "this generated file %s", what).Suggest("run the same command without --verify")
	}
	r.print(diags)
	return exitStale
}
