package load

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/parallel"
)

// maxAhead is the number of files that are read before the go command has listed them.
const maxAhead = 1000

// readAhead starts to read and parse files that probably belong to the packages of patterns that are not listed yet,
// and of those that later calls will ask for. It uses the time that the go command takes. The function that it returns
// ends this, and forgets all files that are not part of a listed package: they may be invalid.
func (s *Sources) readAhead(patterns []string) (end func()) {
	if s.cfg.List != nil || s.cfg.ReadFile != nil || s.cfg.hasDriver() {
		return func() {}
	}
	s.listing.Lock()
	patterns = s.unknown(slices.Concat(patterns, s.ahead))
	s.listing.Unlock()
	if len(patterns) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var names []string
	var bug any
	go func() {
		defer func() {
			bug = recover()
			close(done)
		}()
		names = s.probable(ctx, patterns)
		parallel.Each(names, func(name string) {
			if ctx.Err() != nil {
				return
			}
			if f := s.file(name, ReadFile); s.toParse(f) && ctx.Err() == nil {
				_, _ = s.syntax(name, f)
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

// probable returns the names of the Go files, except for tests, in directories that the patterns name. It omits files
// that were read already, and ends early when ctx is done.
func (s *Sources) probable(ctx context.Context, patterns []string) (names []string) {
	for _, pattern := range patterns {
		top, wild := strings.CutSuffix(pattern, "/...")
		if !s.cfg.isLocal(pattern) || strings.Contains(top, "...") {
			continue
		}
		root := s.cfg.Env.At(filepath.FromSlash(top))
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch base := filepath.Base(name); {
			case ctx.Err() != nil || len(names) == maxAhead:
				return fs.SkipAll
			case err != nil:
				return nil // the go command reports what it cannot read
			case entry.IsDir() && name != root && (!wild || isIgnored(base) || isFile(filepath.Join(name, "go.mod"))):
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
	note := func(s *Sources) {
		for _, pkg := range s.byPath {
			if pkg != nil {
				for _, name := range pkg.GoFiles {
					listed[name] = true
				}
			}
		}
	}
	note(s)
	for _, other := range s.apart {
		note(other)
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
