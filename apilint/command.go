package apilint

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/kubegen/kubegen/internal/commands/cli"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// The exit codes, as of kubegen.
const (
	exitDone  = 0 // nothing found
	exitFound = 1
	exitError = 2   // an error, such as a package that does not compile
	exitPipe  = 141 // nobody reads the output any more
)

const usage = `apilint lints Kubernetes API types: it runs kube-api-linter and the checks of kubegen.

Usage:
  apilint [flags] [packages]

The packages are those of the current directory and below by default. Without -c, the configuration is .golangci-kal.yml or
.golangci.yml in the current directory or the nearest one above it that enables kubeapilinter, or else the rules that
kube-api-linter enables by default.

Flags:
`

// options are the values of flags.
type options struct {
	config, since, format           string
	checks, conventions, fix, print bool
	patterns                        []string
}

// Main runs the command with its arguments, without its name, and returns its exit code: 0 if it finds nothing, 1 if it
// finds something, and 2 for an error.
func Main(args []string, stdout, stderr io.Writer) int {
	if isVet(args) {
		if args[0] == askVersion {
			return printVersion(stdout, stderr)
		}
		return vet(stderr)
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return o.refuse(stdout, stderr, err)
	}
	ctx, stop := cli.UntilSignal()
	defer stop()
	code, err := o.lint(ctx, stdout, stderr)
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted; nothing was changed")
	}
	if err != nil {
		return o.refuse(stdout, stderr, err)
	}
	return code
}

// refuse prints an error in the format that is asked for, and returns the exit code.
func (o *options) refuse(stdout, stderr io.Writer, err error) int {
	if errors.Is(o.show(&result{about: listOf(err)}, stdout, stderr), syscall.EPIPE) {
		return exitPipe
	}
	return exitError
}

// parse parses flags, also those after packages.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("apilint", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.config, "c", "", "`file` with the configuration of golangci-lint, version 2")
	fs.StringVar(&o.config, "config", "", "the same as -c `file`")
	fs.BoolVar(&o.checks, "checks", false, "run only the checks of kubegen, which need no type checking")
	fs.BoolVar(&o.conventions, "conventions", false, "run only kube-api-linter")
	fs.StringVar(&o.since, "since", "", "report only fields, types and markers that were added or changed since a git `revision`")
	fs.BoolVar(&o.fix, "fix", false, "apply the fixes that are suggested, and report the other findings")
	fs.BoolVar(&o.print, "diff", false, "print the fixes that are suggested as a diff, and write nothing")
	fs.StringVar(&o.format, "format", "text", "`format` of the findings: "+strings.Join(formats(), ", "))
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Fprint(stderr, usage)
				fs.SetOutput(stderr)
				fs.PrintDefaults()
			}
			return o, err
		}
		if args = fs.Args(); len(args) > 0 {
			o.patterns, args = append(o.patterns, args[0]), args[1:]
		}
	}
	if len(o.patterns) == 0 {
		o.patterns = []string{"./..."}
	}
	switch {
	case !slices.Contains(formats(), o.format):
		return o, fmt.Errorf("-format: unknown format %q (known are %s)", o.format, strings.Join(formats(), ", "))
	case o.fix && o.print:
		return o, errors.New("-fix and -diff exclude each other")
	}
	return o, nil
}

func formats() []string { return append(slices.Clone(diag.Formats), "sarif") }

// lint lints, and prints, fixes or diffs what it finds.
func (o *options) lint(ctx context.Context, stdout, stderr io.Writer) (code int, err error) {
	c, err := o.readConfig()
	if err != nil {
		return exitError, err
	}
	found, err := until(ctx, func() (*result, error) {
		return run(ctx, request{
			config: c, patterns: o.patterns, since: o.since,
			conventions: o.conventions || !o.checks, checks: o.checks || !o.conventions,
		})
	})
	if err != nil {
		return exitError, err
	}
	if found.about.HasErrors() {
		return exitError, o.show(found, stdout, stderr)
	}
	code = exitDone
	if len(found.findings) > 0 {
		code = exitFound
	}
	if o.fix || o.print {
		changes, left, err := fixed(found.findings)
		if err != nil {
			return exitError, err
		}
		if o.print {
			return code, output.Diff(stdout, relativeTo(workingDir(), changes))
		}
		if err := write(ctx, changes); err != nil {
			return exitError, err
		}
		if found.findings = left; len(left) == 0 && found.hidden == 0 {
			code = exitDone
		}
	}
	if found.hidden > 0 {
		fmt.Fprintf(stderr, "apilint: %s hidden by the limits of golangci-lint (set issues.max-same-issues, issues.max-issues-per-linter "+
			"to 0 and issues.uniq-by-line to false to see all)\n", diag.Count(found.hidden, "finding"))
	}
	return code, o.show(found, stdout, stderr)
}

// until returns what a function returns, or the error of ctx as soon as that ends. Analyzers do not end with it.
func until(ctx context.Context, lint func() (*result, error)) (*result, error) {
	type end struct {
		found *result
		err   error
	}
	ended := make(chan end, 1)
	go func() {
		found, err := lint()
		ended <- end{found, err}
	}()
	select {
	case <-ctx.Done():
	case e := <-ended:
		if ctx.Err() == nil {
			return e.found, e.err
		}
	}
	return nil, ctx.Err()
}

// readConfig returns the configuration that -c names, or the one of the current directory.
func (o *options) readConfig() (*config, error) {
	if o.config == "" {
		return findConfig(workingDir())
	}
	c, err := readConfig(o.config)
	if err == nil && !c.enabled() && !o.checks {
		err = fmt.Errorf("%s: %w", o.config, errNotEnabled)
	}
	return c, err
}

// show prints findings, and what is said about the run. Programs read both from standard output. In JSON, each finding
// has the change that fixes it.
func (o *options) show(found *result, stdout, stderr io.Writer) error {
	dir := workingDir()
	style := diag.Style{Format: o.format, Dir: dir}
	switch o.format {
	case "sarif":
		tell(stderr, dir, found.about)
		return writeSARIF(stdout, dir, found)
	case "json", "github":
		for _, f := range found.findings {
			if len(f.fix) == 0 || o.format != "json" {
				continue
			}
			changes, _, err := fixed([]finding{f})
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := output.Diff(&text, relativeTo(dir, changes)); err != nil {
				return err
			}
			f.Diff = text.String()
		}
		return append(found.about, found.list()...).Write(stdout, style)
	}
	tell(stderr, dir, found.about)
	return found.list().Write(stdout, style)
}

// tell prints what is said about a run, as text. It begins with the name of the command if it has no position.
func tell(stderr io.Writer, dir string, about diag.List) {
	var placed, others diag.List
	for _, d := range about {
		if d.Pos.IsValid() {
			placed = append(placed, d)
		} else {
			others = append(others, d)
		}
	}
	_ = placed.Write(stderr, diag.Style{Dir: dir})
	var text strings.Builder
	_ = others.Write(&text, diag.Style{})
	for line := range strings.Lines(text.String()) {
		fmt.Fprint(stderr, "apilint: ", strings.TrimPrefix(line, "error: "))
	}
}
