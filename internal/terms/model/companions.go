package model

import "strings"

// Companions maps import paths of packages to packages whose files are needed as well. A key that ends with a slash
// stands for all packages below it, and its value replaces it in their import paths.
type Companions map[string]string

// Of returns the companion of a package, or "".
func (c Companions) Of(importPath string) string {
	if other := c[importPath]; other != "" {
		return other
	}
	for prefix, other := range c { // at most one of the keys is a prefix
		if below, ok := strings.CutPrefix(importPath, prefix); ok && strings.HasSuffix(prefix, "/") {
			return other + below
		}
	}
	return ""
}
