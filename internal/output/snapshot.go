package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/parallel"
)

// Snapshot holds the Go files, or the manifests, below an output directory at the time of reading.
type Snapshot struct {
	disk        *Disk
	dir         string
	flat        bool   // without subdirectories
	ext         string // extension of file names
	marks       genmark.Marks
	files       []*goFile                 // ordered by name in each directory
	strays      []string                  // leftovers of killed Commits: slash-separated paths relative to dir
	directories map[string]map[string]int // slash-separated directory ("." for dir) -> base name -> index in files
}

type goFile struct {
	rel       string // slash-separated, relative to the Snapshot's dir
	link      bool   // is a symlink to a file
	generated bool   // has one of the Snapshot's marks
	text      []byte
}

// Disk reads files. It reads each file once, so that Snapshots with the same Disk share its content. The zero Disk is
// ready to use.
type Disk struct {
	lock  sync.Mutex
	texts map[string][]byte // by path
}

// Shared returns the content of a file if it is equal to text, or else text.
func (d *Disk) Shared(path string, text []byte) []byte {
	if old, err := d.file(path); err == nil && bytes.Equal(old, text) {
		return old
	}
	return text
}

func (d *Disk) file(path string) ([]byte, error) {
	d.lock.Lock()
	text, ok := d.texts[path]
	d.lock.Unlock()
	if ok {
		return text, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.texts == nil {
		d.texts = map[string][]byte{}
	}
	if first, ok := d.texts[path]; ok {
		return first, nil
	}
	d.texts[path] = text
	return text, nil
}

// Read reads the Go files and licences below dir. If dir does not exist, the Snapshot is empty. marks are the marks of
// generated files.
//
// Like the pattern "./..." of the go command, it skips files and directories whose names begin with "." or "_",
// directories named testdata, vendor or node_modules, and nested modules. It reads symlinks to files, but does not
// follow symlinks to directories.
func (d *Disk) Read(dir string, marks ...genmark.Mark) (*Snapshot, error) {
	return d.read(dir, false, ".go", marks)
}

// ReadFlat is like Read, but only reads files directly in dir.
func (d *Disk) ReadFlat(dir string, marks ...genmark.Mark) (*Snapshot, error) {
	return d.read(dir, true, ".go", marks)
}

// ReadManifests is like ReadFlat, but reads YAML files.
func (d *Disk) ReadManifests(dir string, marks ...genmark.Mark) (*Snapshot, error) {
	return d.read(dir, true, ".yaml", marks)
}

func (d *Disk) read(dir string, flat bool, ext string, marks genmark.Marks) (*Snapshot, error) {
	snapshot := &Snapshot{disk: d, dir: filepath.Clean(dir), flat: flat, ext: ext, marks: marks, directories: map[string]map[string]int{}}
	root := newDirectories(snapshot.dir).root
	if root.err != nil || !root.exists {
		return snapshot, root.err
	}
	listed := snapshot.list(".")
	read := parallel.Try(slices.Sorted(maps.Keys(snapshot.directories)), snapshot.read)
	if err := errors.Join(listed, read); err != nil {
		return nil, err
	}
	return snapshot, nil
}

// list adds the files in and below the directory rel, without their contents.
func (s *Snapshot) list(rel string) error {
	entries, err := os.ReadDir(s.join(rel))
	if err != nil {
		return fmt.Errorf("cannot list %s: %w", s.join(rel), reason(err))
	}
	isModule := func(e fs.DirEntry) bool { return e.Name() == "go.mod" && !e.IsDir() }
	if rel != "." && slices.ContainsFunc(entries, isModule) {
		return nil
	}
	var errs []error
	for _, entry := range entries {
		name, child := entry.Name(), path.Join(rel, entry.Name())
		switch {
		case isStray(entry):
			s.strays = append(s.strays, child)
		case strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"):
		case entry.IsDir():
			if !s.flat && name != "testdata" && name != "vendor" && name != "node_modules" {
				errs = append(errs, s.list(child))
			}
		case path.Ext(name) == s.ext, s.ext == ".go" && isLicence(name):
			link := entry.Type()&fs.ModeSymlink != 0
			if !link && !entry.Type().IsRegular() {
				continue
			}
			if link { // like the go command, ignore one that is dangling or leads to a directory
				if info, err := os.Stat(s.join(child)); err != nil || !info.Mode().IsRegular() {
					continue
				}
			}
			if s.directories[rel] == nil {
				s.directories[rel] = map[string]int{}
			}
			s.directories[rel][name] = len(s.files)
			s.files = append(s.files, &goFile{rel: child, link: link})
		}
	}
	return errors.Join(errs...)
}

// isLicence reports whether a file is a licence that belongs to copied Go files, and may have their mark.
func isLicence(name string) bool { return name == "LICENSE" || name == "NOTICE" }

// read reads the files of a directory that list found.
func (s *Snapshot) read(dir string) error {
	var errs []error
	for _, i := range slices.Sorted(maps.Values(s.directories[dir])) {
		f := s.files[i]
		var err error
		if f.text, err = s.disk.file(s.join(f.rel)); err != nil {
			errs = append(errs, fmt.Errorf("cannot read %s: %w", s.join(f.rel), reason(err)))
		}
		f.generated = s.marks.On(path.Base(f.rel), f.text)
	}
	return errors.Join(errs...)
}

func (s *Snapshot) join(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// Content returns the content of the file at the slash-separated path rel, or nil if there is none. It must not be
// modified.
func (s *Snapshot) Content(rel string) []byte {
	if i, ok := s.directories[path.Dir(rel)][path.Base(rel)]; ok {
		return s.files[i].text
	}
	return nil
}

// HandWritten returns the Go files, including tests, directly in the slash-separated directory dir without any of the
// marks: contents by base name. "." is the output directory. The result must not be modified.
func (s *Snapshot) HandWritten(dir string) map[string][]byte {
	files := map[string][]byte{}
	for name, i := range s.directories[path.Clean(dir)] {
		if f := s.files[i]; !f.generated && path.Ext(name) == s.ext {
			files[name] = f.text
		}
	}
	return files
}

// Generated returns the files with one of the marks: contents by slash-separated path relative to the output directory.
// It omits symlinks.
func (s *Snapshot) Generated() map[string][]byte {
	files := map[string][]byte{}
	for _, file := range s.files {
		if file.generated && !file.link {
			files[file.rel] = file.text
		}
	}
	return files
}
