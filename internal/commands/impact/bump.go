package impact

import (
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Bump is a difference between the client-go that existing generated code is for, and the one that a run generates for.
type Bump struct {
	Was load.Span
	Now plan.Choice

	adds string // gains for callers; "" for none
}

// Bumps examines the files replaced by changes. It returns a Bump for each client-go of the run if they were generated
// for another one.
func Bumps(outputs []*run.Output, changes []output.Change) (bumps []Bump) {
	type generated struct {
		plan.Choice
		was, now [][]byte
	}
	var all []generated
	for _, change := range changes {
		choice, ok := choiceFor(outputs, change.Path)
		if !ok || change.Old == nil || change.New == nil {
			continue
		}
		i := slices.IndexFunc(all, func(g generated) bool { return same(g.Choice, choice) })
		if i < 0 {
			i, all = len(all), append(all, generated{Choice: choice})
		}
		all[i].was, all[i].now = append(all[i].was, change.Old), append(all[i].now, change.New)
	}
	for _, g := range all {
		was := load.CodeOf(g.was)
		compared := func(now *load.Code) (lacks []model.Feature, differs bool) {
			lacks = was.Lacks(g.Client, now)
			return lacks, len(lacks)+len(was.Exceeds(g.Client, now)) > 0
		}
		lacks, differs := compared(nil)
		if differs { // which is rare, so the new files are only read now
			lacks, differs = compared(load.CodeOf(g.now))
		}
		if differs {
			was = load.CodeOf(append(g.was, unchangedFor(outputs, changes, g.Choice)...)) // more evidence of the old release
			bumps = append(bumps, Bump{was.Releases(), g.Choice, load.Added(lacks)})
		}
	}
	return bumps
}

// unchangedFor returns the files for a client-go that do not change.
func unchangedFor(outputs []*run.Output, changes []output.Change, choice plan.Choice) (texts [][]byte) {
	changed := map[string]bool{}
	for _, change := range changes {
		changed[change.Path] = true
	}
	for _, o := range outputs {
		for _, tree := range o.Trees {
			for _, file := range tree.Files {
				if name := tree.At(file.Path); !changed[name] {
					if of, ok := choiceFor(outputs, name); ok && same(of, choice) {
						texts = append(texts, file.Content)
					}
				}
			}
		}
	}
	return texts
}

// choiceFor returns the client-go that a file is generated for. ok is false if the file does not depend on it.
func choiceFor(outputs []*run.Output, name string) (choice plan.Choice, ok bool) {
	j, _, _ := ownerOf(outputs, name)
	return j.Release, j.Release.Release != 0
}

// ownerOf returns the job and the target into whose directory a file or directory is generated, and its slash-separated
// path there. If there is none, the directory of the target is "".
func ownerOf(outputs []*run.Output, name string) (of run.Job, owner run.Target, below string) {
	for _, o := range outputs {
		for _, j := range o.Jobs {
			for _, t := range j.Targets {
				rel, err := filepath.Rel(t.Dir, name)
				if t.Dir != "" && err == nil && filepath.IsLocal(rel) && len(t.Dir) > len(owner.Dir) {
					of, owner, below = j, t, filepath.ToSlash(rel)
				}
			}
		}
	}
	return of, owner, below
}

// same reports whether two choices of the same run are equal.
func same(a, b plan.Choice) bool { return a.Release == b.Release && a.From == b.From }

// Diagnostic adds a diagnostic about the bump. of names the git revision of the code, and is "" for code on disk.
func (b Bump) Diagnostic(severity diag.Severity, of string, diags *diag.List) *diag.Diagnostic {
	release, from, adds := b.Now.Release.String(), b.Now.From.Text, ""
	if b.Now.Shown != nil {
		release += " by its source"
	}
	if b.Now.From.Kind == model.FromDefault {
		from = "the default"
	}
	if of != "" {
		of = " of " + of
	}
	if b.adds != "" {
		adds = ", which adds " + b.adds
	}
	return diags.Add(
		severity, b.Now.From.Pos, "the generated code%s is for client-go %s, and this run for %s, from %s%s", of, b.Was, release, from, adds,
	)
}
