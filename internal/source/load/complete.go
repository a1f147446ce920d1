package load

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// lacksSum reports whether a message of the go command is about a module in the module graph for which go.sum has no
// checksum. go.mod need not require it. Without the checksum of a go.mod file, the graph is unknown, and with -mod=mod
// the go command might add modules.
func lacksSum(message string) bool {
	return strings.Contains(message, "missing go.sum entry") && !strings.Contains(message, "for go.mod file")
}

// notVendored reports whether a message of the go command is about a package that the vendor directory lacks. go mod
// vendor copies only imported packages, so that it has no package that only generated code will import.
func notVendored(message string) bool { return strings.Contains(message, "disabled by -mod=vendor") }

// unvendored replaces the packages that the vendor directory lacks with the ones of the modules that go.mod requires.
func (c *Config) unvendored(ctx context.Context, found map[string][]*packages.Package) {
	if patterns := withError(found, notVendored); len(patterns) > 0 {
		complete, _ := c.goListOnce(ctx, patterns, "-mod=readonly")
		maps.Copy(found, complete)
	}
}

// withError returns the patterns that match a package with an error whose message is of some kind.
func withError(found map[string][]*packages.Package, is func(message string) bool) (patterns []string) {
	for pattern, matches := range found {
		if slices.ContainsFunc(matches, func(pkg *packages.Package) bool {
			return slices.ContainsFunc(pkg.Errors, func(e packages.Error) bool { return is(e.Msg) })
		}) {
			patterns = append(patterns, pattern)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// completable returns the patterns for packages that the go command finds with -mod=mod: packages of modules in the
// module graph, and, if GOFLAGS has that flag, packages of other modules.
func (c *Config) completable(found map[string][]*packages.Package) (patterns []string) {
	if c.Env.UpdatesGoMod() {
		return withError(found, func(string) bool { return true })
	}
	return withError(found, lacksSum)
}

// completed lists packages as if go.mod and go.sum had all modules that the packages need. The go command completes
// copies of these files, which are then deleted. A workspace has no copies.
func (c *Config) completed(list func(flags ...string) ([]byte, error)) ([]byte, error) {
	root, _, _ := c.Env.FindModule(".")
	dir, err := os.MkdirTemp("", "kubegen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && (name == "go.mod" || !os.IsNotExist(err)) {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	return list("-mod=mod", "-modfile="+filepath.Join(dir, "go.mod"))
}
