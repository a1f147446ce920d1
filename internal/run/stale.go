package run

import (
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// earlier holds the files that earlier runs of a generator, and the tools that it replaces, have written into its
// directory. Files of other generators, and files where the generator does not write, are not included.
type earlier struct {
	Target
	snapshot *output.Snapshot
	covered  func(importPath string) bool // whether this run would read a package if it existed, and write everything generated from it
	written  map[string]bool              // directories with files of this run, slash-separated and relative to the generator's directory

	// Files of the replaced tools in all other directories. They do not name their source packages, which are derived
	// from their imports.
	files   map[string][]string        // by directory
	sources map[string]map[string]bool // packages imported by the files in and below a directory; true if covered
}

// newEarlier returns the files of earlier runs. files are the files of this run.
func newEarlier(t Target, snapshot *output.Snapshot, files []output.File, covered func(string) bool) *earlier {
	e := &earlier{t, snapshot, covered, map[string]bool{}, map[string][]string{}, map[string]map[string]bool{}}
	for _, file := range files {
		e.written[path.Dir(file.Path)] = true
	}
	for rel, text := range snapshot.Generated() {
		dir := path.Dir(rel)
		if e.written[dir] || !e.writes(dir, true) && !e.writes(dir, false) || gofile.HasMark(text, t.Info().GeneratedBy()) {
			continue
		}
		e.files[dir] = append(e.files[dir], rel)
		for _, importPath := range e.sourcesOf(text) {
			for above := dir; above != "."; above = path.Dir(above) {
				if e.sources[above] == nil {
					e.sources[above] = map[string]bool{}
				}
				e.sources[above][importPath] = covered(importPath)
			}
		}
	}
	return e
}

// writes reports whether a run with the same flags may write files into a directory, for the whole API or for parts of
// it.
func (e *earlier) writes(dir string, whole bool) bool {
	if e.Options.ClientsetOnly && (strings.HasPrefix(dir, typedClients) || strings.HasPrefix(dir, sharedByClients)) {
		return false // the clientset needs the clients, even if this run does not write them
	}
	return render.Writes(e.Generator, &e.Options, dir, whole)
}

// sourcesOf returns the packages that a file was generated from, as far as it names or imports them, or nil for a file
// for a whole API.
func (e *earlier) sourcesOf(text []byte) []string {
	if gofile.HasMark(text, e.Info().GeneratedBy()) {
		return gofile.MarkSources(text, e.Info().GeneratedBy())
	}
	return slices.DeleteFunc(load.ImportsIn(text), func(importPath string) bool { return !e.IsSource(importPath, e.covered) })
}

// stale reports whether a file that has a mark of the generator, but is not written by this run, is left over.
func (e *earlier) stale(rel string) bool {
	content := e.snapshot.Top(rel)
	if !gofile.HasMark(content, e.Info().GeneratedBy()) {
		return e.written[path.Dir(rel)] || e.abandoned(path.Dir(rel))
	}
	sources := gofile.MarkSources(content, e.Info().GeneratedBy())
	return e.outdated(rel, sources) && (sources != nil || len(e.written) > 0 || !e.keeps())
}

// named reports whether the generator, or a tool that it replaces, may have given a marked file this base name.
// Templates of the user, which may be gone, give other names than kubegen's. No generator writes tests there.
func (e *earlier) named(base string, top []byte) bool {
	return !strings.HasSuffix(base, "_test.go") && (gofile.HasMark(top, e.Info().GeneratedBy()) || render.Names(e.Generator, &e.Options, base))
}

// outdated reports whether a file of the generator is in a directory where the generator may write, and was generated
// from packages that this run would read if they existed. A file without sources was generated from a whole API.
func (e *earlier) outdated(rel string, sources []string) bool {
	return e.writes(path.Dir(rel), sources == nil) && !slices.ContainsFunc(sources, func(source string) bool { return !e.covered(source) })
}

// keeps reports whether files generated from other packages remain. They need the files for the whole API.
func (e *earlier) keeps() bool {
	for rel, text := range e.snapshot.Generated() {
		if sources := gofile.MarkSources(text, e.Info().GeneratedBy()); len(sources) > 0 && !e.outdated(rel, sources) {
			return true
		}
	}
	return false
}

// abandoned reports whether a directory with files of replaced tools is left over: this run would read all its possible
// source packages, and the source packages of the directories above it, whose files may import it.
func (e *earlier) abandoned(dir string) bool {
	for above := dir; above != "."; above = path.Dir(above) {
		if len(e.files[above]) == 0 {
			continue
		}
		for _, covered := range e.sources[above] {
			if !covered {
				return false
			}
		}
	}
	return len(e.files[dir]) > 0 && len(e.sources[dir]) > 0
}

// report notes directories that may be left over. It skips directories whose source packages all belong to other runs.
func (e *earlier) report(diags *diag.List) {
	for dir, files := range e.files {
		slices.Sort(files)
		covered := false
		for _, c := range e.sources[dir] {
			covered = covered || c
		}
		if e.abandoned(dir) || !covered && len(e.sources[dir]) > 0 {
			continue
		}
		name := filepath.Join(e.Dir, filepath.FromSlash(files[0]))
		what := "this file was"
		if len(files) > 1 {
			what = "files in this directory were"
		}
		diags.Notef(
			token.Position{Filename: name, Line: 1}, "%s generated by %s, and nothing is generated here any more", what, e.Info().Replaces[0].Name,
		).Suggest("delete the directory if nothing imports it")
	}
}
