package output

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// Clean removes leftovers of killed Commits below the Dirs of the trees: temporary files, files renamed for deletion,
// and directories that contain nothing else. It only visits the places found by the Snapshots, and skips directories
// that another Commit has locked. Errors are ignored, because these files do no harm.
func Clean(trees ...Tree) {
	cleaned := map[string]bool{}
	for _, tree := range trees {
		s := tree.Snapshot
		if len(s.strays) == 0 || cleaned[s.dir] {
			continue
		}
		cleaned[s.dir] = true
		real, err := filepath.EvalSymlinks(s.dir)
		if err != nil {
			continue
		}
		held, err := lock(real)
		if err != nil {
			continue
		}
		for _, rel := range s.strays {
			if dir := filepath.Dir(s.Path(rel)); !prune(dir, s.dir) {
				removeStray(s.Path(rel))
			}
		}
		_ = held.Close()
	}
}

// stray matches the names of temporary files, and of files and directories that are being deleted.
var stray = regexp.MustCompile(`^\..+\.kubegen-[0-9]+\.tmp$`)

// strayName returns a name matched by stray, for a file in the directory of path. The go command ignores files with
// such names.
func strayName(path string) string {
	dir, base := filepath.Split(path)
	return fmt.Sprintf("%s.%s.kubegen-%d.tmp", dir, base, rand.Uint64())
}

func isStray(entry fs.DirEntry) bool {
	return stray.MatchString(entry.Name()) && (entry.IsDir() || entry.Type().IsRegular())
}

// prune removes dir if it contains only strays, and then its parents that have become empty, up to but not including
// root. It reports whether it removed dir. The outermost of these directories is renamed first, so that Clean can
// continue if the process is killed.
func prune(dir, root string) bool {
	top := ""
	for dir != root && dir != filepath.Dir(dir) && hollow(dir) {
		dir, top = filepath.Dir(dir), dir
	}
	if top == "" {
		return false
	}
	renamed := strayName(top)
	if os.Rename(top, renamed) != nil {
		return false
	}
	removeStray(renamed)
	if _, err := os.Lstat(renamed); err == nil { // another process has created a file in it
		_ = os.Rename(renamed, top)
		return false
	}
	return true
}

// hollow reports whether a directory is not empty and contains only strays and hollow directories.
func hollow(dir string) bool {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		if isStray(entry) && (!entry.IsDir() || disposable(at)) {
			continue
		}
		if !entry.IsDir() || !hollow(at) {
			return false
		}
	}
	return err == nil && len(entries) > 0
}

// disposable reports whether a stray directory contains only strays and directories.
func disposable(dir string) bool {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() && !disposable(filepath.Join(dir, entry.Name())) || !entry.IsDir() && !isStray(entry) {
			return false
		}
	}
	return err == nil
}

// removeStray removes a stray file, or a stray directory if it is disposable.
func removeStray(path string) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if !disposable(path) {
			return
		}
		entries, _ := os.ReadDir(path)
		for _, entry := range entries {
			removeStray(filepath.Join(path, entry.Name()))
		}
	}
	_ = os.Remove(path)
}
