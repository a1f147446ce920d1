package parser

import (
	"bytes"
	"go/build"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
)

// isLocal reports whether a pattern names directories, not import paths, by the rules of the go command. With
// GOPACKAGESDRIVER, //apis/... is not a directory but a Bazel label.
func (p *parser) isLocal(pattern string) bool {
	if driver := p.cfg.getenv("GOPACKAGESDRIVER"); driver != "" && driver != "off" && strings.HasPrefix(pattern, "//") {
		return false
	}
	return build.IsLocalImport(pattern) || filepath.IsAbs(pattern)
}

// patternDir returns the directory that a pattern names, or that contains all its matches.
func patternDir(pattern string) string {
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

// at returns the path of a file or directory that a pattern names.
func (p *parser) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.cfg.Dir, filepath.FromSlash(name))
}

func (p *parser) isDir(name string) bool {
	info, err := os.Stat(p.at(name))
	return err == nil && info.IsDir()
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// existing reports patterns for directories that do not exist, and returns the other patterns.
func (p *parser) existing(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool {
		dir := patternDir(pattern)
		if !p.isLocal(pattern) || p.isDir(dir) {
			return false
		}
		if _, err := os.Stat(p.at(dir)); err == nil {
			parent, _ := path.Split(dir)
			p.Errorf(token.Position{}, "%s is a file", dir).Suggest("name its directory, %s", strings.TrimSuffix(parent, "/"))
			return true
		}
		d := p.Errorf(token.Position{}, "no packages match %s: no such directory", pattern)
		if nearest, ok := p.nearestDir(dir); ok {
			d.Suggest("did you mean %s?", nearest+strings.TrimPrefix(pattern, dir))
		} else {
			d.Suggest("name directories such as ./apis/... or import paths")
		}
		return true
	})
}

// reportElsewhere reports patterns for directories in modules from which the go command reads no packages here: modules in
// directories of this one, or that go.work does not list. It reports whether there are any.
func (p *parser) reportElsewhere(patterns []string) (found bool) {
	for _, pattern := range patterns {
		dir, _ := filepath.Abs(p.at(patternDir(pattern)))
		f := p.goModAbove(dir)
		if !p.isLocal(pattern) || f == nil || p.isUsed(f) {
			continue
		}
		found = true
		root := filepath.Dir(f.Syntax.Name)
		here, _ := filepath.Abs(p.cfg.Dir)
		from, _ := filepath.Rel(here, root)
		within, _ := filepath.Rel(root, dir)
		_, wild, _ := strings.Cut(pattern, "...")
		rest := ""
		if strings.Contains(pattern, "...") {
			rest = "/..." + wild
		}
		instead := strings.TrimSuffix("./"+filepath.ToSlash(within), "/.") + rest
		pos, in := token.Position{Filename: f.Syntax.Name, Line: 1}, filepath.ToSlash(from)
		switch {
		case len(p.workspace) == 0:
			p.Errorf(pos, "%s is in a module of its own, not in that of the current directory", pattern).
				Suggest("run the command with %s in %s", instead, in)
		case in == ".":
			p.Errorf(pos, "%s is in a module that go.work does not list", pattern).Suggest("run go work use ., or set GOWORK=off")
		default:
			p.Errorf(pos, "%s is in a module that go.work does not list", pattern).
				Suggest("run go work use %s, or, with GOWORK=off, the command with %s in %s", in, instead, in)
		}
	}
	return found
}

// isUsed reports whether the go command reads packages from a module: a main module, or one that such a module has in place of
// another.
func (p *parser) isUsed(f *modfile.File) bool {
	root := filepath.Dir(f.Syntax.Name)
	if slices.Contains(p.workspace, root) || len(p.workspace) == 0 && len(p.goMods) > 0 && p.goMods[0] == f {
		return true
	}
	return slices.ContainsFunc(p.goMods, func(main *modfile.File) bool {
		within, err := filepath.Rel(filepath.Dir(main.Syntax.Name), root)
		return (err != nil || !filepath.IsLocal(within)) && slices.ContainsFunc(main.Replace, func(r *modfile.Replace) bool {
			return r.New.Version == "" && filepath.Join(filepath.Dir(main.Syntax.Name), r.New.Path) == root
		})
	})
}

// nearestDir returns the existing directory whose name is most similar to that of a missing one.
func (p *parser) nearestDir(dir string) (string, bool) {
	slash := dir[len(strings.TrimRight(dir, "/")):]
	parent, name := path.Split(strings.TrimRight(dir, "/"))
	if parent == "" {
		return "", false
	}
	if !p.isDir(parent) {
		nearest, ok := p.nearestDir(parent)
		if !ok {
			return "", false
		}
		parent = nearest
	}
	entries, _ := os.ReadDir(p.at(parent))
	var directories []string
	for _, entry := range entries {
		if entry.IsDir() {
			directories = append(directories, entry.Name())
		}
	}
	nearest, ok := markers.Nearest(name, directories)
	return parent + nearest + slash, ok
}

// suggestMeant adds a hint to an error about an import path: the directory of that name if there is one, or what Config.Meant says.
func (p *parser) suggestMeant(d *diag.Diagnostic, pattern string) bool {
	hint := ""
	switch {
	case pattern == "" || p.isLocal(pattern):
	case p.isDir(patternDir(pattern)):
		hint = "write ./" + pattern + " for the directory"
	case p.cfg.Meant != nil:
		hint = p.cfg.Meant(pattern)
	}
	d.Suggest("%s", hint)
	return hint != ""
}

// reportNoPackages reports patterns that match nothing.
func (p *parser) reportNoPackages(patterns []string) {
	d := p.Errorf(token.Position{}, "no packages match %s", strings.Join(patterns, " "))
	if len(patterns) != 1 || !p.suggestMeant(d, patterns[0]) {
		d.Suggest("name directories such as ./apis/... or import paths")
	}
	p.noteUnseen(patterns, nil)
}

// noteUnseen notes files with +genclient in the patterns' directories that belong to no package found.
func (p *parser) noteUnseen(patterns []string, found []*source) {
	seen := map[string]bool{}
	for _, src := range found {
		for _, f := range src.files {
			seen[f.name] = true
		}
		for _, name := range src.ignored {
			seen[name] = true
		}
	}
	for _, pattern := range patterns {
		if !p.isLocal(pattern) {
			continue
		}
		root, err := filepath.Abs(p.at(patternDir(pattern)))
		if err != nil {
			continue
		}
		nested := "" // the innermost nested module below root that the walk is in
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && name != root && isFile(filepath.Join(name, "go.mod")) {
				nested = name
			}
			switch {
			case err != nil:
				return nil // none of its files could be reported
			case entry.IsDir() && name != root && (!strings.Contains(pattern, "...") || entry.Name()[0] == '.' || entry.Name() == "vendor"):
				return fs.SkipDir
			case filepath.Ext(name) != ".go" || seen[name]:
				return nil
			}
			if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, genclient) {
				if nested != "" && strings.HasPrefix(name, nested+string(filepath.Separator)) {
					p.Notef(token.Position{Filename: filepath.Join(nested, "go.mod"), Line: 1}, "this module has +genclient, but is not part of %s", pattern).
						Suggest("run the command in its directory")
					return nil // Write omits repetitions
				}
				p.Notef(token.Position{Filename: name, Line: 1}, "this file has +genclient, but the go command ignores it").
					Suggest("check its build constraints and the names of the file and its directories")
			}
			return nil
		})
	}
}
