package load

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Located is a module that go.mod files require.
type Located struct {
	model.Dependency
	Dir   string // where the go command finds the module, or "" if that does not exist
	GoMod string // name of its go.mod file in the module cache, which may contain that without the module
}

// Located returns the modules that the go.mod files require, ordered by path, without the modules of these files. It
// does not access the network.
func (m *Modules) Located(ctx context.Context) (all []Located) {
	cache := moduleCache(ctx, m.env)
	for _, f := range m.Files {
		for _, r := range f.Require {
			is := func(other *modfile.File) bool { return IsModule(other, r.Mod.Path) }
			known := func(l Located) bool { return l.Module == r.Mod.Path }
			if slices.ContainsFunc(m.Files, is) || slices.ContainsFunc(all, known) {
				continue
			}
			found, _ := m.Required(r.Mod.Path)
			dir, goMod := m.locate(r.Mod.Path, cache)
			all = append(all, Located{found, dir, goMod})
		}
	}
	slices.SortFunc(all, func(a, b Located) int { return cmp.Compare(a.Module, b.Module) })
	return all
}

// DirOf returns the directory of an import path, which need not be a package, and its module. dir is "" if the module
// is not on disk, and module is "" if no go.mod file requires one with that path.
func (m *Modules) DirOf(ctx context.Context, importPath string) (dir, module string) {
	contains := func(path string) bool {
		return strings.HasPrefix(importPath+"/", path+"/") && len(path) > len(module)
	}
	for _, f := range m.Files {
		if f.Module != nil && contains(f.Module.Mod.Path) {
			dir, module = filepath.Dir(f.Syntax.Name), f.Module.Mod.Path
		}
	}
	for _, l := range m.Located(ctx) {
		if contains(l.Module) {
			dir, module = l.Dir, l.Module
		}
	}
	if dir == "" {
		return "", module
	}
	return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(importPath, module))), module
}

// locate returns the directory of a required module: its replacement, or its directory in the module cache or vendor
// directory. goMod is the name of its go.mod file in the module cache.
func (m *Modules) locate(path, cache string) (dir, goMod string) {
	selected := highest(m.Files, path)
	at := module.Version{Path: path, Version: selected.Version}
	f, r := replacement(m.Files, selected)
	if r != nil && r.New.Version != "" {
		at = r.New
	}
	candidates := []string{inCache(at, cache, "", "@", "")}
	if r != nil && r.New.Version == "" {
		candidates[0] = replacedBy(f, r.New)
	}
	for _, f := range m.Files {
		candidates = append(candidates, filepath.Join(filepath.Dir(f.Syntax.Name), "vendor", filepath.FromSlash(path)))
	}
	goMod = inCache(at, cache, "cache/download/", "/@v/", ".mod")
	for _, dir := range candidates {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() {
			return dir, goMod
		}
	}
	return "", goMod
}

// replacedBy returns the directory of a replacement in a go.mod file, which may be relative to the file.
func replacedBy(f *modfile.File, by module.Version) string {
	if filepath.IsAbs(by.Path) {
		return filepath.Clean(by.Path)
	}
	return filepath.Join(filepath.Dir(f.Syntax.Name), filepath.FromSlash(by.Path))
}

// inCache returns a name in the module cache that consists of a prefix, the path of a module, a separator, its version
// and a suffix, or "" if path or version are invalid.
func inCache(m module.Version, cache, prefix, separator, suffix string) string {
	path, err := module.EscapePath(m.Path)
	version, err2 := module.EscapeVersion(m.Version)
	if err != nil || err2 != nil || cache == "" {
		return ""
	}
	return filepath.Join(cache, filepath.FromSlash(prefix+path+separator+version+suffix))
}

// moduleCache returns the directory of the module cache.
func moduleCache(ctx context.Context, env Environment) string {
	if dir := env.Getenv("GOMODCACHE"); dir != "" {
		return env.At(dir)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOMODCACHE")
	cmd.Dir, cmd.Env = env.Dir, env.Vars
	out, _ := env.Output(cmd)
	return strings.TrimSpace(string(out))
}
