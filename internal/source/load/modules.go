// This file reads the go.mod files of an API's modules. It determines their release of client-go, and the commands
// that add missing requirements. It changes nothing.

package load

import (
	"cmp"
	"context"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// ClientGo is the path of the module that generated code depends on.
const ClientGo = "k8s.io/client-go"

// Consistency is the path of kubegen's module with the store of own writes, and of its package.
const Consistency = "github.com/kubegen/kubegen/consistency"

// Conversion is the path of kubegen's module for generated conversions to and from hubs.
const Conversion = "github.com/kubegen/kubegen/conversion"

// ClientGoPackage is a package of ClientGo. If it is found, generated code can import client-go.
const ClientGoPackage = ClientGo + "/applyconfigurations/meta/v1"

// Modules holds the main module and the workspace modules of a directory.
type Modules struct {
	Files     []*modfile.File // their go.mod files; the main module is first, if there is one
	Workspace []string        // directories of the workspace's modules, sorted

	env      Environment // its Dir is absolute
	wanted   model.Release
	byDir    map[string]*modfile.File    // nil for directories without a go.mod file
	mistakes map[string]error            // of go.mod files that cannot be parsed, by directory
	selected map[string]string           // selected versions of the modules whose packages were listed
	forks    map[string]bool             // modules that are replaced by other modules
	releases map[string]model.Dependency // results of Release, by directory

	// Access to files and the go command; tests replace it.
	readFile func(name string) ([]byte, error)
	inGraph  func(dir, module string) (version string)
}

// NewModules returns the Modules for the directory of env. wanted is the release of client-go that the code needs, or 0
// if any will do.
func NewModules(ctx context.Context, env Environment, wanted model.Release) *Modules {
	env.Dir, _ = filepath.Abs(env.Dir)
	return &Modules{
		env: env, wanted: wanted, byDir: map[string]*modfile.File{}, mistakes: map[string]error{}, selected: map[string]string{},
		forks: map[string]bool{}, releases: map[string]model.Dependency{},
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
		m.Add(root)
	}
}

// Main returns the go.mod file of the directory, or else the first one of its workspace, or nil if there is none.
func (m *Modules) Main() *modfile.File {
	if len(m.Files) == 0 {
		return nil
	}
	return m.Files[0]
}

// Add adds the go.mod file in a directory, if there is one.
func (m *Modules) Add(root string) {
	if f := m.In(root); f != nil && !slices.Contains(m.Files, f) {
		m.Files = append(m.Files, f)
	}
}

// In returns the go.mod file in a directory, or nil if there is none or dir is empty. Versions in it may be queries,
// such as master. A file that cannot be parsed counts as empty; the go command reports it. See Mistakes.
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
				m.mistakes[dir] = err
				f = &modfile.File{Syntax: &modfile.FileSyntax{Name: name}}
			}
		}
		m.byDir[dir] = f
	}
	return f
}

// Mistakes returns the error that prevents parsing the go.mod file in a directory, a modfile.ErrorList, or nil.
func (m *Modules) Mistakes(dir string) error {
	m.In(dir)
	return m.mistakes[dir]
}

// Root returns the directory of the module that contains a directory, which need not exist, or "" if there is none.
func (m *Modules) Root(dir string) string {
	if f := m.Above(dir); f != nil {
		return filepath.Dir(f.Syntax.Name)
	}
	return ""
}

// Above returns the go.mod file of the module that contains a directory, which need not exist, or nil if there is none.
func (m *Modules) Above(dir string) *modfile.File {
	for ; ; dir = filepath.Dir(dir) {
		if f := m.In(dir); f != nil || dir == filepath.Dir(dir) {
			return f
		}
	}
}

// Required returns the highest version of a module that the go.mod files require, after replacement, and its position.
// The version of a module that is replaced by a directory is the required one.
func (m *Modules) Required(module string) (model.Dependency, bool) { return required(m.Files, module) }

func required(files []*modfile.File, module string) (model.Dependency, bool) {
	found := highest(files, module)
	if _, r := replacement(files, found); r != nil {
		found.Version = replaced(found.Version, r.New.Version)
	}
	return found, found.Version != ""
}

// highest returns the highest version of a module that go.mod files require, or "" if they do not require it. It
// ignores replacements.
func highest(files []*modfile.File, module string) model.Dependency {
	found := model.Dependency{Module: module}
	for _, f := range files {
		for _, r := range f.Require {
			if r.Mod.Path == module && (found.Version == "" || semver.Compare(r.Mod.Version, found.Version) > 0) {
				found.Version, found.Pos = r.Mod.Version, place(f, r.Syntax)
			}
		}
	}
	return found
}

// replacement returns the first replacement of a required module, and its go.mod file, or nil if there is none.
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

// place returns the position of a line in a go.mod file.
func place(f *modfile.File, line *modfile.Line) token.Position {
	return token.Position{Filename: f.Syntax.Name, Line: line.Start.Line, Column: line.Start.LineRune}
}

// replaced returns the version of a replacement, or the old version if the replacement determines no release: it is a
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

// kubernetes lists the modules that generated code and API types import. They are released together, with the same
// version.
var kubernetes = []string{ClientGo, "k8s.io/apimachinery", "k8s.io/api"}

// KubernetesModule returns the module in kubernetes that contains a package, or "".
func KubernetesModule(importPath string) string {
	for _, module := range kubernetes {
		if strings.HasPrefix(importPath, module+"/") {
			return module
		}
	}
	return ""
}

// Requires reports whether a go.mod file requires a module, or declares it.
func (m *Modules) Requires(module string) bool {
	_, ok := m.Required(module)
	return ok || slices.ContainsFunc(m.Files, func(f *modfile.File) bool { return IsModule(f, module) })
}

// RequiresDirectly reports whether the go.mod file of the module that contains a directory requires another module, of
// which it imports packages.
func (m *Modules) RequiresDirectly(dir, module string) bool {
	f := m.Above(dir)
	return f != nil && slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == module && !r.Indirect })
}

// With returns the module that should contain a package: the required module with the longest matching path, or a
// module of Kubernetes, or "" if none is known.
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

// Providing returns the module that contains a package, which need not exist, and its selected version: a required
// module, or else one in the module graph. ok is false if there is none.
func (m *Modules) Providing(importPath string) (found model.Dependency, ok bool) {
	if found, ok = m.Required(m.With(importPath)); ok || len(m.Files) == 0 {
		return found, ok
	}
	root := filepath.Dir(m.Files[0].Syntax.Name)
	for module := importPath; strings.Contains(module, "/"); module = path.Dir(module) {
		if version := m.inGraph(root, module); version != "" {
			return model.Dependency{Module: module, Version: version}, true
		}
	}
	return found, false
}

// ofModule matches a message of the go command about a module version that it cannot download, or whose go.mod file has
// no checksum.
var ofModule = regexp.MustCompile(`^(\S+)@(v\S+?):? `)

// Explain returns the meaning of a message of the go command about a package, and the commands that help, or "" if
// these are unknown.
func (m *Modules) Explain(importPath, message string) (why, commands string) {
	if message == "" { // as for most types; finding the module would take time
		return "", ""
	}
	module := m.With(importPath)
	named := ofModule.FindStringSubmatch(message)
	if named != nil {
		module = named[1]
	}
	contains := func(text string) bool { return strings.Contains(message, text) }
	switch {
	case module == "" || len(m.Files) == 0:
	case contains("go.sum entry for go.mod file"):
		return "go.sum has no checksum for the go.mod file of a required module", "go mod tidy"
	case contains("go.sum") && (m.Requires(module) || KubernetesModule(importPath) == ""):
		return "go.sum has no checksum for " + module, "go mod download " + module
	case contains("-mod=vendor"):
		return "the vendor directory does not have it, and go.mod is not complete", "go mod tidy and then go mod vendor"
	case (contains("no required module") || contains("disabled by -mod=readonly") || contains("go.sum")) && !m.Requires(module):
		return "go.mod does not require " + module, m.Get(ClientGo, "k8s.io/apimachinery", module)
	case named != nil && contains("replacement directory") && contains("does not exist"):
		return "go.mod replaces " + module + ": " + strings.TrimPrefix(message, named[0]),
			"go mod edit -dropreplace=" + module + ", or correct the directory"
	case named != nil:
		return module + " " + named[2] + " is not downloaded: " + strings.TrimPrefix(message, named[0]), "go mod download"
	case contains("GOPROXY=off"):
		return module + " is not downloaded: " + message, "go mod download"
	}
	return message, ""
}

// inGraph returns the version of a module in the module graph of the module in a directory, ignoring the workspace. It
// is "" if the graph lacks the module, or the go command fails.
func inGraph(ctx context.Context, env Environment, dir, module string) string {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-e", "-modfile=", "-f", "{{.Version}} {{with .Replace}}{{.Version}}{{end}}", module)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = dir, append(env.GoList(), "GOWORK=off", "PWD="+dir)
	out, err := env.Output(cmd)
	version, replacement, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || version == "" {
		return ""
	}
	return replaced(version, replacement)
}

// Uses reports whether the go command reads packages from the module with a go.mod file: it is a main module or
// workspace module, or replaces a required module of one.
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
