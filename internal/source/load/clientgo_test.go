package load

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestClientGo reads what determines the release of client-go from go.mod files alone.
func TestRelease(t *testing.T) {
	for _, test := range []struct{ goMod, graph, want string }{
		{"module k8s.io/client-go\nrequire k8s.io/api v0.35.1\n", "", "k8s.io/api v0.35.1"}, // which does not require itself
		{"module example.com/other\nrequire k8s.io/api v0.35.1\n", "", "k8s.io/api v0.35.1"},
		{"module example.com/other\nrequire (\n\tk8s.io/api v0.35.1\n\tk8s.io/apimachinery v0.35.2\n)\n", "", "k8s.io/apimachinery v0.35.2"},
		{"module example.com/other\nrequire k8s.io/apimachinery v0.35.2\n", "v0.34.1", "k8s.io/client-go v0.34.1"},
		{"module example.com/other\nrequire (\n\tk8s.io/api v0.35.1\n\tk8s.io/client-go v0.34.0\n)\n", "", "k8s.io/client-go v0.34.0"},
		{"module example.com/other\nrequire (\n\tk8s.io/client-go v0.0.0\n\tk8s.io/apimachinery v0.36.0\n)\n", "", "k8s.io/apimachinery v0.36.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v0.0.0-20260602065202-e006560fc76a\n", "", "k8s.io/client-go v0.36.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v1.35.0\n", "", "k8s.io/client-go v1.35.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace example.com/a => example.com/b master\n", "", "k8s.io/client-go v0.36.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.0.0\n", "", " "},
		{"module example.com/other\n", "", " "},
		{"module example.com/other\n<<<<<<< HEAD\n", "", " "},
	} {
		m := NewModules(t.Context(), Environment{Dir: "/other"}, 0)
		m.inGraph = func(string, string) string { return test.graph }
		m.readFile = func(name string) ([]byte, error) {
			if name == filepath.FromSlash("/other/go.mod") {
				return []byte(test.goMod), nil
			}
			return nil, fs.ErrNotExist
		}
		m.Find()
		if got := m.Release("/other"); got.Module+" "+got.Version != test.want {
			t.Errorf("%s\nthe release is that of %s %s, want %s", test.goMod, got.Module, got.Version, test.want)
		}
	}
}

func TestToGet(t *testing.T) {
	for _, test := range []struct {
		wanted        model.Release
		version, want string
	}{
		{0, "v0.34.1", "v0.34.1"},
		{0, "v0.35.0-rc.1", "v0.35.0-rc.1"},
		{0, "v0.36.0-alpha.0.0.20251101000000-0123456789ab", "v0.35"},
		{0, "v1.35.1", "v0.35"},
		{0, "v0.0.0", model.NewestRelease.String()},
		{0, "", model.NewestRelease.String()},
		{36, "v0.34.1", "v0.36"},
		{34, "v0.36.1", "v0.36.1"}, // code for older releases compiles with newer ones
	} {
		m := NewModules(t.Context(), Environment{}, test.wanted)
		if got := m.ToGet(model.Dependency{Version: test.version}); got != test.want {
			t.Errorf("for %s and %q, get %s, want %s", test.wanted, test.version, got, test.want)
		}
	}
}

// TestLocated finds the directories of required modules: replacements before the module cache, and that before the
// vendor directory.
func TestLocated(t *testing.T) {
	dir := t.TempDir()
	goMod := `module example.com/main

require (
	example.com/Cached v1.0.0
	example.com/missing v1.0.0
	example.com/replaced v1.0.0
	example.com/fork v1.0.0
	example.com/vendored v1.0.0
)

replace (
	example.com/fork v1.0.0 => example.com/other v1.2.0
	example.com/replaced => ./replaced
	example.com/replaced v0.9.0 => ./older
)
`
	want := map[string]string{
		"example.com/Cached": "cache/example.com/!cached@v1.0.0", "example.com/missing": "", "example.com/replaced": "main/replaced",
		"example.com/fork": "cache/example.com/other@v1.2.0", "example.com/vendored": "main/vendor/example.com/vendored",
	}
	for _, name := range slices.Concat(slices.Collect(maps.Values(want)), []string{"cache/example.com/fork@v1.0.0", "main/older", "main/vendor/example.com/Cached"}) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main/go.mod"), []byte(goMod), 0o644); err != nil {
		t.Fatal(err)
	}
	m := NewModules(t.Context(), Environment{Dir: filepath.Join(dir, "main"), Vars: []string{"GOWORK=off", "GOMODCACHE=" + filepath.Join(dir, "cache")}}, 0)
	m.Find()
	located := m.Located(t.Context())
	if len(located) != len(want) {
		t.Errorf("%d modules, want %d", len(located), len(want))
	}
	for _, found := range located {
		at := ""
		if want[found.Module] != "" {
			at = filepath.Join(dir, filepath.FromSlash(want[found.Module]))
		}
		if found.Dir != at {
			t.Errorf("%s is in %q, want %q", found.Module, found.Dir, at)
		}
	}
	for importPath, want := range map[string][2]string{
		"example.com/Cached/config/crd": {"cache/example.com/!cached@v1.0.0/config/crd", "example.com/Cached"},
		"example.com/main/config":       {"main/config", "example.com/main"},
		"example.com/missing/config":    {"", "example.com/missing"},
		"example.com/none":              {"", ""},
	} {
		at := ""
		if want[0] != "" {
			at = filepath.Join(dir, filepath.FromSlash(want[0]))
		}
		if got, module := m.DirOf(t.Context(), importPath); got != at || module != want[1] {
			t.Errorf("%s is in %q of %q, want %q of %q", importPath, got, module, at, want[1])
		}
	}
}
