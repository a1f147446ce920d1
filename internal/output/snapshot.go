package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/parallel"
)

// Snapshot is the Go files below one output directory, read once.
type Snapshot struct {
	dir         string
	flat        bool // without the directories below dir
	marks       []string
	files       []*goFile                 // in the order of their names, directory by directory
	strays      []string                  // files left behind by a killed Commit, by slash-separated path relative to dir
	directories map[string]map[string]int // slash-separated directory ("." for dir), base name, index in files
}

type goFile struct {
	rel     string // slash-separated, relative to the Snapshot's dir
	link    bool   // a symlink to a file
	content []byte
}

// Read reads the Go files below dir; a dir that does not exist has none. marks are the lines that mark generated
// files, which HandWritten leaves out.
//
// It skips what the go command skips in "./...": files and directories whose names begin with "." or "_", directories named
// testdata, vendor or node_modules, and nested modules. Symlinks to files are read, those to directories are not followed.
func Read(dir string, marks ...string) (*Snapshot, error) { return read(dir, false, marks) }

// ReadFlat is Read for the files directly in dir.
func ReadFlat(dir string, marks ...string) (*Snapshot, error) { return read(dir, true, marks) }

func read(dir string, flat bool, marks []string) (*Snapshot, error) {
	s := &Snapshot{dir: filepath.Clean(dir), flat: flat, marks: marks, directories: map[string]map[string]int{}}
	root := newDirectories(s.dir).root
	if root.err != nil || !root.exists {
		return s, root.err
	}
	listed := s.list(".")
	read := parallel.Try(s.files, func(f *goFile) (err error) {
		name := s.join(f.rel)
		if f.content, err = os.ReadFile(name); err != nil {
			return fmt.Errorf("cannot read %s: %w", name, reason(err))
		}
		return nil
	})
	if err := errors.Join(listed, read); err != nil {
		return nil, err
	}
	return s, nil
}

// list adds the files of the directory rel and below, without their contents.
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
		case path.Ext(name) == ".go":
			link := entry.Type()&fs.ModeSymlink != 0
			if link {
				// Like the go command, ignore symlinks that are dangling or lead to a directory.
				info, err := os.Stat(s.join(child))
				link = err == nil && info.Mode().IsRegular()
			}
			if link || entry.Type().IsRegular() {
				if s.directories[rel] == nil {
					s.directories[rel] = map[string]int{}
				}
				s.directories[rel][name] = len(s.files)
				s.files = append(s.files, &goFile{rel: child, link: link})
			}
		}
	}
	return errors.Join(errs...)
}

func (s *Snapshot) join(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// Content returns the content of the file at the slash-separated path rel, nil if the Snapshot does not have it. It must not be
// modified.
func (s *Snapshot) Content(rel string) []byte {
	content, _ := s.content(rel)
	return content
}

// content is like Content, and reports whether the Snapshot has the file, which may be empty.
func (s *Snapshot) content(rel string) ([]byte, bool) {
	i, ok := s.directories[path.Dir(rel)][path.Base(rel)]
	if !ok {
		return nil, false
	}
	return s.files[i].content, true
}

// HandWritten returns the Go files, tests included, directly in the slash-separated directory dir ("." is the output
// directory itself) that have none of the marks given to Read: contents by base name. The result must not be modified.
func (s *Snapshot) HandWritten(dir string) map[string][]byte {
	files := map[string][]byte{}
	for name, i := range s.directories[path.Clean(dir)] {
		if content := s.files[i].content; !HasMark(content, s.marks...) {
			files[name] = content
		}
	}
	return files
}

// Generated returns the files that have one of the marks given to Read: contents by slash-separated path relative to
// the output directory. The result must not be modified. It omits symlinks.
func (s *Snapshot) Generated() map[string][]byte {
	files := map[string][]byte{}
	for _, file := range s.files {
		if !file.link && HasMark(file.content, s.marks...) {
			files[file.rel] = file.content
		}
	}
	return files
}
