package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/listing"
	"github.com/kubegen/kubegen/internal/run"
)

// list returns the command "kubegen list".
func list(kubegen Tool) Tool {
	kubegen.sub = "list"
	kubegen.short = "List the kinds for which kubegen would generate code. For one kind, or with --long, also print the sources of names, scopes and verbs."
	kubegen.usage = `kubegen list [flags] [packages] [kinds]

Flags and packages are the same as for kubegen. A kind is a Go name, with or
without version and group: CronTab, CronTab.v1 or CronTab.v1.stable.example.com.`
	kubegen.examples = `  kubegen list ./apis/...
  kubegen list CronTab                   # all facts about a kind
  kubegen list --format json ./apis/...  # for programs
`
	kubegen.extraFlags = func(o *options, fs *pflag.FlagSet) {
		fs.BoolVar(&o.long, "long", false, "list all facts about all kinds, and the generated packages")
		fs.StringVar(&o.listing, "format", "table", "`format` of the list: table or json")
		allow(fs.Lookup("format"), "table", "json")
	}
	return kubegen
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

// list prints the kinds and packages that a run would generate.
func (c *command) list(jobs []run.Job) int {
	listed := listing.Of(jobs, c.env.Dir)
	if len(c.kinds) > 0 {
		if err := listed.Keep(c.kinds); err != nil {
			return c.fail(err)
		}
	}
	var err error
	switch {
	case c.listing == "json":
		err = listed.PrintJSON(c.stdout)
	case len(c.kinds) > 0:
		err = listed.PrintKinds(c.stdout)
	case c.long:
		err = listed.PrintTables(c.stdout)
	default:
		err = listed.PrintSummary(c.stdout)
	}
	return c.printed(exitDone, err)
}
