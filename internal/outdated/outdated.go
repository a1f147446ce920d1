// Package outdated finds modules whose clients, listers and informers were generated for another release of client-go than the one that a
// project selects. It reads go.mod files, the module cache and directories that replace modules, and asks no proxy.
package outdated

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/evidence"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/parallel"
)

// Report is what "kubegen outdated --format json" prints. Later versions may add fields, but do not rename or remove any. Lists are never
// null, and ordered by path.
type Report struct {
	ClientGo   string   `json:"clientGo"` // the selected version
	Position   string   `json:"position"` // of what determines it in a go.mod file
	Modules    []Module `json:"modules"`  // those with outdated code
	NotInCache []string `json:"notInCache"`
}

// Module is a module with outdated code.
type Module struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Position string   `json:"position"` // of the requirement
	Tools    []string `json:"tools"`    // that wrote the code
	For      string   `json:"for"`      // the release of client-go that it is for, or several for which it is the same
	Requires string   `json:"requires"` // the version of client-go in its go.mod; "" if unknown
	Effects  []string `json:"effects"`  // what that means for callers
	Types    []string `json:"types"`    // packages of the types
	Command  string   `json:"command"`  // generates the code here; "" if the types are unknown
}

// Survey looks at all modules that the go.mod files of the current module and its workspace require.
func Survey(ctx context.Context, env environment.Environment) (*Report, error) {
	modules := gomod.New(ctx, env, 0)
	modules.Find()
	main := modules.Main()
	if main == nil {
		return nil, errors.New("no go.mod here or in a directory above")
	}
	selected := modules.Release(filepath.Dir(main.Syntax.Name))
	if selected.Version == "" {
		return nil, fmt.Errorf("%s requires no module of Kubernetes", env.Name(main.Syntax.Name))
	}
	located := modules.Located(ctx)
	client := clientOf(selected, located)
	report := &Report{ClientGo: selected.Version, Position: diag.Place(env.Dir, selected.Pos), Modules: []Module{}, NotInCache: []string{}}
	found := make([]*Module, len(located))
	parallel.Each(indexes(located), func(i int) {
		if m := located[i]; m.Dir != "" && m.Module != gomod.ClientGo { // which has code for itself
			found[i] = inspect(m, client, located)
		}
	})
	for i, m := range located {
		switch {
		case m.Module == gomod.ClientGo:
		case m.Dir == "":
			report.NotInCache = append(report.NotInCache, m.Module+"@"+m.Version)
		case found[i] != nil:
			found[i].Position = diag.Place(env.Dir, m.Pos)
			report.Modules = append(report.Modules, *found[i])
		}
	}
	return report, nil
}

func indexes[T any](items []T) (all []int) {
	for i := range items {
		all = append(all, i)
	}
	return all
}

// clientOf returns what the selected client-go can do: by its source if the version does not tell.
func clientOf(selected model.Dependency, located []gomod.Located) model.Client {
	release, _ := model.ReleaseOf(selected.Version)
	if model.IsKnown(selected.Version) {
		return model.Client{Release: release}
	}
	dirs := map[string]string{}
	for _, m := range located {
		if m.Dir != "" && (m.Module == gomod.ClientGo || m.Module == "k8s.io/apimachinery") {
			dirs[m.Module] = m.Dir
		}
	}
	if len(dirs) < 2 {
		return model.Client{Release: min(release, model.PreviewRelease)}
	}
	shown := evidence.New(dirs).Shown()
	return model.Client{Release: shown.Release(), Shown: shown}
}

// inspect returns nil for a module without generated code, or with none that another release would change.
func inspect(m gomod.Located, client model.Client, all []gomod.Located) *Module {
	requires, mayHave := requiredBy(m.Dir)
	if !mayHave {
		return nil
	}
	files := generatedIn(m.Dir)
	code := evidence.CodeOf(files, func(f file) []byte { return f.text })
	lacks, exceeds := code.Lacks(client, nil), code.Exceeds(client, nil)
	if len(lacks)+len(exceeds) == 0 {
		return nil
	}
	types := typesOf(m, files, all)
	return &Module{
		Path: m.Module, Version: m.Version, Tools: toolsOf(files), For: releaseOf(code.Releases(), requires), Requires: requires,
		Effects: effects(lacks, exceeds), Types: types, Command: command(m.Module, types),
	}
}

// releaseOf returns the release that code is for: that of its go.mod, if the code may be for it.
func releaseOf(span evidence.Span, requires string) string {
	if release, ok := model.ReleaseOf(requires); ok && span.Oldest <= release && release <= span.Newest {
		return release.String()
	}
	return span.String()
}

// effects says what code for another release means for callers.
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
	if added := evidence.Added(lacks); added != "" {
		all = append(all, "it lacks "+added)
	}
	return all
}

// command returns the command that generates code for types of another module.
func command(path string, types []string) string {
	if len(types) == 0 {
		return ""
	}
	return "kubegen --output-dir internal/" + nameOf(path) + " " + strings.Join(types, " ")
}

// nameOf returns a name for the code of a module: "istio" for istio.io/client-go.
func nameOf(path string) (name string) {
	prefix, _, _ := module.SplitPathVersion(path)
	for _, element := range strings.Split(prefix, "/") {
		if name == "" || element != "client" && element != "client-go" {
			name, _, _ = strings.Cut(element, ".")
		}
	}
	return name
}
