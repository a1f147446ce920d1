// Package gomod knows the modules around packages of an API: what their go.mod files require, which release of client-go follows
// from that, and which commands add what is missing. It changes nothing.
package gomod

import (
	"cmp"
	"context"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/model"
)

// ClientGo is the path of the module that generated code depends on.
const ClientGo = "k8s.io/client-go"

// ClientGoPackage is a package of ClientGo. Whether it is found tells whether generated code will be able to import client-go.
const ClientGoPackage = ClientGo + "/applyconfigurations/meta/v1"

// Modules are the modules in which the go command selects versions for the packages of a directory: that of the directory, and those
// of its workspace.
type Modules struct {
	Files     []*modfile.File // their go.mod files; the first is that of the directory, if it has one
	Workspace []string        // directories of the workspace's modules, sorted

	env      environment.Environment // with an absolute Dir
	wanted   model.Release
	byDir    map[string]*modfile.File    // nil for directories without one
	selected map[string]string           // selected versions of the modules whose packages were listed
	forks    map[string]bool             // which of them are replaced with other modules
	releases map[string]model.Dependency // results of Release, by directory

	// Access to the outside world; tests replace it.
	readFile func(name string) ([]byte, error)
	inGraph  func(dir, module string) (version string)
}

// New returns the Modules for the directory of an environment, and for code that needs a release of client-go, 0 if any will do.
func New(ctx context.Context, env environment.Environment, wanted model.Release) *Modules {
	env.Dir, _ = filepath.Abs(env.Dir)
	return &Modules{
		env: env, wanted: wanted, byDir: map[string]*modfile.File{}, selected: map[string]string{}, forks: map[string]bool{}, releases: map[string]model.Dependency{},
		readFile: os.ReadFile, inGraph: func(dir, module string) string { return inGraph(ctx, env, dir, module) },
	}
}

// Find reads the go.mod files.
func (m *Modules) Find() {
	m.Workspace = m.env.Workspace()
	if f := m.Above(m.env.Dir); f != nil {
		m.Files = append(m.Files, f)
	}
	for _, root := range m.Workspace {
		if f := m.In(root); f != nil && !slices.Contains(m.Files, f) {
			m.Files = append(m.Files, f)
		}
	}
}

// Main returns the go.mod file of the directory, or else the first of its workspace; nil if there is none.
func (m *Modules) Main() *modfile.File {
	if len(m.Files) == 0 {
		return nil
	}
	return m.Files[0]
}

// Add adds the module in a directory, of which packages are read in place of those that others require.
func (m *Modules) Add(root string) {
	if f := m.In(root); f != nil && !slices.Contains(m.Files, f) {
		m.Files = append(m.Files, f)
	}
}

// In returns the go.mod file in a directory, nil if there is none or dir is empty. Versions in it may be queries, such as master. A
// file that does not parse counts as empty; the go command reports it.
func (m *Modules) In(dir string) *modfile.File {
	if dir == "" {
		return nil
	}
	f, known := m.byDir[dir]
	if !known {
		name := filepath.Join(dir, "go.mod")
		if text, err := m.readFile(name); err == nil {
			f, err = modfile.Parse(name, text, func(_, version string) (string, error) { return version, nil })
			if err != nil {
				f = &modfile.File{Syntax: &modfile.FileSyntax{Name: name}}
			}
		}
		m.byDir[dir] = f
	}
	return f
}

// Root returns the directory of the module that a directory, which need not exist, belongs to; "" if there is none.
func (m *Modules) Root(dir string) string {
	if f := m.Above(dir); f != nil {
		return filepath.Dir(f.Syntax.Name)
	}
	return ""
}

// Above returns the go.mod file of the module that a directory, which need not exist, belongs to; nil if there is none.
func (m *Modules) Above(dir string) *modfile.File {
	for ; ; dir = filepath.Dir(dir) {
		if f := m.In(dir); f != nil || dir == filepath.Dir(dir) {
			return f
		}
	}
}

// Required returns the highest version of a module that the go.mod files require, with the replacement in the first of
// them, and its position. A module replaced with a directory has the version that it replaces.
func (m *Modules) Required(module string) (model.Dependency, bool) { return required(m.Files, module) }

func required(files []*modfile.File, module string) (model.Dependency, bool) {
	found := highest(files, module)
	if _, r := replacement(files, found); r != nil {
		found.Version = replaced(found.Version, r.New.Version)
	}
	return found, found.Version != ""
}

// highest returns the highest version of a module that go.mod files require, "" if they require none, whatever replaces it.
func highest(files []*modfile.File, module string) model.Dependency {
	found := model.Dependency{Module: module}
	for _, f := range files {
		for _, r := range f.Require {
			if r.Mod.Path == module && (found.Version == "" || semver.Compare(r.Mod.Version, found.Version) > 0) {
				found.Version, found.Pos = r.Mod.Version, requirement(f, r)
			}
		}
	}
	return found
}

// replacement returns the first replacement of a required module, and the go.mod file that has it; nil if there is none.
func replacement(files []*modfile.File, required model.Dependency) (in *modfile.File, found *modfile.Replace) {
	for _, f := range files {
		for _, r := range f.Replace {
			if required.Version != "" && r.Old.Path == required.Module && (r.Old.Version == "" || r.Old.Version == required.Version) {
				return f, r
			}
		}
	}
	return nil, nil
}

// requirement returns the position of a requirement.
func requirement(f *modfile.File, r *modfile.Require) token.Position {
	return token.Position{Filename: f.Syntax.Name, Line: r.Syntax.Start.Line, Column: r.Syntax.Start.LineRune}
}

// replaced returns the version of a replacement, or the one that it replaces if it has none that determines a release: it is a
// directory, or a fork without tags.
func replaced(old, replacement string) string {
	if _, ok := model.ReleaseOf(replacement); ok {
		return replacement
	}
	return cmp.Or(old, replacement)
}

// Note records the version of a package's module that the go command selected.
func (m *Modules) Note(found *packages.Module) {
	if found == nil || found.Main {
		return
	}
	m.selected[found.Path] = found.Version
	if found.Replace != nil {
		m.selected[found.Path] = replaced(found.Version, found.Replace.Version)
		m.forks[found.Path] = found.Replace.Path != found.Path
	}
}

// kubernetes are the modules that generated code and the types of an API import; they are released together, with the same version.
var kubernetes = []string{ClientGo, "k8s.io/apimachinery", "k8s.io/api"}

// KubernetesModule returns the one of the modules of Kubernetes that has a package, or "". Generated code and the types of an API import
// these; they are released together, with the same version.
func KubernetesModule(importPath string) string {
	for _, module := range kubernetes {
		if strings.HasPrefix(importPath, module+"/") {
			return module
		}
	}
	return ""
}

// Requires reports whether a go.mod file requires a module, or is the one of that module.
func (m *Modules) Requires(module string) bool {
	_, ok := m.Required(module)
	return ok || slices.ContainsFunc(m.Files, func(f *modfile.File) bool { return IsModule(f, module) })
}

// With returns the module that must have a package: the one with the longest path that a go.mod file requires, or one of
// Kubernetes; "" where none is known.
func (m *Modules) With(importPath string) string {
	module := KubernetesModule(importPath)
	for _, f := range m.Files {
		for _, r := range f.Require {
			if strings.HasPrefix(importPath+"/", r.Mod.Path+"/") && len(r.Mod.Path) > len(module) {
				module = r.Mod.Path
			}
		}
	}
	return module
}

// ofModule matches what the go command says about a version of a module that it cannot download.
var ofModule = regexp.MustCompile(`^(\S+)@(v\S+): `)

// Explain says what a message of the go command about a package means, and which commands help, "" if that is not known.
func (m *Modules) Explain(importPath, message string) (why, commands string) {
	module := m.With(importPath)
	named := ofModule.FindStringSubmatch(message)
	if named != nil {
		module = named[1]
	}
	switch {
	case message == "" || module == "" || len(m.Files) == 0:
	case strings.Contains(message, "go.sum") && (m.Requires(module) || KubernetesModule(importPath) == ""):
		return "go.sum has no checksum for " + module, "go mod download " + module
	case strings.Contains(message, "-mod=vendor"):
		return "the vendor directory does not have it", "go mod vendor"
	case (strings.Contains(message, "no required module") || strings.Contains(message, "go.sum")) && !m.Requires(module):
		return "go.mod does not require " + module, m.Get(ClientGo, "k8s.io/apimachinery", module)
	case named != nil:
		return module + " " + named[2] + " is not downloaded: " + strings.TrimPrefix(message, named[0]), "go mod download"
	case strings.Contains(message, "GOPROXY=off"):
		return module + " is not downloaded: " + message, "go mod download"
	}
	return message, ""
}

// inGraph returns the version of a module in the module graph of the module in a directory, whatever its workspace selects; ""
// if it has none, or the go command does not tell.
func inGraph(ctx context.Context, env environment.Environment, dir, module string) string {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-e", "-modfile=", "-f", "{{.Version}} {{with .Replace}}{{.Version}}{{end}}", module)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = dir, append(env.GoList(), "GOWORK=off", "PWD="+dir)
	out, err := cmd.Output()
	version, replacement, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || version == "" {
		return ""
	}
	return replaced(version, replacement)
}

// Uses reports whether the go command reads packages from the module with a go.mod file: a main module, or one that such a module has
// in place of another.
func (m *Modules) Uses(f *modfile.File) bool {
	root := filepath.Dir(f.Syntax.Name)
	if slices.Contains(m.Workspace, root) || len(m.Workspace) == 0 && slices.Contains(m.Files, f) {
		return true
	}
	return slices.ContainsFunc(m.Files, func(main *modfile.File) bool {
		within, err := filepath.Rel(filepath.Dir(main.Syntax.Name), root)
		return (err != nil || !filepath.IsLocal(within)) && slices.ContainsFunc(main.Replace, func(r *modfile.Replace) bool {
			return r.New.Version == "" && filepath.Join(filepath.Dir(main.Syntax.Name), r.New.Path) == root
		})
	})
}
