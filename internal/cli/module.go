package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// findModule returns the folder and path of the module that dir, which need not exist, belongs to.
func findModule(dir string) (root, modulePath string, ok bool) {
	dir = resolve(dir)
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, modfile.ModulePath(text), modfile.ModulePath(text) != ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", false
		}
		dir = parent
	}
}

// importPathOf returns the import path of the package in dir, which need not exist: what follows the last vendor folder,
// or else the path below the module that dir belongs to.
func importPathOf(dir string) (string, bool) {
	if _, below, ok := cutLast(filepath.ToSlash(resolve(dir)), "/vendor/"); ok {
		return below, true
	}
	root, modulePath, ok := findModule(dir)
	if !ok {
		return "", false
	}
	below, err := filepath.Rel(root, resolve(dir))
	if err != nil {
		return "", false
	}
	return path.Join(modulePath, filepath.ToSlash(below)), true
}

// resolve makes dir absolute and follows the symlinks in the part of it that exists.
func resolve(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	missing := ""
	for existing := abs; ; {
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(real, missing)
		}
		parent := filepath.Dir(existing)
		if parent == existing {
			return abs
		}
		missing = filepath.Join(filepath.Base(existing), missing)
		existing = parent
	}
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
	case ok && given != derived:
		fmt.Fprintf(r.stderr, "%s: warning: --output-pkg is %s, but go.mod makes the import path of %s %s\n", r.tool.Name, given, r.outputDir, derived)
	}
	if err := module.CheckImportPath(given); err != nil {
		return "", fmt.Errorf("output package: %w (correct --output-pkg or --output-dir)", errors.Unwrap(err))
	}
	return given, nil
}

// relativeToCwd shortens an absolute path below the current folder.
func relativeToCwd(abs string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return abs
	}
	if rel, err := filepath.Rel(resolve(cwd), abs); err == nil {
		return rel
	}
	return abs
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
