package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/commands/impact"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// breakingCommand reports breaking changes since a git revision.
var breakingCommand = Command{
	Name: "breaking", of: "kubegen",
	short: `Report breaking API changes in generated code since a git revision. Compares the committed generated files with what would be generated now from the types in the working tree, and writes nothing. The exit code is 1 if anything visible to callers is changed or removed, 0 if not, and 2 after an error. Methods added to interfaces, which every new kind causes, are notes: they break only code that implements these interfaces.`,
	usage: `kubegen breaking --against REVISION [flags] [packages]
  kubegen breaking OLD NEW

Flags and packages are the same as for kubegen. OLD and NEW are manifests of
CustomResourceDefinitions, which need no Go types: files, directories, - for
standard input, or REVISION:PATH in git.`,
	about: `  kubegen breaking --against origin/main ./apis/...
  kubegen breaking --against v1.2.0 --strict         # added methods, too
  kubegen breaking --against HEAD~1 --format github  # as annotations
  kubegen breaking origin/main:config/crd config/crd # manifests alone

`,
	flags:   declare(ownBreakingFlags.under(thisCommand), kubegenSettings, formatFlag, runOptions),
	maxArgs: anyNumber,
	run: func(ctx context.Context, in *invocation) int {
		if in.against == "" && in.flags.NArg() == 2 {
			return in.compareManifests(ctx, in.flags.Arg(0), in.flags.Arg(1))
		}
		err := in.checkFormat()
		if in.against == "" {
			err = errors.Join(
				err, errors.New("--against is required: the git revision to compare with, such as origin/main; or name manifests, OLD and NEW"),
			)
		}
		if err != nil {
			return in.fail(err)
		}
		r, code := in.generate(ctx, everything, facts.ToCompare)
		if r == nil {
			return code
		}
		r.compare(&in.timings)
		if r.err != nil && len(r.changes) == 0 {
			return in.refuse(r.diags, r.err)
		}
		in.print(r.diags)
		code = in.reportBreaking(ctx, r)
		in.details(r)
		return code
	},
}

var ownBreakingFlags declaration = func(o *options, fs *pflag.FlagSet) {
	fs.StringVar(&o.against, "against", "", "git `revision` to compare with, such as origin/main")
	byDefault(fs, "against", "required")
	fs.BoolVar(&o.strict, "strict", false, "also report methods added to interfaces, which break code that implements these")
}

// reportBreaking compares the result of a run with the files of the revision, and prints the breaking changes.
func (in *invocation) reportBreaking(ctx context.Context, r *result) int {
	changes, ok, err := impact.Since(ctx, in.env, in.against, r.trees, r.changes)
	var manifests []crd.Change
	var hasManifests bool
	var said diag.List
	if err == nil {
		manifests, hasManifests, said, err = impact.OnManifests(ctx, in.env, in.against, r.outputs)
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return in.fail(err)
	}
	said = append(in.bumps(impact.Bumps(r.outputs, changes), in.against, false), said...)
	found := impact.OnCode(ctx, r.sources, r.outputs, changes)
	if !ok && !hasManifests {
		in.note("%s has no generated code, so nothing is broken", in.against)
	}
	var added impact.Report
	if !in.strict {
		added, found = found.Split(impact.MethodAdded)
	}
	if in.format == "text" {
		collapsed := found.Collapsed()
		for _, line := range collapsed.Lines(collapsed.Total()) {
			fmt.Fprintln(in.stdout, line)
		}
		in.noteAdded(added)
		if len(found) > 0 {
			fmt.Fprintf(in.stderr, "%s: %s since %s\n", in.command.program(), found, in.against)
		}
	}
	code := in.reportManifests(
		append(found.Diagnostics(diag.Error), added.Diagnostics(diag.Note)...), manifests,
		fmt.Sprintf("CustomResourceDefinitions: %d changed since %s", len(manifests), in.against), said,
	)
	if len(found) > 0 {
		return exitStale
	}
	return code
}

// compareManifests prints the breaking changes between two sets of manifests.
func (in *invocation) compareManifests(ctx context.Context, before, after string) int {
	errs := []error{in.checkFormat()}
	in.flags.Visit(func(f *pflag.Flag) {
		if heading(f.Annotations[headingKey][0]) != runFlags {
			errs = append(errs, fmt.Errorf("--%s has no effect on the comparison of %s and %s; remove it", f.Name, before, after))
		}
	})
	if err := errors.Join(errs...); err != nil {
		return in.fail(err)
	}
	changes, said, err := impact.Between(ctx, in.env, before, after, readStdin)
	if err = cmp.Or(ctx.Err(), err); err != nil || said.HasErrors() {
		return in.refuse(said, err)
	}
	return in.reportManifests(nil, changes, diag.Count(len(changes), "breaking change")+" in CustomResourceDefinitions", said)
}

// reportManifests prints the changes of CustomResourceDefinitions, with a summary, and what else was said. In JSON and
// annotations, the diagnostics of other changes come first.
func (in *invocation) reportManifests(others diag.List, changes []crd.Change, summary string, said diag.List) int {
	if in.format == "text" {
		in.listManifests(changes)
		if len(changes) > 0 {
			fmt.Fprintf(in.stderr, "%s: %s\n", in.command.program(), summary)
		}
		_ = said.Write(in.stderr, in.style())
	} else {
		for _, change := range changes {
			change.Diagnostic(diag.Error, &others)
		}
		_ = append(others, said...).Write(in.stdout, in.style())
	}
	if len(changes) > 0 {
		return exitStale
	}
	return exitDone
}

// listManifests prints the changes of CustomResourceDefinitions, grouped by name, with the positions now and in the
// revision.
func (in *invocation) listManifests(changes []crd.Change) {
	name := ""
	for _, change := range changes {
		if change.Title() != name {
			name = change.Title()
			fmt.Fprintln(in.stdout, name)
		}
		was := "was at " + in.place(change.Formerly)
		if change.Pos.IsValid() {
			was = in.place(change.Pos) + ", " + was
		}
		fmt.Fprintf(in.stdout, "\t%s (%s)\n", change.What, was)
	}
}

// place returns a position in a message.
func (in *invocation) place(pos token.Position) string {
	if filepath.IsAbs(pos.Filename) { // and not a file of a revision
		pos.Filename = in.env.Name(pos.Filename)
	}
	return pos.String()
}

// noteAdded prints the methods added to interfaces, if any.
func (in *invocation) noteAdded(added impact.Report) {
	if len(added) == 0 {
		return
	}
	methods := "1 method was"
	if n := added.Total(); n > 1 {
		methods = fmt.Sprintf("%d methods were", n)
	}
	in.note("%s added to interfaces since %s, which breaks only code that implements these (with --strict, exit code 1)", methods, in.against)
	in.listChanges(added, listedChanges, "; --strict lists all")
}
