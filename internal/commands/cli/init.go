package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/internal/commands/project"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
)

var initCommand = Command{
	Name: "init", of: "kubegen", usage: "kubegen init",
	short: "Write kubegen.yaml, the go:generate line and the CI step of this module.",
	about: `What exists already is kept. The files fit the module: its boilerplate, its
generated clientset and its DeepCopy methods, if there are any. All files are
written, or none.

Another command prints a patch that replaces the generators in scripts and
Makefiles, also those of code-generator, with a kubegen.yaml:

  go run github.com/kubegen/kubegen/migrate@latest Makefile | git apply

`,
	run: func(ctx context.Context, in *invocation) int {
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen init --help")
		}
		return in.writeNew(ctx, p.Files(), func() string { return p.Next(version()) })
	},
}

var newCommand = Command{
	Name: "new", of: "kubegen", usage: "kubegen new KIND[.VERSION[.GROUP]]",
	short: "Write the Go types and a sample of a new kind.", maxArgs: 1,
	about: `The types have a spec, a status, a list, and markers for the client, the group
and the status subresource. They go into the package of the group and version,
such as apis/stable/v1, which may exist. Without VERSION, that is v1; without
GROUP, the group of the module's other kinds or, if it has none, a group named
after the module. The sample is an object in config/samples.

  kubegen new CronTab
  kubegen new CronTab.v1beta1.stable.example.com

`,
	run: func(ctx context.Context, in *invocation) int {
		if len(in.args) == 0 {
			return in.misused("text", "new needs the name of a kind, such as CronTab", "see kubegen new --help")
		}
		kind, err := project.ParseKind(in.args[0])
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen new --help")
		}
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen new --help")
		}
		files, err := p.NewKind(kind)
		if err != nil {
			return in.fail(err)
		}
		return in.writeNew(ctx, files, func() string { return p.NextForKind(version()) })
	},
}

// writeNew writes files, or none, and prints which, and what to do next.
func (in *invocation) writeNew(ctx context.Context, files []project.File, next func() string) int {
	var changes []output.Change
	for _, f := range files {
		if f.Text != "" {
			changes = append(changes, output.Change{Action: output.Create, Path: f.Path, New: []byte(f.Text)})
		}
	}
	if err := output.Commit(ctx, changes); err != nil {
		return in.fail(err)
	}
	for _, f := range files {
		if f.Text != "" {
			fmt.Fprintf(in.stdout, "wrote %s\n", in.env.Name(f.Path))
		} else {
			fmt.Fprintf(in.stdout, "kept %s, %s\n", in.env.Name(f.Path), f.Kept)
		}
	}
	fmt.Fprintf(in.stdout, "\nNext:\n%s", next())
	return exitDone
}

// Flags returns the flags of a command of kubegen, such as gen-lister, or for another name the settings of kubegen.yaml
// as flags, and the values of settings of generators.
func Flags(command string) (*pflag.FlagSet, plan.Settings) {
	flags := kubegenSettings
	if c, ok := Kubegen.command(command); ok {
		flags = c.flags
	}
	o, fs := flags.flagSet()
	return fs, o.Settings
}

// Replacing returns the generators and the packages that a command line of controller-gen names, and the settings of
// kubegen.yaml that replace it, without options that have no effect. There are several settings of one name where
// generators differ. It is an error if no output of kubegen.yaml has what the command line asks for.
func Replacing(args []string) (only []*plan.Info, packages []string, settings []project.Setting, err error) {
	from := &options{}
	from.Patterns = args
	asked, err := askedGenerators(from)
	if err != nil {
		return nil, nil, nil, err
	}
	if from.Settings.Text("crd-omit-annotation") == "true" {
		return nil, nil, nil, errors.New("only gen-controller has omitToolVersion")
	}
	to, fs := kubegenSettings.flagSet()
	var headers []project.Setting
	withHeader := func(flag, header, year string) {
		if header == "" {
			return // without it, the year has no effect
		}
		headers = append(headers, project.Setting{Name: flag, Value: header})
		if year != "" {
			headers = append(headers, project.Setting{Name: "year", Value: year})
		}
	}
	for _, g := range asked {
		info := g.Info()
		if !g.rule.writes() {
			return nil, nil, nil, fmt.Errorf("%s is not written into a directory", g.Name)
		}
		only = append(only, info)
		switch g.Generator.(type) {
		case deepcopy.Generator:
			if g.rule.code != "" {
				return nil, nil, nil, fmt.Errorf("%s is written into %s, not beside the types", g.Name, g.rule.code)
			}
			set(fs.Lookup(info.EnableFlag.Name), "true")
			withHeader("boilerplate", from.HeaderFile, from.Year)
		case applyconfiguration.Generator:
			to.ApplyMarkers = true
		case schemapatch.Generator:
			read := from.Settings.Text(schemapatch.Manifests)
			if path.Clean(read) == path.Clean(from.Settings.Text(schemapatch.Flag)) {
				takeOver(fs, schemapatch.Flag, from.Settings, schemapatch.Flag)
			}
			if to.Settings.Text(crd.Flag) == "" {
				for _, f := range info.Flags {
					takeOver(fs, "crd"+strings.TrimPrefix(f.Name, info.Name), from.Settings, f.Name)
				}
			}
		default:
			for _, f := range append(slices.Clone(info.Flags), info.EnableFlag) {
				takeOver(fs, f.Name, from.Settings, f.Name)
			}
			if f := fs.Lookup(info.EnableFlag.Name); info.Manifests != nil && path.Clean(f.Value.String()) == info.Manifests.Dir {
				set(f, "true")
			}
			withHeader(plan.ManifestHeader, from.Settings.Text(plan.HeaderFlag(info.Name)), from.Settings.Text(plan.YearFlag(info.Name)))
		}
	}
	affected := plan.Affected(generators.Infos())
	runs := func(info *plan.Info) bool {
		return !slices.Contains([]string{"", "false"}, fs.Lookup(info.EnableFlag.Name).Value.String())
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if value := f.Value.String(); value != f.DefValue && (affected[f.Name] == nil || slices.ContainsFunc(affected[f.Name], runs)) {
			settings = append(settings, project.Setting{Name: f.Name, Value: value})
		}
	})
	return only, from.Patterns, append(headers, settings...), nil
}

// takeOver sets a flag, if it exists, to a setting, or else to its default.
func takeOver(fs *pflag.FlagSet, flag string, from plan.Settings, setting string) {
	if f := fs.Lookup(flag); f != nil && f.Value.Type() != "stringSlice" {
		text := f.DefValue
		if value, ok := from[setting]; ok {
			text = value.String()
		}
		set(f, text)
	}
}
