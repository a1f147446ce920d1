package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
