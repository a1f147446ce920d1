package cli

import (
	"cmp"
	"context"
	"embed"
	"io/fs"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

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
