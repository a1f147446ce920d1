package moduletest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/kubegen/kubegen/internal/model"
)

// TestReleases checks that there is a module for each release of client-go that code can be generated for, and for no
// other.
func TestReleases(t *testing.T) {
	entries, err := os.ReadDir(Releases)
	if err != nil {
		t.Fatal(err)
	}
	if want := int(model.PreviewRelease-model.OldestRelease) + 1; len(entries) != want {
		t.Errorf("%s has %d directories; code is generated for %d releases, %s to %s", Releases, len(entries), want, model.OldestRelease, model.PreviewRelease)
	}
	required := regexp.MustCompile(`k8s\.io/client-go (v\S+)`)
	for release := model.OldestRelease; release <= model.PreviewRelease; release++ {
		text, err := os.ReadFile(filepath.Join(Releases, release.String(), "go.mod"))
		match := required.FindStringSubmatch(string(text))
		if err != nil || match == nil {
			t.Errorf("%s: no required client-go (%v)", release, err)
		} else if got, _ := model.ReleaseOf(match[1]); got != release {
			t.Errorf("%s/go.mod requires client-go %s", release, match[1])
		}
	}
}
