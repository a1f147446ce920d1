// Package modules lists the modules of this repository that users require.
package modules

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// development are the directories whose modules nobody requires.
var development = []string{"examples", "hack", "test"}

// Published returns the directories of the modules that users require, relative to the root of the repository and
// sorted: all in its file go.work but those for development. The directory of the commands is ".".
func Published(root string) (dirs []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	for _, use := range work.Use {
		dir := path.Clean(use.Path)
		if top, _, _ := strings.Cut(dir, "/"); !slices.Contains(development, top) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}
