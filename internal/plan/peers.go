package plan

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// peers returns the import paths of packages in flags such as --extra-peer-dirs, which may also name directories, and
// all packages below one with "/..." at the end.
func (p *Plan) peers(named []string) (paths []string) {
	for _, peer := range named {
		below, all := strings.CutSuffix(peer, "/...")
		isDir := below == "." || strings.HasPrefix(below, "./") || strings.HasPrefix(below, "../") || filepath.IsAbs(below)
		switch {
		case !isDir:
			paths = append(paths, peer)
		default:
			dirs := []string{p.At(below)}
			if all {
				dirs = packagesBelow(dirs[0])
			}
			before := len(paths)
			for _, dir := range dirs {
				if importPath, ok := p.ImportPath(dir); ok {
					paths = append(paths, importPath)
				}
			}
			if len(paths) == before { // what finds the packages says that there is none
				paths = append(paths, peer)
			}
		}
	}
	return paths
}

// packagesBelow returns the directories with Go files below a directory, without directories that the go command leaves
// out and other modules.
func packagesBelow(root string) (dirs []string) {
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			return nil // what cannot be read has no packages
		case !d.IsDir():
			if dir := filepath.Dir(name); strings.HasSuffix(base, ".go") && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		case name != root && (base == "vendor" || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case name != root:
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		return nil
	})
	return dirs
}
