package parser

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/model"
)

// outputRoot returns the directory of the module that the output of all packages goes to, "" where there is none.
func (p *parser) outputRoot() string {
	dir, _ := filepath.Abs(cmp.Or(p.cfg.Output, p.cfg.Dir))
	if f := p.goModAbove(dir); f != nil {
		return filepath.Dir(f.Syntax.Name)
	}
	return ""
}

// clientGo returns what determines the release of client-go for code in the module in the directory root: the version of
// client-go that the module selects, or else of apimachinery or k8s.io/api, with which one of client-go comes. A module that
// requires none of them follows the packages that are read. client-go itself has the release of the others.
func (p *parser) clientGo(root string) model.Dependency {
	if known, ok := p.byRoot[root]; ok {
		return known
	}
	out := p.goMod(root)
	found, ok := p.ownClientGo(out)
	for _, module := range kubernetesModules {
		if ok {
			break
		}
		found, _ = p.required(module)
		found.Version = cmp.Or(p.selected[module], found.Version)
		_, ok = model.ReleaseOf(found.Version)
	}
	if !ok {
		found = model.Dependency{}
	}
	if out != nil && slices.Contains(p.workspace, root) {
		highest, _ := p.required(clientGo)
		found.Workspace = cmp.Or(p.selected[clientGo], highest.Version)
	}
	p.byRoot[root] = found
	return found
}

// ownClientGo returns what a module itself says, whatever its workspace does. ok is false if that determines no release.
func (p *parser) ownClientGo(out *modfile.File) (found model.Dependency, ok bool) {
	if out == nil {
		return found, false
	}
	for _, module := range kubernetesModules {
		if isModule(out, module) {
			continue
		}
		found, ok = required([]*modfile.File{out}, module)
		switch {
		case p.alone(out) && p.selected[module] != "":
			found.Version = p.selected[module]
		case !ok && module == clientGo:
			found.Version = p.inGraph(filepath.Dir(out.Syntax.Name), module)
		}
		if !found.Pos.IsValid() {
			found.Pos = token.Position{Filename: out.Syntax.Name, Line: 1}
		}
		if _, ok = model.ReleaseOf(found.Version); ok {
			return found, true
		}
	}
	return found, false
}

// alone reports whether the go command selects versions for one module only, in which packages are read.
func (p *parser) alone(f *modfile.File) bool {
	return len(p.workspace) == 0 && len(p.goMods) > 0 && p.goMods[0] == f
}

func isModule(f *modfile.File, path string) bool { return f.Module != nil && f.Module.Mod.Path == path }

// goGet returns the command that adds modules of Kubernetes, as far as they are not required, in the version of those that are.
func (p *parser) goGet(modules ...string) string {
	var known model.Dependency
	for _, module := range slices.Backward(kubernetesModules) {
		if found, ok := p.required(module); ok {
			known = found
		}
	}
	command := "go get"
	for i, module := range modules {
		if !p.requires(module) && !slices.Contains(modules[:i], module) {
			command += " " + module + "@" + p.toGet(known)
		}
	}
	return command
}

// toGet returns the version to get of a module of Kubernetes: that of another one, or the latest of a release.
func (p *parser) toGet(known model.Dependency) string {
	release, ok := model.ReleaseOf(known.Version)
	switch {
	case p.cfg.Release > release:
		return p.cfg.Release.String()
	case !ok:
		return model.NewestRelease.String()
	case semver.Major(known.Version) != "v0" || module.IsPseudoVersion(known.Version): // other modules do not have it
		return release.String()
	}
	return known.Version
}

// reportDependencies says which commands complete the module in the directory root once there is generated code, which imports
// client-go.
func (p *parser) reportDependencies(root string) {
	out := p.goMod(root)
	if out == nil || !p.cfg.Clients || p.cfg.Classic || isModule(out, clientGo) {
		return
	}
	pos := token.Position{Filename: out.Syntax.Name, Line: 1}
	if _, ok := required([]*modfile.File{out}, clientGo); !ok {
		in := ""
		if here, _ := filepath.Abs(p.cfg.Dir); p.goModAbove(here) != out {
			rel, _ := filepath.Rel(here, root)
			in = " in " + filepath.ToSlash(rel)
		}
		p.Warnf(pos, "generated code imports %s, which go.mod does not require", clientGo).
			Suggest("run go get %s@%s and then go mod tidy%s", clientGo, p.toGet(p.clientGo(root)), in)
		return
	}
	if _, commands := p.whyMissing(clientGoPackage); commands != "" && slices.Contains(p.goMods, out) {
		p.Warnf(pos, "generated code imports %s, for which go.sum has no checksum", clientGo).Suggest("run go mod tidy")
	}
}
