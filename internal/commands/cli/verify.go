package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// verifyCommand is kubegen with --verify.
var verifyCommand = Command{
	Name: "verify", of: "kubegen",
	short: `Check that the generated code is up to date. If it is not, print a diff and exit with 1. Nothing is written.`,
	usage: "kubegen verify [flags] [packages]\n\nFlags and packages are the same as for kubegen.",
	about: `  kubegen verify                             # what kubegen.yaml says
  kubegen verify --format github ./apis/...  # as annotations

`,
	flags: declare(func(o *options, fs *pflag.FlagSet) {
		fs.BoolVar(&o.verify, "verify", true, "")
		_ = fs.MarkHidden("verify")
		under(fs, thisCommand)
	}, kubegenSettings, formatFlag, runOptions),
	maxArgs: anyNumber,
	run:     writing(everything),
}

// report prints the files that are out of date: as a diff on standard output, or in JSON as objects there, each with
// its diff. Messages are written to standard error in both cases.
func (in *invocation) report(changes []output.Change) int {
	if len(changes) == 0 {
		return exitDone
	}
	advice := in.toGenerate()
	stale := map[output.Action]string{
		output.Create: "this generated file is missing", output.Update: "this generated file is out of date",
		output.Delete: "this generated file is left over",
	}
	if in.format == "json" {
		_ = in.ofFiles(diag.Error, changes, stale, advice, true).Write(in.stdout, in.style())
		return exitStale
	}
	if in.printDiff(changes); in.stdout.err != nil {
		return exitError // execute prints the reason
	}
	if in.format == "github" {
		in.print(in.ofFiles(diag.Error, changes, stale, advice, false))
		return exitStale
	}
	are := "is"
	if len(changes) > 1 {
		are = "are"
	}
	fmt.Fprintf(in.stderr, "%s: %s %s out of date (%s)\n", in.command.program(), diag.Count(len(changes), "file"), are, advice)
	return exitStale
}

// toGenerate returns the advice to generate, for a command that does not write files.
func (in *invocation) toGenerate() string {
	flag := "--verify"
	if in.command.of != "" { // verify, list
		flag = in.command.Name
	}
	return "run the same command without " + flag
}

// printDiff prints a diff: byte for byte for a program, and with all characters visible for a terminal. It keeps GitHub
// Actions from reading workflow commands in lines of the files.
func (in *invocation) printDiff(changes []output.Change) {
	_, isTerminal := terminal(in.stdout)
	in.stdout.exact = !isTerminal
	defer func() { in.stdout.exact = false }()
	if in.env.Getenv("GITHUB_ACTIONS") != "true" {
		var w io.Writer = in.stdout
		if in.colors(in.stdout) {
			w = output.Colored{Writer: w}
		}
		_ = output.Diff(w, in.relative(changes...))
		return
	}
	var diff bytes.Buffer
	_ = output.Diff(&diff, in.relative(changes...)) // cannot fail
	if workflowCommand.Match(diff.Bytes()) {
		token := fmt.Sprintf("%x", sha256.Sum256(diff.Bytes())) // no line of the diff can contain it
		fmt.Fprintf(&diff, "::%s::\n", token)
		fmt.Fprintf(in.stdout, "::stop-commands::%s\n", token)
	}
	_, _ = diff.WriteTo(in.stdout)
}

// workflowCommand matches text in the output of a step that GitHub Actions treats as a workflow command.
var workflowCommand = regexp.MustCompile(`(?m)^\s*::|##\[`)

// preview prints the files that --dry-run does not write.
func (in *invocation) preview(changes []output.Change) {
	if in.format == "json" {
		planned := map[output.Action]string{
			output.Create: "this file would be created", output.Update: "this file would be updated", output.Delete: "this file would be deleted",
		}
		_ = in.ofFiles(diag.Note, changes, planned, "", false).Write(in.stdout, in.style())
		return
	}
	for _, change := range in.relative(changes...) {
		fmt.Fprintf(in.stdout, "%s %s\n", change.Action, change.Path)
	}
}

// ofFiles returns a diagnostic for each changed file. If diffs is set, it contains the diff.
func (in *invocation) ofFiles(
	severity diag.Severity, changes []output.Change, what map[output.Action]string, hint string, diffs bool,
) (diags diag.List) {
	for _, change := range changes {
		d := diags.Add(severity, token.Position{Filename: change.Path, Line: 1}, "%s", what[change.Action])
		if hint != "" {
			d.Suggest("%s", hint)
		}
		if diffs {
			var b strings.Builder
			_ = output.Diff(&b, in.relative(change)) // cannot fail
			d.Diff = b.String()
		}
	}
	return diags
}

// relative returns the changes with file names relative to the current directory.
func (in *invocation) relative(changes ...output.Change) []output.Change {
	named := slices.Clone(changes)
	for i := range named {
		named[i].Path = in.env.Name(named[i].Path)
	}
	return named
}
