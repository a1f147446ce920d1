package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/apidiff"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/revision"
)

// breaking returns the command "kubegen breaking".
func breaking(kubegen Tool) Tool {
	kubegen.sub = "breaking"
	kubegen.short = `Say what code that imports the generated packages loses since a git revision. Compared is what is committed there as generated with what would be generated now, from the types in the working tree. Nothing is written. The exit code is 1 if anything that callers can see is changed or removed, 0 if not, 2 if anything is wrong. Methods added to interfaces, as every new kind does, are notes: they break only code that implements these interfaces.`
	kubegen.usage = "kubegen breaking --against REVISION [flags] [packages]\n\nFlags and packages are those of kubegen."
	kubegen.examples = `  kubegen breaking --against origin/main ./apis/...
  kubegen breaking --against v1.2.0 --strict         # added methods, too
  kubegen breaking --against HEAD~1 --format github  # as annotations
`
	kubegen.also = breakingFlags
	return kubegen
}

// allowances are what --allow takes. Methods added to interfaces are allowed anyway.
var allowances = map[string]apidiff.Kind{"added-methods": apidiff.MethodAdded, "incomparable": apidiff.NotComparable}

// breakingFlags declares the flags of "kubegen breaking".
func breakingFlags(o *options, fs *pflag.FlagSet) {
	o.breaking = true
	fs.StringVar(&o.against, "against", "", "git `revision` to compare with, such as origin/main")
	byDefault(fs, "against", "required")
	fs.BoolVar(&o.strict, "strict", false, "methods added to interfaces break callers, too: those that implement the interfaces")
	fs.StringSliceVar(&o.allow, "allow", nil, "`changes` to ignore: incomparable (structs no longer comparable), added-methods (not even notes about methods added to interfaces)")
	allow(fs.Lookup("allow"), slices.Sorted(maps.Keys(allowances))...)
}

// checkBreaking reports what is wrong with the flags of "kubegen breaking".
func (o *options) checkBreaking() error {
	if !o.breaking {
		return nil
	}
	var errs []error
	if o.against == "" {
		errs = append(errs, errors.New("--against is required: the git revision to compare with, such as origin/main"))
	}
	for _, name := range o.allow {
		if _, ok := allowances[name]; !ok {
			errs = append(errs, fmt.Errorf("--allow: %q is neither added-methods nor incomparable", name))
		}
	}
	if o.strict && slices.Contains(o.allow, "added-methods") {
		errs = append(errs, errors.New("--strict and --allow added-methods cannot be used together"))
	}
	return errors.Join(errs...)
}

// reportBreaking compares the result of a run with the files of the revision, and prints the breaking changes.
func (r *run) reportBreaking(ctx context.Context, tasks []*task, trees []output.Tree, planned []output.Change) int {
	r.progress.phase("reading "+r.against, 0)
	changes, err := r.since(ctx, trees, planned)
	r.progress.end()
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		return r.fail(err)
	}
	var allowed []apidiff.Kind
	for _, name := range r.allow {
		allowed = append(allowed, allowances[name])
	}
	found := r.compareAPI(ctx, tasks, changes).without(allowed...)
	var added broken
	if !r.strict {
		found, added = found.without(apidiff.MethodAdded), found.only(apidiff.MethodAdded)
	}
	if r.format == "text" {
		for _, line := range found.lines(0) {
			_, err = fmt.Fprintln(r.stdout, line)
		}
		r.noteAdded(added)
		if len(found) > 0 {
			fmt.Fprintf(r.stderr, "%s: %s since %s\n", r.tool.Name, found, r.against)
		}
	} else {
		err = append(found.diagnostics(diag.Error), added.diagnostics(diag.Note)...).Write(r.stdout, r.style())
	}
	switch {
	case err != nil:
		return exitError // execute says why
	case len(found) > 0:
		return exitStale
	}
	return exitDone
}

// noteAdded prints the methods added to interfaces, if any.
func (r *run) noteAdded(added broken) {
	if len(added) == 0 {
		return
	}
	methods := "1 method was"
	if n := added.total(); n > 1 {
		methods = fmt.Sprintf("%d methods were", n)
	}
	r.note("%s added to interfaces since %s, which breaks only code that implements these (with --strict, exit code 1)", methods, r.against)
	for _, line := range added.lines(listedChanges) {
		fmt.Fprintf(r.stderr, "\t%s\n", line)
	}
	if more := added.total() - listedChanges; more > 0 {
		fmt.Fprintf(r.stderr, "\tand %d more; --strict lists all\n", more)
	}
}

// since returns the differences between the generated files of the revision and those after a run with the planned
// changes.
func (r *run) since(ctx context.Context, trees []output.Tree, planned []output.Change) ([]output.Change, error) {
	deleted := map[string]bool{}
	for _, change := range planned {
		deleted[change.Path] = change.Kind == output.Delete
	}
	after := map[string]output.Text{}
	for _, tree := range trees {
		for rel, text := range tree.Snapshot.Generated() {
			if name := tree.At(rel); !deleted[name] {
				after[name] = text
			}
		}
		for _, file := range tree.Files {
			after[tree.At(file.Path)] = file.Content
		}
	}
	before := map[string]bool{}
	var changes []output.Change
	for _, tree := range trees {
		rev, err := revision.Open(ctx, tree.Dir, r.against)
		if err != nil {
			return nil, err
		}
		marks := append([]string{tree.Mark}, tree.Adopt...)
		err = rev.GoFiles(tree.Dir, func(rel string, content []byte) {
			name := tree.At(rel)
			if before[name] || tree.Flat && strings.Contains(rel, "/") || !origin.Has(content, marks...) {
				return
			}
			before[name] = true
			if now := after[name]; !now.Exists() || !bytes.Equal(now.Bytes(), content) {
				changes = append(changes, output.Change{Path: name, Old: r.store.Keep(content)[0], New: now})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(before) == 0 {
		return nil, r.nothingAt(ctx, trees)
	}
	for name, text := range after {
		if !before[name] {
			changes = append(changes, output.Change{Path: name, New: text})
		}
	}
	return changes, nil
}

// nothingAt reports that the revision has no generated files where a run writes them, which is an error if it has them
// elsewhere.
func (r *run) nothingAt(ctx context.Context, trees []output.Tree) error {
	var dirs, marks []string
	for _, tree := range trees {
		dirs = append(dirs, r.env.Name(tree.Dir))
		marks = append(append(marks, tree.Mark), tree.Adopt...)
	}
	rev, err := revision.Open(ctx, trees[0].Dir, r.against)
	if err != nil {
		return err
	}
	elsewhere, err := rev.Containing(marks...)
	if err != nil {
		return err
	}
	slices.Sort(dirs)
	if len(elsewhere) > 0 {
		return fmt.Errorf("%s has no generated code in %s, but some in %s; name the directory with --output-dir", r.against, strings.Join(dirs, ", "), path.Dir(elsewhere[0]))
	}
	r.note("%s has no generated code, so nothing is broken", r.against)
	return nil
}
