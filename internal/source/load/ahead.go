package load

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// maxAhead is the number of files that are read before the go command has listed them, and maxSeen the number of files
// and directories among which these are looked for: other code than Go's may be there.
const maxAhead, maxSeen = 1000, 20_000

// toRead returns the names of the files to read ahead: those that probably belong to the packages of patterns that are
// not listed yet, and of those that later calls will ask for.
func (s *Sources) toRead(ctx context.Context, patterns []string) []string {
	if s.cfg.List != nil || s.cfg.ReadFile != nil || s.cfg.hasDriver() {
		return nil
	}
	s.listing.Lock()
	patterns = s.unknown(slices.Concat(patterns, s.ahead))
	s.listing.Unlock()
	return s.probable(ctx, patterns)
}

// readAhead starts to read and parse files. It uses the time that the go command takes. The function that it returns
// ends this, and forgets all files that are not part of a listed package: they may be invalid.
func (s *Sources) readAhead(names []string) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var bug any
	go func() {
		defer func() {
			bug = recover()
			close(done)
		}()
		parallel.Each(names, func(name string) {
			if ctx.Err() == nil {
				s.parse(name)
			}
		})
	}()
	return func() {
		cancel()
		<-done
		if bug != nil {
			panic(bug)
		}
		s.forgetUnlisted(names)
	}
}

// foreseen returns the packages that Imported will list together when it is asked for the first of them, as far as the
// files to read ahead show it. There are none unless a type refers to a package that is not among Config.Likely: the
// go command could download what nobody needs.
func (l *Loader) foreseen(names []string) (found []string) {
	if !l.cfg.FieldTypes {
		return nil
	}
	imports, typed := map[string][]string{}, map[string]bool{} // by directory
	refers := false
	for _, name := range names {
		if l.ctx.Err() != nil {
			return nil
		}
		f, dir := l.shared.file(name, ReadFile), filepath.Dir(name)
		if f.readErr != nil || gofile.MarkOf(f.text) != "" || bytes.Contains(f.text, []byte("//go:build ")) {
			continue // it is not parsed, or may belong to no package
		}
		typed[dir] = typed[dir] || slices.ContainsFunc(l.typed(), func(text string) bool { return bytes.Contains(f.text, []byte(text)) })
		all := ImportsIn(f.text)
		imports[dir] = append(imports[dir], all...)
		unlikely := slices.DeleteFunc(all, func(path string) bool { return model.IsStandard(path) || slices.Contains(l.cfg.Likely, path) })
		if len(unlikely) > 0 && !refers {
			syntax, _ := l.shared.syntax(name, f)
			refers = typesReferTo(syntax, unlikely)
		}
	}
	if !refers {
		return nil
	}
	for _, dir := range slices.Sorted(maps.Keys(typed)) {
		if typed[dir] {
			found = append(found, imports[dir]...)
		}
	}
	return l.withCompanions(found)
}

// typesReferTo reports whether a type in a file refers to one of some imported packages.
func typesReferTo(syntax *ast.File, importPaths []string) bool {
	f := &File{Syntax: syntax}
	for _, d := range syntax.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
			for selector := range Nodes[*ast.SelectorExpr](gen) {
				name, ok := selector.X.(*ast.Ident)
				if ok && slices.Contains(importPaths, f.ImportPath(name.Name, func(string) *Package { return nil })) {
					return true
				}
			}
		}
	}
	return false
}

// probable returns the names of the Go files, except for tests, in directories that the patterns name. It omits files
// that were read already, and ends early when ctx is done.
func (s *Sources) probable(ctx context.Context, patterns []string) (names []string) {
	seen := 0
	for _, pattern := range patterns {
		top, wild := strings.CutSuffix(pattern, "/...")
		if !s.cfg.isLocal(pattern) || strings.Contains(top, "...") {
			continue
		}
		root := s.cfg.Env.At(filepath.FromSlash(top))
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			seen++
			switch base := filepath.Base(name); {
			case ctx.Err() != nil || len(names) == maxAhead || seen > maxSeen:
				return fs.SkipAll
			case err != nil:
				return nil // the go command reports what it cannot read
			case entry.IsDir() && name != root && (!wild || Ignores(name)):
				return fs.SkipDir
			case entry.IsDir() || filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || base[0] == '.' || base[0] == '_':
				return nil
			}
			names = append(names, name)
			return nil
		})
	}
	slices.Sort(names)
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, inMemory := s.changed[name]
		return inMemory || s.files[name] != nil
	})
}

// forgetUnlisted forgets that files were read, unless a listed package contains them.
func (s *Sources) forgetUnlisted(names []string) {
	s.listing.Lock()
	defer s.listing.Unlock()
	listed := map[string]bool{}
	for _, in := range append(slices.Collect(maps.Values(s.apart)), s) {
		for _, pkg := range in.byPath {
			if pkg != nil {
				for _, name := range pkg.GoFiles {
					listed[name] = true
				}
			}
		}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, name := range names {
		if f := s.files[name]; f != nil && !listed[name] {
			delete(s.files, name)
			s.removePositions(f)
		}
	}
}
