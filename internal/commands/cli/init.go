package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
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
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var initCommand = Command{
	Name: "init", of: "kubegen", usage: "kubegen init [--from FILE]",
	short: "Write kubegen.yaml, the go:generate line and the CI step of this module.",
	about: `What exists already is kept. The files fit the module: its boilerplate, its
generated clientset and its DeepCopy methods, if there are any. Where the
Makefile runs controller-gen, comments in kubegen.yaml show the settings that
replace it. All files are written, or none.

With --from, nothing is written: the output is a patch, with a kubegen.yaml that
replaces the generators in scripts and Makefiles, and these without them. A
script that verifies what another one generates runs kubegen verify instead.

  kubegen init --from hack/update-codegen.sh --from Makefile | git apply

`,
	flags: declaration(func(o *options, fs *pflag.FlagSet) {
		fs.StringArrayVar(&o.from, "from", nil, "print what replaces the generators in this `file`; several are allowed")
	}).under(thisCommand),
	run: func(ctx context.Context, in *invocation) int {
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen init --help")
		}
		if len(in.from) > 0 {
			return in.propose(p)
		}
		return in.writeNew(ctx, p.Files(replacing(p.CommandLines)), func() string { return p.Next(version()) })
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

// propose prints the patch that replaces the generators of a script, and warns of what it leaves.
func (in *invocation) propose(p *project.Project) int {
	var names []string
	texts := map[string]string{}
	for _, from := range in.from {
		name := in.env.At(from)
		text, err := load.ReadFile(name)
		if err != nil {
			return in.fail(fmt.Errorf("--from: %w", err))
		}
		for i, line := range strings.Split(string(text), "\n") {
			if diag.Visible(line) != line {
				const format = "%s:%d:1: the line has control characters, such as a carriage return, which no patch here has; remove them first"
				return in.fail(fmt.Errorf(format, in.env.Name(name), i+1))
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		texts[name] = string(text)
	}
	files, unread, err := p.Propose(names, texts, project.Readers{ControllerGen: fromControllerGen, Tool: fromTool})
	if err != nil {
		return in.fail(err)
	}
	var diags diag.List
	for _, u := range unread {
		diags.Warnf(token.Position{Filename: u.File, Line: u.Line, Column: 1}, "%s", u.Reason).Suggest("%s", cmp.Or(u.Remedy, "see the script"))
	}
	in.print(diags)
	var changes []output.Change
	for _, f := range files {
		change := output.Change{Action: output.Create, Path: in.env.Name(f.Path), New: []byte(f.Text)}
		if text, ok := texts[f.Path]; ok {
			info, err := os.Stat(f.Path)
			change.Action, change.Old, change.Executable = output.Update, []byte(text), err == nil && info.Mode()&0o111 != 0
		}
		changes = append(changes, change)
	}
	if err := output.Diff(in.stdout, changes); err != nil {
		return in.fail(err)
	}
	return exitDone
}

// fromControllerGen returns the output of kubegen.yaml for options of controller-gen.
func fromControllerGen(args []string, at func(string) string) (o project.Output, err error) {
	from := &options{}
	from.Patterns = args
	for _, arg := range args {
		if strings.Contains(arg, "$") {
			return o, fmt.Errorf("%s is not known", arg)
		}
	}
	asked, err := askedGenerators(from)
	for _, g := range asked {
		if !g.rule.writes() {
			return o, fmt.Errorf("%s is not written into a directory", g.Name)
		}
		if _, ok := g.Generator.(deepcopy.Generator); ok && g.rule.code != "" {
			return o, fmt.Errorf("%s is written into %s, not beside the types", g.Name, g.rule.code)
		}
		o.Only = append(o.Only, g.Info().Name)
	}
	if from.Settings.Text("crd-omit-annotation") == "true" {
		return o, errors.New("only gen-controller has omitToolVersion")
	}
	for _, pattern := range from.Patterns {
		if strings.HasPrefix(pattern, ".") || path.IsAbs(pattern) {
			pattern = at(pattern)
		}
		o.Packages = append(o.Packages, pattern)
	}
	header, settings := replacing([][]string{args})
	if header != "" {
		settings = append(settings, project.Setting{Name: "boilerplate", Value: header})
	}
	_, fs := kubegenSettings.flagSet()
	for _, s := range settings {
		if info := manifestsOf(s.Name); info != nil && s.Value == "true" && at(info.Manifests.Dir) != info.Manifests.Dir {
			s.Value = info.Manifests.Dir
		}
		if project.IsPath(fs.Lookup(s.Name)) && s.Value != "true" {
			s.Value = strings.TrimPrefix(at(s.Value), "./")
		}
		switch i := slices.IndexFunc(o.Settings, func(other project.Setting) bool { return other.Name == s.Name }); {
		case i < 0:
			o.Settings = append(o.Settings, s)
		case o.Settings[i].Value != s.Value:
			return o, fmt.Errorf("its generators have several values of %s, %s and %s", s.Name, o.Settings[i].Value, s.Value)
		}
	}
	for _, g := range asked {
		flag := g.Info().EnableFlag.Name
		if !slices.ContainsFunc(o.Settings, func(s project.Setting) bool { return s.Name == flag }) {
			return o, fmt.Errorf("%s has no counterpart in kubegen.yaml with these options", g.Name)
		}
	}
	return o, err
}

// replacements are the commands that take the flags of tools, and of a function of kube_codegen.sh.
var replacements = map[string]Command{
	"client-gen": GenClientset, "lister-gen": GenLister, "informer-gen": GenInformer, "applyconfiguration-gen": GenApplyConfiguration,
	"deepcopy-gen": GenDeepCopy, "register-gen": GenRegister, "conversion-gen": GenConversion, "defaulter-gen": GenDefaulter,
	"openapi-gen": GenOpenAPI, "gen_openapi": GenOpenAPI,
}

// fromTool returns the flags that are given to a tool, or to a function of kube_codegen.sh, and its other arguments.
func fromTool(tool string, args []string, at func(string) string) ([]project.Setting, []string, error) {
	flags := kubegenSettings
	if c, ok := replacements[tool]; ok {
		flags = c.flags
	}
	o, fs := flags.flagSet()
	_, known := kubegenSettings.flagSet()
	project.DeclareOthers(fs)
	err := fs.Parse(args)
	return project.Given(fs, known, o.Settings, at), fs.Args(), err
}

// replacing returns the header file of Go files, and the settings that replace command lines of controller-gen. It
// leaves out commands with options that gen-controller does not know, files that are not written into directories,
// values with variables, and options that have no effect there either. There are several settings of one name
// where generators differ; the first is to be chosen.
func replacing(lines [][]string) (header string, settings []project.Setting) {
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
