package moduletest

import (
	"path/filepath"
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
