package cli

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// resolve returns the requests of the run and the sources of their packages: for kubegen, the outputs in kubegen.yaml
// if it exists, or else one output for the packages on the command line. kube_codegen.sh does not read kubegen.yaml,
// because the script that it replaces does not know it.
func (in *invocation) resolve(command plan.Command) ([]*run.Request, *load.Sources, diag.List) {
	if command.WholeModule && in.script == "" {
		dir, text, err := plan.ReadConfiguration(in.env)
		if err != nil {
			var diags diag.List
			diags.AddError(err)
			return nil, nil, diags
		}
		if text != nil {
			return in.configured(command, dir, text)
		}
	}
	if in.script != "" {
		command.Script, command.Reports = true, reportsOf(in.Only...)
	}
	p, diags := plan.Resolve(generators.Infos(), command, &in.Flags, in.env)
	request, diags := run.Resolve(generators.All, p, diags)
	if in.script == "" {
		in.flags.Visit(func(given *pflag.Flag) { request.Given[given.Name] = true })
	}
	return []*run.Request{request}, load.NewSources(request.Loading), diags
}

// configured is like resolve, for a kubegen.yaml with the given text. Its file names are relative to its directory
// dir. Flags on the command line override its settings.
func (in *invocation) configured(
	command plan.Command, dir string, text []byte,
) (requests []*run.Request, sources *load.Sources, diags diag.List) {
	read, diags := plan.ReadConfig(filepath.Join(dir, plan.ConfigName), text, settingsOf(kubegenSettings), settingsOf(importSettings))
	if diags.HasErrors() {
		return nil, nil, diags
	}
	env := in.env
	env.Dir = dir
	var ahead []string
	for _, output := range read {
		settings, generated := kubegenSettings, command
		if output.Import {
			settings, generated = importSettings, importing
		}
		o, fs := settings.flagSet()
		overridden := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(output.Values)) {
			var texts []string
			for _, item := range output.Values[name].Items {
				texts = append(texts, item.Text)
			}
			switch {
			case name == plan.PackagesKey && output.Import:
				o.Import.Packages = texts
			case name == plan.PackagesKey:
				o.Patterns = texts
			case name == plan.ManifestsKey:
				o.Import.Manifests = texts
			case name == plan.EditsKey:
				o.Settings[name] = output.Values[name]
			default:
				set(fs.Lookup(name), texts...)
			}
		}
		in.flags.Visit(func(given *pflag.Flag) {
			flag := fs.Lookup(given.Name)
			if flag == nil {
				return // not a setting of the file
			}
			texts := []string{given.Value.String()}
			if list, ok := given.Value.(pflag.SliceValue); ok {
				texts = list.GetSlice()
			}
			isPath := IsPath(flag) && texts[0] != "" && texts[0] != flag.NoOptDefVal
			if isPath && dir != in.env.Dir && !plan.IsGoPackage(in.env, texts[0]) {
				texts[0] = in.env.At(texts[0])
			}
			set(flag, texts...)
			overridden[flag.Name] = true
		})
		p, said := plan.Resolve(generators.Infos(), generated, &o.Flags, env)
		t, said := run.Resolve(generators.All, p, said)
		t.From, t.Given = &output, overridden
		t.Place(said)
		for _, d := range said {
			if !slices.ContainsFunc(diags, func(other *diag.Diagnostic) bool { return d.Equal(other) }) { // reported for the command line already
				diags = append(diags, d)
			}
		}
		if requests = append(requests, t); t.Plan.Import == nil {
			ahead = append(ahead, t.Plan.Patterns...)
		}
	}
	if len(requests) == 1 {
		ahead = nil
	}
	return requests, load.NewSources(requests[0].Loading, ahead...), diags
}

// narrow restricts the requests of kubegen.yaml to the packages on the command line, if there are any.
func (in *invocation) narrow(ctx context.Context, r *run.Run, requests []*run.Request) (narrowed []*run.Request, diags diag.List) {
	if requests[0].From == nil {
		return requests, nil
	}
	if narrowed = requests; len(in.Patterns) > 0 {
		narrowed, diags = r.Narrow(ctx, requests, in.Patterns)
	}
	if len(narrowed) > 1 {
		for _, name := range []string{"output-dir", "output-pkg"} {
			if narrowed[0].Given[name] {
				diags.Errorf(
					token.Position{}, "%s cannot be used with the %d outputs of %s: name the packages of one of them", diag.Setting(name), len(narrowed),
					plan.ConfigName,
				)
			}
		}
	}
	return narrowed, diags
}

// set sets a flag to valid values: several for a list, otherwise one.
func set(flag *pflag.Flag, texts ...string) {
	var err error
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		err = list.Replace(texts)
	} else {
		err = flag.Value.Set(texts[0])
	}
	if err != nil {
		panic(fmt.Sprintf("--%s: %v", flag.Name, err))
	}
}

// settingsOf returns the settings in kubegen.yaml of an output or an import: the packages, and the declared flags.
func settingsOf(declared declaration) []plan.Setting {
	_, fs := declared.flagSet()
	all, isImport := slices.Clip(plan.OutputSettings), fs.Lookup("types-only") != nil
	if isImport {
		all = slices.Clip(plan.ImportSettings)
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden && f.Annotations[fileKey] == nil {
			return
		}
		s := plan.Setting{Name: f.Name, Help: strings.ReplaceAll(f.Usage, "`", ""), Values: f.Annotations[allowedKey]}
		s.Local = isImport && (slices.Contains([]string{"output-dir", "output-pkg", "crds"}, f.Name) || manifestsOf(f.Name) != nil)
		if f.Annotations[defaultKey] != nil {
			s.Help += " (default " + defaultOf(f) + ")"
		}
		switch f.Value.Type() {
		case "bool":
			s.Type, s.Default = plan.BoolValue, f.DefValue
		case "stringSlice":
			switch s.Type = plan.ListValue; {
			case f.Annotations[mapKey] != nil:
				s.Type = plan.MapValue
			case f.Annotations[listsKey] != nil:
				s.Type = plan.ListsValue
			}
		default:
			if s.Default = f.DefValue; f.NoOptDefVal != "" {
				s.Type = plan.BoolOrStringValue
			}
		}
		all = append(all, s)
	})
	return all
}

// IsPath reports whether the value of a flag is the name of a file or directory.
func IsPath(f *pflag.Flag) bool {
	kind, _ := pflag.UnquoteUsage(f)
	return kind == "file" || kind == "directory"
}
