package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/text/diag"
)

var helpCommand = Command{
	Name: "help", of: "kubegen", usage: "kubegen help [COMMAND]",
	short: "Print the help of kubegen, or of a command.", maxArgs: 1,
	run: func(_ context.Context, in *invocation) int {
		if len(in.args) == 0 {
			in.program.help(in.stdout)
			return exitDone
		}
		c, ok := in.program.command(in.args[0])
		if !ok {
			advice := cmp.Or(diag.Meant(in.args[0], in.program.commandNames(), ""), in.program.Name+" help lists all commands")
			return in.misused("text", "unknown command "+in.args[0], advice)
		}
		c.help(in.stdout)
		return exitDone
	},
}

// heading is the title of a group of flags, in --help and docs/flags.md.
type heading string

// The headings, in their order.
const (
	thisCommand        heading = "This command"
	inputFlags         heading = "Input"
	outputFlags        heading = "Output"
	contentFlags       heading = "What is generated"
	compatibilityFlags heading = "Compatibility"
	runFlags           heading = "Run"
)

var headings = []heading{thisCommand, inputFlags, outputFlags, contentFlags, compatibilityFlags, runFlags}

// The annotations of flags.
const (
	headingKey = "heading"
	defaultKey = "default" // the default, if it differs from the initial value
	allowedKey = "allowed" // all allowed values
	mapKey     = "map"     // the values are of the form KEY=VALUE
	listsKey   = "lists"   // the values are of the form VALUE or KEY:VALUE, with several values for a key
	fileKey    = "file"    // hidden in the help, but a setting of kubegen.yaml; true if it has an effect
)

func annotate(f *pflag.Flag, key string, values ...string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = values
}

// inFile hides the flag of a setting of kubegen.yaml.
func inFile(f *pflag.Flag, effective bool) {
	annotate(f, fileKey, strconv.FormatBool(effective))
	f.Hidden = true
}

// isInFile reports whether a hidden flag is that of a setting of kubegen.yaml, and has an effect.
func isInFile(f *pflag.Flag) bool { return slices.Contains(f.Annotations[fileKey], "true") }

// under assigns a heading to all flags that were declared since the last call.
func under(fs *pflag.FlagSet, h heading) {
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[headingKey] == nil {
			annotate(f, headingKey, string(h))
		}
	})
}

// byDefault describes the default of a flag.
func byDefault(fs *pflag.FlagSet, name, text string) { annotate(fs.Lookup(name), defaultKey, text) }

// allow annotates a flag with all values that it takes.
func allow(f *pflag.Flag, values ...string) { annotate(f, allowedKey, values...) }

// defaultOf returns the default of a flag in words.
func defaultOf(f *pflag.Flag) string {
	if text := f.Annotations[defaultKey]; text != nil {
		return text[0]
	}
	return cmp.Or(strings.Trim(f.DefValue, "[]"), "none")
}

// grouped returns the visible flags below each heading, in the order of their declarations.
func grouped(fs *pflag.FlagSet) map[heading][]*pflag.Flag {
	groups := map[heading][]*pflag.Flag{}
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			h := heading(f.Annotations[headingKey][0])
			groups[h] = append(groups[h], f)
		}
	})
	return groups
}

// help prints the help: description, examples, usage, commands, and the flags in groups. For flags that a command
// shares with the program, it prints only the names.
func (c Command) help(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%sUsage: %s\n", wrapped(c.short, 0), c.about, c.usage)
	if len(c.commands) > 0 {
		titles := map[bool]string{true: "Commands", false: "Commands that replace other tools and take their flags"}
		for _, own := range []bool{true, false} {
			fmt.Fprintf(w, "\n%s:\n", titles[own])
			for _, sub := range c.commands {
				if own == (sub.of != "") {
					row(w, "  "+sub.Name, strings.TrimSuffix(sub.summary(), "."))
				}
			}
		}
	}
	_, fs := c.flags.flagSet()
	groups := grouped(fs)
	var shared []string
	for _, h := range headings {
		if c.of == "" || h == thisCommand {
			listFlags(w, h, groups[h])
			continue
		}
		for _, f := range groups[h] {
			shared = append(shared, flagOf(f))
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(w, "\nFlags that kubegen --help describes:\n  %s\n", wrapped(strings.Join(shared, ", "), 2))
	}
}

// listFlags prints a group of flags, unless it is empty.
func listFlags(w io.Writer, h heading, flags []*pflag.Flag) {
	if len(flags) > 0 {
		fmt.Fprintf(w, "\n%s:\n", h)
	}
	for _, f := range flags {
		kind, usage := pflag.UnquoteUsage(f)
		name := flagOf(f)
		if f.Shorthand != "" && f.Shorthand != f.Name {
			name = "-" + f.Shorthand + ", " + name
		}
		switch {
		case kind != "" && f.NoOptDefVal != "":
			name += "[=" + kind + "]"
		case kind != "":
			name += " " + kind
		}
		row(w, "  "+name, fmt.Sprintf("%s (default %s)", usage, defaultOf(f)))
	}
}

// flagOf returns a flag in the form on the command line.
func flagOf(f *pflag.Flag) string {
	if f.Shorthand == f.Name {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// The layout of the help, in columns.
const (
	helpWidth  = 80
	helpIndent = 32
)

// row prints a name and its explanation, on the same line or, if the name is long, on the next.
func row(w io.Writer, name, text string) {
	if len(name) > helpIndent-2 {
		fmt.Fprintln(w, name)
		name = ""
	}
	fmt.Fprintf(w, "%-*s%s\n", helpIndent, name, wrapped(text, helpIndent))
}

// wrapped breaks the lines of a text to fit after an indentation. All lines but the first are indented.
func wrapped(text string, indent int) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && indent+len(line)+1+len(word) > helpWidth {
				lines, line = append(lines, line), word
			} else {
				line = strings.TrimPrefix(line+" "+word, " ")
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}
