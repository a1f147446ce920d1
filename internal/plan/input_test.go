package plan

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zeros is a reader without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReadBounded(t *testing.T) {
	for _, test := range []struct {
		r         io.Reader
		want, err string
	}{
		{strings.NewReader("abcd"), "abcd", ""},
		{strings.NewReader("\ufeffa"), "a", ""},
		{strings.NewReader("abcde"), "", "x is larger than the limit of 0 MiB"},
		{zeros{}, "", "x is larger than the limit of 0 MiB"},
	} {
		text, err := readBounded(test.r, "x", 4)
		switch {
		case test.err == "" && (err != nil || string(text) != test.want):
			t.Errorf("got %q, %v; want %q", text, err, test.want)
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("got %v, want %s", err, test.err)
		}
	}
}

// Whatever reads the templates is given no more of them than that.
func TestTemplateFS(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "long.tmpl"), string(make([]byte, maxTemplate+1)))
	writeFile(t, filepath.Join(dir, "mark.tmpl"), "\ufeffx")
	fsys := templateFS{os.DirFS(dir)}
	if _, err := fs.ReadFile(fsys, "long.tmpl"); err == nil || !strings.Contains(err.Error(), "larger than the limit") {
		t.Errorf("long: %v", err)
	}
	if text, err := fs.ReadFile(fsys, "mark.tmpl"); string(text) != "x" || err != nil {
		t.Errorf("byte order mark: %q, %v", text, err)
	}
	if _, err := fs.ReadFile(fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}
