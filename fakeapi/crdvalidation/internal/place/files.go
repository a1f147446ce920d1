package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Files returns a file, or those in a directory and its subdirectories whose names have one of the extensions. It does
// not follow links to directories in the directory, and leaves out all but regular files.
func Files(path string, extensions ...string) (files []string, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, err
	}
	err = filepath.WalkDir(path+string(filepath.Separator), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains(extensions, filepath.Ext(file)) {
			return err
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
		return nil
	})
	return files, err
}
