package load

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

const clientGo, machinery = "k8s.io/client-go", "k8s.io/apimachinery"

// TestReleases checks that the source of each release shows the capabilities that the table has, in the version that
// other tests use and in all that are in the module cache.
func TestReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it may download all releases of client-go")
	}
	for release := model.OldestRelease; release <= model.NewestRelease; release++ {
		dir := download(t, release)
		check(t, dir, release)
		others, err := filepath.Glob(strings.TrimSuffix(dir, filepath.Base(dir)) + "client-go@" + release.String() + ".*")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			if _, err := os.Stat(modules(other)[machinery]); err == nil && model.IsKnown(versionOf(other)) {
				check(t, other, release)
			}
		}
	}
}

func check(t *testing.T, dir string, release model.Release) {
	t.Helper()
	version := versionOf(dir)
	s := NewEvidence(modules(dir))
	shown := s.Shown()
	for _, c := range model.Capabilities() {
		if has, known := shown[c]; !known || has != release.Has(c) {
			t.Errorf("%s: %s is %t (known: %t) by %s, and %t by the table", version, c, has, known, c.Evidence(), release.Has(c))
		}
	}
	if missing := s.Missing(); len(missing) > 0 {
		t.Errorf("%s lacks %v", version, missing)
	}
	if got := shown.Release(); got != release {
		t.Errorf("%s is %s by its source", version, got)
	}
}

// download returns the directory of the client-go that the module of a release requires; apimachinery is beside it.
func download(t *testing.T, release model.Release) (dir string) {
	t.Helper()
	goMod := moduletest.ModFile(t, moduletest.Release(release.String()))
	version := moduletest.Required(goMod, clientGo)
	cmd := exec.Command("go", "mod", "download", "-json", machinery+"@"+version, clientGo+"@"+version)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if goMod.Toolchain != nil {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+goMod.Toolchain.Name)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var module struct{ Path, Dir string }
		if err := decoder.Decode(&module); err != nil {
			t.Fatal(err)
		}
		if module.Path == clientGo {
			dir = module.Dir
		}
	}
	return dir
}

func versionOf(dir string) string {
	_, version, _ := strings.Cut(filepath.Base(dir), "@")
	return version
}

func modules(dir string) map[string]string {
	return map[string]string{clientGo: dir, machinery: filepath.Join(filepath.Dir(dir), "apimachinery@"+versionOf(dir))}
}

// TestHas finds declarations of each form, and none in files that are not built or that only mention the names.
func TestHas(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p/a.go": "package p\n\nimport \"example.com/v7/typed\"\n\ntype (\n\tT[E any] struct {\n\t\t*typed.Embedded `json:\"\" yaml:\"x\"`\n\t\tF int\n\t}\n" +
			"\tI interface{ M() }\n)\n\nfunc (t *T[E]) Method() { if t.F == nil {} }\n\nfunc New() {}\n",
		"p/mentions.go":  "package p\n\n// Gone was func Gone() and t.F == 0\nvar text = \"Gone\"\n",
		"p/excluded.go":  "//go:build never\n\npackage p\n\nfunc Excluded() {}\n",
		"p/some_test.go": "package p\n\nfunc Tested() {}\n",
		"p/broken.go":    "package p\n\nfunc Broken() {}\n\nfunc (\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := NewEvidence(map[string]string{"example.com": dir})
	const p = "example.com/p"
	for _, test := range []struct {
		evidence   model.Evidence
		has, known bool
	}{
		{model.Evidence{Package: p, Name: "New"}, true, true},
		{model.Evidence{Package: p, Name: "T"}, true, true},
		{model.Evidence{Package: p, Name: "T.Method"}, true, true},
		{model.Evidence{Package: p, Name: "T.F"}, true, true},
		{model.Evidence{Package: p, Name: "I.M"}, true, true},
		{model.Evidence{Package: p, Name: "I.Method"}, false, true},
		{model.Evidence{Package: p, Name: "Method"}, false, true},
		{model.Evidence{Package: p, Name: "T.Embedded", Tag: `json:""`}, true, true},
		{model.Evidence{Package: p, Name: "T.Embedded", Tag: `yaml:""`}, false, true},
		{model.Evidence{Package: p, Name: "T.F", Tag: `json:""`}, false, true},
		{model.Evidence{Package: p, Import: "example.com/v7/typed"}, true, true},
		{model.Evidence{Package: p, Import: "example.com/v7"}, false, true},
		{model.Evidence{Package: p, Expression: "t.F == nil"}, true, true},
		{model.Evidence{Package: p, Expression: "t.F == 0"}, false, true},
		{model.Evidence{Package: p, Name: "Gone"}, false, true},
		{model.Evidence{Package: p, Name: "Excluded"}, false, true},
		{model.Evidence{Package: p, Name: "Tested"}, false, true},
		{model.Evidence{Package: p, Name: "Broken"}, true, true},
		{model.Evidence{Package: "example.com/q", Name: "New"}, false, false},
		{model.Evidence{Package: "example.org/p", Name: "New"}, false, false},
	} {
		if has, known := s.Has(test.evidence); has != test.has || known != test.known {
			t.Errorf("%+v: got %t, %t, want %t, %t", test.evidence, has, known, test.has, test.known)
		}
	}
}
