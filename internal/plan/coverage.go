package plan

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

// covering is a parsed package pattern.
type covering struct {
	path    string         // of a package
	below   bool           // also matches the packages below it
	pattern *regexp.Regexp // pattern of import paths with wildcards other than /... at the end; otherwise nil
	root    string         // directory of the only module with matching packages; "" for any module
}

// Coverage returns a function that reports whether the patterns would match a package if it existed. Patterns that
// begin with a dot are relative to the directory of the environment. Unless within is "", it only matches packages of
// the module in this directory.
func Coverage(e load.Environment, patterns []string, within string) func(importPath string) bool {
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
		inRoot := func(c covering) bool { return c.root == "" || InModule(e, c.root, importPath) }
		matches := func(c covering) bool { return c.pattern.MatchString(importPath) && inRoot(c) }
		return (within == "" || InModule(e, within, importPath)) && (isNamed(importPath, inRoot) || slices.ContainsFunc(wild, matches))
	}
}

// covers parses one pattern. ok is false for a directory outside all modules.
func covers(e load.Environment, pattern string) (c covering, ok bool) {
	if !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "...") {
		c.match(strings.TrimSuffix(pattern, "/"))
		return c, true
	}
	before, _, _ := strings.Cut(pattern, "...")
	dir := before[:strings.LastIndex(before, "/")+1] // consists of whole path elements
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

// match sets the import paths that c covers.
func (c *covering) match(pattern string) {
	if c.path, c.below = strings.CutSuffix(pattern, "/..."); strings.Contains(c.path, "...") {
		c.pattern = wildcard(pattern)
	}
}

// wildcard returns a regular expression for the import paths that a pattern matches. As in the go command, "..." is any
// text, and "/..." at the end may be absent.
func wildcard(pattern string) *regexp.Regexp {
	text := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, ".*")
	if before, ok := strings.CutSuffix(text, "/.*"); ok {
		text = before + "(/.*)?"
	}
	return regexp.MustCompile("^" + text + "$")
}

// InModule reports whether a package, which need not exist, belongs to the module in the directory root and not to a
// nested module.
func InModule(e load.Environment, root, importPath string) bool {
	_, modulePath, _ := e.FindModule(root)
	below, ok := strings.CutPrefix(importPath+"/", modulePath+"/")
	if !ok {
		return false
	}
	nearest, _, _ := e.FindModule(filepath.Join(root, filepath.FromSlash(below)))
	return nearest == root
}

// IsSource reports whether a package imported by generated code may be a source package. It must not belong to the
// standard library or to Kubernetes, or be generated.
func (t Target) IsSource(importPath string, covered func(string) bool) bool {
	for _, root := range t.Options.Roots {
		if importPath == root.Path || root.Path != "" && strings.HasPrefix(importPath, root.Path+"/") {
			return false
		}
	}
	first, _, _ := strings.Cut(importPath, "/")
	return covered(importPath) || strings.Contains(first, ".") && !slices.ContainsFunc(
		[]string{"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/client-go/", "k8s.io/kube-openapi/", "sigs.k8s.io/structured-merge-diff/"},
		func(prefix string) bool { return strings.HasPrefix(importPath, prefix) })
}
