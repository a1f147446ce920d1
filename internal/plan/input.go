package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
)

// Maximum sizes in bytes of files named by flags. They protect against files such as /dev/zero.
const (
	maxConfiguration = 1 << 20
	maxHeader        = 1 << 20
)

// ManifestExtensions are the extensions of manifest files, as in kubectl apply -f.
var ManifestExtensions = []string{".yaml", ".yml", ".json"}

// ManifestFiles returns the manifest files for a name that users give: the file itself, or the files in the directory,
// sorted. If below is set, those in directories below are among them.
func ManifestFiles(e load.Environment, name string, below bool) (files []string, err error) {
	if err := CheckLocal(name); err != nil {
		return nil, err
	}
	info, err := os.Stat(e.At(name))
	if err != nil || !info.IsDir() {
		return []string{e.At(name)}, err
	}
	root := e.At(name) + string(filepath.Separator) // which may be a symlink
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && !below:
			return fs.SkipDir
		case !entry.IsDir() && slices.Contains(ManifestExtensions, filepath.Ext(file)):
			files = append(files, file)
			return load.CheckRegular(file)
		}
		return nil
	})
	return files, err
}

// ReadConfiguration reads kubegen.yaml in the directory of the current module or, outside a module, in the current
// directory. It returns the directory and the text, which is nil if there is no such file.
func ReadConfiguration(e load.Environment) (dir string, text []byte, err error) {
	dir, _, ok := e.FindModule(".")
	if !ok {
		dir = e.Dir
	}
	text, err = load.ReadNamed(filepath.Join(dir, ConfigName), maxConfiguration)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		const other = "kubegen.yml"
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil {
			return dir, nil, fmt.Errorf("configuration: %s is not read; rename it to %s", other, ConfigName)
		}
		return dir, nil, nil
	case err != nil:
		return dir, nil, fmt.Errorf("configuration: %w", err)
	}
	return dir, append([]byte{}, text...), nil
}
