package cli

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/plan"
)

// resolve returns the outputs of the run: one for the packages on the command line or else, with kubegen, those of
// kubegen.yaml, if there is such a file.
func (r *run) resolve() ([]*task, diag.List) {
	if r.tool.command.WholeModule && len(r.Patterns) == 0 {
		dir, text, err := plan.ReadConfiguration(r.env)
		if err != nil {
			var diags diag.List
			diags.Errorf(token.Position{}, "%v", err)
			return nil, diags
		}
		if text != nil {
			return r.configured(dir, text)
		}
	}
	p, diags := plan.Resolve(r.tool.command, &r.Flags, r.env, plan.Documents{})
	return []*task{{Plan: p, flags: r.Flags, sources: load.NewSources(p.Parser.Loading())}}, diags
}

// configured returns the outputs of kubegen.yaml, which has that text, in a directory. The names of files in it are relative to
// the directory. Flags on the command line override its settings.
func (r *run) configured(dir string, text []byte) ([]*task, diag.List) {
	outputs, diags := config.Read(filepath.Join(dir, config.Name), text, settingsOf(r.tool))
	if diags.HasErrors() {
		return nil, diags
	}
	env := r.env
	env.Dir = dir
	var tasks []*task
	var ahead []string
	documents := plan.Documents{}
	for _, output := range outputs {
		o := newOptions(r.tool)
		fs := pflag.NewFlagSet(r.tool.Name, pflag.ContinueOnError)
		r.tool.settings(o, fs)
		t := &task{from: &output, given: map[string]bool{}}
		for _, name := range slices.Sorted(maps.Keys(output.Values)) {
			var texts []string
			for _, item := range output.Values[name].Items {
				texts = append(texts, item.Text)
			}
			if name == config.Packages {
				o.Patterns = texts
			} else {
				set(fs.Lookup(name), texts...)
			}
		}
		r.given(func(given *pflag.Flag) {
			flag := fs.Lookup(given.Name)
			if flag == nil {
				return // of no concern to the file
			}
			texts := []string{given.Value.String()}
			if list, ok := given.Value.(pflag.SliceValue); ok {
				texts = list.GetSlice()
			}
			if kind, _ := pflag.UnquoteUsage(flag); (kind == "file" || kind == "directory") && texts[0] != "" && dir != r.env.Dir {
				texts[0] = r.env.At(texts[0])
			}
			set(flag, texts...)
			t.given[flag.Name] = true
		})
		var said diag.List
		t.flags = o.Flags
		t.Plan, said = plan.Resolve(r.tool.command, &t.flags, env, documents)
		t.place(said)
		for _, d := range said {
			if !slices.ContainsFunc(diags, func(other *diag.Diagnostic) bool { return *other == *d }) { // of the command line
				diags = append(diags, d)
			}
		}
		tasks, ahead = append(tasks, t), append(ahead, t.Patterns...)
	}
	if len(tasks) > 1 {
		for _, name := range []string{"output-dir", "output-pkg"} {
			if tasks[0].given[name] {
				diags.Errorf(token.Position{}, "--%s cannot be used with the %d outputs of %s: name packages to generate without the file", name, len(tasks), config.Name)
			}
		}
	}
	if len(tasks) == 1 {
		ahead = nil
	}
	sources := load.NewSources(tasks[0].Parser.Loading(), ahead...)
	for _, t := range tasks {
		t.sources = sources
	}
	return tasks, diags
}

// set sets a flag to texts that are valid for it: those of a list, or one.
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

// settingsOf returns what kubegen.yaml can set: the packages, and the flags for input and output.
func settingsOf(t Tool) []config.Setting {
	fs := pflag.NewFlagSet(t.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	t.settings(newOptions(t), fs)
	all := []config.Setting{{
		Name: config.Packages, Kind: config.List,
		Help: "packages to read, as for go list, relative to the directory of this file (default: all packages of the module)",
	}}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		s := config.Setting{Name: f.Name, Help: strings.ReplaceAll(f.Usage, "`", ""), Values: f.Annotations[allowedKey]}
		if f.Annotations[defaultKey] != nil {
			s.Help += " (default " + defaultOf(f) + ")"
		}
		switch f.Value.Type() {
		case "bool":
			s.Kind, s.Default = config.Bool, f.DefValue
		case "stringSlice":
			s.Kind = config.List
		default:
			s.Default = f.DefValue
		}
		all = append(all, s)
	})
	return all
}

// flagName matches the name of a flag in a message.
var flagName = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)

// place gives diagnostics without a position one in kubegen.yaml: that of the value they are about, or else of the output.
// Their messages then name settings, not flags.
func (t *task) place(diags diag.List) {
	if t.from == nil {
		return
	}
	for _, d := range diags {
		if d.Pos.IsValid() {
			continue
		}
		d.Pos = t.from.Pos
		named := false
		for _, m := range flagName.FindAllStringSubmatch(d.Message, -1) {
			if t.given[m[1]] {
				d.Pos, named = token.Position{}, true
				break
			}
			if value, ok := t.from.Values[m[1]]; ok && !named {
				d.Pos, named = value.Pos, true
				for _, item := range value.Items {
					if strings.Contains(d.Message, strconv.Quote(item.Text)) {
						d.Pos = item.Pos
					}
				}
			}
		}
		if !d.Pos.IsValid() {
			continue
		}
		if !named {
			d.Pos = t.mentioned(d.Message)
		}
		bare := func(text string) string { return flagName.ReplaceAllString(text, "$1") }
		d.Message, d.Hint = bare(d.Message), bare(d.Hint)
	}
}

// mentioned returns the position of the longest path in the output's settings that a message contains, or else of the output.
func (t *task) mentioned(message string) token.Position {
	pos, longest := t.from.Pos, 0
	for _, name := range slices.Sorted(maps.Keys(t.from.Values)) {
		for _, item := range t.from.Values[name].Items {
			if strings.ContainsAny(item.Text, "/.") && len(item.Text) > longest && strings.Contains(message, item.Text) {
				pos, longest = item.Pos, len(item.Text)
			}
		}
	}
	return pos
}

// reportTwice reports outputs that write the same files.
func reportTwice(tasks []*task, diags *diag.List) {
	first := map[string]*task{}
	for _, t := range tasks {
		type clash struct {
			with  *task
			files []string
		}
		var clashes []*clash
		own := map[string]bool{}
		for _, tree := range t.trees {
			for _, file := range tree.Files {
				name := filepath.Join(tree.Dir, filepath.FromSlash(file.Path))
				other := first[name]
				if other == nil || own[name] {
					first[name], own[name] = t, true
					continue
				}
				i := slices.IndexFunc(clashes, func(c *clash) bool { return c.with == other })
				if i < 0 {
					i = len(clashes)
					clashes = append(clashes, &clash{with: other})
				}
				clashes[i].files = append(clashes[i].files, name)
			}
		}
		for _, c := range clashes {
			what := slices.Min(c.files)
			if n := len(c.files) - 1; n == 1 {
				what += " and 1 other file"
			} else if n > 1 {
				what += fmt.Sprintf(" and %d other files", n)
			}
			diags.Errorf(t.from.Pos, "another output writes %s as well", what).SaidAt(c.with.from.Pos).
				Suggest("give each output its own output-dir, or make it one output with the packages of both")
		}
	}
}
