package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/impact"
	"github.com/kubegen/kubegen/internal/output"
)

// generating writes the generated files, or verifies or lists them.
type generating struct{ verify, dryRun bool }

func (g *generating) declare(*options, *pflag.FlagSet) {}

func (g *generating) declareRun(o *options, fs *pflag.FlagSet) {
	fs.BoolVar(&g.verify, "verify", false, "write nothing; print a diff and exit with 1 if there is one")
	fs.BoolVar(&g.dryRun, "dry-run", false, "write nothing; list what would be written and deleted")
	formatFlag(o, fs)
}

func (g *generating) check(*options) error {
	if g.verify && g.dryRun {
		return errors.New("--verify and --dry-run cannot be used together")
	}
	return nil
}

func (g *generating) verifies() bool { return g.verify }

func (g *generating) purpose() facts.Purpose { return facts.ToGenerate }

func (g *generating) finish(ctx context.Context, c *command, r *result) int {
	r.compare(c.progress)
	if r.err != nil && (!g.verify || len(r.changes) == 0) { // files that cannot be written can still be compared
		return c.refuse(r.diags, r.err)
	}
	r.diags = append(r.diags, impact.LostGroups(r.outputs, r.changes)...)
	if r.diags.HasErrors() {
		return c.refuse(r.diags, nil)
	}
	c.print(c.bumps(impact.Bumps(r.outputs, r.changes), "", g.verify))
	r.diags = append(r.diags, impact.RemovedKinds(r.outputs, r.changes)...)
	c.print(append(r.diags, impact.DroppedPackages(c.env, r.outputs, r.changes)...))
	c.warnCallers(r, impact.OnCode(ctx, r.outputs, r.changes), g.dryRun)
	code := exitDone
	switch {
	case g.verify:
		if code = c.report(r.changes); code == exitDone {
			c.tellTerminal(diag.Count(filesOf(r.trees), "file") + " up to date")
		}
	case g.dryRun:
		code = c.preview(r.changes)
	default:
		if err := c.write(ctx, r); err != nil {
			return c.fail(err)
		}
		c.summarizeFiles(r.trees, r.changes)
	}
	c.details(r)
	return code
}

// write writes the changes.
func (c *command) write(ctx context.Context, r *result) error {
	c.progress.start(progressDelay)
	c.progress.Phase("writing "+diag.Count(len(r.changes), "file"), 0)
	output.Clean(r.trees...)
	err := output.Commit(ctx, r.changes)
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if err == nil {
		c.progress.Ended("written")
		c.progress.end()
	}
	return err
}
