package cli

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// How long, in bytes, the files may be that flags name: those that are longer are none, such as /dev/zero.
const (
	maxHeader   = 1 << 20
	maxTemplate = 1 << 20
	maxOpenAPI  = 128 << 20 // 25 times that of Kubernetes
)

// readInput reads a file that a flag names, without the byte order mark that some editors put first.
func readInput(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f, name, limit)
}

func readBounded(r io.Reader, name string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is longer than %d MiB, which is the limit", name, limit>>20)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// templateFS has the templates of a folder.
type templateFS struct{ fs.FS }

// ReadFile is what fs.ReadFile calls.
func (t templateFS) ReadFile(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f, name, maxTemplate)
}
