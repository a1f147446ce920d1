package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// incomplete is the go command's message when go.mod is missing requirements. It then lists no packages at all.
const incomplete = "updates to go.mod needed"

// isIncomplete reports whether the go command failed because go.mod is missing requirements.
func isIncomplete(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte(incomplete))
}

// withoutClients lists packages as if the module had no generated clients yet. Before go mod tidy is run, go.mod may
// lack the modules that these import.
func (c *Config) withoutClients(list func(flags ...string) ([]byte, error)) ([]byte, error) {
	root, _, _ := c.Env.FindModule(".")
	hidden := struct{ Replace map[string]string }{map[string]string{}} // see -overlay in "go help build"
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (entry.Name()[0] == '.' || entry.Name() == "vendor" || isFile(filepath.Join(name, "go.mod"))):
			return fs.SkipDir
		case filepath.Ext(name) != ".go":
			return nil
		}
		text, err := ReadFile(name)
		if c.Generated.On(entry.Name(), text) {
			hidden.Replace[name] = ""
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	overlay, err := os.CreateTemp("", "kubegen-*.json")
	if err != nil {
		return nil, err
	}
	defer os.Remove(overlay.Name())
	if err := errors.Join(json.NewEncoder(overlay).Encode(hidden), overlay.Close()); err != nil {
		return nil, err
	}
	return list("-overlay=" + overlay.Name())
}

// reportRefusal reports that the go command lists no packages. f is the go.mod file of the module, or nil if there is
// none.
func (l *Loader) reportRefusal(err error, f *modfile.File) (diags diag.List) {
	message := goMessage(err)
	switch inGoMod := f != nil; {
	case inGoMod && strings.Contains(message, incomplete):
		l.reportIncomplete(f, &diags)
	case inGoMod && strings.Contains(message, "inconsistent vendoring"):
		command := "go mod vendor"
		if len(l.Modules.Workspace) > 0 {
			command = "go work vendor"
		}
		diags.Errorf(token.Position{Filename: f.Syntax.Name, Line: 1}, "the vendor directory does not have the modules that go.mod requires").
			Run("%s", command+l.inModule(f))
	default:
		diags.Errorf(token.Position{}, "cannot list packages: %s", l.shortened(message))
	}
	return diags
}

// reportIncomplete reports the commands that complete go.mod, so that the go command lists packages again.
func (l *Loader) reportIncomplete(f *modfile.File, diags *diag.List) {
	commands := "go mod tidy"
	if !l.Modules.Requires(ClientGo) { // go mod tidy would choose the newest release
		commands = l.Modules.Get(ClientGo) + " and then go mod tidy"
	}
	diags.Errorf(
		token.Position{Filename: f.Syntax.Name, Line: 1},
		"go.mod does not list all modules that the packages need, so the go command lists no package",
	).Run("%s", commands+l.inModule(f))
}

// inModule returns the directory where a command must run, for a message, or "" if it is the current module.
func (l *Loader) inModule(f *modfile.File) string {
	if f == l.Modules.Files[0] {
		return ""
	}
	from, _ := filepath.Rel(l.cfg.Env.Dir, filepath.Dir(f.Syntax.Name))
	return " in " + filepath.ToSlash(from)
}

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
