package cli

import (
	"context"
	"errors"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/commands/impact"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// write generates what a command generates, and writes the files, or verifies or lists them.
func (in *invocation) write(ctx context.Context, command plan.Command) int {
	if err := in.checkWrite(); err != nil {
		return in.fail(err)
	}
	r, code := in.generate(ctx, command, facts.ToGenerate)
	if r == nil {
		return code
	}
	return in.finish(ctx, r)
}

// finish writes the result of a run, or verifies or lists it.
func (in *invocation) finish(ctx context.Context, r *result) int {
	r.compare(&in.timings)
	if r.err != nil && (!in.verify || len(r.changes) == 0) { // files that cannot be written can still be compared
		return in.refuse(r.diags, r.err)
	}
	r.diags = append(r.diags, impact.LostGroups(r.outputs, r.changes)...)
	if r.diags.HasErrors() {
		return in.refuse(r.diags, nil)
	}
	in.print(in.bumps(impact.Bumps(r.outputs, r.changes), "", in.verify))
	r.diags = append(r.diags, impact.RemovedKinds(r.outputs, r.changes)...)
	in.print(append(r.diags, impact.DroppedPackages(in.env, r.outputs, r.changes)...))
	in.warnCallers(r, impact.OnCode(ctx, r.sources, r.outputs, r.changes), in.dryRun)
	code := exitDone
	mayBeEmpty := func(o *run.Output) bool { return o.Plan.Policy.AcceptEmpty } // as by the classic tools
	switch {
	case in.verify && len(r.changes) == 0 && filesOf(r.trees) == 0 && !slices.ContainsFunc(r.outputs, mayBeEmpty):
		return in.refuse(nil, errors.New("nothing is verified: no file is generated with these flags for these packages"))
	case in.verify:
		if code = in.report(r.changes); code == exitDone {
			in.tellTerminal(diag.Count(filesOf(r.trees), "file") + " up to date")
		}
	case in.dryRun:
		in.preview(r.changes)
	default:
		if err := in.commit(ctx, r); err != nil {
			return in.fail(err)
		}
		in.print(deletedBeside(r.trees, r.changes))
		in.print(crd.Unlisted(deleted(r.changes)))
		in.summarizeFiles(r.trees, r.changes)
	}
	in.details(r)
	return code
}

// deletedBeside notes the Go files in packages of types that a run has deleted.
func deletedBeside(trees []output.Tree, changes []output.Change) (diags diag.List) {
	names := slices.DeleteFunc(deleted(changes), func(name string) bool {
		return !slices.ContainsFunc(trees, func(t output.Tree) bool {
			return t.Flat && t.IsGo() && filepath.Clean(t.Dir) == filepath.Dir(name)
		})
	})
	if len(names) == 0 {
		return nil
	}
	others := ""
	if n := len(names) - 1; n > 0 {
		others = " with " + diag.Count(n, "other file")
	}
	diags.Notef(token.Position{Filename: names[0], Line: 1}, "deleted%s: code that is not generated any more", others)
	return diags
}

// deleted returns the files that a run has deleted.
func deleted(changes []output.Change) (names []string) {
	for _, change := range changes {
		if change.Action == output.Delete {
			names = append(names, change.Path)
		}
	}
	return names
}

// commit writes the changes.
func (in *invocation) commit(ctx context.Context, r *result) error {
	output.Clean(r.trees...)
	err := output.Commit(ctx, r.changes)
	in.timings.ended("written")
	return err
}
