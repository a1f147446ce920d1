package cli

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/apidiff"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/plan"
)

// brokenPackage is a generated package with breaking changes.
type brokenPackage struct {
	path    string // import path
	changes []apidiff.Change
}

// broken is all breaking changes, by package.
type broken []brokenPackage

// compareAPI returns the breaking changes of generated files. It reads only the files that change; if something may be
// lost, also the files beside them, because declarations may have moved to hand-written files; and other packages whose
// types matter.
func (r *run) compareAPI(ctx context.Context, tasks []*task, changes []output.Change) broken {
	var jobs []job
	for _, t := range tasks {
		jobs = append(jobs, t.jobs...)
	}
	dirs := map[string][]output.Change{}
	changed := map[string]bool{}
	for _, change := range changes {
		if filepath.Ext(change.Path) == ".go" {
			dir := filepath.Dir(change.Path)
			dirs[dir] = append(dirs[dir], change)
			changed[change.Path] = true
		}
	}
	found := imports{read: func(importPath string) (before, after *apidiff.Package) {
		dir := dirOf(jobs, importPath)
		var beside []apidiff.File
		if dir != "" {
			beside = unchanged(dir, changed)
		}
		if there := dirs[dir]; there != nil {
			old, now := states(there)
			return apidiff.Parse(importPath, slices.Concat(beside, old)), apidiff.Parse(importPath, slices.Concat(beside, now))
		}
		if len(beside) > 0 {
			before = apidiff.Parse(importPath, beside)
		} else {
			before = readImported(ctx, tasks[0].sources, importPath)
		}
		return before, before
	}}
	var lock sync.Mutex
	var all broken
	parallel.Each(slices.Collect(maps.Keys(dirs)), func(dir string) {
		if !slices.ContainsFunc(dirs[dir], func(c output.Change) bool { return c.Old.Exists() }) {
			return
		}
		before, after := states(dirs[dir])
		lost := apidiff.Compare(before, after, apidiff.Around{
			Beside:   func() []apidiff.File { return unchanged(dir, changed) },
			Imported: found.get,
		})
		if lost = slices.Concat(apidiff.Moved(before, after), lost); len(lost) == 0 {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		all = append(all, brokenPackage{importPathIn(jobs, dir), lost})
	})
	slices.SortFunc(all, func(a, b brokenPackage) int { return strings.Compare(a.path, b.path) })
	return all
}

// states returns the files of a package before and after some changes.
func states(changes []output.Change) (before, after []apidiff.File) {
	for _, change := range changes {
		if change.Old.Exists() {
			before = append(before, apidiff.File{Name: change.Path, Content: change.Old.Bytes()})
		}
		if change.New.Exists() {
			after = append(after, apidiff.File{Name: change.Path, Content: change.New.Bytes()})
		}
	}
	return before, after
}

// unchanged reads the Go files of a package that are not among the changed ones.
func unchanged(dir string, changed map[string]bool) (files []apidiff.File) {
	entries, _ := os.ReadDir(dir) // which need not exist
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if entry.IsDir() || filepath.Ext(name) != ".go" || changed[name] || strings.HasPrefix(entry.Name(), "_") || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if content, err := os.ReadFile(name); err == nil {
			files = append(files, apidiff.File{Name: name, Content: content})
		}
	}
	return files
}

// importPathIn returns the import path of an output directory.
func importPathIn(jobs []job, dir string) string {
	longest, found := -1, filepath.ToSlash(dir)
	for _, j := range jobs {
		for _, pkg := range j.api.Packages {
			if pkg.Dir == dir {
				return pkg.Path
			}
		}
		for _, t := range j.targets {
			rel, err := filepath.Rel(t.Dir, dir)
			if err == nil && filepath.IsLocal(rel) && len(t.Dir) > longest {
				longest, found = len(t.Dir), path.Join(t.Root(), filepath.ToSlash(rel))
			}
		}
	}
	return found
}

// dirOf returns the directory of a package that the run generates, "" for other packages.
func dirOf(jobs []job, importPath string) (dir string) {
	longest := ""
	for _, j := range jobs {
		for _, pkg := range j.api.Packages {
			if pkg.Path == importPath {
				return pkg.Dir
			}
		}
		for _, t := range j.targets {
			root := t.Root()
			rel, below := strings.CutPrefix(importPath+"/", root+"/")
			if root != "" && below && len(root) > len(longest) {
				longest, dir = root, filepath.Join(t.Dir, filepath.FromSlash(rel))
			}
		}
	}
	return dir
}

// count returns the numbers of changed and removed symbols, and of clients whose requests go to another URL.
func (b broken) count() (changed, removed, moved int) {
	for _, pkg := range b {
		for _, c := range pkg.changes {
			switch c.Kind {
			case apidiff.Removed:
				removed++
			case apidiff.URLChanged:
				moved++
			default:
				changed++
			}
		}
	}
	return changed, removed, moved
}

// total returns the number of changes.
func (b broken) total() int {
	changed, removed, moved := b.count()
	return changed + removed + moved
}

// without returns the changes of all other kinds.
func (b broken) without(kinds ...apidiff.Kind) broken {
	return b.filter(func(c apidiff.Change) bool { return !slices.Contains(kinds, c.Kind) })
}

// only returns the changes of a kind.
func (b broken) only(kind apidiff.Kind) broken {
	return b.filter(func(c apidiff.Change) bool { return c.Kind == kind })
}

func (b broken) filter(keep func(apidiff.Change) bool) (rest broken) {
	for _, pkg := range b {
		changes := slices.DeleteFunc(slices.Clone(pkg.changes), func(c apidiff.Change) bool { return !keep(c) })
		if len(changes) > 0 {
			rest = append(rest, brokenPackage{pkg.path, changes})
		}
	}
	return rest
}

func (b broken) String() string {
	changed, removed, moved := b.count()
	text := fmt.Sprintf("exported API: %d changed, %d removed", changed, removed)
	switch moved {
	case 0:
		return text
	case 1:
		return text + "; the URL of 1 client changes"
	}
	return text + fmt.Sprintf("; the URLs of %d clients change", moved)
}

// describe returns a description of a change.
func describe(c apidiff.Change) string {
	var what string
	unless := ""
	if c.Unless != "" {
		unless = ", unless an embedded " + c.Unless + " of a package that is not found has it"
	}
	switch c.Kind {
	case apidiff.Removed:
		what = "removed" + unless + "; was " + c.Was
		if c.Symbol == "" {
			return "the package is removed"
		}
	case apidiff.Changed:
		what = "was " + c.Was + ", is " + c.Is
	case apidiff.MethodAdded:
		what = "added to the interface, which breaks its other implementations" + unless + "; is " + c.Is
	case apidiff.URLChanged:
		what = "requests went to the resource " + c.Was + ", and go to " + c.Is
	case apidiff.NotComparable:
		what = "no longer comparable with =="
	}
	if c.Symbol == "" {
		return what
	}
	return c.Symbol + ": " + what
}

// lines lists at most that many changes, grouped by package; 0 means all.
func (b broken) lines(atMost int) (lines []string) {
	listed := 0
	for _, pkg := range b {
		if atMost > 0 && listed == atMost {
			break
		}
		lines = append(lines, pkg.path)
		for _, c := range pkg.changes {
			if listed++; atMost > 0 && listed > atMost {
				listed--
				break
			}
			lines = append(lines, "\t"+describe(c))
		}
	}
	return lines
}

// diagnostics returns the changes as diagnostics.
func (b broken) diagnostics(severity diag.Severity) (list diag.List) {
	for _, pkg := range b {
		for _, c := range pkg.changes {
			d := &diag.Diagnostic{Severity: severity, Message: "exported API: " + pkg.path + ": " + describe(c), Symbol: pkg.path}
			if c.Symbol != "" {
				d.Message, d.Symbol = "exported API: "+pkg.path+"."+describe(c), pkg.path+"."+c.Symbol
			}
			if c.File != "" {
				d.Pos = token.Position{Filename: c.File, Line: c.Line}
			}
			list = append(list, d)
		}
	}
	return list
}

// listedChanges is the number of changes that a run lists by default.
const listedChanges = 10

// warnCallers warns about breaking changes, if any.
func (r *run) warnCallers(ctx context.Context, tasks []*task, b broken) {
	if len(b) == 0 {
		return
	}
	severity, message := diag.Warning, b.String()
	switch {
	case len(b.without(apidiff.MethodAdded, apidiff.NotComparable)) == 0:
		severity, message = diag.Note, message+"; only code that implements the interfaces or compares the structs breaks"
	default:
		switch kept := r.classicKeeps(ctx, tasks, b); kept {
		case 0:
		case b.total():
			message += "; --classic keeps them"
		default:
			message += fmt.Sprintf("; --classic keeps %d of them", kept)
		}
	}
	atMost := listedChanges
	if r.dryRun {
		atMost = 0
	}
	if r.format != "text" {
		var diags diag.List
		if r.format == "json" || r.dryRun { // GitHub limits the number of annotations
			diags = b.diagnostics(severity)
		}
		diags = append(diags, &diag.Diagnostic{Severity: severity, Message: message})
		r.print(diags)
		return
	}
	r.progress.end()
	fmt.Fprintf(r.stderr, "%s: %s: %s\n", r.tool.Name, severity, message)
	for _, line := range b.lines(atMost) {
		fmt.Fprintf(r.stderr, "\t%s\n", line)
	}
	if more := b.total() - listedChanges; atMost > 0 && more > 0 {
		advice := ""
		if r.takes("dry-run") {
			advice = "; --dry-run lists all"
		}
		fmt.Fprintf(r.stderr, "\tand %d more%s\n", more, advice)
	}
}

// classicKeeps returns how many of the changes --classic would avoid, by generating with --classic in memory. It
// returns 0 if that fails, or the run already has --classic.
func (r *run) classicKeeps(ctx context.Context, tasks []*task, b broken) int {
	if !slices.ContainsFunc(tasks, func(t *task) bool { return !t.flags.Classic }) {
		return 0
	}
	at := run{tool: r.tool, env: r.env, options: &options{}, stdout: io.Discard, stderr: io.Discard, progress: &progress{}, store: r.store}
	documents := plan.Documents{}
	var classic []*task
	var trees []output.Tree
	for _, t := range tasks {
		flags := t.flags
		flags.Classic = true
		p, diags := plan.Resolve(r.tool.command, &flags, t.Environment, documents)
		if diags.HasErrors() {
			return 0
		}
		c := &task{Plan: p, flags: flags, sources: t.sources}
		c.jobs, diags = at.parse(ctx, c)
		if diags.HasErrors() {
			return 0
		}
		c.leaveOut(&diags)
		generated, err := at.generate(c, c.jobs, &diags)
		if err != nil || diags.HasErrors() {
			return 0
		}
		classic, trees = append(classic, c), append(trees, generated...)
	}
	changes, err := output.Plan(trees...)
	if err != nil {
		return 0
	}
	return max(b.total()-r.compareAPI(ctx, classic, changes).total(), 0)
}
