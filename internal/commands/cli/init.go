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
generated clientset and its DeepCopy methods, if there are any. Where the
Makefile runs controller-gen, comments in kubegen.yaml show the settings that
replace it. All files are written, or none.

Another command prints a patch that replaces the generators in scripts and
Makefiles, also those of code-generator, with a kubegen.yaml:

  go run github.com/kubegen/kubegen/migrate@latest Makefile | git apply

`,
	run: func(ctx context.Context, in *invocation) int {
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen init --help")
		}
		return in.writeNew(ctx, p.Files(Replacing(p.CommandLines)), func() string { return p.Next(version()) })
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

// Asked returns the generators and the packages that options of controller-gen name. It is an error if no output of
// kubegen.yaml has what they ask for.
func Asked(args []string) (only []*plan.Info, packages []string, err error) {
	o := &options{}
	o.Patterns = args
	asked, err := askedGenerators(o)
	for _, g := range asked {
		if !g.rule.writes() {
			return nil, nil, fmt.Errorf("%s is not written into a directory", g.Name)
		}
		if _, ok := g.Generator.(deepcopy.Generator); ok && g.rule.code != "" {
			return nil, nil, fmt.Errorf("%s is written into %s, not beside the types", g.Name, g.rule.code)
		}
		only = append(only, g.Info())
	}
	if o.Settings.Text("crd-omit-annotation") == "true" {
		return nil, nil, errors.New("only gen-controller has omitToolVersion")
	}
	return only, o.Patterns, err
}

// Replacing returns the header file of Go files, and the settings that replace command lines of controller-gen. It
// leaves out commands with options that gen-controller does not know, files that are not written into directories,
// values with variables, and options that have no effect there either. There are several settings of one name
// where generators differ; the first is to be chosen.
func Replacing(lines [][]string) (header string, settings []project.Setting) {
	to, fs := kubegenSettings.flagSet()
	years, manifestHeaders := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		from := &options{}
		from.Patterns = line
		asked, err := askedGenerators(from)
		if err != nil {
			continue
		}
		for _, g := range asked {
			info := g.Info()
			if !g.rule.writes() {
				continue
			}
			switch g.Generator.(type) {
			case deepcopy.Generator:
				set(fs.Lookup(info.EnableFlag.Name), "true")
				header = from.HeaderFile
				years[project.YearFor(from.HeaderFile, from.Year)] = true
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
				header, year := from.Settings.Text(plan.HeaderFlag(info.Name)), from.Settings.Text(plan.YearFlag(info.Name))
				if years[project.YearFor(header, year)], manifestHeaders[header] = true, true; header != "" && !strings.Contains(header, "$") {
					set(fs.Lookup(plan.ManifestHeader), header)
				}
			}
		}
	}
	for _, info := range generators.Infos() {
		flag, to := info.EnableFlag.Name, info.Manifests
		if to != nil && path.Clean(fs.Lookup(flag).Value.String()) == to.Dir {
			set(fs.Lookup(flag), "true")
		}
	}
	affected := plan.Affected(generators.Infos())
	varies := func(f *pflag.Flag) bool { return strings.Contains(f.Value.String(), "$") }
	isOn := func(flag string) bool {
		f := fs.Lookup(flag)
		return !varies(f) && !slices.Contains([]string{"", "false"}, f.Value.String())
	}
	runs := func(info *plan.Info) bool { return isOn(info.EnableFlag.Name) }
	fs.VisitAll(func(f *pflag.Flag) {
		switch value := f.Value.String(); {
		case value == f.DefValue || varies(f):
		case affected[f.Name] != nil && !slices.ContainsFunc(affected[f.Name], runs): // kubegen would refuse it
		default:
			settings = append(settings, project.Setting{Name: f.Name, Value: value})
		}
	})
	hasHeader := isOn(plan.ManifestHeader) && slices.ContainsFunc(affected[plan.ManifestHeader], runs)
	if hasHeader {
		settings = append(settings, project.Several(plan.ManifestHeader, manifestHeaders)...)
	}
	if header != "" || isOn("boilerplate") || hasHeader { // without a header, kubegen would refuse a year
		settings = append(settings, project.Several("year", years)...)
	}
	return header, settings
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
