package cli

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// result is the result of a run without errors in the input.
type result struct {
	outputs []*run.Output
	sources *load.Sources // of their packages
	jobs    []run.Job
	trees   []output.Tree
	changes []output.Change // set by compare
	diags   diag.List
	err     error // of generating or comparing
}

// compare compares the result with the files on disk.
func (r *result) compare(timings *timings) {
	if r.err == nil {
		r.changes, r.err = output.Plan(r.trees...)
		r.diags = r.diags.OfChanged(func(file string) bool {
			return slices.ContainsFunc(r.changes, func(c output.Change) bool { return filepath.Base(c.Path) == file })
		})
	}
	timings.ended("compared")
}

// details prints what -v adds to the result of a run.
func (in *invocation) details(r *result) {
	if in.verbosity == 0 {
		return
	}
	in.listShapes(r.outputs)
	in.listLeft(r.outputs)
	for _, j := range r.jobs {
		in.summarize(j.API)
	}
	for _, release := range run.Releases(r.jobs, in.reader().Dir) {
		in.say("%s", release)
	}
	in.count(r.trees, r.changes)
	in.say("%s", &in.timings)
}

// refuse prints the diagnostics and the error, if any, and returns the exit code of an error.
func (in *invocation) refuse(diags diag.List, err error) int {
	in.print(diags)
	if err != nil {
		in.fail(err)
	}
	return exitError
}

// summarize prints the kinds of the API.
func (in *invocation) summarize(api *model.API) {
	for v := range api.Versions() {
		if len(v.Resources) == 0 {
			continue
		}
		var kinds []string
		for _, resource := range v.Resources {
			kinds = append(kinds, resource.Kind)
		}
		in.say("%s: %s", path.Join(v.Group.Name, v.Dir()), strings.Join(kinds, ", "))
	}
}

// count prints the numbers of files in the output directories and, with -v 2, the names of changed files, a line for
// each directory.
func (in *invocation) count(trees []output.Tree, changes []output.Change) {
	counted := map[string]bool{}
	for _, tree := range trees {
		dir := filepath.Clean(tree.Dir)
		if counted[dir] { // counted for another generator with the same directory
			continue
		}
		counted[dir] = true
		inDir := slices.DeleteFunc(slices.Clone(changes), func(change output.Change) bool { return change.Root() != dir })
		files := 0
		for _, tree := range trees {
			if filepath.Clean(tree.Dir) == dir {
				files += len(tree.Files)
			}
		}
		if files+len(inDir) == 0 {
			continue
		}
		written, removed := numbers(inDir)
		text := fmt.Sprintf("%s, %d changed", diag.Count(files, "file"), written)
		if removed > 0 {
			text += fmt.Sprintf(", %d removed", removed)
		}
		in.say("%s: %s", in.reader().Name(dir), text)
		if in.verbosity < 2 {
			continue
		}
		names := map[string][]string{} // by directory
		for _, change := range inDir {
			below, _ := filepath.Rel(dir, change.Path) // cannot fail: Path is below dir
			dir, name := path.Split("./" + filepath.ToSlash(below))
			if change.Action == output.Delete {
				name += " (removed)"
			}
			names[dir] = append(names[dir], name)
		}
		for _, dir := range slices.Sorted(maps.Keys(names)) {
			in.say("    %s  %s", dir, strings.Join(names[dir], " "))
		}
	}
}

// numbers returns the numbers of files that changes write and remove.
func numbers(changes []output.Change) (written, removed int) {
	for _, change := range changes {
		if change.Action == output.Delete {
			removed++
		} else {
			written++
		}
	}
	return written, removed
}

// summarizeFiles prints the numbers of files written and removed, only on a terminal.
func (in *invocation) summarizeFiles(trees []output.Tree, changes []output.Change) {
	written, removed := numbers(changes)
	text := fmt.Sprintf("%s written, %d unchanged", diag.Count(written, "file"), filesOf(trees)-written)
	if removed > 0 {
		text += fmt.Sprintf(", %d removed", removed)
	}
	in.tellTerminal(text)
}

// filesOf returns the number of files of trees.
func filesOf(trees []output.Tree) (n int) {
	for _, tree := range trees {
		n += len(tree.Files)
	}
	return n
}
