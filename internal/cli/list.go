package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/impact"
	"github.com/kubegen/kubegen/internal/listing"
	"github.com/kubegen/kubegen/internal/objects"
)

// listCommand returns the command "kubegen list".
func listCommand(kubegen Tool) Tool {
	kubegen.sub = "list"
	kubegen.short = "List the kinds for which kubegen would generate code, and the roles and webhooks that it would generate. For one kind, or with --long, also print the sources of names, scopes and verbs."
	kubegen.usage = `kubegen list [flags] [packages] [kinds]

Flags and packages are the same as for kubegen. A kind is a Go name, with or
without version and group: CronTab, CronTab.v1 or CronTab.v1.stable.example.com.`
	kubegen.examples = `  kubegen list ./apis/...
  kubegen list CronTab                   # all facts about a kind
  kubegen list --format json ./apis/...  # for programs
`
	kubegen.action = func() action { return &listKinds{} }
	return kubegen
}

// listKinds lists kinds. It generates nothing.
type listKinds struct {
	long   bool     // list all facts about all kinds
	format string   // table or json
	kinds  []string // list only these, with all facts
}

func (l *listKinds) declare(_ *options, fs *pflag.FlagSet) {
	fs.BoolVar(&l.long, "long", false, "list all facts about all kinds, the generated packages, and the markers of roles and webhooks")
	fs.StringVar(&l.format, "format", "table", "`format` of the list: table or json")
	allow(fs.Lookup("format"), "table", "json")
}

func (l *listKinds) declareRun(*options, *pflag.FlagSet) {}

func (l *listKinds) check(o *options) error {
	l.kinds, o.Patterns = kindsAmong(o.Patterns)
	if l.format != "table" && l.format != "json" {
		return fmt.Errorf("--format: %q is neither table nor json", l.format)
	}
	return nil
}

func (l *listKinds) purpose() facts.Purpose { return facts.ToList }

// finish prints the kinds, packages and manifests that a run would generate.
func (l *listKinds) finish(_ context.Context, c *command, r *result) int {
	c.print(c.bumps(impact.BumpsOnDisk(r.outputs), "", true))
	c.print(r.diags)
	var manifests []objects.FromMarkers
	for _, o := range r.outputs {
		manifests = append(manifests, o.Objects.FromMarkers()...)
	}
	listed := listing.Of(r.jobs, manifests, c.env)
	if len(l.kinds) > 0 {
		if err := listed.Keep(l.kinds); err != nil {
			return c.fail(err)
		}
	}
	var err error
	switch {
	case l.format == "json":
		err = printJSON(c.stdout, listed, "  ")
	case len(l.kinds) > 0:
		err = listed.PrintKinds(c.stdout)
	case l.long:
		err = listed.PrintTables(c.stdout)
	default:
		err = listed.PrintSummary(c.stdout)
	}
	return c.printed(exitDone, err)
}

// kindsAmong separates the kinds among arguments from the packages. Kinds are words without a slash that begin with an
// upper-case letter.
func kindsAmong(args []string) (kinds, patterns []string) {
	for _, arg := range args {
		if arg != "" && 'A' <= arg[0] && arg[0] <= 'Z' && !strings.Contains(arg, "/") {
			kinds = append(kinds, arg)
		} else {
			patterns = append(patterns, arg)
		}
	}
	return kinds, patterns
}
