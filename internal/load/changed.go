package load

import (
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/stamp"
)

// reading records the content of a file when it was first read.
type reading struct {
	stamp stamp.Stamp // before the file was read
	hash  uint64
}

var hashes = maphash.MakeSeed()

// noteRead records the hash of a hand-written file. The file may have been read before, and forgotten.
func (s *Sources) noteRead(name string, before stamp.Stamp, text []byte) {
	if origin.Of(text) != "" {
		return
	}
	r := reading{before, maphash.Bytes(hashes, text)}
	s.lock.Lock()
	defer s.lock.Unlock()
	if first, ok := s.readings[name]; !ok {
		s.readings[name] = r
	} else if first.hash != r.hash {
		s.readings[name] = reading{first.stamp, 0} // two versions were read
	}
}

// Changed returns the name of a source file that was modified or added since it was read, or "". Generated files and
// packages outside of the main modules do not count.
func (s *Sources) Changed() string {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.lock.Lock()
	defer s.lock.Unlock()
	var changed []string
	for name, was := range s.readings {
		if stamp.Of(name) != was.stamp && !was.still(name) {
			changed = append(changed, name)
		}
	}
	for _, listed := range append(slices.Collect(maps.Values(s.apart)), s) {
		for _, pkg := range listed.byPath {
			changed = append(changed, s.added(pkg)...)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return slices.Min(changed)
}

// still reports whether a file has the content that was read.
func (r reading) still(name string) bool {
	text, err := input.File(name)
	return err == nil && maphash.Bytes(hashes, text) == r.hash
}

// added returns the files that were added to a package since its files were read.
func (s *Sources) added(pkg *packages.Package) (names []string) {
	if pkg == nil || pkg.Module == nil || !pkg.Module.Main || len(pkg.GoFiles) == 0 {
		return nil
	}
	wasRead := func(name string) bool { _, ok := s.readings[name]; return ok }
	if !slices.ContainsFunc(pkg.GoFiles, wasRead) {
		return nil
	}
	dir := filepath.Dir(pkg.GoFiles[0])
	entries, _ := os.ReadDir(dir) // if the directory is gone, so are the files
	for _, entry := range entries {
		base := entry.Name()
		name := filepath.Join(dir, base)
		if entry.IsDir() || filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || base[0] == '.' || base[0] == '_' ||
			slices.Contains(pkg.GoFiles, name) || slices.Contains(pkg.IgnoredFiles, name) {
			continue
		}
		if text, err := input.File(name); err == nil && origin.Of(text) == "" {
			names = append(names, name)
		}
	}
	return names
}
