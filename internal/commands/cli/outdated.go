package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/internal/commands/impact"
)

var outdatedCommand = Command{
	Name: "outdated", of: "kubegen", usage: "kubegen outdated [flags]",
	short: "List the modules of go.mod whose clients, listers or informers were generated for another release of client-go than go.mod " +
		"selects.",
	about: `For each, print what that means and the command that generates the code here.
Modules are read in the module cache; no proxy is asked.

`,
	flags: declaration(func(o *options, fs *pflag.FlagSet) {
		fs.StringVar(&o.format, "format", "text", "`format` of the list: text or json")
		fs.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if there are such modules, and with 2 if modules cannot be read")
	}).under(thisCommand),
	run: func(ctx context.Context, in *invocation) int {
		format := in.format
		if !slices.Contains([]string{"text", "json"}, format) {
			return in.misused(format, fmt.Sprintf("--format: %q is neither text nor json", format), "see kubegen outdated --help")
		}
		report, err := impact.Survey(ctx, in.env)
		if ctx.Err() != nil {
			return in.misused(format, errInterrupted.Error(), "it changes nothing")
		}
		if mistakes := (modfile.ErrorList)(nil); errors.As(err, &mistakes) {
			first := mistakes[0]
			first.Filename = in.env.Name(first.Filename)
			return in.misused(format, first.Error(), "correct it")
		}
		if err != nil {
			return in.misused(format, err.Error(), "run it in a module that uses client-go")
		}
		if format == "json" {
			printJSON(in.stdout, report, "  ")
		} else {
			report.Print(in.stdout)
		}
		switch {
		case in.exitCode && len(report.NotInCache) > 0:
			return exitError // the list names the modules
		case in.exitCode && (len(report.Modules) > 0 || report.Mixed != nil && report.Mixed.Breaks):
			return exitStale
		}
		return exitDone
	},
}
