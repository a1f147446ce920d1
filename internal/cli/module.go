package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// findModule returns the folder and path of the module that dir, which need not exist, belongs to. Like the go command
// it looks at the folders that dir's name leads through, not at where symlinks among them lead.
func findModule(dir string) (root, modulePath string, ok bool) {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, modfile.ModulePath(text), modfile.ModulePath(text) != ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", "", false
}

// importPathOf returns the import path of the package in dir, which need not exist: the path below the module that dir
// belongs to, or what follows the last vendor folder in there.
func importPathOf(dir string) (string, bool) {
	root, modulePath, ok := findModule(dir)
	abs, err := filepath.Abs(dir)
	if !ok || err != nil {
		return "", false
	}
	below, err := filepath.Rel(root, abs)
	if err != nil {
		return "", false
	}
	below = filepath.ToSlash(below)
	const vendor = "/vendor/"
	if i := strings.LastIndex("/"+below, vendor); i >= 0 {
		return ("/" + below)[i+len(vendor):], true
	}
	return path.Join(modulePath, below), true
}

// outputPackage returns the import path of the output folder: --output-pkg, or what the folder's module says.
func (r *run) outputPackage() (string, error) {
	given := strings.TrimSuffix(r.outputPkg, "/")
	if r.outputDir == "" {
		return given, nil // the missing flag is reported elsewhere
	}
	derived, ok := importPathOf(r.outputDir)
	switch {
	case given == "" && !ok:
		return "", fmt.Errorf("%s belongs to no module: give its import path with --output-pkg", r.outputDir)
	case given == "":
		given = derived
	}
	if err := module.CheckImportPath(given); err != nil {
		return "", fmt.Errorf("output package: %w (correct --output-pkg or --output-dir)", err)
	}
	if ok && given != derived {
		r.warn("--output-pkg is %s, but go.mod makes the import path of %s %s", given, r.outputDir, derived)
	}
	return given, nil
}

// checkInside reports an output folder that is in a module by its name, but outside of it as the symlinks on the way there
// lead: the go command would not find there what is generated, and files would change where nobody expects it.
func checkInside(dir string) error {
	root, _, ok := findModule(dir)
	abs, err := filepath.Abs(dir)
	if !ok || err != nil {
		return nil
	}
	realRoot, err := filepath.EvalSymlinks(root)
	for existing := abs; err == nil && existing != root; existing = filepath.Dir(existing) {
		real, err := filepath.EvalSymlinks(existing)
		if err != nil {
			continue // not there yet, or package output says what is wrong
		}
		if rel, err := filepath.Rel(realRoot, real); err != nil || !filepath.IsLocal(rel) {
			link := linkOf(existing)
			if at, err := filepath.EvalSymlinks(link); err == nil {
				real = at
			}
			return fmt.Errorf("%s is a symlink that leads out of the module, to %s; remove it, or name a folder there with --output-dir",
				filepath.ToSlash(relativeToCwd(link)), filepath.ToSlash(real))
		}
		break
	}
	return nil
}

// linkOf returns the symlink that decides where a path leads: itself, or the nearest one above it.
func linkOf(path string) string {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return at
		}
	}
	return path
}

// relativeToCwd shortens an absolute path below the current folder.
func relativeToCwd(abs string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return abs
	}
	if rel, err := filepath.Rel(cwd, abs); err == nil {
		return rel
	}
	return abs
}
