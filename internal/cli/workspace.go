package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// wholeModule returns the pattern for all packages of the module that the current folder is in; outside of any module,
// for all below the current folder.
func wholeModule() string {
	root, _, ok := findModule(".")
	if !ok {
		return "./..."
	}
	if dir := filepath.ToSlash(relativeToCwd(root)); dir != "." {
		return dir + "/..."
	}
	return "./..."
}

// eachModule replaces patterns such as ./... for folders in no module by one for each module of the workspace that lies
// below: the go command takes them for a mistake.
func eachModule(patterns []string) []string {
	var all []string
	for _, pattern := range patterns {
		dir, recursive := strings.CutSuffix(pattern, "/...")
		if _, _, inModule := findModule(dir); !recursive || inModule || !strings.HasPrefix(dir, ".") && !filepath.IsAbs(dir) {
			all = append(all, pattern)
			continue
		}
		below := 0
		for _, root := range workspace() {
			from, err := filepath.Abs(dir)
			if rel, err2 := filepath.Rel(from, root); err == nil && err2 == nil && filepath.IsLocal(rel) {
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

// workspace returns the folders of the modules in the go.work that is in effect, sorted
// (https://go.dev/ref/mod#workspaces).
func workspace() []string {
	name := os.Getenv("GOWORK")
	if name == "off" {
		return nil
	}
	if name == "" {
		dir, err := filepath.Abs(".")
		for ; err == nil; dir = filepath.Dir(dir) {
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
		return nil // the go command will say what is wrong
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

// chooseOutput sets the output folder of kubegen where no flag does: pkg/generated of the module that the packages are
// in, for each module by itself.
func (r *run) chooseOutput(patterns []string) {
	if r.tool.Name != Kubegen.Name || r.outputDir != "" {
		return
	}
	root, _, ok := findModule(".")
	r.perModule = r.outputPkg == ""
	if r.perModule && !ok {
		for _, pattern := range patterns {
			if root, _, ok = findModule(strings.TrimSuffix(pattern, "...")); ok {
				break
			}
		}
	}
	if ok {
		r.home, r.outputDir = root, defaultOutput(root)
	}
}

// defaultOutput returns the output folder in a module.
func defaultOutput(root string) string { return relativeToCwd(filepath.Join(root, "pkg", "generated")) }
