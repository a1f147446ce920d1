package output

import (
	"bytes"
	"crypto/sha256"
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

	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Snapshot holds the Go files, or the files with another extension, below an output directory at the time of reading.
type Snapshot struct {
	disk        *Disk
	dir         string
	flat        bool   // without subdirectories
	ext         string // extension of file names
	marks       gofile.ToolMarks
	files       []*goFile                     // ordered by name in each directory
	strays      []string                      // leftovers of killed Commits: slash-separated paths relative to dir
	directories map[string]map[string]*goFile // slash-separated directory ("." for dir) -> base name
}

type goFile struct {
	rel       string // slash-separated, relative to the Snapshot's dir
	link      bool   // is a symlink to a file
	generated bool   // has one of the Snapshot's marks
	*content         // nil if the file was removed before it was read
}

// content is what remains in memory of a file.
type content struct {
	text []byte            // the whole content, or the lines above the package clause if kubegen has generated the file
	sum  [sha256.Size]byte // of the whole content if text is not
	part bool
}

// is reports whether the whole content is other.
func (c *content) is(other []byte) bool {
	if c.part {
		return c.sum == sha256.Sum256(other)
	}
	return bytes.Equal(c.text, other)
}

// Disk reads files. It reads each file once, so that Snapshots with the same Disk share its content. The zero Disk is
// ready to use.
type Disk struct {
	files sync.Map // *content by path
}

func (d *Disk) file(path string) (*content, error) {
	if found, ok := d.files.Load(path); ok {
		return found.(*content), nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	read := &content{text: text}
	if filepath.Ext(path) == ".go" && strings.HasPrefix(gofile.MarkOf(text), gofile.ByKubegen) {
		read = &content{text: bytes.Clone(gofile.TopComments(text)), sum: sha256.Sum256(text), part: true}
	}
	found, _ := d.files.LoadOrStore(path, read)
	return found.(*content), nil
}

// Read reads the Go files and licences below dir. If dir does not exist, the Snapshot is empty. marks are the marks of
// generated files.
//
// Like the pattern "./..." of the go command, it skips files and directories whose names begin with "." or "_",
// directories named testdata, vendor or node_modules, and nested modules. It reads symlinks to files, but does not
// follow symlinks to directories. What another process removes in the meantime does not exist.
func (d *Disk) Read(dir string, marks ...gofile.ToolMark) (*Snapshot, error) {
	return d.read(dir, false, ".go", marks)
}

// ReadFlat is like Read, but only reads files directly in dir.
func (d *Disk) ReadFlat(dir string, marks ...gofile.ToolMark) (*Snapshot, error) {
	return d.read(dir, true, ".go", marks)
}

// ReadOthers is like ReadFlat, but reads files with another extension, such as ".yaml".
func (d *Disk) ReadOthers(dir, ext string, marks ...gofile.ToolMark) (*Snapshot, error) {
	return d.read(dir, true, ext, marks)
}

func (d *Disk) read(dir string, flat bool, ext string, marks gofile.ToolMarks) (*Snapshot, error) {
	snapshot := &Snapshot{disk: d, dir: filepath.Clean(dir), flat: flat, ext: ext, marks: marks, directories: map[string]map[string]*goFile{}}
	root := newDirectories(snapshot.dir).root
	if root.err != nil || !root.exists {
		return snapshot, root.err
	}
	listed := snapshot.list(".")
	if err := errors.Join(append(parallel.Map(snapshot.files, snapshot.read), listed)...); err != nil {
		return nil, err
	}
	snapshot.files = slices.DeleteFunc(snapshot.files, func(f *goFile) bool { return f.content == nil })
	for _, f := range snapshot.files {
		in, name := path.Dir(f.rel), path.Base(f.rel)
		if snapshot.directories[in] == nil {
			snapshot.directories[in] = map[string]*goFile{}
		}
		snapshot.directories[in][name] = f
	}
	return snapshot, nil
}

// list adds the files in and below the directory rel, without their contents.
func (s *Snapshot) list(rel string) error {
	entries, err := os.ReadDir(s.Path(rel))
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list %s: %w", s.Path(rel), Reason(err))
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
				if info, err := os.Stat(s.Path(child)); err != nil || !info.Mode().IsRegular() {
					continue
				}
			}
			s.files = append(s.files, &goFile{rel: child, link: link})
		}
	}
	return errors.Join(errs...)
}

// isLicence reports whether a file is a licence that belongs to copied Go files, and may have their mark.
func isLicence(name string) bool { return name == "LICENSE" || name == "NOTICE" }

// read reads a file that list found.
func (s *Snapshot) read(f *goFile) (err error) {
	switch f.content, err = s.disk.file(s.Path(f.rel)); {
	case missing(err):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", s.Path(f.rel), Reason(err))
	}
	f.generated = s.marks.On(path.Base(f.rel), f.text)
	return nil
}

// Path returns the OS path of the file at the slash-separated path rel.
func (s *Snapshot) Path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// at returns the file at the slash-separated path rel, or nil if there is none.
func (s *Snapshot) at(rel string) *goFile { return s.directories[path.Dir(rel)][path.Base(rel)] }

// Top returns the lines of a Go file above its package clause, or more, and the content of other files. It returns nil
// if there is no file at the slash-separated path rel. The result must not be modified.
func (s *Snapshot) Top(rel string) []byte {
	if f := s.at(rel); f != nil {
		return f.text
	}
	return nil
}

// Content is like Top, but returns the whole content, or nil if the file was removed in the meantime.
func (s *Snapshot) Content(rel string) []byte {
	if f := s.at(rel); f == nil || !f.part {
		return s.Top(rel)
	}
	text, _ := os.ReadFile(s.Path(rel))
	return text
}

// HandWritten returns the Go files, including tests, directly in the slash-separated directory dir without any of the
// marks: contents by base name. "." is the output directory. known has the contents of files that are replaced. The
// result must not be modified.
func (s *Snapshot) HandWritten(dir string, known map[string][]byte) map[string][]byte {
	files := maps.Clone(known)
	for name, f := range s.directories[path.Clean(dir)] {
		if !f.generated && path.Ext(name) == s.ext && known[name] == nil {
			if files == nil {
				files = map[string][]byte{}
			}
			files[name] = s.Content(f.rel)
		}
	}
	return files
}

// Generated returns the files with one of the marks: results of Top, by slash-separated path relative to the output
// directory. It omits symlinks.
func (s *Snapshot) Generated() map[string][]byte {
	files := map[string][]byte{}
	for _, file := range s.files {
		if file.generated && !file.link {
			files[file.rel] = file.text
		}
	}
	return files
}
