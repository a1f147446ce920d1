package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

// Whatever reads the templates is given no more of them than that.
func TestTemplateFS(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"long.tmpl": string(make([]byte, maxTemplate+1)), "mark.tmpl": "\ufeffx"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
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

// targetOf returns a target for a generator.
func targetOf(g render.Generator, dir string) Target {
	return Target{Target: plan.Target{Of: g.Info(), Dir: dir}, Generator: g}
}

// TestFollowed reads the manifests that --crds names.
func TestFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "crds"), 0o777); err != nil {
		t.Fatal(err)
	}
	flags := &plan.Flags{Manifests: "crds", Settings: plan.Settings{}}
	command := plan.Command{WholeModule: true, Consistent: true, Layout: plan.Everything}
	p, diags := plan.Resolve(generators.Infos(), command, flags, load.Environment{Dir: dir})
	_, diags = Resolve(generators.All, p, diags)
	if len(diags) != 1 || !strings.HasPrefix(diags[0].Message, "--crds: no file in directory") {
		t.Errorf("%d diagnostics, the first is %s", len(diags), diags[0].Message)
	}
}
