// Command migrate prints a patch that replaces the generators in scripts and Makefiles with a kubegen.yaml. It reads
// these files, and runs nothing of them.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/kubegen/kubegen/internal/commands/project"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// The exit codes, as of kubegen.
const (
	exitDone  = 0
	exitError = 2
	exitPipe  = 141 // nobody reads the output any more
)

const usage = `migrate prints a patch that replaces the generators in scripts and Makefiles with
a kubegen.yaml. A script that verifies what another one generates runs kubegen
verify instead. Nothing is written, and nothing of these files is run.

Usage:
  migrate FILE...

  go run github.com/kubegen/kubegen/migrate@latest hack/update-codegen.sh Makefile | git apply
`

func main() {
	env, err := load.Current()
	if err != nil {
		fmt.Fprintf(os.Stderr, "migrate: %v\n", err)
		os.Exit(exitError)
	}
	os.Exit(run(env, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command with its arguments, and returns its exit code.
func run(env load.Environment, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("migrate", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitDone
	case err == nil && flags.NArg() == 0:
		err = errors.New("name the scripts and Makefiles that run generators")
	}
	if err != nil {
		fmt.Fprintf(stderr, "migrate: %v (see migrate --help)\n", err)
		return exitError
	}
	diags, err := propose(env, flags.Args(), stdout)
	if errors.Is(err, syscall.EPIPE) {
		return exitPipe
	}
	if err == nil {
		err = diags.Write(stderr, diag.Style{Dir: env.Dir})
	}
	if err != nil {
		fmt.Fprintf(stderr, "migrate: %s\n", diag.Line(env.Shorten(err.Error())))
		return exitError
	}
	return exitDone
}

// propose prints the patch for files, and returns warnings of what it leaves.
func propose(env load.Environment, args []string, stdout io.Writer) (diags diag.List, err error) {
	found, err := project.Survey(env)
	if err != nil {
		return nil, err
	}
	var names []string
	texts := map[string]string{}
	for _, arg := range args {
		name := env.At(arg)
		text, err := load.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if diag.Visible(line) != line {
				const format = "%s:%d:1: the line has control characters, such as a carriage return, which no patch here has; remove them first"
				return nil, fmt.Errorf(format, env.Name(name), i+1)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		texts[name] = string(text)
	}
	files, unread, err := (&module{found, env}).Propose(names, texts)
	if err != nil {
		return nil, err
	}
	for _, u := range unread {
		d := diags.Warnf(token.Position{Filename: u.File, Line: u.Line, Column: 1}, "%s", env.Shorten(u.Reason))
		d.Hint = env.Shorten(cmp.Or(u.Remedy, "see the script"))
	}
	var changes []output.Change
	for _, f := range files {
		change := output.Change{Action: output.Create, Path: env.Name(f.Path), New: []byte(f.Text)}
		if text, ok := texts[f.Path]; ok {
			info, err := os.Stat(f.Path)
			change.Action, change.Old, change.Executable = output.Update, []byte(text), err == nil && info.Mode()&0o111 != 0
		}
		changes = append(changes, change)
	}
	return diags, output.Diff(stdout, changes)
}
