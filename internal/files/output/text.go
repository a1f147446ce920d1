package output

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"sync"
)

// Text is the content of a file: in memory, or elsewhere if Snapshot.Keep returned it.
type Text struct {
	held   []byte
	in     io.ReaderAt // nil if the content is in memory
	offset int64
	size   int
}

// Held returns a Text in memory.
func Held(content []byte) Text { return Text{held: content} }

// Exists reports whether there is a content, which may be empty. For the zero Text, there is none.
func (t Text) Exists() bool { return t.held != nil || t.in != nil }

// Read returns the content, which must not be modified.
func (t Text) Read() ([]byte, error) {
	if t.in == nil {
		return t.held, nil
	}
	content := make([]byte, t.size)
	_, err := t.in.ReadAt(content, t.offset)
	return content, err
}

// Bytes is like Read, but returns nil if the content cannot be read. Commit and Diff return the error.
func (t Text) Bytes() []byte {
	content, err := t.Read()
	if err != nil {
		return nil
	}
	return content
}

// onDisk is the path of a file with the content of a Text.
type onDisk string

// ReadAt implements io.ReaderAt.
func (path onDisk) ReadAt(p []byte, offset int64) (int, error) {
	f, err := os.Open(string(path))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, offset)
}

// spill is a temporary file for contents that would need too much memory together. The file has no name, so nothing
// remains when the process ends. The zero spill is ready to use.
type spill struct {
	lock   sync.Mutex
	held   int // bytes in memory
	file   *os.File
	size   int64
	failed bool
}

// maxHeld is how many bytes of changed files remain in memory.
const maxHeld = 32 << 20

// keep returns a Text with the content. If the temporary file cannot be written, the Text is in memory.
func (s *spill) keep(content []byte) Text {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.held+len(content) <= maxHeld || s.failed {
		s.held += len(content)
		return Held(content)
	}
	if s.file == nil {
		s.open()
	}
	if !s.failed {
		_, err := s.file.WriteAt(content, s.size)
		s.failed = err != nil
	}
	if s.failed {
		return Held(content)
	}
	s.size += int64(len(content))
	return Text{in: s.file, offset: s.size - int64(len(content)), size: len(content)}
}

// open creates the temporary file. Systems that cannot remove an open file have none.
func (s *spill) open() {
	file, err := os.CreateTemp("", "kubegen-")
	if err == nil {
		err = os.Remove(file.Name())
	}
	if s.file, s.failed = file, err != nil; s.failed && file != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
}

// content is the part of a file on disk that remains in memory.
type content struct {
	text []byte // the whole content, or the lines above the package clause if kubegen has generated the file
	part bool   // text is not the whole content
	sum  [sha256.Size]byte
	size int
}

// is reports whether the whole content of the file is other.
func (c *content) is(other []byte) bool {
	if c.part {
		return c.size == len(other) && c.sum == sha256.Sum256(other)
	}
	return bytes.Equal(c.text, other)
}
