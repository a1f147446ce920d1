package environment

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// FindModule returns the directory and path of the module that dir, which need not exist, belongs to. Like the go command
// it looks at the folders that dir's name leads through, not at where symlinks among them lead.
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

// ImportPath returns the import path of the package in dir, which need not exist: the path below the module that dir
// belongs to, or what follows the last vendor folder in there.
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

// CheckInside reports an output folder that is in a module by its name, but outside of it as the symlinks on the way there
// lead: the go command would not find there what is generated, and files would change where nobody expects it.
// The advice says what to do.
func (e Environment) CheckInside(dir, advice string) error {
	root, _, ok := e.FindModule(dir)
	if !ok {
		return nil
	}
	realRoot, err := filepath.EvalSymlinks(root)
	for existing := e.At(dir); err == nil && existing != root; existing = filepath.Dir(existing) {
		real, err := filepath.EvalSymlinks(existing)
		if err != nil {
			continue // not there yet, or package output says what is wrong
		}
		if rel, err := filepath.Rel(realRoot, real); err != nil || !filepath.IsLocal(rel) {
			link := linkOf(existing)
			if at, err := filepath.EvalSymlinks(link); err == nil {
				real = at
			}
			return fmt.Errorf("%s is a symlink that leads out of the module, to %s; %s", e.Name(link), filepath.ToSlash(real), advice)
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
