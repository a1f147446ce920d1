package plan

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/environment"
)

// covering is a pattern of packages.
type covering struct {
	path    string         // of a package
	below   bool           // also the packages below it
	pattern *regexp.Regexp // of import paths, where a path cannot say which; nil otherwise
	root    string         // directory of the only module whose packages it matches; "" for any module
}

// Coverage returns a function that reports whether the patterns would match a package if it existed. Those that begin with a dot are
// relative to the directory of the environment.
func Coverage(e environment.Environment, patterns []string) func(importPath string) bool {
	return coverage(e, patterns, "")
}

// coverage is Coverage for the module in the directory within unless that is "".
func coverage(e environment.Environment, patterns []string, within string) func(importPath string) bool {
	var wild []covering
	named := map[string][]covering{} // by path
	for _, pattern := range patterns {
		switch c, ok := covers(e, filepath.ToSlash(pattern)); {
		case ok && c.pattern == nil:
			named[c.path] = append(named[c.path], c)
		case ok:
			wild = append(wild, c)
		}
	}
	isNamed := func(importPath string, inRoot func(covering) bool) bool {
		for at := importPath; ; at = path.Dir(at) {
			if slices.ContainsFunc(named[at], func(c covering) bool { return (c.below || at == importPath) && inRoot(c) }) {
				return true
			}
			if !strings.Contains(at, "/") {
				return false
			}
		}
	}
	return func(importPath string) bool {
		inRoot := func(c covering) bool { return c.root == "" || inModule(e, c.root, importPath) }
		matches := func(c covering) bool { return c.pattern.MatchString(importPath) && inRoot(c) }
		return (within == "" || inModule(e, within, importPath)) && (isNamed(importPath, inRoot) || slices.ContainsFunc(wild, matches))
	}
}

// covers reads one pattern. It is not ok for a directory outside all modules.
func covers(e environment.Environment, pattern string) (c covering, ok bool) {
	if !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "...") {
		c.match(strings.TrimSuffix(pattern, "/"))
		return c, true
	}
	before, _, _ := strings.Cut(pattern, "...")
	dir := before[:strings.LastIndex(before, "/")+1] // in whole elements
	if dir == "" || before == pattern {
		dir = before
	}
	importPath, ok := e.ImportPath(filepath.FromSlash(dir))
	if !ok {
		return c, false
	}
	root, modulePath, _ := e.FindModule(filepath.FromSlash(dir))
	if importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/") { // not vendored
		c.root = root
	}
	rest := strings.TrimPrefix(pattern, dir)
	if rest != "" {
		rest = "/" + rest
	}
	c.match(importPath + rest)
	return c, true
}

// match sets the import paths that c covers to those that a pattern matches.
func (c *covering) match(pattern string) {
	if c.path, c.below = strings.CutSuffix(pattern, "/..."); strings.Contains(c.path, "...") {
		c.pattern = wildcard(pattern)
	}
}

// wildcard returns the expression for the import paths that a pattern matches, as the go command understands it: "..." is any text, and
// "/..." at the end may also be absent.
func wildcard(pattern string) *regexp.Regexp {
	text := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, ".*")
	if before, ok := strings.CutSuffix(text, "/.*"); ok {
		text = before + "(/.*)?"
	}
	return regexp.MustCompile("^" + text + "$")
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
