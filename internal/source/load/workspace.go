package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// WholeModule returns the pattern for all packages of the current module, or, outside of a module, for all packages
// below the current directory.
func (e Environment) WholeModule() string {
	root, _, ok := e.FindModule(".")
	if !ok {
		return "./..."
	}
	if rel, err := filepath.Rel(e.Dir, root); err == nil && rel != "." {
		return filepath.ToSlash(rel) + "/..."
	}
	return "./..."
}

// EachModule replaces patterns such as ./... whose directory is outside of all modules, because the go command rejects
// them, by a pattern for each workspace module below the directory.
func (e Environment) EachModule(patterns []string) []string {
	var all []string
	for _, pattern := range patterns {
		dir, recursive := strings.CutSuffix(pattern, "/...")
		if _, _, inModule := e.FindModule(dir); !recursive || inModule || !strings.HasPrefix(dir, ".") && !filepath.IsAbs(dir) {
			all = append(all, pattern)
			continue
		}
		below := 0
		for _, root := range e.Workspace() {
			if rel, err := filepath.Rel(e.At(dir), root); err == nil && filepath.IsLocal(rel) {
				all = append(all, dir+"/"+filepath.ToSlash(rel)+"/...")
				below++
			}
		}
		if below == 0 {
			all = append(all, pattern)
		}
	}
	return all
}

// WithNested adds a pattern for each nested module below the directory of a pattern such as ./apis/..., because the go
// command does not match its packages.
func (e Environment) WithNested(patterns []string) []string {
	all := slices.Clone(patterns)
	for _, pattern := range patterns {
		dir, recursive := strings.CutSuffix(pattern, "/...")
		if pattern == "..." || !recursive || !strings.HasPrefix(dir, ".") && !filepath.IsAbs(dir) {
			continue
		}
		_ = filepath.WalkDir(e.At(dir), func(name string, entry fs.DirEntry, err error) error { // loading reports errors
			if nested, _ := filepath.Rel(e.At(dir), filepath.Dir(name)); err == nil && entry.Name() == "go.mod" && !entry.IsDir() && nested != "." {
				all = append(all, dir+"/"+filepath.ToSlash(nested)+"/...")
			}
			return nil
		})
	}
	return all
}

// WithTags returns the environment with build tags for the go command in place of the ones in GOFLAGS.
func (e Environment) WithTags(tags []string) Environment {
	flags := e.goFlags()
	if len(tags) > 0 || strings.Contains(flags, "-tags") {
		e.Vars = append(slices.Clip(e.Vars), "GOFLAGS="+strings.TrimSpace(flags+" -tags="+strings.Join(tags, ",")))
	}
	return e
}

// Workspace returns the directories of the modules in the active go.work file (https://go.dev/ref/mod#workspaces),
// sorted.
func (e Environment) Workspace() []string {
	name := e.Getenv("GOWORK")
	if name == "off" {
		return nil
	}
	if name == "" {
		for dir := e.Dir; ; dir = filepath.Dir(dir) {
			name = filepath.Join(dir, "go.work")
			if _, err := os.Stat(name); err == nil {
				break
			}
			if dir == filepath.Dir(dir) {
				return nil
			}
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil // the go command reports the error
	}
	var roots []string
	for _, use := range work.Use {
		root := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(root) {
			root = filepath.Join(filepath.Dir(name), root)
		}
		roots = append(roots, root)
	}
	slices.Sort(roots)
	return roots
}
