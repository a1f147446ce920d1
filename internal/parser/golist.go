package parser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// goList lists packages and their files with the go command, or the driver in GOPACKAGESDRIVER. It prevents the go
// command from changing go.mod, even if GOFLAGS allow that.
func (c *Config) goList(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	env := append(slices.Clip(c.environ()), "GOFLAGS="+strings.ReplaceAll(c.getenv("GOFLAGS"), "-mod=mod", "-mod=readonly"))
	if found, ok := c.goListOnce(ctx, env, patterns); ok {
		return found, nil
	}
	found, err := packages.Load(&packages.Config{
		Context: ctx, Dir: c.Dir, Env: env, Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule,
	}, patterns...)
	if err != nil && c.hasDriver() {
		return nil, driverError(err)
	}
	return found, err
}

// driverError says that an error is one of the driver, and what is wrong if it is not the driver that says so.
func driverError(err error) error {
	var syntax *json.SyntaxError
	var field *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &field) {
		return fmt.Errorf("GOPACKAGESDRIVER: its answer is not a DriverResponse in JSON: %w", err)
	}
	return fmt.Errorf("GOPACKAGESDRIVER: %s", strings.TrimRight(err.Error(), ": \n"))
}

// goListOnce does the same as packages.Load, which runs the go command twice: before anything else, it asks for its version.
// ok is false where packages.Load knows more: about drivers, its own kinds of patterns, and packages with errors.
func (c *Config) goListOnce(ctx context.Context, env, patterns []string) (found []*packages.Package, ok bool) {
	if c.hasDriver() || slices.ContainsFunc(patterns, func(pattern string) bool { return strings.Contains(pattern, "=") }) {
		return nil, false
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{
		"list", "-e", "-find", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,IgnoredGoFiles,IgnoredOtherFiles,Module,Error",
		"-compiled=false", "-test=false", "-export=false", "-deps=false", "-buildvcs=false", "-pgo=off", "--",
	}, patterns)...)
	cmd.WaitDelay = time.Second
	if cmd.Env = env; c.Dir != "" {
		cmd.Dir, cmd.Env = c.Dir, append(env, "PWD="+c.Dir) // the go command then names files as the directory is called here
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	listed := map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var pkg struct { // see "go help list"
			ImportPath, Name, Dir                                string
			GoFiles, CgoFiles, IgnoredGoFiles, IgnoredOtherFiles []string
			Module                                               *packages.Module
			Error                                                *struct{ Pos, Err string }
		}
		if err := decoder.Decode(&pkg); err != nil || listed[pkg.ImportPath] || pkg.Error != nil && (pkg.Dir != "" || filepath.IsAbs(pkg.ImportPath)) {
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
		var errs []packages.Error
		if pkg.Error != nil { // there is no such package
			errs = append(errs, packages.Error{Pos: pkg.Error.Pos, Msg: strings.TrimSpace(pkg.Error.Err), Kind: packages.ListError})
		}
		found = append(found, &packages.Package{
			Errors: errs,
			ID:     pkg.ImportPath, PkgPath: pkg.ImportPath, Name: pkg.Name, Dir: pkg.Dir, Module: pkg.Module,
			GoFiles: in(slices.Concat(pkg.GoFiles, pkg.CgoFiles)...), IgnoredFiles: in(slices.Concat(pkg.IgnoredGoFiles, pkg.IgnoredOtherFiles)...),
		})
	}
	return found, true
}

// hasDriver reports whether go/packages would ask another program than the go command.
func (c *Config) hasDriver() bool {
	driver := c.getenv("GOPACKAGESDRIVER")
	if driver == "" {
		driver, _ = exec.LookPath("gopackagesdriver")
	}
	return driver != "" && driver != "off"
}
