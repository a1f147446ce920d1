package cli

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// candidate is a completion of a word on the command line.
type candidate struct{ text, help string }

// completeCommand is called by the scripts of "kubegen completion". Its arguments are the words after the name of the
// command up to the cursor. The last one may be incomplete. It prints the candidates for the last word, one on each
// line, with a tab before its help. A candidate that is only the beginning of a word ends with / or =.
var completeCommand = Command{
	Name: "__complete", of: "kubegen", verbatim: true,
	run: func(_ context.Context, in *invocation) int {
		word, args := "", in.args
		if len(args) > 0 {
			word, args = args[len(args)-1], args[:len(args)-1]
		}
		printed := map[string]bool{}
		for _, c := range in.complete(args, word) {
			if strings.HasPrefix(c.text, word) && !printed[c.text] {
				printed[c.text] = true
				fmt.Fprintf(in.stdout, "%s\t%s\n", c.text, c.help)
			}
		}
		return exitDone
	},
}

// complete returns candidates for the last word. Callers filter by prefix.
func (in *invocation) complete(before []string, word string) (all []candidate) {
	_, flags := in.program.flags.flagSet()
	noPackages := false
	if len(before) > 0 {
		if c, ok := in.program.command(before[0]); ok {
			switch {
			case c.flags != nil:
				_, flags = c.flags.flagSet()
				before, noPackages = before[1:], c.maxArgs != anyNumber
			case strings.HasPrefix(word, "-"):
				return []candidate{helpFlag}
			case c.suggest != nil && len(before)-1 < c.maxArgs:
				return c.suggest(in, word)
			default:
				return nil
			}
		}
	} else if !strings.HasPrefix(word, "-") {
		all = helpCommand.suggest(in, word)
	}
	value, onlyPackages := awaits(flags, before)
	name, _, assigned := strings.Cut(word, "=")
	switch {
	case value != nil:
		return in.values(value, "", word)
	case noPackages && !strings.HasPrefix(word, "-"):
		return nil
	case onlyPackages || !strings.HasPrefix(word, "-"):
		return append(all, in.packages(word)...)
	case assigned:
		if f := flags.Lookup(strings.TrimPrefix(name, "--")); f != nil {
			return in.values(f, name+"=", word)
		}
		return nil
	}
	flags.VisitAll(func(f *pflag.Flag) {
		switch _, usage := pflag.UnquoteUsage(f); {
		case f.Hidden:
		case f.DefValue == "true": // without a value it does nothing
			all = append(all, candidate{"--" + f.Name + "=false", usage})
		default:
			all = append(all, candidate{flagOf(f), usage})
		}
	})
	return append(all, helpFlag)
}

var helpFlag = candidate{"--help", "print the help"}

// awaits returns the flag that takes the next word as its value, or nil, and whether no more flags can follow.
func awaits(flags *pflag.FlagSet, words []string) (value *pflag.Flag, onlyPackages bool) {
	for _, word := range words {
		switch {
		case value != nil:
			value = nil
		case word == "--":
			return nil, true
		case strings.HasPrefix(word, "--") && !strings.Contains(word, "="):
			value = flags.Lookup(word[2:])
		case len(word) == 2 && word[0] == '-':
			value = flags.ShorthandLookup(word[1:])
		}
		if value != nil && (value.NoOptDefVal != "" || value.Name == "v") { // these need no value
			value = nil
		}
	}
	return value, false
}

// values returns candidates for the value of a flag, after the text before that is already in the word.
func (in *invocation) values(f *pflag.Flag, before, word string) (all []candidate) {
	known := slices.Concat(f.Annotations[allowedKey], f.Annotations[suggestKey])
	if f.Value.Type() == "bool" {
		known = []string{"true", "false"}
	}
	if _, list := f.Value.(pflag.SliceValue); list && len(known) > 0 {
		if i := strings.LastIndexByte(word[len(before):], ','); i >= 0 {
			given := word[len(before):][:i]
			before += given + ","
			known = slices.DeleteFunc(slices.Clone(known), func(value string) bool { return slices.Contains(strings.Split(given, ","), value) })
		}
	}
	for _, value := range known {
		all = append(all, candidate{before + value, ""})
	}
	switch kind, _ := pflag.UnquoteUsage(f); kind {
	case "directory", "file":
		for _, c := range in.files(word[len(before):], kind == "file") {
			all = append(all, candidate{before + c.text, ""})
		}
	}
	return all
}

// packages returns package patterns that begin with the word: directories, which always begin with a dot or a slash.
func (in *invocation) packages(word string) (all []candidate) {
	switch {
	case word == "" || word == ".":
		return []candidate{{"./", "packages below this directory"}}
	case word == "..":
		return []candidate{{"../", ""}}
	case !strings.HasPrefix(word, ".") && !filepath.IsAbs(word):
		return nil
	}
	if strings.HasSuffix(word, "/") || strings.HasSuffix(word, "/.") || strings.HasSuffix(word, "/..") {
		all = append(all, candidate{word[:strings.LastIndexByte(word, '/')+1] + "...", "the packages there and below"})
	}
	return append(all, slices.DeleteFunc(in.files(word, false), func(c candidate) bool {
		name := filepath.Base(c.text)
		return name[0] == '_' || name == "testdata" || name == "vendor" // the go command ignores these
	})...)
}

// files returns the directories that begin with the word, with a slash at the end, and files as well if also is set.
// Names that begin with a dot are left out unless the word contains the dot.
func (in *invocation) files(word string, also bool) (all []candidate) {
	dir := word[:strings.LastIndexByte(word, '/')+1]
	entries, _ := os.ReadDir(in.env.At(filepath.FromSlash(dir)))
	for _, entry := range entries {
		name := dir + entry.Name()
		if entry.Name()[0] == '.' && !strings.HasPrefix(word, dir+".") || strings.ContainsAny(name, "\t\n") {
			continue
		}
		info := fs.FileInfo(nil)
		if entry.Type()&fs.ModeSymlink != 0 {
			info, _ = os.Stat(in.env.At(filepath.FromSlash(name)))
		}
		if entry.IsDir() || info != nil && info.IsDir() {
			all = append(all, candidate{name + "/", ""})
		} else if also {
			all = append(all, candidate{name, ""})
		}
	}
	return all
}

// scripts holds the completion script for each shell. It calls completeCommand.
//
//go:embed completion
var scripts embed.FS

var completionCommand = Command{
	Name: "completion", of: "kubegen", usage: "kubegen completion " + strings.Join(shells(), "|"),
	short: "Print the script that completes kubegen's command line in a shell.", maxArgs: 1,
	about: `  source <(kubegen completion bash)   # in ~/.bashrc
  source <(kubegen completion zsh)    # in ~/.zshrc, after compinit
  kubegen completion fish | source    # in ~/.config/fish/config.fish
  kubegen completion powershell | Out-String | Invoke-Expression  # in $PROFILE

Where kubegen is not on the PATH but a tool of modules, run it by a function and
source a file with the script:

  kubegen() { go tool kubegen "$@"; }
  source ~/.kubegen.bash  # go tool kubegen completion bash >~/.kubegen.bash

`,
	run: func(_ context.Context, in *invocation) int {
		if len(in.args) == 0 {
			return in.misused("text", "completion for which shell?", "one of "+strings.Join(shells(), ", "))
		}
		script, err := scripts.ReadFile("completion/" + in.args[0])
		if err != nil {
			advice := cmp.Or(diag.Meant(in.args[0], shells(), ""), "known are "+strings.Join(shells(), ", "))
			return in.misused("text", "unknown shell "+in.args[0], advice)
		}
		_, _ = in.stdout.Write(script) // execute reports errors
		return exitDone
	},
	suggest: func(*invocation, string) (all []candidate) {
		for _, shell := range shells() {
			all = append(all, candidate{text: shell})
		}
		return all
	},
}

// shells returns the names of the shells that have a script.
func shells() (names []string) {
	entries, _ := fs.ReadDir(scripts, "completion")
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
