package parser

import (
	"cmp"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/model"
)

// clientGo is the path of the module that generated code depends on.
const clientGo = "k8s.io/client-go"

// clientGoPackage is a package of clientGo. Whether it is found tells whether generated code will be able to import client-go.
const clientGoPackage = clientGo + "/applyconfigurations/meta/v1"

// findGoMods returns the go.mod file of the current module and those of its workspace.
func (p *parser) findGoMods() (found []*modfile.File) {
	dir, _ := filepath.Abs(p.cfg.Dir)
	p.workspace = environment.Environment{Dir: dir, Vars: p.cfg.environ()}.Workspace()
	if f := p.goModAbove(dir); f != nil {
		found = append(found, f)
	}
	for _, root := range p.workspace {
		if f := p.goMod(root); f != nil && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// goMod returns the go.mod file in a directory, nil if there is none or dir is empty. Versions in it may be queries, such as master. A file
// that does not parse counts as empty; the go command reports it.
func (p *parser) goMod(dir string) *modfile.File {
	if dir == "" {
		return nil
	}
	f, known := p.goModIn[dir]
	if !known {
		name := filepath.Join(dir, "go.mod")
		if text, err := p.readFile(name); err == nil {
			f, err = modfile.Parse(name, text, func(_, version string) (string, error) { return version, nil })
			if err != nil {
				f = &modfile.File{Syntax: &modfile.FileSyntax{Name: name}}
			}
		}
		p.goModIn[dir] = f
	}
	return f
}

// goModAbove returns the go.mod file of the module that a directory, which need not exist, belongs to; nil if there is none.
func (p *parser) goModAbove(dir string) *modfile.File {
	for ; ; dir = filepath.Dir(dir) {
		if f := p.goMod(dir); f != nil || dir == filepath.Dir(dir) {
			return f
		}
	}
}

// required returns the highest version of a module that the go.mod files require, with the replacement in the first of
// them, and its position. A module replaced with a directory has the version that it replaces.
func (p *parser) required(module string) (model.Dependency, bool) { return required(p.goMods, module) }

func required(goMods []*modfile.File, module string) (model.Dependency, bool) {
	found := model.Dependency{Module: module}
	for _, f := range goMods {
		for _, r := range f.Require {
			if r.Mod.Path == module && (found.Version == "" || semver.Compare(r.Mod.Version, found.Version) > 0) {
				found.Version, found.Pos = r.Mod.Version, requirement(f, r)
			}
		}
	}
	for _, f := range goMods {
		for _, r := range f.Replace {
			if r.Old.Path == module && (r.Old.Version == "" || r.Old.Version == found.Version) && found.Version != "" {
				found.Version = replaced(found.Version, r.New.Version)
				return found, true
			}
		}
	}
	return found, found.Version != ""
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

// noteModule records the version of a package's module that the go command selected.
func (p *parser) noteModule(m *packages.Module) {
	if m == nil || m.Main {
		return
	}
	p.selected[m.Path] = m.Version
	if m.Replace != nil {
		p.selected[m.Path] = replaced(m.Version, m.Replace.Version)
	}
}

// kubernetesModules are those that generated code and the types of an API are made of; they have the same version.
var kubernetesModules = []string{clientGo, "k8s.io/apimachinery", "k8s.io/api"}

// kubernetesModule returns the one of them that has a package, or "".
func kubernetesModule(importPath string) string {
	for _, module := range kubernetesModules {
		if strings.HasPrefix(importPath, module+"/") {
			return module
		}
	}
	return ""
}

// requires reports whether a go.mod file requires a module, or is the one of that module.
func (p *parser) requires(module string) bool {
	_, ok := p.required(module)
	return ok || slices.ContainsFunc(p.goMods, func(f *modfile.File) bool { return f.Module != nil && f.Module.Mod.Path == module })
}

// moduleWith returns the module that must have a package: the one with the longest path that a go.mod file requires, or one of
// Kubernetes; "" where none is known.
func (p *parser) moduleWith(importPath string) string {
	module := kubernetesModule(importPath)
	for _, f := range p.goMods {
		for _, r := range f.Require {
			if strings.HasPrefix(importPath+"/", r.Mod.Path+"/") && len(r.Mod.Path) > len(module) {
				module = r.Mod.Path
			}
		}
	}
	return module
}

// whyMissing says why a package was not found, "" if it was, and which commands make it found, "" if that is not known.
func (p *parser) whyMissing(importPath string) (why, commands string) {
	return p.explain(importPath, p.missing[importPath])
}

// remedy says both in a few words.
func (p *parser) remedy(importPath string) string {
	why, commands := p.whyMissing(importPath)
	if commands != "" {
		why += "; run " + commands
	}
	return why
}

// ofModule matches what the go command says about a version of a module that it cannot download.
var ofModule = regexp.MustCompile(`^(\S+)@(v\S+): `)

// explain says what a message of the go command about a package means, and which commands help, "" if that is not known.
func (p *parser) explain(importPath, message string) (why, commands string) {
	module := p.moduleWith(importPath)
	named := ofModule.FindStringSubmatch(message)
	if named != nil {
		module = named[1]
	}
	switch {
	case message == "" || module == "" || len(p.goMods) == 0:
	case strings.Contains(message, "go.sum"):
		return "go.sum has no checksum for " + module, "go mod download " + module
	case strings.Contains(message, "-mod=vendor"):
		return "the vendor directory does not have it", "go mod vendor"
	case strings.Contains(message, "no required module") && !p.requires(module):
		return "go.mod does not require " + module, p.goGet(clientGo, "k8s.io/apimachinery", module)
	case named != nil:
		return module + " " + named[2] + " is not downloaded: " + strings.TrimPrefix(message, named[0]), "go mod download"
	case strings.Contains(message, "GOPROXY=off"):
		return module + " is not downloaded: " + message, "go mod download"
	}
	return message, ""
}
