package cli

import (
	"context"
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
	"github.com/kubegen/kubegen/internal/listing"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/run"
)

// command is a running command that generates code.
type command struct {
	*options
	tool           Tool
	env            environment.Environment
	stdout, stderr io.Writer

	given    func(visit func(*pflag.Flag)) // visits the flags on the command line
	declared func(name string) bool        // reports whether the command has a flag; nil means that it has all flags
	progress *progress
	run      *run.Run
}

// do parses, generates, and writes or verifies.
func (c *command) do(ctx context.Context) int {
	c.progress.timings.begun = time.Now()
	if err := c.check(); err != nil {
		return c.fail(err)
	}
	if asked, ok := c.action.(interface{ answer(io.Writer) bool }); ok && asked.answer(c.stdout) {
		return exitDone
	}
	outputs, diags := c.resolve()
	if diags.HasErrors() { // such as a missing module, which may hide a misspelled command
		for _, word := range c.Patterns {
			if hint := c.tool.meant(word); hint != "" {
				diags.Errorf(token.Position{}, "%s is not a package", word).Suggest("%s", hint)
			}
		}
	}
	c.announce(diags)
	if diags.HasErrors() {
		return exitError
	}
	c.progress.w, _ = terminal(c.stderr)
	c.progress.start(progressDelay)
	defer c.progress.end()
	narrowed, diags := c.narrow(ctx, outputs)
	if ctx.Err() != nil {
		return c.fail(errInterrupted)
	}
	if diags.HasErrors() {
		return c.refuse(diags, nil)
	}
	outputs, diags, err := c.run.Prepare(ctx, narrowed)
	if ctx.Err() != nil {
		return c.fail(errInterrupted)
	}
	if diags.HasErrors() {
		return c.refuse(diags, err)
	}
	return c.action.finish(ctx, c, newResult(outputs, diags, err))
}

// details prints what -v adds to the result of a run.
func (c *command) details(r *result) {
	if c.verbosity == 0 {
		return
	}
	c.listShapes(r.outputs)
	c.listLeft(r.outputs)
	for _, j := range r.jobs {
		c.summarize(j.API)
	}
	for _, release := range listing.Releases(r.jobs, c.env.Dir) {
		c.say("%s", release)
	}
	c.count(r.trees, r.changes)
	c.say("%s", &c.progress.timings)
}

// refuse prints the diagnostics and the error, if any, and returns the exit code of an error.
func (c *command) refuse(diags diag.List, err error) int {
	c.print(diags)
	if err != nil {
		c.fail(err)
	}
	return exitError
}

// summarize prints the kinds of the API.
func (c *command) summarize(api *model.API) {
	for v := range api.Versions() {
		if len(v.Resources) == 0 {
			continue
		}
		var kinds []string
		for _, resource := range v.Resources {
			kinds = append(kinds, resource.Kind)
		}
		c.say("%s: %s", path.Join(v.Group.Name, v.Dir()), strings.Join(kinds, ", "))
	}
}

// count prints the numbers of files in the output directories and, with -v 2, the names of changed files, a line for
// each directory.
func (c *command) count(trees []output.Tree, changes []output.Change) {
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
		c.say("%s: %s", c.env.Name(dir), text)
		if c.verbosity < 2 {
			continue
		}
		names := map[string][]string{} // by directory
		for _, change := range inDir {
			below, _ := filepath.Rel(dir, change.Path) // cannot fail: Path is below dir
			dir, name := path.Split("./" + filepath.ToSlash(below))
			if change.Kind == output.Delete {
				name += " (removed)"
			}
			names[dir] = append(names[dir], name)
		}
		for _, dir := range slices.Sorted(maps.Keys(names)) {
			c.say("    %s  %s", dir, strings.Join(names[dir], " "))
		}
	}
}

// numbers returns the numbers of files that changes write and remove.
func numbers(changes []output.Change) (written, removed int) {
	for _, change := range changes {
		if change.Kind == output.Delete {
			removed++
		} else {
			written++
		}
	}
	return written, removed
}

// summarizeFiles prints the numbers of files written and removed, only on a terminal.
func (c *command) summarizeFiles(trees []output.Tree, changes []output.Change) {
	written, removed := numbers(changes)
	text := fmt.Sprintf("%s written, %d unchanged", diag.Count(written, "file"), filesOf(trees)-written)
	if removed > 0 {
		text += fmt.Sprintf(", %d removed", removed)
	}
	c.tellTerminal(text)
}

// filesOf returns the number of files of trees.
func filesOf(trees []output.Tree) (n int) {
	for _, tree := range trees {
		n += len(tree.Files)
	}
	return n
}
