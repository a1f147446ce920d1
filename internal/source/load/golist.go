package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// load lists packages and their files with the go command, or the driver in GOPACKAGESDRIVER.
func (c *Config) load(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	found, err := packages.Load(&packages.Config{
		Context: ctx, Dir: c.Env.Dir, Env: c.Env.GoList(), BuildFlags: c.listFlags(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule,
	}, patterns...)
	if err == nil || !c.hasDriver() {
		return found, err
	}
	var syntax *json.SyntaxError
	var field *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &field) {
		return nil, fmt.Errorf("GOPACKAGESDRIVER: its answer is not a DriverResponse in JSON: %w", err)
	}
	return nil, fmt.Errorf("GOPACKAGESDRIVER: %s", strings.TrimRight(err.Error(), ": \n"))
}

// listFlags returns flags that make the go command read the go.mod file of the directory, even if GOFLAGS names another
// one. With GOFLAGS=-modfile=tools/go.mod, as for go tool kubegen, that would be the go.mod file of the tools, with
// other versions and another module path.
func (c *Config) listFlags() []string {
	if c.hasDriver() {
		return nil
	}
	return []string{"-modfile="}
}

// goListOnce does the same as load, which runs the go command twice, because it first asks for the version of the go
// command. It returns the packages that match each pattern. ok is false for cases that only load handles: drivers,
// patterns such as file=NAME, and packages with errors.
func (c *Config) goListOnce(ctx context.Context, patterns []string, flags ...string) (found map[string][]*packages.Package, ok bool) {
	if c.hasDriver() || slices.ContainsFunc(patterns, func(pattern string) bool { return strings.Contains(pattern, "=") }) {
		return nil, false
	}
	list := func(more ...string) ([]byte, error) {
		return c.goList(ctx, slices.Concat(c.listFlags(), flags, more), patterns)
	}
	out, err := list()
	switch {
	case isIncomplete(err) && c.Env.UpdatesGoMod():
		out, err = c.completed(list)
	case isIncomplete(err):
		out, err = c.withoutClients(list)
	}
	if err != nil {
		return nil, false
	}
	return packagesIn(out, patterns)
}

// goListCompleted does the same as goListOnce, as if go.mod and go.sum were complete. It is nil if that does not help.
func (c *Config) goListCompleted(ctx context.Context, patterns []string) map[string][]*packages.Package {
	out, err := c.completed(func(flags ...string) ([]byte, error) { return c.goList(ctx, flags, patterns) })
	if err != nil {
		return nil
	}
	found, _ := packagesIn(out, patterns)
	return found
}

// packagesIn returns the packages in the output of goList for some patterns, by pattern. ok is false for packages with
// errors, except for packages that do not exist.
func packagesIn(out []byte, patterns []string) (found map[string][]*packages.Package, ok bool) {
	found = map[string][]*packages.Package{}
	asked := map[string][]string{} // the patterns, by their form in the output of the go command
	for _, pattern := range patterns {
		found[pattern], asked[clean(pattern)] = nil, append(asked[clean(pattern)], pattern)
	}
	listed := map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var pkg struct { // see "go help list"
			ImportPath, Name, Dir                                string
			GoFiles, CgoFiles, IgnoredGoFiles, IgnoredOtherFiles []string
			Module                                               *packages.Module
			Match                                                []string
			Error                                                *struct{ Pos, Err string }
		}
		if err := decoder.Decode(&pkg); err != nil || listed[pkg.ImportPath] ||
			pkg.Error != nil && (pkg.Dir != "" || filepath.IsAbs(pkg.ImportPath)) {
			return nil, false
		}
		listed[pkg.ImportPath] = true
		in := func(names ...string) []string {
			for i, name := range names {
				if !filepath.IsAbs(name) {
					names[i] = filepath.Join(pkg.Dir, name)
				}
			}
			return names
		}
		one := &packages.Package{
			ID: pkg.ImportPath, PkgPath: pkg.ImportPath, Name: pkg.Name, Module: pkg.Module,
			GoFiles: in(slices.Concat(pkg.GoFiles, pkg.CgoFiles)...), IgnoredFiles: in(slices.Concat(pkg.IgnoredGoFiles, pkg.IgnoredOtherFiles)...),
		}
		if pkg.Error != nil { // the package does not exist
			one.Errors = []packages.Error{{Pos: pkg.Error.Pos, Msg: strings.TrimSpace(pkg.Error.Err), Kind: packages.ListError}}
		}
		for _, match := range pkg.Match {
			if asked[match] == nil {
				return nil, false
			}
			for _, pattern := range asked[match] {
				found[pattern] = append(found[pattern], one)
			}
		}
	}
	return found, true
}

// goList runs go list and returns its output.
func (c *Config) goList(ctx context.Context, flags, patterns []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{
		"list", "-e", "-find", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,IgnoredGoFiles,IgnoredOtherFiles,Module,Match,Error",
		"-compiled=false", "-test=false", "-export=false", "-deps=false", "-buildvcs=false", "-pgo=off",
	}, flags, []string{"--"}, patterns)...)
	cmd.WaitDelay = time.Second
	cmd.Env = c.Env.GoList()
	if c.Env.Getenv("GOGC") == "" { // it needs little memory, but collects garbage after 4 MB of it
		cmd.Env = append(cmd.Env, "GOGC=800")
	}
	if c.Env.Dir != "" {
		cmd.Dir, cmd.Env = c.Env.Dir, append(cmd.Env, "PWD="+c.Env.Dir) // makes the go command use this name of the directory in names of files
	}
	return c.Env.Output(cmd)
}

// clean returns a pattern in the form of the go command's output.
func clean(pattern string) string {
	cleaned := path.Clean(filepath.ToSlash(pattern))
	if strings.HasPrefix(pattern, "./") && cleaned != "." {
		return "./" + cleaned
	}
	return cleaned
}

// hasDriver reports whether go/packages would ask another program than the go command.
func (c *Config) hasDriver() bool {
	driver := c.Env.Getenv("GOPACKAGESDRIVER")
	if driver == "" {
		driver, _ = exec.LookPath("gopackagesdriver")
	}
	return driver != "" && driver != "off"
}
