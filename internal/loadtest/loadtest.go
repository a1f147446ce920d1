// Package loadtest lets tests read packages that are only in memory. Only tests import it.
package loadtest

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// Read returns a Loader that has read the packages of some import paths, and sees only files, contents by name.
func Read(t testing.TB, files map[string]string, importPaths ...string) *load.Loader {
	l := load.NewLoader(t.Context(), InMemory(load.Config{Marker: markers.Genclient}, files))
	found, _ := l.Find(importPaths)
	l.Read(found, nil)
	return l
}

// InMemory returns cfg for a Loader that sees only files, contents by name. The import path of a package is its
// directory.
func InMemory(cfg load.Config, files map[string]string) load.Config {
	cfg.ReadFile = func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	cfg.List = func(_ context.Context, importPaths []string) ([]*packages.Package, error) {
		var found []*packages.Package
		for _, importPath := range importPaths {
			pkg := &packages.Package{ID: importPath, PkgPath: importPath, Name: path.Base(importPath)}
			for name := range files {
				if path.Dir(name) == importPath {
					pkg.GoFiles = append(pkg.GoFiles, name)
				}
			}
			slices.Sort(pkg.GoFiles)
			for _, name := range pkg.GoFiles {
				if clause := packageClause.FindStringSubmatch(files[name]); clause != nil {
					pkg.Name = clause[1]
				}
			}
			if len(pkg.GoFiles) == 0 {
				pkg.Errors = []packages.Error{{Pos: "-", Msg: "there is no package " + importPath, Kind: packages.ListError}}
			}
			found = append(found, pkg)
		}
		return found, nil
	}
	return cfg
}
