package load

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Release returns the dependency that determines the release of client-go for code in the module in the directory root:
// client-go, or else apimachinery or k8s.io/api, which are released together with client-go. If the module requires
// none of them, the packages that are read determine it. For code in client-go itself, it is apimachinery or
// k8s.io/api.
func (m *Modules) Release(root string) model.Dependency {
	if known, ok := m.releases[root]; ok {
		return known
	}
	out := m.In(root)
	found, ok := m.own(out)
	for _, module := range kubernetes {
		if ok {
			break
		}
		found, _ = m.Required(module)
		found.Version = cmp.Or(m.selected[module], found.Version)
		_, ok = model.ReleaseOf(found.Version)
	}
	if !ok {
		found = model.Dependency{}
	}
	if out != nil && slices.Contains(m.Workspace, root) {
		highest, _ := m.Required(ClientGo)
		found.Workspace = cmp.Or(m.selected[ClientGo], highest.Version)
	}
	m.releases[root] = found
	return found
}

// Untyped returns the release of client-go for code in the module in the directory root if code can be generated for it
// but it lacks typed informers. Otherwise it returns "".
func (m *Modules) Untyped(root string) string {
	release, ok := model.ReleaseOf(m.Release(root).Version)
	if !ok || release < model.OldestRelease || release.Has(model.TypedInformers) {
		return ""
	}
	return release.String()
}

// Unknown returns the selected client-go in place of found if its version does not determine its capabilities: it is a
// prerelease, newer than all known releases, a fork or a commit. ok is false if it does, or if the release is given.
func (m *Modules) Unknown(found model.Dependency) (clientGo model.Dependency, ok bool) {
	if m.wanted != 0 {
		return found, false
	}
	version := m.selected[ClientGo]
	_, determined := model.ReleaseOf(version)
	if version == "" || determined && (found.Module != ClientGo || found.Version != version) || !m.forks[ClientGo] && model.IsKnown(version) {
		return found, false
	}
	if !determined {
		required, _ := m.Required(ClientGo)
		found = model.Dependency{Module: ClientGo, Version: version, Pos: cmp.Or(required.Pos, found.Pos), Workspace: found.Workspace}
	}
	return found, true
}

// own returns the dependency in the module itself, ignoring the workspace. ok is false if it determines no release.
func (m *Modules) own(out *modfile.File) (found model.Dependency, ok bool) {
	if out == nil {
		return found, false
	}
	for _, module := range kubernetes {
		if IsModule(out, module) {
			continue
		}
		found, ok = required([]*modfile.File{out}, module)
		switch {
		case m.alone(out) && m.selected[module] != "":
			found.Version = m.selected[module]
		case !ok && module == ClientGo:
			found.Version = m.inGraph(filepath.Dir(out.Syntax.Name), module)
		}
		found.Pos = cmp.Or(found.Pos, token.Position{Filename: out.Syntax.Name, Line: 1})
		if _, ok = model.ReleaseOf(found.Version); ok {
			return found, true
		}
	}
	return found, false
}

// alone reports whether f is the only module for which the go command selects versions.
func (m *Modules) alone(f *modfile.File) bool {
	return len(m.Workspace) == 0 && len(m.Files) == 1 && m.Files[0] == f
}

// IsModule reports whether a go.mod file declares a module path.
func IsModule(f *modfile.File, path string) bool { return f.Module != nil && f.Module.Mod.Path == path }

// GetClientGo returns the version of client-go to get for the module in the directory root: the newest version of
// client-go, apimachinery and k8s.io/api that is already in use.
func (m *Modules) GetClientGo(root string) string {
	return m.ToGet(newest(m.Release(root), []*modfile.File{m.In(root)}))
}

// Get returns the go get command for missing modules of Kubernetes, at the newest version already in use, or "" if none
// is missing. A client-go of another release than the modules in use counts as missing.
func (m *Modules) Get(modules ...string) string {
	known := newest(model.Dependency{}, m.Files)
	command := ""
	for _, module := range slices.Compact(slices.Sorted(slices.Values(modules))) {
		if !m.Requires(module) || module == ClientGo && m.mends() {
			command += " " + module + "@" + m.ToGet(known)
		}
	}
	if command == "" {
		return ""
	}
	return "go get" + command
}

// mends reports whether another version of client-go gives the main module one release of Kubernetes.
func (m *Modules) mends() bool {
	if len(m.Files) == 0 {
		return false
	}
	mixed := m.Mixed(filepath.Dir(m.Files[0].Syntax.Name))
	return mixed != nil && !mixed.InWorkspace && mixed.Get != ""
}

// ToGet returns the version at which to get a module of Kubernetes: the version of a known one, or of the release that
// the generated code needs.
func (m *Modules) ToGet(known model.Dependency) string {
	has, ok := model.ReleaseOf(known.Version)
	switch {
	case m.wanted > has:
		return m.wanted.String()
	case !ok:
		return model.NewestRelease.String()
	case semver.Major(known.Version) != "v0" || module.IsPseudoVersion(known.Version): // other modules do not have it
		return has.String()
	}
	return known.Version
}

// Given reports whether the release was given to New, whatever go.mod files require.
func (m *Modules) Given() bool { return m.wanted != 0 }

// Requires reports whether a go.mod file itself requires a module.
func Requires(f *modfile.File, module string) bool { return Requirement(f, module).Version != "" }

// Requirement returns the version of a module that a go.mod file itself requires, or "" if it does not, and its
// position.
func Requirement(f *modfile.File, module string) model.Dependency {
	found, _ := required([]*modfile.File{f}, module)
	return found
}
