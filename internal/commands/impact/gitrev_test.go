package impact

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/source/load"
)

// repository creates a repository with the given commits. Each one is a map from paths to contents, where "" removes a
// file. The commits have the tags v1, v2, ...
func repository(t *testing.T, commits ...map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q", ".")
	for i, files := range commits {
		for name, content := range files {
			name = filepath.Join(dir, filepath.FromSlash(name))
			var err error
			if content == "" {
				err = os.Remove(name)
			} else if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				err = os.WriteFile(name, []byte(content), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", "-A")
		git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "c")
		git(t, dir, "tag", "v"+string(rune('1'+i)))
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	// Maintenance would go on after a commit, in the background, and write to dir while the test removes it.
	cmd := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestFiles(t *testing.T) {
	dir := repository(t, map[string]string{
		"a/x.go": "x", "a/é ü/y.go": "y\nyy", "a/data.txt": "no", "ab/z.go": "z", "a/.hidden/h.go": "no", "a/testdata/t.go": "no",
		"a/mod/go.mod": "module m", "a/mod/deep/m.go": "no", "a/testdata.go": "yes", "a/gone/g.go": "g", "go.mod": "module top",
	}, map[string]string{"a/x.go": "xx", "a/gone/g.go": ""})
	for _, test := range []struct {
		rev, dir string
		want     []string
	}{
		{"v1", "a", []string{"gone/g.go=g", "testdata.go=yes", "x.go=x", "é ü/y.go=y\nyy"}},
		{"v2", "a", []string{"testdata.go=yes", "x.go=xx", "é ü/y.go=y\nyy"}},
		{"HEAD~1", "a/gone", []string{"g.go=g"}}, // the directory no longer exists
		{"v2", "a/gone", nil},
		{"v1", "", []string{"a/gone/g.go=g", "a/testdata.go=yes", "a/x.go=x", "a/é ü/y.go=y\nyy", "ab/z.go=z"}},
		{"v1", "never", nil},
	} {
		at := filepath.Join(dir, filepath.FromSlash(test.dir))
		rev, err := OpenRevision(t.Context(), at, test.rev)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		if err := rev.Files(at, []string{".go"}, func(rel string, content []byte) { files[rel] = string(content) }); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range slices.Sorted(maps.Keys(files)) {
			got = append(got, name+"="+files[name])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s of %s: got %q, want %q", test.dir, test.rev, got, test.want)
		}
	}
	rev, err := OpenRevision(t.Context(), filepath.Join(dir, "a"), "v1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rev.Containing("yy", "never"); err != nil || !slices.Equal(got, []string{"a/é ü/y.go"}) {
		t.Errorf("Containing: got %q, %v", got, err)
	}
	if got, err := rev.Containing("never"); err != nil || len(got) > 0 {
		t.Errorf("Containing: got %q, %v", got, err)
	}
	if err := rev.Files(t.TempDir(), nil, nil); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("outside: got %v", err)
	}
}

func TestErrors(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "1"}, map[string]string{"a.go": "2"})
	shallow := t.TempDir()
	git(t, shallow, "clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(dir), ".")
	for _, test := range []struct{ name, dir, rev, want string }{
		{"no revision", dir, "nothing", `revision "nothing" is not in the repository`},
		{"no commit", dir, "v1:a.go", `revision "v1:a.go" is not in the repository`},
		{"a flag", dir, "--all", `"--all" is not a revision`},
		{"empty", dir, "", `"" is not a revision`},
		{"shallow", shallow, "HEAD~1", "in this shallow clone; fetch it"},
		{"no repository", t.TempDir(), "HEAD", "is not in a git repository"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "no repository" {
				t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(test.dir))
			}
			_, err := OpenRevision(t.Context(), test.dir, test.rev)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	t.Run("in a hook", func(t *testing.T) {
		t.Setenv("GIT_DIR", ".git")
		if _, err := OpenRevision(t.Context(), filepath.Join(dir, "below"), "v1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("no git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := OpenRevision(t.Context(), dir, "v1"); err == nil || !strings.Contains(err.Error(), "not in PATH") {
			t.Errorf("got %v", err)
		}
	})
}

// TestPatchesOfRevision compares manifests with those of a revision, where a patch of kustomize has a webhook convert
// the objects.
func TestPatchesOfRevision(t *testing.T) {
	const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.org}
spec:
  group: example.org
  names: {kind: Foo, plural: foos}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {a: {type: integer}}}}}
`
	const patch = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.org}
spec: {conversion: {strategy: Webhook}}
`
	dir := repository(t, map[string]string{
		"config/crd/bases/foos.yaml": manifest, "config/crd/patches/webhook.yaml": patch, "top.yaml": manifest,
		"config/crd/kustomization.yaml": "patches: [{path: patches/webhook.yaml}]",
	}, map[string]string{"config/crd/kustomization.yaml": "resources: [bases/foos.yaml]"})
	for _, test := range []struct {
		before, after string
		want          int
	}{
		{"v1:config/crd", "v2:config/crd", 2}, {"v1:config/crd/bases", "config/crd/bases", 2}, {"v1:./config/crd", "config", 2},
		{"v2:config/crd", "v1:config/crd", 0}, {"v1:config/crd", "v1:config", 0}, {"v1:top.yaml", "config/crd/bases/foos.yaml", 0},
	} {
		changes, diags, err := Between(t.Context(), load.Environment{Dir: dir}, test.before, test.after, nil)
		if len(changes) != test.want || len(diags) > 0 || err != nil {
			t.Errorf("%s and %s: %v, %v, %v", test.before, test.after, changes, diags, err)
		}
	}
}
