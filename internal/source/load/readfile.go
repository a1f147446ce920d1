// This file reads files without blocking for ever: it does not open named pipes and devices that it finds in
// directories.

package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// IrregularError is the error for a file that is not regular.
type IrregularError struct {
	Name string
	Mode fs.FileMode
}

func (e *IrregularError) Error() string {
	what := "not a regular file"
	for mode, name := range map[fs.FileMode]string{
		fs.ModeDir: "a directory", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket", fs.ModeDevice: "a device",
	} {
		if e.Mode.Type()&mode != 0 {
			what = name
		}
	}
	return fmt.Sprintf("%s is %s, but must be a file; remove it", e.Name, what)
}

// CheckRegular returns an *IrregularError unless name is a regular file, or a symlink to one.
func CheckRegular(name string) error {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &IrregularError{name, info.Mode()}
	}
	return err
}

// CheckRegularIn returns an *IrregularError for the first irregular file in a directory with an extension. Directories,
// and symlinks to directories, are allowed.
func CheckRegularIn(dir, ext string) error {
	entries, _ := os.ReadDir(dir) // there may be none
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ext || entry.Type().IsRegular() {
			continue
		}
		var irregular *IrregularError
		if errors.As(CheckRegular(filepath.Join(dir, entry.Name())), &irregular) && !irregular.Mode.IsDir() {
			return irregular
		}
	}
	return nil
}

// GoFiles returns the names of the Go files in a directory, sorted. Unlike a pattern of package filepath, the name of
// the directory may have any characters.
func GoFiles(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // there may be none
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".go" {
			names = append(names, filepath.Join(dir, entry.Name()))
		}
	}
	return names
}

// ReadFile returns the content of a regular file.
func ReadFile(name string) ([]byte, error) {
	if err := CheckRegular(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// ReadNamed returns the content of a file that a user named, without a leading byte order mark. It may also be a device
// or a pipe, such as <(command) in a shell. A named pipe without a writer is empty. More than limit bytes are an error.
func ReadNamed(name string, limit int64) ([]byte, error) {
	flag := os.O_RDONLY
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		flag |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadBounded(f, name, limit)
}

// ReadBounded is like Named for the content of a reader.
func ReadBounded(r io.Reader, name string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is larger than the limit of %d MiB", name, limit>>20)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}
