package cli

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parser"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// run is one run of a command.
type run struct {
	*options
	tool           Tool
	header         string
	openAPI        []byte                   // a document
	external       map[model.TypeRef]string // apply configurations elsewhere
	wanted         model.Release            // of client-go, by flag
	home           string                   // folder of the module that packages of dependencies count to
	perModule      bool                     // each module has its own output folder
	stdout, stderr io.Writer

	timings  timings
	progress *progress
	writing  *writing

	overlay *render.Overlay // templates of the user's; nil for none
}

// job is what the run has to do for one output folder, or for those of one module.
type job struct {
	targets  []target
	api      *model.API
	patterns []string
	within   string // folder of the module that the job is confined to; "" for none
}

// do parses, generates, and commits or verifies.
func (r *run) do(ctx context.Context) int {
	r.timings.begun = time.Now()
	targets, cfg, patterns, diags, err := r.prepare()
	if err != nil || diags.HasErrors() {
		return r.refuse(diags, err)
	}
	r.progress.w, _ = terminal(r.stderr)
	r.progress.start()
	defer r.progress.end()
	r.progress.phase("finding packages", 0)
	cfg.Found = func(packages int) { r.progress.phase(fmt.Sprintf("reading %d packages", packages), 0) }
	jobs, diags, err := r.parse(ctx, targets, cfg, patterns)
	if ctx.Err() != nil {
		return r.fail(errInterrupted)
	}
	r.timings.end("parsed")
	if diags.HasErrors() || err != nil {
		for _, j := range jobs {
			for _, t := range j.targets {
				diags = append(diags, t.Check(j.api, &t.opts)...)
			}
		}
		return r.refuse(diags, err)
	}
	for i := range jobs {
		r.leaveOut(&jobs[i], &diags)
	}
	r.reportNothing(jobs, &diags)
	if !diags.HasErrors() {
		r.warnUnused(jobs)
	}
	for _, j := range jobs {
		reportFolders(j.targets, j.api, &diags)
	}
	if diags.HasErrors() {
		return r.refuse(diags, nil)
	}
	if r.listing != "" {
		if r.release(jobs[0].api.ClientGo, &diags); diags.HasErrors() {
			return r.refuse(diags, nil)
		}
		r.print(diags)
		cwd, _ := os.Getwd()
		return r.list(jobs, cwd)
	}
	trees, err := r.generate(jobs, &diags)
	if ctx.Err() != nil {
		return r.fail(errInterrupted)
	}
	if diags.HasErrors() {
		return r.refuse(diags, err)
	}
	r.timings.end("generated")
	var changes []output.Change
	if err == nil {
		r.progress.phase("comparing", 0)
		changes, err = output.Plan(trees...)
	}
	r.timings.end("compared")
	if err != nil && (!r.verify && !r.breaking || len(changes) == 0) { // what cannot be written can still be compared
		return r.refuse(diags, err)
	}
	r.print(diags)
	if !r.breaking {
		r.warnCallers(ctx, compareAPI(jobs, changes))
	}
	code := exitDone
	switch {
	case r.breaking:
		code = r.reportBreaking(ctx, jobs, trees, changes)
	case r.verify:
		code = r.report(changes)
	case r.dryRun:
		for _, change := range changes {
			fmt.Fprintf(r.stdout, "%s %s\n", change.Kind, filepath.ToSlash(change.Path))
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

// refuse ends a run on account of diagnostics, an error, or both.
func (r *run) refuse(diags diag.List, err error) int {
	r.print(diags)
	if err != nil {
		r.fail(err)
	}
	return exitError
}

// prepare works out from the flags what is to be read and written.
func (r *run) prepare() ([]target, parser.Config, []string, diag.List, error) {
	plurals, err := r.plurals()
	included, err2 := r.included()
	header, err3 := readHeader(r.headerFile)
	r.header = header
	patterns, err4 := r.inputPatterns()
	external, err6 := r.published()
	r.external = external
	wanted, err8 := r.wantedRelease()
	r.wanted = wanted
	var err7 error
	if r.openAPISchema != "" {
		if r.openAPI, err7 = readInput(r.openAPISchema, maxOpenAPI); err7 != nil {
			err7 = fmt.Errorf("OpenAPI document: %w", err7)
		}
	}
	r.chooseOutput(patterns)
	diags, err9 := r.readTemplates()
	targets, err5 := r.makeTargets()
	cfg := parser.Config{
		PluralExceptions: plurals, IncludedTypes: included, LintRules: r.lintRules, Classic: r.classic,
		VersionDirs: r.classic && r.tool.Name == Kubegen.Name,
		Internal:    r.tool.Name != Kubegen.Name && r.tool.Name != GenApplyConfiguration.Name,
		Clients:     slices.ContainsFunc(targets, func(t target) bool { return t.Switch == model.ClientSwitch }),
		Types:       slices.ContainsFunc(targets, r.needsTypes),
	}
	return targets, cfg, patterns, diags, errors.Join(r.check(), r.checkAPIPath(), err, err2, err3, err4, err5, err6, err7, err8, err9)
}

// parse reads the packages. There is one job for all of them, unless the output of each module goes to that.
func (r *run) parse(ctx context.Context, targets []target, cfg parser.Config, patterns []string) ([]job, diag.List, error) {
	if !r.perModule {
		api, diags := parser.Parse(ctx, cfg, patterns...)
		return []job{{targets: targets, api: api, patterns: patterns}}, diags, nil
	}
	parts, diags := parser.ParseModules(ctx, cfg, r.home, patterns...)
	var jobs []job
	var errs []error
	for _, part := range parts { // one without kinds is there to lose the files of those that it had
		at, options := *r, *r.options
		at.options = &options
		options.outputDir = defaultOutput(part.Root)
		targets, err := at.makeTargets()
		errs = append(errs, err)
		j := job{targets: targets, api: part.API, patterns: patterns}
		if len(parts) > 1 {
			j.within = part.Root
		}
		jobs = append(jobs, j)
	}
	return jobs, diags, errors.Join(errs...)
}

// leaveOut drops from a job what it cannot have.
func (r *run) leaveOut(j *job, diags *diag.List) {
	if r.tool.Name == Kubegen.Name && slices.ContainsFunc(j.targets, func(t target) bool { return t.Templates == templates.Informers }) {
		leaveOutInformers(j.api, diags)
	}
}

// inputPatterns returns the patterns of the packages to read: the arguments, and what --input stands for.
func (r *run) inputPatterns() ([]string, error) {
	var patterns []string
	for _, pattern := range r.patterns {
		patterns = append(patterns, filepath.ToSlash(pattern))
	}
	for _, input := range r.inputs {
		base := r.inputBase
		joined := path.Join(filepath.ToSlash(base), input)
		if strings.HasPrefix(base, ".") {
			joined = "./" + joined
		}
		patterns = append(patterns, joined)
	}
	if r.oneInputAPI != "" {
		if len(patterns) != 1 {
			return nil, errors.New("--one-input-api goes with one packages argument, the folder that it is below")
		}
		dir := path.Join(strings.TrimSuffix(strings.TrimSuffix(patterns[0], "..."), "/"), r.oneInputAPI)
		if strings.HasPrefix(patterns[0], ".") {
			dir = "./" + dir
		}
		return []string{dir + "/..."}, nil
	}
	if len(patterns) == 0 {
		if r.classic && r.tool.Name != Kubegen.Name {
			r.warn("no packages given: nothing is generated for any kind; name packages, as in ./apis/v1")
			return nil, nil
		}
		patterns = []string{wholeModule()}
	}
	return eachModule(patterns), nil
}

// summarize says what was found.
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

// count says what became of the output folders.
func (r *run) count(trees []output.Tree, changes []output.Change) {
	for _, tree := range trees {
		changed, removed := 0, 0
		for _, change := range changes {
			switch {
			case !strings.HasPrefix(change.Path, filepath.Clean(tree.Dir)+string(filepath.Separator)):
			case change.Kind == output.Delete:
				removed++
			default:
				changed++
			}
		}
		if len(tree.Files)+changed+removed == 0 {
			continue
		}
		summary := fmt.Sprintf("%d files, %d changed", len(tree.Files), changed)
		if removed > 0 {
			summary += fmt.Sprintf(", %d removed", removed)
		}
		fmt.Fprintf(r.stderr, "%s: %s\n", filepath.ToSlash(tree.Dir), summary)
	}
}

// generate renders everything, for the folders that it goes to: all generators at once, since one alone leaves processors
// without work at its end.
func (r *run) generate(jobs []job, diags *diag.List) ([]output.Tree, error) {
	release := r.release(jobs[0].api.ClientGo, diags)
	type rendering struct {
		render func(*diag.List) (*output.Tree, error)
		tree   *output.Tree
		diags  diag.List
		err    error
	}
	var all []*rendering
	for _, j := range jobs {
		covered := coverage(j.patterns, j.within)
		for _, t := range j.targets {
			t.opts.Release, t.opts.Backport = release, r.backport
			all = append(all, &rendering{render: func(diags *diag.List) (*output.Tree, error) { return t.tree(j.api, covered, diags) }})
		}
	}
	r.progress.phase("generating", len(all))
	var group sync.WaitGroup
	for _, one := range all {
		group.Go(func() {
			one.tree, one.err = one.render(&one.diags)
			r.progress.step(1)
		})
	}
	group.Wait()
	var trees []output.Tree
	var errs []error
	for _, one := range all {
		*diags = append(*diags, one.diags...)
		errs = append(errs, one.err)
		if one.tree != nil {
			trees = append(trees, *one.tree)
		}
	}
	return trees, errors.Join(errs...)
}

// tree renders everything of one generator; nil is for nothing. covered tells which packages would be read if they existed.
func (t target) tree(api *model.API, covered func(string) bool, diags *diag.List) (*output.Tree, error) {
	if t.only != nil {
		if api = api.Select(t.only); len(api.Groups) == 0 {
			return nil, nil
		}
	}
	if t.opts.Roots[templates.Clientset].Path == "" && t.Templates == templates.Informers && len(api.Groups) > 0 {
		return nil, fmt.Errorf("--internal-clientset-package must be given for the unversioned types of %s",
			api.Groups[0].Versions[0].Packages[0].Path)
	}
	snapshot, err := output.Read(t.dir, t.GeneratedBy(), t.ReplacedBy())
	if err != nil {
		return nil, err
	}
	t.opts.HandWritten = snapshot.HandWritten
	var files []output.File
	if len(api.Groups) > 0 || t.opts.Bare {
		var wrong diag.List
		files, wrong = t.Render(api, &t.opts)
		*diags = append(*diags, wrong...)
	}
	depth := t.depth()
	others := t.leftovers(snapshot, files, func(pkg string) bool { return covered(pkg) && !slices.Contains(api.LeftOut, pkg) })
	if !t.opts.ClientsetOnly {
		others.report(t.dir, t.Replaces, diags)
	}
	return &output.Tree{
		Dir: t.dir, Header: t.GeneratedBy(), Adopt: []string{t.ReplacedBy()}, Files: files, Snapshot: snapshot,
		Stale: func(rel string, sources []string) bool {
			if t.opts.ClientsetOnly && strings.HasPrefix(rel, "typed/") {
				return false // the clientset needs the clients, this run just does not write them
			}
			return strings.Count(rel, "/") <= depth && !slices.ContainsFunc(sources, func(s string) bool {
				return !covered(s) || slices.Contains(api.LeftOut, s) // another command generates from those
			})
		},
		StaleAdopted: func(rel string) bool { return !t.opts.ClientsetOnly && others.stale(rel) },
	}, nil
}

// depth returns how many directories deep the family's files are.
func (t target) depth() int {
	deepest := 0
	for _, o := range t.Outputs {
		deepest = max(deepest, o.Depth())
	}
	return deepest
}

// report prints what --verify found.
func (r *run) report(changes []output.Change) int {
	if len(changes) == 0 {
		return exitDone
	}
	if err := output.Diff(r.stdout, changes); err != nil {
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
		name, err := filepath.Abs(change.Path)
		if err != nil {
			name = change.Path
		}
		diags.Errorf(token.Position{Filename: name, Line: 1}, "this generated file %s", what).Suggest("run the same command without --verify")
	}
	r.print(diags)
	return exitStale
}
