package parser

import (
	"context"
	"sync"

	"golang.org/x/tools/go/packages"
)

// Files remembers the Go files of the packages that were listed, and lists further packages on demand.
type Files struct {
	list  func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	lock  sync.Mutex
	known map[string][]string // by import path
}

// Remember changes cfg.List so that it records the files of the packages in the result.
func Remember(cfg *Config) *Files {
	f := &Files{list: cfg.List, known: map[string][]string{}}
	if f.list == nil {
		f.list = cfg.goList
	}
	cfg.List = func(ctx context.Context, patterns []string) ([]*packages.Package, error) {
		found, err := f.list(ctx, patterns)
		f.lock.Lock()
		defer f.lock.Unlock()
		for _, pkg := range found {
			f.known[pkg.PkgPath] = pkg.GoFiles
		}
		return found, err
	}
	return f
}

// Of returns the files of a package, nil if it is not found.
func (f *Files) Of(ctx context.Context, importPath string) []string {
	f.lock.Lock()
	defer f.lock.Unlock()
	if _, known := f.known[importPath]; !known {
		f.known[importPath] = nil
		if found, err := f.list(ctx, []string{importPath}); err == nil {
			for _, pkg := range found {
				f.known[pkg.PkgPath] = pkg.GoFiles
			}
		}
	}
	return f.known[importPath]
}
