package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Command is a program, such as gen-lister, or a command of kubegen, such as list.
type Command struct {
	Name  string
	of    string // the program that it is a command of, which messages name; "" for a program
	short string // the description; its first sentence is for lists of commands
	about string // the rest of the help above the usage: whole lines, with an empty one at the end
	usage string // the command line

	flags   declaration // declares the flags; nil if there are none
	maxArgs int         // maximum number of arguments; see anyNumber
	run     func(ctx context.Context, in *invocation) int

	commands []Command
	settings func(diag.Setting) diag.Setting // the names of kubegen's flags in the command's messages; nil for the same
}

// anyNumber is the maxArgs of a command that takes any number of arguments, such as packages.
const anyNumber = -1

// declaration declares flags, whose values go into options.
type declaration func(o *options, fs *pflag.FlagSet)

// declare returns a declaration of the flags of several ones, in their order.
func declare(all ...declaration) declaration {
	return func(o *options, fs *pflag.FlagSet) {
		for _, one := range all {
			one(o, fs)
		}
	}
}

// under returns the declaration of flags below a heading.
func (d declaration) under(h heading) declaration {
	return func(o *options, fs *pflag.FlagSet) {
		d(o, fs)
		under(fs, h)
	}
}

// flagSet returns the declared flags, and the options with their defaults.
func (d declaration) flagSet() (*options, *pflag.FlagSet) {
	o, fs := &options{format: "text"}, pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	if d != nil {
		d(o, fs)
	}
	return o, fs
}

// program returns the name of the program in messages.
func (c Command) program() string { return cmp.Or(c.of, c.Name) }

// line returns the beginning of the command line.
func (c Command) line() string { return strings.TrimSpace(c.of + " " + c.Name) }

// summary returns the first sentence of the description.
func (c Command) summary() string {
	first, _, _ := strings.Cut(strings.ReplaceAll(c.short, "\n", " ")+" ", ". ")
	return first
}

// command returns the command with a name.
func (c Command) command(name string) (Command, bool) {
	i := slices.IndexFunc(c.commands, func(sub Command) bool { return sub.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return c.commands[i], true
}

// commandNames returns the names of the commands.
func (c Command) commandNames() (names []string) {
	for _, sub := range c.commands {
		names = append(names, sub.Name)
	}
	return names
}

// meant returns advice for a word that is not a package: the command or flag that was probably meant, or "".
func (in *invocation) meant(word string) string {
	if strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz-_") != "" {
		return ""
	}
	c := in.command
	if sub, ok := c.command(word); ok {
		return fmt.Sprintf("for the command, write it before all flags: %s %s", c.Name, sub.Name)
	}
	if len(c.commands) > 0 && (word == "generate" || word == "gen") {
		return "leave it out: " + c.Name + " generates without a command"
	}
	return cmp.Or(diag.Meant(word, c.commandNames(), c.Name+" "), diag.Meant(word, append(flagNames(in.flags), "help"), "--"))
}
