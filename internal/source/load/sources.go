package load

import (
	"bytes"
	"context"
	"go/ast"
	"go/build"
	goparser "go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Sources holds the packages that Loaders have listed, and the Go files that they have read and parsed. Loaders with
// the same Sources do nothing twice. They must have the same environment, marker and marks.
type Sources struct {
	cfg  Config
	fset *token.FileSet

	listing  sync.Mutex
	ahead    []string                       // patterns that later calls will ask for
	imported bool                           // ahead holds the imports of the first patterns, or did
	listed   map[string][]*packages.Package // by pattern
	byPath   map[string]*packages.Package   // all packages by import path
	unsummed []string                       // modules that go.mod or go.sum lacks, see goList
	apart    map[string]*Sources            // for the packages of other modules, by their directories

	lock    sync.Mutex
	files   map[string]*parsedFile // by name
	changed map[string][]byte      // see Change
}

// parsedFile is a Go file that was read, and its syntax if it is needed.
type parsedFile struct {
	read, parse       sync.Once
	text              []byte
	ast               *ast.File
	readErr, parseErr error
}

// toParse reports whether a file is parsed immediately. Generated files are parsed only to find a declaration, unless
// they contain a text in the Config.
func (s *Sources) toParse(f *parsedFile) bool {
	contains := func(text string) bool { return text != "" && bytes.Contains(f.text, []byte(text)) }
	return f.readErr == nil && (gofile.MarkOf(f.text) == "" || contains(s.cfg.Marker) || slices.ContainsFunc(s.cfg.Parsed, contains))
}

// NewSources returns Sources for Loaders with the given Config. The first of these lists the packages that match the
// patterns ahead together with its own, because running the go command takes longer than listing them.
func NewSources(cfg Config, ahead ...string) *Sources {
	return &Sources{
		cfg: cfg, fset: token.NewFileSet(), ahead: ahead,
		listed: map[string][]*packages.Package{}, byPath: map[string]*packages.Package{}, apart: map[string]*Sources{},
		files: map[string]*parsedFile{}, changed: map[string][]byte{},
	}
}

// Change replaces the content of a Go file for later Loaders; nil stands for a file that does not exist. It reports
// whether the content has changed.
func (s *Sources) Change(name string, content []byte) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if was, ok := s.changed[name]; ok && bytes.Equal(was, content) && (was == nil) == (content == nil) {
		return false
	}
	s.changed[name] = content
	delete(s.files, name)
	return true
}

// Provide adds a package in a directory of a main module for later Loaders. It consists of files, by name, and the
// files on disk that they do not replace. The package need not exist on disk.
func (s *Sources) Provide(importPath, name, dir string, module *packages.Module, files map[string][]byte) {
	pkg := &packages.Package{ID: importPath, PkgPath: importPath, Name: name, Module: module}
	found, _ := build.ImportDir(dir, 0) // none if the directory does not exist
	for _, name := range append(found.GoFiles, slices.Collect(maps.Keys(files))...) {
		if full := filepath.Join(dir, name); !slices.Contains(pkg.GoFiles, full) {
			pkg.GoFiles = append(pkg.GoFiles, full)
		}
	}
	slices.Sort(pkg.GoFiles)
	for name, content := range files {
		s.Change(filepath.Join(dir, name), content)
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	s.byPath[importPath] = pkg
}

// goFiles returns the sorted names of the Go files of a package.
func (s *Sources) goFiles(pkg *packages.Package) []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.changed) == 0 || len(pkg.GoFiles) == 0 {
		return pkg.GoFiles
	}
	names := slices.Clone(pkg.GoFiles)
	dir := filepath.Dir(names[0])
	for name, content := range s.changed {
		if i := slices.Index(names, name); i < 0 && content != nil && filepath.Dir(name) == dir {
			names = append(names, name)
		} else if i >= 0 && content == nil {
			names = slices.Delete(names, i, i+1)
		}
	}
	slices.Sort(names)
	return names
}

// Files returns the names of the Go files of a package, or none if it is not found.
func (s *Sources) Files(ctx context.Context, importPath string) []string {
	found, _ := s.list(ctx, []string{importPath})
	for _, pkg := range found {
		return pkg.GoFiles
	}
	return nil
}

// list returns the packages that match the patterns. Packages that do not exist have an error.
func (s *Sources) list(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	s.listing.Lock()
	defer s.listing.Unlock()
	if missing := s.unknown(patterns); len(missing) > 0 {
		if ahead := s.ahead; len(ahead) > 0 {
			all := slices.Concat(missing, s.unknown(ahead))
			s.note(s.goList(ctx, slices.Compact(slices.Sorted(slices.Values(all)))))
			if s.ahead = nil; !s.imported {
				s.ahead, s.imported = s.imports(ahead), true // for the next time
			}
			missing = s.unknown(missing)
		}
		if len(missing) > 0 && !s.note(s.goList(ctx, missing)) {
			found, err := s.cfg.load(ctx, patterns)
			for _, pkg := range found {
				s.byPath[pkg.PkgPath] = pkg
			}
			return found, err
		}
	}
	var found []*packages.Package
	seen := map[*packages.Package]bool{}
	for _, pattern := range patterns {
		matches, ok := s.listed[pattern]
		if !ok {
			matches = []*packages.Package{s.byPath[pattern]}
		}
		for _, pkg := range matches {
			if !seen[pkg] {
				seen[pkg], found = true, append(found, pkg)
			}
		}
	}
	return found, nil
}

// goList returns the packages that match each pattern. It also finds packages that the vendor directory lacks, and
// packages of modules in the module graph that go.mod or go.sum lacks. ok is false for cases that only Config.load
// handles.
func (s *Sources) goList(ctx context.Context, patterns []string) (found map[string][]*packages.Package, ok bool) {
	found, ok = s.cfg.goListOnce(ctx, patterns)
	s.cfg.unvendored(ctx, found)
	lacking := s.cfg.completable(found)
	if len(lacking) == 0 || len(s.cfg.Env.Workspace()) > 0 {
		return found, ok
	}
	for pattern, matches := range s.cfg.goListCompleted(ctx, lacking) {
		if !slices.ContainsFunc(matches, func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 }) {
			found[pattern] = matches
			for _, pkg := range matches {
				if pkg.Module != nil && !slices.Contains(s.unsummed, pkg.Module.Path) {
					s.unsummed = append(s.unsummed, pkg.Module.Path)
				}
			}
		}
	}
	slices.Sort(s.unsummed)
	return found, ok
}

// unknown returns the patterns that require the go command.
func (s *Sources) unknown(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool {
		_, listed := s.listed[pattern]
		pkg := s.byPath[pattern]
		return listed || pkg != nil && len(pkg.Errors) == 0
	})
}

// imports returns the imports of the packages that match the patterns, without the standard library.
func (s *Sources) imports(patterns []string) []string {
	var names []string
	for _, pattern := range patterns {
		for _, pkg := range s.listed[pattern] {
			names = append(names, pkg.GoFiles...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	parallel.Each(names, s.parse)
	var found []string
	for _, name := range names {
		for _, importPath := range (&File{Syntax: s.file(name, ReadFile).ast}).Imports() {
			if !model.IsStandard(importPath) {
				found = append(found, importPath)
			}
		}
	}
	return found
}

// note records the packages that match some patterns. It returns ok.
func (s *Sources) note(found map[string][]*packages.Package, ok bool) bool {
	for pattern, matches := range found {
		s.listed[pattern] = matches
		for i, pkg := range matches {
			if first := s.byPath[pkg.PkgPath]; first != nil {
				matches[i] = first
			}
			s.byPath[pkg.PkgPath] = matches[i]
		}
	}
	return ok
}

// Forget frees the memory of the files that were read. Later Loaders read them again. Unless keepPositions is set, each
// token.Pos in them becomes invalid.
func (s *Sources) Forget(keepPositions bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, f := range s.files {
		if !keepPositions {
			s.removePositions(f)
		}
	}
	clear(s.files)
}

// removePositions frees the memory of the positions in a file.
func (s *Sources) removePositions(f *parsedFile) {
	if f.ast != nil && f.ast.FileStart.IsValid() {
		s.fset.RemoveFile(s.fset.File(f.ast.FileStart))
	}
}

// file returns a file. It calls read unless the file was read before. It replaces \r\n by \n, because go/ast reports
// wrong ends of comments for \r\n.
func (s *Sources) file(name string, read func(name string) ([]byte, error)) *parsedFile {
	s.lock.Lock()
	f := s.files[name]
	if content, ok := s.changed[name]; ok {
		read = func(string) ([]byte, error) { return content, nil }
	}
	if f == nil {
		f = &parsedFile{}
		s.files[name] = f
	}
	s.lock.Unlock()
	f.read.Do(func() {
		f.text, f.readErr = read(name)
		if bytes.IndexByte(f.text, '\r') >= 0 {
			f.text = bytes.ReplaceAll(f.text, []byte("\r\n"), []byte("\n"))
		}
	})
	return f
}

// lineDirective matches the beginning of comments that change positions. They are hidden from the parser, because
// diagnostics and the association of comments with declarations need the lines of the file itself.
var lineDirective = regexp.MustCompile(`(?m)(^//|/\*)line `)

// parse reads a file, and parses it if that is done immediately.
func (s *Sources) parse(name string) {
	if f := s.file(name, ReadFile); s.toParse(f) {
		_, _ = s.syntax(name, f)
	}
}

// syntax parses a file that was read, once.
func (s *Sources) syntax(name string, f *parsedFile) (*ast.File, error) {
	f.parse.Do(func() {
		text := f.text
		if bytes.Contains(text, []byte("//line ")) || bytes.Contains(text, []byte("/*line ")) {
			text = lineDirective.ReplaceAll(text, []byte("${1}a:bc "))
		}
		f.ast, f.parseErr = goparser.ParseFile(s.fset, name, text, goparser.ParseComments|goparser.SkipObjectResolution)
	})
	return f.ast, f.parseErr
}
