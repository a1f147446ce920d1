package impact

import (
	"cmp"
	"go/build"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// DroppedPackages warns of packages that a clientset or informers no longer include because no argument matches them.
// The code for their kinds stays on disk, but the scheme and the factory do not include it.
func DroppedPackages(env load.Environment, outputs []*run.Output, changes []output.Change) (diags diag.List) {
	for _, o := range outputs {
		if o.From != nil || o.Plan.Import != nil {
			continue // the user has edited the configuration on purpose
		}
		dropped := map[string]bool{}
		dir := ""
		for _, j := range o.Jobs {
			for _, t := range j.Targets {
				for _, importPath := range droppedBy(t, changes, o.Plan.Covers("")) {
					if !isGone(env, importPath) {
						dropped[importPath], dir = true, cmp.Or(dir, env.Name(t.Dir))
					}
				}
			}
		}
		if names := slices.Sorted(maps.Keys(dropped)); len(names) > 0 {
			diags.Warnf(
				token.Position{}, "%s no longer includes the kinds of %s, because no argument matches", diag.Value(dir), strings.Join(names, ", "),
			).Suggest("to keep them, add %s to the arguments", strings.Join(names, " "))
		}
	}
	return diags
}

// registers lists the files of clientsets and informers that refer to exactly the packages with kinds.
var registers = []string{"scheme/register.go", "options.go", "generic.go"}

// droppedBy returns the packages of kinds that the target's files refer to before the changes but not after them, and
// that are not covered.
func droppedBy(t run.Target, changes []output.Change, covered func(string) bool) (paths []string) {
	if t.Generator != (clientset.Generator{}) && t.Generator != (informer.Generator{}) {
		return nil
	}
	for _, change := range changes {
		rel, err := filepath.Rel(t.Dir, change.Path)
		if change.Action != output.Update || err != nil || !slices.Contains(registers, filepath.ToSlash(rel)) {
			continue
		}
		now := load.ImportsIn(change.New)
		for _, importPath := range load.ImportsIn(change.Old) {
			if !covered(importPath) && t.IsSource(importPath, covered) && !slices.Contains(now, importPath) {
				paths = append(paths, importPath)
			}
		}
	}
	return paths
}

// isGone reports whether a package of the current module no longer exists.
func isGone(env load.Environment, importPath string) bool {
	root, module, ok := env.FindModule(".")
	below, inside := strings.CutPrefix(importPath, module+"/")
	if !ok || !inside {
		return false
	}
	dir := filepath.Join(root, filepath.FromSlash(below))
	if load.CheckRegularIn(dir, ".go") != nil {
		return false // reading the package might not end
	}
	_, err := build.ImportDir(dir, 0)
	return err != nil
}
