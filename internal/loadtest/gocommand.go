package loadtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/source/load"
)

// Go runs a go command for a load.Environment. It answers a command itself that lists packages of a plain module, and
// imported packages about which the go command was asked before with the same requirements: running the go command
// takes longer than all other work for a small API. It leaves anything else to the go command, such as a replace
// directive, a workspace, a vendor directory, a symlink, or a package with a mistake.
func Go(cmd *exec.Cmd) ([]byte, error) {
	if answer, ok := answer(cmd); ok {
		return answer, nil
	}
	return output(cmd)
}

// Compare returns a function that always runs the go command. The test fails if Go would answer something else.
func Compare(t testing.TB) func(cmd *exec.Cmd) ([]byte, error) {
	return func(cmd *exec.Cmd) ([]byte, error) {
		got, answered := answer(cmd)
		out, err := cmd.Output()
		if answered && (err != nil || !reflect.DeepEqual(parse(got), parse(out))) {
			t.Errorf("%v: Go answers\n%s\nthe go command\n%s\n%v", cmd.Args, got, out, err)
		}
		return out, err
	}
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Name, Dir                                string           `json:",omitempty"`
	GoFiles, CgoFiles, IgnoredGoFiles, IgnoredOtherFiles []string         `json:",omitempty"`
	Module                                               *packages.Module `json:",omitempty"`
	Match                                                []string         `json:",omitempty"`
	Error                                                *listError       `json:",omitempty"`
}

type listError struct{ Pos, Err string }

// parse returns the packages in the output of go list, or nil if it is something else.
func parse(out []byte) (all []*listed) {
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		pkg := &listed{}
		if decoder.Decode(pkg) != nil {
			return nil
		}
		all = append(all, pkg)
	}
	return all
}

// lister lists packages of one module for a go command.
type lister struct {
	cmd   *exec.Cmd
	root  string
	mod   *modfile.File
	cache *cached
	found []*listed
}

// cached are the packages that modules with the same requirements can import, or errors for them, by import path.
type cached struct {
	sync.Mutex
	packages map[string]*listed
}

var caches sync.Map // of *cached, by all that selects them

// answer returns the output of a command, except for the order of fields, if that is possible without running it.
func answer(cmd *exec.Cmd) (out []byte, ok bool) {
	l, patterns := newLister(cmd)
	if l == nil || !l.list(patterns) {
		return nil, false
	}
	var b bytes.Buffer
	for _, pkg := range l.found {
		text, err := json.Marshal(pkg)
		if err != nil {
			return nil, false
		}
		b.Write(text)
	}
	return b.Bytes(), true
}

// newLister returns a lister for a command, and the patterns, or nil if the command or its module is not plain.
func newLister(cmd *exec.Cmd) (l *lister, patterns []string) {
	end := slices.Index(cmd.Args, "--")
	if end < 0 || !slices.Contains(cmd.Args, "-find") || slices.ContainsFunc(cmd.Args[:end], isPeculiar) {
		return nil, nil
	}
	env := load.Environment{Dir: cmd.Dir, Vars: cmd.Env}
	if slices.ContainsFunc(strings.Fields(env.Getenv("GOFLAGS")), isPeculiar) ||
		!slices.Equal(withoutFlags(cmd.Env), withoutFlags(os.Environ())) {
		return nil, nil
	}
	root, path, ok := env.FindModule(".")
	if !ok {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	sums, err2 := os.ReadFile(filepath.Join(root, "go.sum"))
	mod, err3 := modfile.Parse("go.mod", text, nil)
	if errors.Join(err, err2, err3) != nil || mod.Go == nil || len(mod.Replace) > 0 || bytes.Contains(text, []byte("\nignore")) ||
		len(env.Workspace()) > 0 || exists(filepath.Join(root, "vendor")) {
		return nil, nil
	}
	requirements := strings.Replace(string(text), path, "", 1)
	for _, r := range mod.Require { // must not be ambiguous
		if strings.HasPrefix(r.Mod.Path+"/", path+"/") || strings.HasPrefix(path+"/", r.Mod.Path+"/") {
			return nil, nil
		}
	}
	cache, _ := caches.LoadOrStore(requirements+"\n"+string(sums), &cached{packages: map[string]*listed{}})
	return &lister{cmd: cmd, root: root, mod: mod, cache: cache.(*cached)}, cmd.Args[end+1:]
}

// isPeculiar reports whether a flag makes the go command find other packages or files than those in the directories.
func isPeculiar(flag string) bool {
	name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return slices.Contains([]string{"tags", "mod", "modfile", "overlay"}, name) && value != ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// withoutFlags returns environment variables without the ones that only commands have.
func withoutFlags(vars []string) []string {
	return slices.DeleteFunc(slices.Clone(vars), func(entry string) bool {
		return strings.HasPrefix(entry, "GOFLAGS=") || strings.HasPrefix(entry, "GOGC=") || strings.HasPrefix(entry, "PWD=")
	})
}

// list lists the packages that match the patterns. It returns false if the go command must do so.
func (l *lister) list(patterns []string) bool {
	others := slices.DeleteFunc(slices.Clone(patterns), l.isLocal)
	found, ok := l.ask(others)
	if !ok {
		return false
	}
	for _, pattern := range patterns {
		if !l.isLocal(pattern) {
			l.add(*found[0], pattern)
			found = found[1:]
			continue
		}
		dir, wild := strings.CutSuffix(pattern, "/...")
		if rest, ok := strings.CutPrefix(dir, l.mod.Module.Mod.Path); ok && !wild {
			dir = filepath.Join(l.root, filepath.FromSlash(rest))
		} else if ok || strings.Contains(dir, "...") {
			return false
		} else if !filepath.IsAbs(dir) {
			dir = filepath.Join(l.cmd.Dir, filepath.FromSlash(dir))
		}
		if !l.listLocal(dir, pattern, wild) {
			return false
		}
	}
	return true
}

// isLocal reports whether a pattern is about the module.
func (l *lister) isLocal(pattern string) bool {
	return strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern) || strings.HasPrefix(pattern+"/", l.mod.Module.Mod.Path+"/")
}

// ask returns packages of the module cache, and asks the go command about the ones that it was not asked about
// before. It returns false if there is no answer for one of them, or nothing is known: the go command may refuse to
// list packages.
func (l *lister) ask(importPaths []string) (found []*listed, ok bool) {
	l.cache.Lock()
	defer l.cache.Unlock()
	unknown := slices.DeleteFunc(slices.Clone(importPaths), func(importPath string) bool { return l.cache.packages[importPath] != nil })
	if len(unknown) > 0 {
		cmd := exec.Command(l.cmd.Path, slices.Concat(l.cmd.Args[1:slices.Index(l.cmd.Args, "--")+1], unknown)...)
		cmd.Dir, cmd.Env = l.cmd.Dir, l.cmd.Env
		out, _ := output(cmd)
		for _, pkg := range parse(out) {
			if slices.Equal(pkg.Match, []string{pkg.ImportPath}) && (pkg.Module == nil || !pkg.Module.Main) && !l.names(pkg.Error) {
				l.cache.packages[pkg.ImportPath] = pkg
			}
		}
	}
	for _, importPath := range importPaths {
		if pkg := l.cache.packages[importPath]; pkg != nil {
			found = append(found, pkg)
		}
	}
	return found, len(l.cache.packages) > 0 && len(found) == len(importPaths)
}

// names reports whether an error is about the module, and not only about its requirements.
func (l *lister) names(e *listError) bool {
	return e != nil && (e.Pos != "" || strings.Contains(e.Err, l.root) || strings.Contains(e.Err, l.mod.Module.Mod.Path))
}

// add adds a package that matches a pattern.
func (l *lister) add(pkg listed, pattern string) {
	if cleaned := path.Clean(filepath.ToSlash(pattern)); strings.HasPrefix(pattern, "./") && cleaned != "." {
		pattern = "./" + cleaned
	} else {
		pattern = cleaned
	}
	for _, other := range l.found {
		if other.ImportPath == pkg.ImportPath {
			if !slices.Contains(other.Match, pattern) {
				other.Match = append(other.Match, pattern)
			}
			return
		}
	}
	pkg.Match = []string{pattern}
	l.found = append(l.found, &pkg)
}

// listLocal lists the package in a directory of the module or, if wild is set, the packages in and below it.
func (l *lister) listLocal(dir, pattern string, wild bool) bool {
	if !l.isPlain(dir) {
		return false
	}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case base == "vendor":
			return errors.New("a vendor directory")
		case name != dir && (!wild || base[0] == '.' || base[0] == '_' || base == "testdata" || exists(filepath.Join(name, "go.mod"))):
			return fs.SkipDir
		}
		pkg, err := l.local(name)
		if noFiles := (*build.NoGoError)(nil); wild && errors.As(err, &noFiles) {
			return nil
		}
		if err == nil {
			l.add(*pkg, pattern)
		}
		return err
	})
	return err == nil
}

// isPlain reports whether a directory belongs to the module, and the go command would match it as a parent of packages.
func (l *lister) isPlain(dir string) bool {
	for {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return false
		}
		if dir == l.root {
			return true
		}
		base := filepath.Base(dir)
		if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" ||
			exists(filepath.Join(dir, "go.mod")) || dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// local returns the package in a directory.
func (l *lister) local(dir string) (*listed, error) {
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && !e.Type().IsRegular() }) {
		return nil, errors.New("a symlink, or a file that may never end")
	}
	pkg, err := build.ImportDir(dir, build.IgnoreVendor) // with mode 0, it may run the go command
	if err != nil {
		return nil, err
	}
	others := slices.Concat(
		pkg.CgoFiles, pkg.CFiles, pkg.CXXFiles, pkg.MFiles, pkg.HFiles, pkg.FFiles, pkg.SFiles, pkg.SwigFiles, pkg.SwigCXXFiles,
		pkg.SysoFiles, pkg.EmbedPatterns, pkg.TestEmbedPatterns, pkg.XTestEmbedPatterns, pkg.InvalidGoFiles,
	)
	rel, err := filepath.Rel(l.root, dir)
	importPath := path.Join(l.mod.Module.Mod.Path, filepath.ToSlash(rel))
	if err := errors.Join(err, module.CheckImportPath(importPath)); err != nil || len(others) > 0 || pkg.ImportComment != "" {
		return nil, fmt.Errorf("not plain: %q, %w", others, err)
	}
	return &listed{
		ImportPath: importPath, Name: pkg.Name, Dir: dir,
		GoFiles: pkg.GoFiles, IgnoredGoFiles: pkg.IgnoredGoFiles, IgnoredOtherFiles: pkg.IgnoredOtherFiles,
		Module: &packages.Module{
			Path: l.mod.Module.Mod.Path, Main: true, Dir: l.root, GoMod: filepath.Join(l.root, "go.mod"), GoVersion: l.mod.Go.Version,
		},
	}, nil
}
