package conformance

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// workDir returns an empty directory for modules that a test compiles. Its name is the same in each run of the
// checkout, because it is among the build cache's keys: the next run finds everything that did not change already
// built and tested. (-trimpath leaves it out of these keys, but shares nothing with ordinary builds, so that the
// whole API server would be compiled once more.)
func workDir(t *testing.T) string {
	t.Helper()
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("kubegen-%.6x", sha256.Sum256([]byte(checkout))), *release+"-"+name)
	if info, err := os.Stat(dir); err == nil {
		if time.Since(info.ModTime()) < 2*time.Hour {
			return t.TempDir() // another run may use it
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
		_ = os.Remove(filepath.Dir(dir)) // fails until it is empty
	})
	return dir
}
