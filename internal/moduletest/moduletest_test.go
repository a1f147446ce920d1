package moduletest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestReleases checks that there is a go.mod file for each release of client-go for which code can be generated, and
// for no other.
func TestReleases(t *testing.T) {
	files, err := filepath.Glob(Release("v*"))
	if err != nil {
		t.Fatal(err)
	}
	if want := int(model.PreviewRelease-model.OldestRelease) + 1; len(files) != want {
		t.Errorf("%s has %d releases; code is generated for %d, %s to %s", Releases, len(files), want, model.OldestRelease, model.PreviewRelease)
	}
	for release := model.OldestRelease; release <= model.PreviewRelease; release++ {
		name := Release(release.String())
		required := Required(ModFile(t, name), "k8s.io/client-go")
		if got, _ := model.ReleaseOf(required); got != release {
			t.Errorf("%s requires client-go %s", name, required)
		}
	}
}

// TestReplacements checks that of all replacements only those by directories change, and only if they are relative.
func TestReplacements(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	const text = "module m\n\nreplace a.example/v7 => a.example/v7 v7.0.0\n\nreplace b.example => ../b\n"
	for name, text := range map[string]string{"v1.mod": text, "v1.sum": ""} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	Copy(t, to, filepath.Join(from, "v1.mod"), "copy")
	b := filepath.Join(filepath.Dir(from), "b")
	for _, name := range []string{filepath.Join(from, "v1.mod"), filepath.Join(to, "go.mod")} {
		got, want := Replacements(t, name), []string{"-replace=a.example/v7=a.example/v7@v7.0.0", "-replace=b.example=" + b}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	got := strings.TrimSpace(string(read(t, filepath.Join(to, "go.mod"))))
	want := "module copy\n\nreplace a.example/v7 => a.example/v7 v7.0.0\n\nreplace b.example => " + b
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
