package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/environment"
)

// covering is a pattern of packages.
type covering struct {
	path      string // import path
	recursive bool
	root      string // directory of the only module whose packages it matches; "" for any module
}

// coverage returns a function that reports whether the patterns would match a package if it existed, in the module in
// the directory within unless that is "". Files generated from such a package, but not by this run, are left over.
func coverage(e environment.Environment, patterns []string, within string) func(importPath string) bool {
	var all []covering
	for _, pattern := range patterns {
		var c covering
		c.path, c.recursive = strings.CutSuffix(pattern, "...")
		c.path = strings.TrimSuffix(c.path, "/")
		if strings.HasPrefix(c.path, ".") || filepath.IsAbs(c.path) || c.path == "" {
			dir := filepath.FromSlash(c.path)
			root, modulePath, _ := e.FindModule(dir)
			var ok bool
			if c.path, ok = e.ImportPath(dir); !ok {
				continue
			}
			if c.path == modulePath || strings.HasPrefix(c.path, modulePath+"/") { // not vendored
				c.root = root
			}
		}
		all = append(all, c)
	}
	return func(importPath string) bool {
		return (within == "" || inModule(e, within, importPath)) && slices.ContainsFunc(all, func(c covering) bool {
			return (importPath == c.path || c.recursive && strings.HasPrefix(importPath, c.path+"/")) &&
				(c.root == "" || inModule(e, c.root, importPath))
		})
	}
}

// inModule reports whether a package, which need not exist, belongs to the module in the directory root and not to a
// nested one.
func inModule(e environment.Environment, root, importPath string) bool {
	_, modulePath, _ := e.FindModule(root)
	below, ok := strings.CutPrefix(importPath+"/", modulePath+"/")
	if !ok {
		return false
	}
	nearest, _, _ := e.FindModule(filepath.Join(root, filepath.FromSlash(below)))
	return nearest == root
}
