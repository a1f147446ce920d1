package load

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// FindModule returns the directory and path of the module that contains dir. dir need not exist. Like the go command,
// FindModule goes up the parents in the name of dir, and does not resolve symlinks.
func (e Environment) FindModule(dir string) (root, modulePath string, ok bool) {
	dir = e.At(dir)
	for {
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

// CheckModule returns an error if the go command finds no module, so that it can read no package and nothing can have
// an import path.
func (e Environment) CheckModule() error {
	driver := e.Getenv("GOPACKAGESDRIVER")
	root, _, _ := e.FindModule(".")
	if root != "" || len(e.Workspace()) > 0 || driver != "" && driver != "off" || e.Getenv("GO111MODULE") == "off" {
		return nil
	}
	return errors.New("no go.mod with a module path here or in a directory above: run go mod init first")
}

// ImportPath returns the import path of the package in dir, which need not exist. It is derived from the path of the
// module that contains dir, or is the part of dir after the last vendor directory.
func (e Environment) ImportPath(dir string) (string, bool) {
	root, modulePath, ok := e.FindModule(dir)
	if !ok {
		return "", false
	}
	below, err := filepath.Rel(root, e.At(dir))
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

// CheckOutput returns an error if files of a module cannot be written to dir: it is in a vendor directory, whose
// contents the go command compares with go.mod, or outside of the module after symlinks are resolved. setting is the
// name of the setting with value dir.
func (e Environment) CheckOutput(dir, setting string) error {
	root, _, ok := e.FindModule(dir)
	if rel, err := filepath.Rel(root, e.At(dir)); ok && err == nil && slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor") {
		return diag.Errorf(
			"%s is in a vendor directory, which only the go command may change; choose another one with %s", e.Name(e.At(dir)),
			diag.Setting(setting),
		)
	}
	return e.CheckInside(dir, diag.Textf("remove it, or choose a directory there with %s", diag.Setting(setting)))
}

// CheckInside returns an error if dir is inside a module by name, but outside of it after symlinks are resolved. In
// such an output directory the go command would not find the generated packages, and files outside of the module would
// change. The error ends with advice.
func (e Environment) CheckInside(dir string, advice diag.Text) error {
	root, _, ok := e.FindModule(dir)
	if !ok {
		return nil
	}
	realRoot, err := filepath.EvalSymlinks(root)
	for existing := e.At(dir); err == nil && existing != root; existing = filepath.Dir(existing) {
		real, err := filepath.EvalSymlinks(existing)
		if err != nil {
			continue // it does not exist yet, or package output reports the error
		}
		if rel, err := filepath.Rel(realRoot, real); err != nil || !filepath.IsLocal(rel) {
			link := linkOf(existing)
			if at, err := filepath.EvalSymlinks(link); err == nil {
				real = at
			}
			return diag.Errorf("%s is a symlink that leads out of the module, to %s; %s", diag.Value(e.Name(link)), filepath.ToSlash(real), advice)
		}
		break
	}
	return nil
}

// linkOf returns the symlink nearest to the end of a path, which may be the path itself or one of its parents, or "" if
// there is none.
func linkOf(path string) string {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return at
		}
	}
	return path
}
