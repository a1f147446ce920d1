package typecopy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/load"
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
	c, p := &copier{}, &Package{Licences: map[string][]byte{}}
	c.licences(&source{Package: &load.Package{Owner: &packages.Module{Path: "x.example.com", Version: "v1.2.3", Dir: dir}}}, p)
	if len(c.List) > 0 {
		t.Errorf("got %v", c.List)
	}
	if want := Sealed("x.example.com@v1.2.3 NOTICE.txt", notice); !bytes.Equal(p.Licences["NOTICE"], want) {
		t.Errorf("NOTICE has %d bytes, want %d", len(p.Licences["NOTICE"]), len(want))
	}
}
