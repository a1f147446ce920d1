package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/project"
)

var initCommand = Command{
	Name: "init", of: "kubegen", usage: "kubegen init",
	short: "Write kubegen.yaml, the go:generate line and the CI step of this module.",
	about: `What exists already is kept. The files fit the module: its boilerplate, its
generated clientset and its DeepCopy methods, if there are any. Where the
Makefile runs controller-gen, comments in kubegen.yaml show the settings that
replace it. All files are written, or none.

`,
	run: func(ctx context.Context, in *invocation) int {
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen init --help")
		}
		files := p.Files(replacing(p.CommandLines))
		var changes []output.Change
		for _, f := range files {
			if f.Text != "" {
				changes = append(changes, output.Change{Action: output.Create, Path: f.Path, New: output.Held([]byte(f.Text))})
			}
		}
		err = output.Commit(ctx, changes)
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		if err != nil {
			fmt.Fprintf(in.stderr, "%s: %s\n", in.command.program(), in.env.Shorten(err.Error()))
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

// replacing returns the header file of Go files, and the settings that replace command lines of controller-gen. It
// leaves out commands with options that gen-controller does not know, files that are not written into directories, and
// values with variables.
func replacing(lines [][]string) (header string, settings []project.Setting) {
	to, fs := kubegenSettings.flagSet()
	for _, line := range lines {
		from := &options{}
		from.Patterns = line
		asked, err := askedGenerators(from)
		if err != nil {
			continue
		}
		for _, g := range asked {
			if !g.rule.writes() {
				continue
			}
			switch g.name {
			case deepcopyName:
				*to.With["with-deepcopy"], header = true, from.HeaderFile
			case plan.CRD.Name:
				to.CRDs = from.CRDs
			case plan.RBAC.Name:
				to.RBAC = from.RBAC
			case plan.Webhook.Name:
				to.Webhooks = from.Webhooks
			case applyName:
				to.ApplyMarkers = true
			case plan.SchemaPatch.Name:
				if path.Clean(from.Patches.Templates) == path.Clean(from.Patches.Dir) {
					to.Patches = from.Patches
				}
				if to.CRDs.Dir == "" {
					to.CRDs.SchemaFlags = from.Patches.SchemaFlags
				}
			}
		}
	}
	for _, g := range plan.ManifestGenerators {
		if f := g.Flags(&to.Flags); f.Dir != "" && path.Clean(f.Dir) == g.Default {
			f.Dir = "true"
		}
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if value := f.Value.String(); value != f.DefValue && !strings.Contains(value, "$") {
			settings = append(settings, project.Setting{Name: f.Name, Value: value})
		}
	})
	return header, settings
}
