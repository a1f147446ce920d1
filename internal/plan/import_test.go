package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/source/load"
)

func TestClassify(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "exists.example.com/crds"), 0o755); err != nil {
		t.Fatal(err)
	}
	manifests := []string{
		"-", "crds", ".", "./example.com/api", "/example.com/api", "exists.example.com/crds", "crd.yaml", "example.com/crd.json", "k8s/api/v1",
		"example.com/API v1", "example.com/api@", "example.com/api@v1@v2", "example.com/.../v1", "https://example.com/crds.yml",
	}
	packages := []string{"example.com/api/v1", "example.com/api/...", "example.com/api/v1@v1.2.3", "example.com/api/...@latest", "exists.example.com/v1", "gopkg.in/api.v3"}
	f := ImportFlags{Arguments: slices.Concat(packages, manifests)}
	f.classify(load.Environment{Dir: dir})
	if !slices.Equal(f.Manifests, manifests) {
		t.Errorf("manifests %q, want %q", f.Manifests, manifests)
	}
	if !slices.Equal(f.Packages, packages) {
		t.Errorf("packages %q, want %q", f.Packages, packages)
	}
	if found, ok := ParseGoPackages("example.com/api/...@latest"); !ok || found != (GoPackages{"example.com/api/...", "latest"}) {
		t.Errorf("found %+v, %v", found, ok)
	}
}
