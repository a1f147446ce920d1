package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/spelling"
)

// subcommand is a command of kubegen that is named by its first argument.
type subcommand struct {
	name, args string // args shows the arguments in the usage: "[MARKER]"
	short      string // one line; "" leaves the command out of lists of commands
	about      string // the rest of the help, in whole lines

	tool    *Tool                   // the tool that the command runs, with its flags; if nil, it has flags and run
	flags   func(fs *pflag.FlagSet) // declares the flags of run, which finds their values in invocation.flags; may be nil
	maxArgs int                     // maximum number of arguments
	run     func(ctx context.Context, in *invocation, args []string) int
	// suggest returns candidates for an argument that begins with word, for completion; nil if there are none.
	suggest func(in *invocation, word string) []candidate
	// verbatim passes all arguments to run, including flags.
	verbatim bool
}

func init() {
	Kubegen.commands = []subcommand{
		initCommand,
		newCommand,
		verifyCommand(Kubegen).asCommand(),
		listCommand(Kubegen).asCommand(),
		breakingCommand(Kubegen).asCommand(),
		importCommand(Kubegen).asCommand(),
		outdatedCommand,
		markersCommand,
		completionCommand,
		versionCommand,
		helpCommand,
		GenClientset.asCommand(),
		GenLister.asCommand(),
		GenInformer.asCommand(),
		GenApplyConfiguration.asCommand(),
		GenDeepCopy.asCommand(),
		GenRegister.asCommand(),
		GenController.asCommand(),
		completeCommand,
	}
}

// asCommand returns the subcommand that runs a tool.
func (t Tool) asCommand() subcommand {
	short, _, _ := strings.Cut(strings.ReplaceAll(t.short, "\n", " ")+" ", ". ")
	return subcommand{name: cmp.Or(t.sub, t.Name), short: short + ".", tool: &t}
}

// subcommand returns the subcommand with a name.
func (t Tool) subcommand(name string) (subcommand, bool) {
	i := slices.IndexFunc(t.commands, func(c subcommand) bool { return c.name == name })
	if i < 0 {
		return subcommand{}, false
	}
	return t.commands[i], true
}

// commandNames returns the names of the subcommands that are not hidden.
func (t Tool) commandNames() (names []string) {
	for _, c := range t.commands {
		if c.short != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// start runs the subcommand of in.tool with the arguments after its name.
func (c subcommand) start(ctx context.Context, in *invocation, args []string) int {
	switch {
	case c.tool != nil:
		return in.generate(ctx, *c.tool, args)
	case c.verbatim:
		return c.run(ctx, in, args)
	}
	fs := c.flagSet()
	in.flags = fs
	see := "see " + in.tool.Name + " " + c.name + " --help"
	switch err := fs.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		c.help(in)
		return exitDone
	case err != nil:
		return in.misused(in.tool.Name, formatIn(args), err.Error(), see)
	case fs.NArg() > c.maxArgs:
		return in.misused(in.tool.Name, "text", c.name+" takes "+[...]string{"no arguments", "one argument at most"}[c.maxArgs], see)
	}
	return c.run(ctx, in, fs.Args())
}

// flagSet declares the flags of a subcommand without a tool.
func (c subcommand) flagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	if c.flags != nil {
		c.flags(fs)
		under(fs, thisCommand)
	}
	return fs
}

// help prints the help of the subcommand.
func (c subcommand) help(in *invocation) {
	if c.tool != nil {
		c.tool.help(in.stdout)
		return
	}
	fmt.Fprintf(in.stdout, "%s\n\n%sUsage: %s\n", wrapped(c.short, 0), c.about, strings.TrimSpace(in.tool.Name+" "+c.name+" "+c.args))
	listFlags(in.stdout, thisCommand, grouped(c.flagSet())[thisCommand])
}

// meant returns advice for a word that is not a package: the command or flag that was probably meant, or "".
func (t Tool) meant(word string) string {
	if strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz-_") != "" {
		return ""
	}
	if c, ok := t.subcommand(word); ok {
		return fmt.Sprintf("for the command, write it before all flags: %s %s", t.Name, c.name)
	}
	if len(t.commands) > 0 && (word == "generate" || word == "gen") {
		return "leave it out: " + t.Name + " generates without a command"
	}
	if nearest, ok := spelling.Nearest(word, t.commandNames()); ok {
		return "did you mean " + t.Name + " " + nearest + "?"
	}
	if nearest, ok := spelling.Nearest(word, append(flagNames(t.flagSet(newOptions(t))), "help")); ok {
		return "did you mean --" + nearest + "?"
	}
	return ""
}
