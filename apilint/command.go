package apilint

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// The exit codes, as of kubegen.
const (
	exitDone  = 0 // nothing found
	exitFound = 1
	exitError = 2 // an error, such as a package that does not compile
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
		return vet(stderr)
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintln(stderr, "apilint:", err)
		return exitError
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := o.lint(ctx, stdout, stderr)
	if err != nil {
		return refuse(stderr, err)
	}
	return code
}

// refuse prints an error, each with its position if it is about packages, and returns the exit code.
func refuse(stderr io.Writer, err error) int {
	var inPackages *errorList
	if errors.As(err, &inPackages) {
		_ = inPackages.list.Write(stderr, diag.Style{Dir: workingDir()})
	} else {
		fmt.Fprintln(stderr, "apilint:", diag.Line(err.Error()))
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
			return nil, err
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
		return nil, fmt.Errorf("-format: unknown format %q (known are %s)", o.format, strings.Join(formats(), ", "))
	case o.fix && o.print:
		return nil, errors.New("-fix and -diff exclude each other")
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
	found, err := run(ctx, request{
		config: c, patterns: o.patterns, since: o.since,
		conventions: o.conventions || !o.checks, checks: o.checks || !o.conventions,
	})
	if err != nil {
		return exitError, err
	}
	dir := workingDir()
	if err := found.about.Write(stderr, diag.Style{Dir: dir}); err != nil {
		return exitError, err
	}
	if found.about.HasErrors() {
		return exitError, o.show(found, dir, stdout)
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
			return code, output.Diff(stdout, relativeTo(dir, changes))
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
	return code, o.show(found, dir, stdout)
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

// show prints findings. In JSON, each has the change that fixes it.
func (o *options) show(found *result, dir string, stdout io.Writer) error {
	if o.format == "sarif" {
		return writeSARIF(stdout, dir, found.findings)
	}
	for _, f := range found.findings {
		if o.format != "json" || len(f.fix) == 0 {
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
	return found.list().Write(stdout, diag.Style{Format: o.format, Dir: dir})
}
