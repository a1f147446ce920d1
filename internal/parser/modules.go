package parser

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/model"
)

// clientGo is the path of the module that generated code depends on.
const clientGo = "k8s.io/client-go"

// clientGoPackage is a package of clientGo. Whether it is found tells whether generated code will be able to import client-go.
const clientGoPackage = clientGo + "/applyconfigurations/meta/v1"

// findGoMods returns the go.mod file of the current module and those of its workspace. It skips files that do not
// parse; the go command reports them.
func (p *parser) findGoMods() []*modfile.File {
	var found []*modfile.File
	read := func(dir string) bool {
		name := filepath.Join(dir, "go.mod")
		text, err := p.readFile(name)
		if err != nil {
			return false
		}
		if parsed, err := modfile.Parse(name, text, nil); err == nil {
			found = append(found, parsed)
		}
		return true
	}
	above, _ := filepath.Abs(p.cfg.Dir)
	inModule, inWorkspace := false, p.cfg.getenv("GOWORK") == "off"
	for dir := above; ; dir = filepath.Dir(dir) {
		inModule = inModule || read(dir)
		if text, err := p.readFile(filepath.Join(dir, "go.work")); err == nil && !inWorkspace {
			inWorkspace = true
			if work, err := modfile.ParseWork("go.work", text, nil); err == nil {
				for _, use := range work.Use {
					if filepath.IsAbs(use.Path) {
						read(use.Path)
					} else {
						read(filepath.Join(dir, use.Path))
					}
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return found
		}
	}
}

// outputModule returns the go.mod file of the output directory's module, or of the current one if there is no such directory.
func (p *parser) outputModule() []*modfile.File {
	dir := p.cfg.Output
	if dir == "" {
		dir, _ = filepath.Abs(p.cfg.Dir)
	}
	for ; dir != ""; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "go.mod")
		if i := slices.IndexFunc(p.goMods, func(f *modfile.File) bool { return f.Syntax.Name == name }); i >= 0 {
			return p.goMods[i : i+1]
		}
		if text, err := p.readFile(name); err == nil {
			parsed, err := modfile.Parse(name, text, nil)
			if err != nil {
				return nil
			}
			return []*modfile.File{parsed}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nil
}

// elsewhere returns the go.mod file of the output directory's module, nil if that is one of those that packages are read from.
func (p *parser) elsewhere() []*modfile.File {
	found := p.outputModule()
	if len(found) > 0 && slices.Contains(p.goMods, found[0]) {
		return nil
	}
	return found
}

// required returns the highest version of a module that the go.mod files require, with the replacement in the first of
// them, and its position. A module replaced with a directory has the version that it replaces.
func (p *parser) required(module string) (model.Dependency, bool) { return required(p.goMods, module) }

func required(goMods []*modfile.File, module string) (model.Dependency, bool) {
	var found model.Dependency
	for _, f := range goMods {
		for _, r := range f.Require {
			if r.Mod.Path == module && (found.Version == "" || semver.Compare(r.Mod.Version, found.Version) > 0) {
				at := r.Syntax.Start
				found = model.Dependency{
					Path: module, Version: r.Mod.Version,
					Pos: token.Position{Filename: f.Syntax.Name, Line: at.Line, Column: at.LineRune},
				}
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

// clientGo returns the module that determines the release of client-go to generate code for: client-go, or in a module without
// it another one of Kubernetes, which has the same version. client-go itself has the release of what it requires.
//
// The go.mod of the module that the output is in decides, since those who import that module may be in no workspace or in another;
// code for an older release compiles with a newer one that a workspace selects, but not the other way round. What only other
// modules of the workspace require comes next.
func (p *parser) clientGo() model.Dependency {
	var found model.Dependency
	for _, goMods := range [][]*modfile.File{p.outputModule(), p.goMods} {
		for _, module := range kubernetesModules {
			var ok bool
			if found, ok = required(goMods, module); !ok {
				continue
			}
			if selected := p.selected[module]; selected != "" && len(p.goMods) == 1 && p.goMods[0] == goMods[0] {
				found.Version = selected
			}
			if _, ok := model.ReleaseOf(found.Version); ok {
				return found
			}
		}
	}
	for _, module := range kubernetesModules { // by a driver, or indirectly
		if version := p.selected[module]; version != "" {
			return model.Dependency{Path: module, Version: version}
		}
	}
	return found
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

// whyMissing says why a package was not found, "" if it was, and for one of Kubernetes which commands make it found: go get
// for modules that go.mod does not require, and go mod download for those for which go.sum has no checksum.
func (p *parser) whyMissing(importPath string) (why, commands string) {
	why = p.missing[importPath]
	module := kubernetesModule(importPath)
	switch {
	case why == "" || module == "" || len(p.goMods) == 0:
		return why, ""
	case !p.requires(module) && strings.Contains(why, "no required module"):
		return "go.mod does not require " + module, p.goGet(clientGo, "k8s.io/apimachinery", module)
	case strings.Contains(why, "go.sum"):
		return "go.sum has no checksum for " + module, "go mod download " + module
	}
	return why, ""
}

// goGet returns the command that adds modules of Kubernetes, as far as they are not required, in the version of those that are.
func (p *parser) goGet(modules ...string) string {
	version := model.NewestRelease.String()
	for _, module := range slices.Backward(kubernetesModules) {
		if found, ok := p.required(module); ok {
			version = found.Version
		}
	}
	command := "go get"
	for i, module := range modules {
		if !p.requires(module) && !slices.Contains(modules[:i], module) {
			command += " " + module + "@" + version
		}
	}
	return command
}

// reportDependencies says which commands complete the module once there is generated code, which imports client-go.
func (p *parser) reportDependencies() {
	if !p.cfg.Clients || p.cfg.Classic || len(p.goMods) == 0 {
		return
	}
	if _, ok := required(p.elsewhere(), clientGo); ok {
		return
	}
	pos := token.Position{Filename: p.goMods[0].Syntax.Name, Line: 1}
	_, commands := p.whyMissing(clientGoPackage)
	switch {
	case !p.requires(clientGo):
		p.Warnf(pos, "generated code imports %s, which go.mod does not require", clientGo).Suggest("run %s and then go mod tidy", p.goGet(clientGo))
	case commands != "":
		p.Warnf(pos, "generated code imports %s, for which go.sum has no checksum", clientGo).Suggest("run go mod tidy")
	}
}
