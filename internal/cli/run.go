package cli

import (
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
	"time"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/templates"
)

// run is one run of a command.
type run struct {
	*options
	tool           Tool
	env            environment.Environment
	stdout, stderr io.Writer

	given    func(visit func(*pflag.Flag)) // visits the flags on the command line
	declared func(name string) bool        // reports whether the command has a flag; nil if it has all
	timings  timings
	progress *progress
	writing  *writing
	module   string // directory of the current module; "" for none
	inputs   inputs
	store    *output.Store // the contents of all generated files
}

// do parses, generates, and commits or verifies.
func (r *run) do(ctx context.Context) int {
	r.timings.begun = time.Now()
	if err := r.check(); err != nil {
		return r.fail(err)
	}
	r.noteModule()
	tasks, diags := r.resolve()
	if diags.HasErrors() { // perhaps that there is no module, which says nothing about a misspelt command
		for _, word := range r.Patterns {
			if hint := r.tool.meant(word); hint != "" {
				diags.Errorf(token.Position{}, "%s is not a package", word).Suggest("%s", hint)
			}
		}
	}
	r.announce(diags)
	if diags.HasErrors() {
		return exitError
	}
	r.noteFlags(tasks)
	r.progress.w, _ = terminal(r.stderr)
	r.progress.start()
	defer r.progress.end()
	return r.carryOut(ctx, tasks)
}

// carryOut generates all outputs in memory, and then does what the command is for with all of them.
func (r *run) carryOut(ctx context.Context, tasks []*task) int {
	diags, err := r.prepareAll(ctx, tasks)
	if ctx.Err() != nil {
		return r.fail(errInterrupted)
	}
	if diags.HasErrors() {
		return r.refuse(diags, err)
	}
	var jobs []job
	var trees []output.Tree
	for _, t := range tasks {
		jobs, trees = append(jobs, t.jobs...), append(trees, t.trees...)
	}
	if r.listing != "" {
		r.print(diags)
		return r.list(jobs)
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
		r.warnCallers(ctx, tasks, r.compareAPI(ctx, tasks, changes))
	}
	code := exitDone
	switch {
	case r.breaking:
		code = r.reportBreaking(ctx, tasks, trees, changes)
	case r.verify:
		code = r.report(changes)
	case r.dryRun:
		code = r.preview(changes)
	default:
		r.progress.start()
		r.progress.phase(fmt.Sprintf("writing %d files", len(changes)), 0)
		err := r.writing.do(func() error {
			output.Clean(trees...)
			return output.Commit(ctx, changes, r.basis(tasks, trees))
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
		for _, release := range releasesOf(jobs, r.env.Dir) {
			r.say("%s", release)
		}
		r.count(trees, changes)
		r.say("%s", &r.timings)
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
			r.say("%s: %s", path.Join(g.Name, v.Dir()), strings.Join(kinds, ", "))
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
		files := "1 file"
		if len(tree.Files) != 1 {
			files = fmt.Sprintf("%d files", len(tree.Files))
		}
		summary := fmt.Sprintf("%s, %d changed", files, changed)
		if removed > 0 {
			summary += fmt.Sprintf(", %d removed", removed)
		}
		r.say("%s: %s", r.env.Name(tree.Dir), summary)
		if r.verbosity < 2 {
			continue
		}
		for _, dir := range slices.Sorted(maps.Keys(names)) {
			r.say("    %s  %s", dir, strings.Join(names[dir], " "))
		}
	}
}

// tree renders the files of one family; it returns nil if there are none. covered reports whether a package would be
// read if it existed.
func (t target) tree(store *output.Store, api *model.API, covered func(string) bool, diags *diag.List) ([]output.Tree, error) {
	if t.Only != nil {
		if api = api.Select(t.Only); len(api.Groups) == 0 {
			return nil, nil
		}
	}
	if t.Lacks != "" && len(api.Groups) > 0 {
		return nil, fmt.Errorf("--%s is required for the unversioned types of %s", t.Lacks, api.Groups[0].Versions[0].Packages[0].Path)
	}
	snapshot, err := store.Read(t.Dir, t.Marks()...)
	if err != nil {
		return nil, err
	}
	t.Options.HandWritten, t.Options.Keep = snapshot.HandWritten, snapshot.Keep
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
			if t.Options.ClientsetOnly && strings.HasPrefix(rel, typedClients) {
				return false // the clientset needs the clients, even if this run does not write them
			}
			return strings.Count(rel, "/") <= depth && !slices.ContainsFunc(sources, func(s string) bool {
				return !covered(s) || slices.Contains(api.LeftOut, s) // another command generates from those
			})
		},
		StaleAdopted: func(rel string) bool { return !t.Options.ClientsetOnly && others.stale(rel) },
	}}, nil
}

// typedClients is the directory of clients in that of a clientset.
var typedClients = strings.TrimPrefix(templates.TypedClients, templates.Clientset+"/") + "/"

// depth returns the maximal depth of the family's files in directories.
func (t target) depth() int {
	deepest := 0
	for _, o := range t.Outputs {
		deepest = max(deepest, o.Depth())
	}
	return deepest
}
