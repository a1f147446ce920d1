package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
)

// listCommand lists kinds. It generates nothing.
var listCommand = Command{
	Name: "list", of: "kubegen",
	short: "List the kinds for which kubegen would generate code, and the roles and webhooks that it would generate. For one kind, or with " +
		"--long, also print the sources of names, scopes and verbs.",
	usage: `kubegen list [flags] [packages] [kinds]

Flags and packages are the same as for kubegen. A kind is a Go name, with or
without version and group: CronTab, CronTab.v1 or CronTab.v1.stable.example.com;
or a name in kubectl: crontab, crontabs or crontabs.stable.example.com.`,
	about: `  kubegen list ./apis/...
  kubegen list CronTab                   # all facts about a kind
  kubegen list --format json ./apis/...  # for programs

`,
	flags:   declare(ownListFlags.under(thisCommand), kubegenSettings, runOptions),
	maxArgs: anyNumber,
	run:     list,
}

var ownListFlags declaration = func(o *options, fs *pflag.FlagSet) {
	fs.BoolVar(&o.long, "long", false, "list all facts about all kinds, the generated packages, and the markers of roles and "+
		"webhooks; the schemas that edits change; with --format json also the constraints in the schemas of CustomResourceDefinitions, with "+
		"their markers")
	fs.StringVar(&o.listFormat, "format", "table", "`format` of the list: table or json")
}

// list prints the kinds, packages and manifests that a run would generate.
func list(ctx context.Context, in *invocation) int {
	var kinds, patterns []string
	for _, arg := range in.Patterns {
		if isKind(arg) || isResource(in.env, arg) {
			kinds = append(kinds, arg)
		} else {
			patterns = append(patterns, arg)
		}
	}
	in.Patterns = patterns
	if in.listFormat != "table" && in.listFormat != "json" {
		return in.fail(fmt.Errorf("--format: %q is neither table nor json", in.listFormat))
	}
	r, code := in.generate(ctx, everything, facts.ToList)
	if r == nil {
		return code
	}
	in.print(r.diags)
	listed := run.List(r.outputs, in.env)
	if in.long {
		listed.Constrain(r.outputs, in.env.Dir)
	}
	if len(kinds) > 0 {
		if err := listed.Keep(kinds); err != nil {
			return in.fail(err)
		}
	}
	switch {
	case in.listFormat == "json":
		printJSON(in.stdout, listed, "  ")
	case len(kinds) > 0:
		listed.PrintKinds(in.stdout)
	case in.long:
		listed.PrintTables(in.stdout)
	default:
		listed.PrintSummary(in.stdout)
	}
	return exitDone
}

// isKind reports whether an argument is the name of a kind in Go: a word without a slash that begins with an upper-case
// letter.
func isKind(arg string) bool {
	return arg != "" && 'A' <= arg[0] && arg[0] <= 'Z' && !strings.Contains(arg, "/")
}

var resourceName = regexp.MustCompile(`^[a-z][-a-z0-9]*(\.[-a-z0-9]+)*$`)

// isResource reports whether an argument is the name of a kind in kubectl. Words of the go command, the module's path
// and directories are patterns of packages.
func isResource(env load.Environment, arg string) bool {
	if !resourceName.MatchString(arg) || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, arg) {
		return false
	}
	_, module, _ := env.FindModule(".")
	_, err := os.Stat(env.At(arg))
	return arg != module && errors.Is(err, fs.ErrNotExist)
}
