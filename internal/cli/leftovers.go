package cli

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/output"
)

// leftovers are the directories with files of the tools that a family replaces, but without files of the family. The
// source packages of such files, which kubegen's files name in a comment, are derived from their imports.
type leftovers struct {
	files   map[string][]string        // by directory, slash-separated and relative to that of the family
	sources map[string]map[string]bool // packages that the files of a directory and those below import, and whether this run covers them
}

// leftovers finds them. covered reports whether a package would be read if it existed.
func (t target) leftovers(snapshot *output.Snapshot, files []output.File, covered func(string) bool) leftovers {
	l := leftovers{map[string][]string{}, map[string]map[string]bool{}}
	written := map[string]bool{}
	for _, file := range files {
		written[path.Dir(file.Path)] = true
	}
	for rel, text := range snapshot.Generated() {
		dir := path.Dir(rel)
		if written[dir] || strings.Count(rel, "/") > t.depth() || !output.HasMark(text.Bytes(), t.ReplacedBy()...) {
			continue
		}
		l.files[dir] = append(l.files[dir], rel)
		file, err := parser.ParseFile(token.NewFileSet(), rel, text.Bytes(), parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			importPath, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !t.isSource(importPath, covered) {
				continue
			}
			for above := dir; above != "."; above = path.Dir(above) {
				if l.sources[above] == nil {
					l.sources[above] = map[string]bool{}
				}
				l.sources[above][importPath] = covered(importPath)
			}
		}
	}
	return l
}

// isSource reports whether a package that generated code imports may be a source package: it must not belong to the
// standard library or to Kubernetes, or be generated itself.
func (t target) isSource(importPath string, covered func(string) bool) bool {
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

// stale reports whether the file at rel is left over: all its possible source packages would have been read, and the
// same is true for the directories above it, whose files may import it.
func (l leftovers) stale(rel string) bool {
	dir := path.Dir(rel)
	for above := dir; above != "."; above = path.Dir(above) {
		if len(l.files[above]) == 0 {
			continue
		}
		for _, covered := range l.sources[above] {
			if !covered {
				return false
			}
		}
	}
	return len(l.sources[dir]) > 0
}

// report notes the directories that may be left over. It skips those whose source packages all belong to other runs.
func (l leftovers) report(dir, tool string, diags *diag.List) {
	for at, files := range l.files {
		slices.Sort(files)
		covered := false
		for _, c := range l.sources[at] {
			covered = covered || c
		}
		if l.stale(files[0]) || !covered && len(l.sources[at]) > 0 {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(files[0]))
		what := "this file is"
		if len(files) > 1 {
			what = "the files of " + tool + " in this directory are"
		}
		diags.Notef(token.Position{Filename: name, Line: 1}, "%s from %s, and nothing is generated here any more", what, tool).
			Suggest("delete the directory if nothing imports it")
	}
}
