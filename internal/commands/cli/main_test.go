package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/source/load"
)

func TestWithOptional(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module api\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                   "",
		"-v":                 "-v=1",
		"-v ./apis/...":      "-v=1 ./apis/...",
		"-v 2 ./apis/...":    "-v=2 ./apis/...",
		"--v 0 -v --verify":  "--v=0 -v=1 --verify",
		"-v=3 --verbose":     "-v=3 --verbose",
		"--verify -- -v 1":   "--verify -- -v 1",
		"--output-dir x -v ": "--output-dir x -v=1",

		"--with-crds":                         "--with-crds",
		"--with-crds -v 2":                    "--with-crds -v=2",
		"--with-crds --verify ./...":          "--with-crds --verify ./...",
		"--with-crds=crds ./apis/...":         "--with-crds=crds ./apis/...",
		"--with-crds config/crd ./apis/...":   "--with-crds=config/crd ./apis/...",
		"--with-crds crds ./apis/...":         "--with-crds=crds ./apis/...",
		"--with-crds /tmp/crds ./apis/...":    "--with-crds=/tmp/crds ./apis/...",
		"--with-crds ./apis/...":              "--with-crds ./apis/...",
		"--with-crds apis/...":                "--with-crds apis/...",
		"--with-crds /tmp/apis/...":           "--with-crds /tmp/apis/...",
		"--with-crds ./apis/v1":               "--with-crds ./apis/v1",
		"--with-crds ../apis":                 "--with-crds ../apis",
		"--with-crds .":                       "--with-crds .",
		"--with-crds example.com/apis/v1":     "--with-crds example.com/apis/v1",
		"--with-crds api/v1":                  "--with-crds api/v1", // a package of this module
		"--with-crds apis/v1":                 "--with-crds=apis/v1",
		"--with-crds CronTab":                 "--with-crds CronTab",
		"--with-crds -- crds":                 "--with-crds -- crds",
		"--with-deepcopy --with-crds v1/crds": "--with-deepcopy --with-crds=v1/crds",
	} {
		if got := strings.Join(withOptional(strings.Fields(args), load.Environment{Dir: dir}, false), " "); got != want {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
	imported := withOptional([]string{"--with-crds", "crds", "--with-rbac", "upstream"}, load.Environment{Dir: dir}, true)
	if want := []string{"--with-crds=crds", "--with-rbac", "upstream"}; !slices.Equal(imported, want) {
		t.Errorf("got %q, want %q", imported, want)
	}
}
