package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// directory describes what exists at the path of a required directory.
type directory struct {
	real    string // absolute and without symlinks
	nearest string // the path itself or its nearest existing parent, as given
	exists  bool
	err     error // why the directory cannot exist; one line with advice
}

// directories examines an output directory, its parents and its subdirectories, each of them once.
type directories struct {
	dir   string    // output directory as given
	root  directory // the output directory, once it has been examined
	known map[string]directory
}

func newDirectories(dir string) *directories {
	f := &directories{dir: dir, known: map[string]directory{}}
	f.root = f.at(dir)
	return f
}

// at returns the directory at an OS path at or below dir.
func (f *directories) at(path string) directory {
	found, ok := f.known[path]
	if !ok {
		found = f.look(path)
		f.known[path] = found
	}
	return found
}

func (f *directories) look(path string) (found directory) {
	parent := filepath.Dir(path)
	if parent == path { // "." or the root of a file system
		found.nearest, found.exists = path, true
		found.real, found.err = follow(path)
		return found
	}
	found = f.at(parent)
	found.real = filepath.Join(found.real, filepath.Base(path))
	if found.err != nil || !found.exists {
		return found
	}
	var info fs.FileInfo
	found.real, info, found.err = f.stat(path, found.real)
	found.exists = info != nil
	switch {
	case !found.exists:
	case !info.IsDir():
		found.err = fmt.Errorf("%s is a file, but must be a directory; rename it or choose another output directory", path)
	default:
		found.nearest = path
	}
	return found
}

// stat returns the file at path, nil if there is none, and its path without symlinks, which is real unless path is a
// symlink. A symlink below dir to a directory or Go file must not lead out of dir, and one to another file not out of
// the module of dir. dir itself and its parents may lead anywhere.
func (f *directories) stat(path, real string) (string, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if real, err = follow(path); err == nil {
			info, err = os.Stat(path)
		}
		wrong := ""
		switch root := f.root.real; {
		case missing(err):
			wrong = "dangling symlink"
		case err != nil:
			wrong = "symlink that cannot be followed: " + Reason(err).Error()
		case root == "" || within(root, real):
		case info.IsDir() || moduleOf(root) == "" || filepath.Ext(path) == ".go":
			wrong = "symlink that leads out of " + f.dir
		case moduleOf(filepath.Dir(real)) != moduleOf(root):
			wrong = "symlink that leads out of the module"
		}
		if wrong != "" {
			return "", nil, fmt.Errorf("%s is a %s; remove it or choose another output directory", path, wrong)
		}
	}
	if missing(err) {
		return real, nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("cannot access %s: %w", path, Reason(err))
	}
	return real, info, nil
}

// moduleOf returns the directory of the module with the files of a directory, or "" if it has none, they are vendored,
// or they are in a git submodule without a module.
func moduleOf(dir string) string {
	for ; dir != filepath.Dir(dir) && filepath.Base(dir) != "vendor"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return ""
		}
	}
	return ""
}

func follow(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// missing reports whether err means that a file does not exist. For a path below a file, the error on Unix is "not a
// directory".
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Reason returns the system error in err, without operation and path. Messages name the path themselves, because the
// path in err may be absolute or belong to a temporary file.
func Reason(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
