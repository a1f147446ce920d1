package parser

import (
	"context"
	"sync"

	"golang.org/x/tools/go/packages"
)

// Files remembers the Go files of packages that were listed, and lists those that are asked for besides.
type Files struct {
	list  func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	lock  sync.Mutex
	known map[string][]string // by import path
}

// Remember makes a Config list packages as before, and remember their files.
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

// Of returns the files of a package, none if it is not found.
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
