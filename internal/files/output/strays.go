package output

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// Clean removes leftovers of killed Commits below the Dirs of the trees: temporary files and files renamed for
// deletion, and directories that are empty without them. It only visits the places found by the Snapshots, and skips
// directories that another Commit has locked. Errors are ignored, because these files do no harm.
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
			_ = os.Remove(s.Path(rel))
			removeEmpty(filepath.Dir(s.Path(rel)), s.dir)
		}
		_ = held.Close()
	}
}

// stray matches the names of temporary files, and of files that are being deleted.
var stray = regexp.MustCompile(`^\..+\.kubegen-[0-9]+\.tmp$`)

// strayName returns a name matched by stray, for a file in the directory of path. The go command ignores files with
// such names.
func strayName(path string) string {
	dir, base := filepath.Split(path)
	return fmt.Sprintf("%s.%s.kubegen-%d.tmp", dir, base, rand.Uint64())
}

func isStray(entry fs.DirEntry) bool {
	return stray.MatchString(entry.Name()) && entry.Type().IsRegular()
}

// removeEmpty removes dir if it is empty, and then its parents that have become empty, up to but not including root.
func removeEmpty(dir, root string) {
	for dir != root && dir != filepath.Dir(dir) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}
