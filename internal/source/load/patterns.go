package load

import (
	"go/build"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// IsLocal reports whether a pattern names directories, not import paths, by the rules of the go command. With
// GOPACKAGESDRIVER, //apis/... is not a directory but a Bazel label.
func (l *Loader) IsLocal(pattern string) bool { return l.cfg.isLocal(pattern) }

func (c *Config) isLocal(pattern string) bool {
	if driver := c.Env.Getenv("GOPACKAGESDRIVER"); driver != "" && driver != "off" && strings.HasPrefix(pattern, "//") {
		return false
	}
	return build.IsLocalImport(pattern) || filepath.IsAbs(pattern)
}

// PatternDir returns the directory that a pattern names, or that contains all its matches.
func PatternDir(pattern string) string {
	dir, _, wild := strings.Cut(pattern, "...")
	if wild {
		dir, _ = path.Split(dir)
	}
	return dir
}

// mayMatch reports whether a pattern could match an import path. Directories cannot match packages of another module.
func mayMatch(pattern, importPath string) bool {
	before, _, wild := strings.Cut(pattern, "...")
	switch {
	case pattern == "all":
		return true
	case wild:
		return strings.HasPrefix(importPath+"/", before)
	}
	return pattern == importPath
}

// At returns the absolute path of a file or directory that a pattern names.
func (l *Loader) At(name string) string { return l.cfg.Env.At(name) }

func (l *Loader) isDir(name string) bool {
	info, err := os.Stat(l.At(name))
	return err == nil && info.IsDir()
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// existing reports patterns for directories that do not exist, and returns the other patterns.
func (l *Loader) existing(patterns []string, diags *diag.List) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool {
		dir := PatternDir(pattern)
		isGoFile := strings.HasSuffix(pattern, ".go") && isFile(l.At(pattern))
		if !isGoFile && !l.IsLocal(pattern) || l.isDir(dir) {
			return false
		}
		if _, err := os.Stat(l.At(dir)); err == nil {
			parent, _ := path.Split(dir)
			if !l.IsLocal(pattern) {
				parent = "./" + parent
			}
			diags.Errorf(token.Position{}, "%s is a file", dir).About(pattern).Suggest("name its directory, %s", strings.TrimSuffix(parent, "/"))
			return true
		}
		d := diags.Errorf(token.Position{}, "no packages match %s: no such directory", diag.Value(pattern))
		if nearest, ok := l.nearestDir(dir); ok {
			d.Suggest("did you mean %s?", nearest+strings.TrimPrefix(pattern, dir))
		} else {
			d.Suggest("%s", Advice(pattern))
		}
		return true
	})
}

// reportElsewhere reports patterns for directories in modules that go.work does not list. It reports whether there are
// any.
func (l *Loader) reportElsewhere(patterns []string, diags *diag.List) (found bool) {
	for _, pattern := range patterns {
		f, there := l.elsewhere(pattern)
		if f == nil || len(l.Modules.Workspace) == 0 {
			continue
		}
		found = true
		from, _ := filepath.Rel(l.cfg.Env.Dir, filepath.Dir(f.Syntax.Name))
		d := diags.Errorf(token.Position{Filename: f.Syntax.Name, Line: 1}, "%s is in a module that go.work does not list", pattern)
		if from == "." {
			d.Run("go work use ., or set GOWORK=off")
		} else {
			in := filepath.ToSlash(from)
			d.Run("go work use %s, or, with GOWORK=off, the command with %s in %s", in, there, in)
		}
	}
	return found
}

// nearestDir returns the existing directory with the name most similar to a missing one.
func (l *Loader) nearestDir(dir string) (string, bool) {
	slash := dir[len(strings.TrimRight(dir, "/")):]
	parent, name := path.Split(strings.TrimRight(dir, "/"))
	if parent == "" {
		return "", false
	}
	if !l.isDir(parent) {
		nearest, ok := l.nearestDir(parent)
		if !ok {
			return "", false
		}
		parent = nearest
	}
	entries, _ := os.ReadDir(l.At(parent))
	var directories []string
	for _, entry := range entries {
		if entry.IsDir() {
			directories = append(directories, entry.Name())
		}
	}
	nearest, ok := diag.Nearest(name, directories)
	return parent + nearest + slash, ok
}

// Advice returns advice on patterns to write in place of others that match nothing.
func Advice(others ...string) string {
	example := "./apis/..."
	if slices.Contains(others, example) {
		example = "./..."
	}
	return "name directories such as " + example + " or import paths"
}

// reportOwn reports an import path of the current module without a directory. It reports whether it is one.
func (l *Loader) reportOwn(importPath string, diags *diag.List) bool {
	root, module, ok := l.cfg.Env.FindModule(".")
	inside, own := strings.CutPrefix(importPath, module+"/")
	dir := filepath.Join(root, filepath.FromSlash(inside))
	if !ok || !own || l.isDir(dir) {
		return false
	}
	d := diags.Errorf(token.Position{}, "there is no package %s: module %s has no directory %s", importPath, module, inside).About(importPath)
	if rel, err := filepath.Rel(l.cfg.Env.Dir, dir); err == nil {
		if nearest, ok := l.nearestDir("./" + filepath.ToSlash(rel)); ok {
			d.Suggest("did you mean %s?", nearest)
			return true
		}
	}
	d.Suggest("%s", Advice(importPath))
	return true
}

// Suggest adds a hint to an error about an import path: the directory with this name if there is one, or the result of
// Config.Suggest. It reports whether there is a hint.
func (l *Loader) Suggest(d *diag.Diagnostic, pattern string) bool {
	hint := ""
	switch {
	case pattern == "" || l.IsLocal(pattern):
	case l.isDir(PatternDir(pattern)):
		hint = "write ./" + pattern + " for the directory"
	case l.cfg.Suggest != nil:
		hint = l.cfg.Suggest(pattern)
	}
	d.Suggest("%s", hint)
	return hint != ""
}

// Ignores reports whether the go command ignores a directory of a module, other than the top, when it matches "./...".
func Ignores(dir string) bool {
	return isIgnored(filepath.Base(dir)) || isFile(filepath.Join(dir, "go.mod"))
}

// isIgnored reports whether the go command ignores directories with a name when it matches "./...".
func isIgnored(base string) bool {
	return base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor"
}
