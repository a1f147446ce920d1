package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/project"
)

var initCommand = subcommand{
	name: "init", short: "Write kubegen.yaml, the go:generate line and the CI step of this module.",
	about: `What exists already is kept. The files fit the module: its boilerplate, its
generated clientset and its DeepCopy methods, if there are any. All files are
written, or none.

`,
	run: func(ctx context.Context, in *invocation, _ []string) int {
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused(in.tool.Name, "text", err.Error(), "see kubegen init --help")
		}
		files := p.Files()
		var changes []output.Change
		for _, f := range files {
			if f.Text != "" {
				changes = append(changes, output.Change{Kind: output.Create, Path: f.Path, New: []byte(f.Text)})
			}
		}
		err = output.Commit(ctx, changes)
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		if err != nil {
			fmt.Fprintf(in.stderr, "%s: %s\n", in.tool.Name, in.env.Shorten(err.Error()))
			return exitError
		}
		for _, f := range files {
			if f.Text != "" {
				fmt.Fprintf(in.stdout, "wrote %s\n", in.env.Name(f.Path))
			} else {
				fmt.Fprintf(in.stdout, "kept %s, %s\n", in.env.Name(f.Path), f.Kept)
			}
		}
		fmt.Fprintf(in.stdout, "\nNext:\n%s", p.Next(version()))
		return exitDone
	},
}
