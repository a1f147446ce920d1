// This file finds modules whose clients, listers and informers were generated for another release of client-go
// than the one selected in a project. It reads go.mod files, the module cache and replacement directories, and does not
// use the network.

package impact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Outdated is the output of "kubegen outdated --format json". Later versions may add fields, but do not rename or
// remove any. Lists are never null. Modules and NotInCache are ordered by path.
type Outdated struct {
	ClientGo   string           `json:"clientGo"`   // the selected version
	Position   string           `json:"position"`   // position of the requirement that selects ClientGo, in a go.mod file
	Mixed      *OutdatedMix     `json:"mixed"`      // null if ClientGo and the modules released together with it have one release
	Modules    []OutdatedModule `json:"modules"`    // modules with outdated code
	NotInCache []string         `json:"notInCache"` // modules that may have such code, but that cannot be read
}

// OutdatedMix describes a module that is released together with client-go, but selected in another release.
type OutdatedMix struct {
	Position string `json:"position"` // position of the go.mod line to change
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
	Breaks   bool   `json:"breaks"` // generated code does not compile with these releases
}

// OutdatedModule is a module with outdated code.
type OutdatedModule struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Position string   `json:"position"`         // position of the requirement in a go.mod file
	Within   []string `json:"within,omitempty"` // directories with the code, if other code of the module is up to date
	Tools    []string `json:"tools"`            // names of the tools that wrote the code
	For      string   `json:"for"`              // release of client-go that the code was generated for, or a range of equivalent releases
	Requires string   `json:"requires"`         // version of client-go in the go.mod file of the module; "" if unknown
	Effects  []string `json:"effects"`          // consequences for callers
	Types    []string `json:"types"`            // packages of the types, or patterns that match them
	Command  string   `json:"command"`          // command that generates the code in the current module; "" if the types are unknown
}

// Survey examines all modules that the go.mod files of the current module and its workspace require. If the go.mod file
// of the current module cannot be parsed, the error is a modfile.ErrorList.
func Survey(ctx context.Context, env load.Environment) (*Outdated, error) {
	modules := load.NewModules(ctx, env, 0)
	modules.Find()
	main := modules.Main()
	if main == nil {
		return nil, errors.New("no go.mod here or in a directory above")
	}
	if err := modules.Mistakes(filepath.Dir(main.Syntax.Name)); err != nil {
		return nil, err
	}
	selected := modules.Release(filepath.Dir(main.Syntax.Name))
	if selected.Version == "" {
		return nil, fmt.Errorf("%s requires no module of Kubernetes", env.Name(main.Syntax.Name))
	}
	mixed := modules.Mixed(filepath.Dir(main.Syntax.Name))
	located := modules.Located(ctx)
	client := clientOf(selected, located)
	report := &Outdated{
		ClientGo: selected.Version, Position: diag.Place(env.Dir, selected.Pos), Modules: []OutdatedModule{}, NotInCache: []string{},
	}
	if mixed != nil {
		report.Mixed = &OutdatedMix{diag.Place(env.Dir, mixed.Pos()), mixed.String(), mixed.Remedy(), mixed.Breaks}
	}
	found := parallel.Map(located, func(m load.Located) *OutdatedModule {
		if m.Dir == "" || isKubernetes(m) {
			return nil
		}
		return inspect(m, client, located)
	})
	for i, m := range located {
		switch {
		case isKubernetes(m):
		case m.Dir == "":
			if _, mayHave := requiredBy(m.GoMod); mayHave {
				report.NotInCache = append(report.NotInCache, m.Module+"@"+m.Version)
			}
		case found[i] != nil:
			found[i].Position = diag.Place(env.Dir, m.Pos)
			report.Modules = append(report.Modules, *found[i])
		}
	}
	return report, nil
}

// isKubernetes reports whether a module is client-go, which only has code for itself, or a module of Kubernetes that
// has no clients.
func isKubernetes(m load.Located) bool { return load.KubernetesModule(m.Module+"/") != "" }

// clientOf returns the capabilities of the selected client-go. They follow from its version if that is a known release,
// and otherwise from its source.
func clientOf(selected model.Dependency, located []load.Located) model.Client {
	release, _ := model.ReleaseOf(selected.Version)
	if model.IsKnown(selected.Version) {
		return model.Client{Release: release}
	}
	dirs := map[string]string{}
	for _, m := range located {
		if m.Dir != "" && (m.Module == load.ClientGo || m.Module == "k8s.io/apimachinery") {
			dirs[m.Module] = m.Dir
		}
	}
	if len(dirs) < 2 {
		return model.Client{Release: min(release, model.PreviewRelease)}
	}
	shown := load.NewEvidence(dirs).Shown()
	return model.Client{Release: shown.Release(), Shown: shown}
}

// inspect returns nil for a module without generated code, or whose code would be the same for client. It judges each
// clientset with its listers, informers and apply configurations for itself.
func inspect(m load.Located, client model.Client, all []load.Located) *OutdatedModule {
	requires, mayHave := requiredBy(filepath.Join(m.Dir, "go.mod"))
	if !mayHave {
		return nil
	}
	var outdated []outdatedFile
	var releases, within []string
	var exceeds []model.Feature
	current := false
	for _, files := range byClientset(generatedIn(m.Dir)) {
		code := load.CodeOf(textsOf(files))
		exceeding := code.Exceeds(client, nil)
		if len(exceeding)+len(code.Lacks(client, nil)) == 0 {
			current = true
			continue
		}
		within = append(within, cmp.Or(clientsetOf(files[0].dir), "."))
		outdated, exceeds = append(outdated, files...), append(exceeds, exceeding...)
		if release := releaseOf(code.Releases(), requires); !slices.Contains(releases, release) {
			releases = append(releases, release)
		}
	}
	if len(outdated) == 0 {
		return nil
	}
	if !current {
		within = nil
	}
	types, lacks := typesOf(m, outdated, all), load.CodeOf(textsOf(outdated)).Lacks(client, nil)
	return &OutdatedModule{
		Path: m.Module, Version: m.Version, Within: within, Tools: toolsOf(outdated), For: strings.Join(releases, " and "), Requires: requires,
		Effects: effects(lacks, exceeds), Types: types, Command: command(m.Module, types),
	}
}

// releaseOf returns the release that the code was generated for: the one that its go.mod file requires if that is
// within span, else span. Versions before v0.15 are not within a span, because their releases have no names.
func releaseOf(span load.Span, requires string) string {
	if release, ok := model.ReleaseOf(requires); ok && release > 0 && span.Oldest <= release && release <= span.Newest {
		return release.String()
	}
	return span.String()
}

// effects describes the consequences of outdated code for callers.
func effects(lacks, exceeds []model.Feature) (all []string) {
	has := func(features []model.Feature, c model.Capability) bool {
		return slices.ContainsFunc(features, func(f model.Feature) bool { return f.Capability == c })
	}
	if has(lacks, model.SchemeTypeConverter) || has(lacks, model.MergeDiffV7) {
		all = append(all, "its apply configurations do not compile, because they use another version of structured-merge-diff")
	}
	if len(exceeds) > 0 {
		all = append(all, "it may not compile, because it is for a newer release")
	}
	if has(lacks, model.WatchListSemantics) {
		all = append(all, "informers wait 10 to 60 seconds for their first list on its fake clientsets and on servers without watch lists")
	}
	if added := load.Added(lacks); added != "" {
		all = append(all, "it lacks "+added)
	}
	return all
}

// command returns the command that generates code for types of another module.
func command(path string, types []string) string {
	if len(types) == 0 {
		return ""
	}
	return "kubegen import --output-dir internal/" + nameOf(path) + " " + strings.Join(types, " ")
}

// nameOf returns a directory name for the code of a module: "istio" for istio.io/client-go.
func nameOf(path string) (name string) {
	prefix, _, _ := module.SplitPathVersion(path)
	for _, element := range strings.Split(prefix, "/") {
		if name == "" || element != "client" && element != "client-go" {
			name, _, _ = strings.Cut(element, ".")
		}
	}
	return name
}

// Print writes the report for people.
func (o *Outdated) Print(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	if m := o.Mixed; m != nil {
		line("%s: %s (%s)", m.Position, m.Message, m.Remedy)
	}
	for _, m := range o.Modules {
		requires := ""
		if m.Requires != "" && !strings.HasPrefix(m.Requires, m.For+".") {
			requires = ", although it requires " + m.Requires
		}
		within := ""
		if len(m.Within) > 0 {
			within = ", in " + strings.Join(m.Within, ", ") + " alone"
		}
		line(
			"%s: %s %s%s: %s for client-go %s%s, and %s is selected", m.Position, m.Path, m.Version, within, strings.Join(m.Tools, ", "), m.For,
			requires, o.ClientGo,
		)
		for _, effect := range m.Effects {
			line("\t%s", effect)
		}
		if m.Command != "" {
			line("\tto generate it here: %s", m.Command)
		}
	}
	for _, m := range o.NotInCache {
		line("not in the module cache (run go mod download): %s", m)
	}
}
