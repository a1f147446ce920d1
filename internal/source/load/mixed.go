package load

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Mixed describes a module that is released together with client-go, but selected in another release.
type Mixed struct {
	ClientGo model.Dependency
	Other    model.Dependency // apimachinery or k8s.io/api
	// Breaks means that generated code does not compile with these releases.
	Breaks bool
	// InWorkspace means that they are mixed only in the workspace. The module itself has one release.
	InWorkspace bool
	// Get is the version of client-go that selects one release for all modules, or "" if a replace directive prevents
	// it.
	Get string
}

// Pos returns the position of the go.mod line to change.
func (x *Mixed) Pos() token.Position {
	if x.Get != "" && x.ClientGo.Pos.Column > 0 {
		return x.ClientGo.Pos
	}
	return x.Other.Pos
}

// String describes the mistake.
func (x *Mixed) String() string {
	client, other := x.ClientGo.Module+" "+x.ClientGo.Version, x.Other.Module+" "+x.Other.Version
	switch {
	case !x.Breaks:
		return client + " and " + other + " belong to different releases"
	case x.InWorkspace:
		return "in the workspace, " + client + " does not compile with " + other
	}
	return client + " does not compile with " + other
}

// Remedy returns what to do about it.
func (x *Mixed) Remedy() string {
	if x.Get == "" {
		return "replace both with the same release, or neither"
	}
	return "run go get " + ClientGo + "@" + x.Get
}

// Mixed compares the releases of client-go, apimachinery and k8s.io/api for code in the module in the directory root.
// It returns nil if they are equal, or if one is unknown.
func (m *Modules) Mixed(root string) *Mixed {
	out, client := m.In(root), m.Release(root)
	if out == nil || client.Module != ClientGo {
		return nil
	}
	selected := m.selected
	if !m.alone(out) {
		selected = nil
	}
	if found := m.mixed([]*modfile.File{out}, client, selected); found != nil || client.Workspace == "" {
		return found
	}
	inWorkspace, _ := m.Required(ClientGo)
	inWorkspace.Version = client.Workspace
	found := m.mixed(m.Files, inWorkspace, m.selected)
	if found != nil {
		found.InWorkspace = true
	}
	return found
}

// mixed compares the releases that go.mod files require. Each of the modules requires the ones after it in its own
// version: client-go, k8s.io/api, apimachinery. selected has the versions that the go command selects, if they are
// known.
func (m *Modules) mixed(files []*modfile.File, client model.Dependency, selected map[string]string) *Mixed {
	release, ok := model.ReleaseOf(client.Version)
	if !ok {
		return nil
	}
	_, pinned := replacement(files, highest(files, ClientGo))
	releases := map[string]model.Release{}
	result, atLeast := Mixed{ClientGo: client}, client.Version
	for _, module := range slices.Backward(kubernetes[1:]) {
		found := highest(files, module)
		if semver.Compare(found.Version, atLeast) < 0 {
			found.Version = atLeast
		}
		f, r := replacement(files, found)
		if r != nil {
			found.Version = replaced(found.Version, r.New.Version)
		}
		found.Version = cmp.Or(selected[module], found.Version)
		has, ok := model.ReleaseOf(found.Version)
		if !ok || r != nil && r.New.Version == "" {
			return nil // a fork, or the content of a directory
		}
		if semver.Compare(found.Version, atLeast) > 0 {
			atLeast = found.Version
		}
		if releases[module] = has; has == release {
			continue
		}
		if has < release && r != nil {
			pinned, found.Pos = r, place(f, r.Syntax)
		}
		if result.Other.Module == "" {
			result.Other = found
		}
	}
	if result.Other.Module == "" {
		return nil
	}
	result.Breaks = !release.BuildsWith(releases["k8s.io/apimachinery"], releases["k8s.io/api"])
	if pinned == nil {
		result.Get = m.ToGet(model.Dependency{Version: atLeast})
	}
	return &result
}

// newest returns the dependency with the newest release: first or one of the modules that go.mod files require. Missing
// modules are best added in its version.
func newest(first model.Dependency, files []*modfile.File) model.Dependency {
	for _, module := range kubernetes {
		found, _ := required(files, module)
		has, _ := model.ReleaseOf(first.Version)
		if release, ok := model.ReleaseOf(found.Version); ok && release > has || first.Version == "" {
			first = found
		}
	}
	return first
}
