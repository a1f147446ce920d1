package typecopy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/load"
)

// TestLicences copies a NOTICE with the licences of hundreds of modules, and no directory that is named like a licence.
func TestLicences(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "COPYING"), 0o700); err != nil {
		t.Fatal(err)
	}
	notice := bytes.Repeat([]byte("Copyright of X.\n"), 1<<17)
	for name, text := range map[string][]byte{"LICENSE": []byte("Do as you like.\n"), "NOTICE.txt": notice} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, p := &copier{}, &Package{Package: &importer.Package{Licences: map[string][]byte{}}}
	c.licences(&source{Package: &load.Package{Owner: &packages.Module{Path: "x.example.com", Version: "v1.2.3", Dir: dir}}}, p)
	if len(c.diags) > 0 {
		t.Errorf("got %v", c.diags)
	}
	if want := Sealed("x.example.com@v1.2.3 NOTICE.txt", notice); !bytes.Equal(p.Licences["NOTICE"], want) {
		t.Errorf("NOTICE has %d bytes, want %d", len(p.Licences["NOTICE"]), len(want))
	}
}

// TestLinks copies no licences and no source files outside of their module to which symbolic links in it point.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range []string{"module/licences", "module/api", "outside"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("outside/secret", "A secret.\n")
	write("outside/types.go", "package secret\n")
	write("module/licences/mine", "Do as you like.\n")
	write("module/api/types.go", "package api\n")
	link("../outside/secret", "module/NOTICE")
	link("licences/mine", "module/LICENSE")
	link(filepath.Join(dir, "outside", "secret"), "module/COPYING")
	link("../../outside/types.go", "module/api/secret.go")
	link("types.go", "module/api/inside.go")
	link("../outside", "module/other")
	link("module", "linked")
	for _, root := range []string{"module", "linked"} {
		owner := &packages.Module{Path: "x.example.com", Dir: filepath.Join(dir, root)}
		c, p := &copier{}, &Package{Package: &importer.Package{Licences: map[string][]byte{}}}
		c.licences(&source{Package: &load.Package{Owner: owner}}, p)
		if len(p.Licences) != 1 || !bytes.Contains(p.Licences["LICENSE"], []byte("Do as you like.")) {
			t.Errorf("%s: copied %s", root, p.Licences)
		}
		if len(c.diags) != 2 {
			t.Errorf("%s: got %v, want two warnings", root, c.diags)
		}
		for name, want := range map[string]bool{"api/types.go": true, "api/inside.go": true, "api/secret.go": false, "other/types.go": false, "api/missing.go": true} {
			pkg := &load.Package{Path: "x.example.com/" + filepath.Dir(name), Owner: owner, Files: []*load.File{{Name: filepath.Join(dir, root, name)}}}
			if got := c.inModule(pkg, leaveOut); got != want {
				t.Errorf("%s/%s: in the module: %v, want %v", root, name, got, want)
			}
		}
	}
}
