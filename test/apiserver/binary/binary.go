// Package binary builds the API server for tests.
package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// Build builds the API server and returns the path of the executable. All tests share the file, in the user's cache. It
// is built without the commit, so that it is linked again only if the code has changed; linking takes longer than most
// tests.
func Build() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "kubegen-e2e", "apiserver")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", file, ".")
	build.Dir, build.Env = filepath.Join(moduletest.Root, "test", "apiserver"), append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build in test/apiserver: %w\n%s", err, out)
	}
	return file, nil
}
