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

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/output"
)

// verifyCommand returns the command "kubegen verify", which is "kubegen --verify".
func verifyCommand(kubegen Tool) Tool {
	kubegen.sub = "verify"
	kubegen.short = `Check that the generated code is up to date. If it is not, print a diff and exit with 1. Nothing is written.`
	kubegen.usage = "kubegen verify [flags] [packages]\n\nFlags and packages are the same as for kubegen."
	kubegen.examples = `  kubegen verify                             # what kubegen.yaml says
  kubegen verify --format github ./apis/...  # as annotations
`
	kubegen.action = func() action { return &verifying{} }
	return kubegen
}

// verifying is generating with --verify.
type verifying struct{ generating }

func (v *verifying) declare(_ *options, fs *pflag.FlagSet) {
	fs.BoolVar(&v.verify, "verify", true, "")
	_ = fs.MarkHidden("verify")
}

func (v *verifying) declareRun(o *options, fs *pflag.FlagSet) { formatFlag(o, fs) }

// report prints the files that are out of date: as a diff on standard output, or in JSON as objects there, each with
// its diff. Messages are written to standard error in both cases.
func (c *command) report(changes []output.Change) int {
	if len(changes) == 0 {
		return exitDone
	}
	advice := c.toGenerate()
	stale := map[output.Kind]string{
		output.Create: "this generated file is missing", output.Update: "this generated file is out of date", output.Delete: "this generated file is left over",
	}
	if c.format == "json" {
		return c.printed(exitStale, c.ofFiles(diag.Error, changes, stale, advice, true).Write(c.stdout, c.style()))
	}
	if err := c.printDiff(changes); err != nil {
		return exitError // execute prints the reason
	}
	if c.format == "github" {
		c.print(c.ofFiles(diag.Error, changes, stale, advice, false))
		return exitStale
	}
	are := "is"
	if len(changes) > 1 {
		are = "are"
	}
	fmt.Fprintf(c.stderr, "%s: %s %s out of date (%s)\n", c.tool.Name, diag.Count(len(changes), "file"), are, advice)
	return exitStale
}

// toGenerate returns the advice to generate, for a command that does not write files.
func (c *command) toGenerate() string {
	flag := "--verify"
	if sub := c.tool.sub; sub == "verify" || sub == "list" {
		flag = sub
	}
	return "run the same command without " + flag
}

// printDiff prints a diff: byte for byte for a program, and with all characters visible for a terminal. It keeps GitHub
// Actions from reading workflow commands in lines of the files.
func (c *command) printDiff(changes []output.Change) error {
	if out, ok := c.stdout.(*stream); ok {
		_, isTerminal := terminal(out)
		out.exact = !isTerminal
		defer func() { out.exact = false }()
	}
	if c.env.Getenv("GITHUB_ACTIONS") != "true" {
		var w io.Writer = c.stdout
		if c.colors(c.stdout) {
			w = output.Colored(w)
		}
		return output.Diff(w, c.relative(changes...))
	}
	var diff bytes.Buffer
	if err := output.Diff(&diff, c.relative(changes...)); err != nil {
		return err
	}
	if workflowCommand.Match(diff.Bytes()) {
		token := fmt.Sprintf("%x", sha256.Sum256(diff.Bytes())) // no line of the diff can contain it
		fmt.Fprintf(&diff, "::%s::\n", token)
		if _, err := fmt.Fprintf(c.stdout, "::stop-commands::%s\n", token); err != nil {
			return err
		}
	}
	_, err := diff.WriteTo(c.stdout)
	return err
}

// workflowCommand matches text in the output of a step that GitHub Actions treats as a workflow command.
var workflowCommand = regexp.MustCompile(`(?m)^\s*::|##\[`)

// preview prints the files that --dry-run does not write.
func (c *command) preview(changes []output.Change) int {
	if c.format == "json" {
		planned := map[output.Kind]string{
			output.Create: "this file would be created", output.Update: "this file would be updated", output.Delete: "this file would be deleted",
		}
		return c.printed(exitDone, c.ofFiles(diag.Note, changes, planned, "", false).Write(c.stdout, c.style()))
	}
	for _, change := range c.relative(changes...) {
		fmt.Fprintf(c.stdout, "%s %s\n", change.Kind, change.Path)
	}
	return exitDone
}

// printed returns code, or exitError if the result could not be printed. execute prints the reason.
func (c *command) printed(code int, err error) int {
	if err != nil {
		return exitError
	}
	return code
}

// ofFiles returns a diagnostic for each changed file. If diffs is set, it contains the diff.
func (c *command) ofFiles(severity diag.Severity, changes []output.Change, what map[output.Kind]string, hint string, diffs bool) (diags diag.List) {
	for _, change := range changes {
		d := diags.Add(severity, token.Position{Filename: change.Path, Line: 1}, "%s", what[change.Kind])
		if hint != "" {
			d.Suggest("%s", hint)
		}
		if diffs {
			var b strings.Builder
			_ = output.Diff(&b, c.relative(change)) // cannot fail
			d.Diff = b.String()
		}
	}
	return diags
}

// relative returns the changes with file names relative to the current directory.
func (c *command) relative(changes ...output.Change) []output.Change {
	named := slices.Clone(changes)
	for i := range named {
		named[i].Path = c.env.Name(named[i].Path)
	}
	return named
}
