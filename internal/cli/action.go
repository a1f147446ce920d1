package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/run"
)

// action is what a command or subcommand does with a run. Its fields are the values of its flags, which Tool.action
// sets to their defaults.
type action interface {
	// declare declares the flags of the subcommand; declareRun, its flags for the run, such as --verify.
	declare(o *options, fs *pflag.FlagSet)
	declareRun(o *options, fs *pflag.FlagSet)

	// check checks the flags and arguments. It takes arguments that are no packages from o.Patterns.
	check(o *options) error

	// purpose is what the packages are read for.
	purpose() facts.Purpose

	// finish carries out the command, and returns the exit code.
	finish(ctx context.Context, c *command, r *result) int
}

// result is the result of a run without errors in the input.
type result struct {
	outputs []*run.Output
	jobs    []run.Job
	trees   []output.Tree
	changes []output.Change // set by compare
	diags   diag.List
	err     error // of generating or comparing
}

func newResult(outputs []*run.Output, diags diag.List, err error) *result {
	r := &result{outputs: outputs, diags: diags, err: err}
	for _, o := range outputs {
		r.jobs, r.trees = append(r.jobs, o.Jobs...), append(r.trees, o.Trees...)
	}
	return r
}

// compare compares the result with the files on disk.
func (r *result) compare(progress *progress) {
	if r.err == nil {
		progress.Phase("comparing", 0)
		r.changes, r.err = output.Plan(r.trees...)
	}
	progress.Ended("compared")
}

// formatFlag declares the flag for the format of messages.
func formatFlag(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.format, "format", o.format, "`format` of messages: text, json or github (annotations)")
	allow(fs.Lookup("format"), diag.Formats...)
}
