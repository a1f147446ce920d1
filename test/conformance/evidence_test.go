package conformance

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestHidden generates the CronTab example for each release by its number, and then from a go.mod that has no number
// but a directory.
func TestHidden(t *testing.T) {
	kubegen := buildKubegen(t)
	for release := model.OldestRelease; release <= model.PreviewRelease; release++ {
		t.Run(release.String(), func(t *testing.T) {
			known := newCronTab(t, t.TempDir(), release.String())
			run(t, kubegen, known, "--client-go-version", release.String(), "--output-dir", "generated", "--with-consistency", "./apis/...")
			hidden := newCronTab(t, t.TempDir(), release.String())
			clientGo, err := ModuleDir(known, "k8s.io/client-go")
			if err != nil {
				t.Fatal(err)
			}
			replaceClientGo(t, hidden, clientGo)
			said := run(t, kubegen, hidden, "-v", "1", "--output-dir", "generated", "--with-consistency", "./apis/...")
			if want := "client-go " + release.String() + " by its source, from k8s.io/client-go v0.0.0 at go.mod:"; !strings.Contains(said, want) {
				t.Errorf("kubegen does not say %q:\n%s", want, said)
			}
			sameFiles(t, filepath.Join(hidden, "generated"), filepath.Join(known, "generated"))
		})
	}
}

// TestDoctored changes a copy of the newest client-go: code follows what is missing, or an error names it.
func TestDoctored(t *testing.T) {
	kubegen := buildKubegen(t)
	release := model.NewestRelease.String()
	pinned := releaseDir(t, release)
	original, err := ModuleDir(pinned, "k8s.io/client-go")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, file, old, new string
		refused              string // or else the code compiles
	}{
		{"taken out", "tools/cache/listwatch.go", "func ToListWatcherWithWatchListSemantics(", "func toListWatcherWithWatchListSemantics(", ""},
		{"needed", "gentype/type.go", "func NewClientWithListAndApply[", "func NewClientWithAll[",
			"k8s.io/client-go v0.0.0 lacks k8s.io/client-go/gentype.NewClientWithListAndApply, which generated code needs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := newCronTab(t, t.TempDir(), release)
			copied := filepath.Join(workDir(t), "client-go")
			copyDir(t, copied, original)
			name := filepath.Join(copied, filepath.FromSlash(test.file))
			text, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(text, []byte(test.old)) {
				t.Fatalf("%s has no %q (%v)", test.file, test.old, err)
			}
			writeFile(t, name, bytes.ReplaceAll(text, []byte(test.old), []byte(test.new)))
			replaceClientGo(t, dir, copied)
			cmd := goCommand(dir, "--output-dir", "generated", "--with-consistency", "./apis/...")
			cmd.Path = kubegen
			out, err := cmd.CombinedOutput()
			if refused := err != nil; refused != (test.refused != "") || !strings.Contains(string(out), test.refused) {
				t.Fatalf("got %v, want %q:\n%s", err, test.refused, out)
			}
			if err != nil {
				return
			}
			if _, err := output(goCommand(dir, "mod", "tidy")); err != nil {
				t.Fatal(err)
			}
			if _, err := output(goCommand(dir, "vet", "./...")); err != nil {
				t.Error(err)
			}
		})
	}
}

// built is the directory of the kubegen that buildKubegen returns.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "kubegen"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(built)
	m.Run()
}

// buildOnce builds kubegen for all tests of the process.
var buildOnce = sync.OnceValue(func() error {
	_, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", filepath.Join(built, "kubegen"), "./cmd/kubegen"))
	return err
})

func buildKubegen(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, "kubegen")
}

// run runs a command in dir and returns all that it prints.
func run(t *testing.T, command, dir string, args ...string) string {
	t.Helper()
	cmd := goCommand(dir, args...)
	cmd.Path = command
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// newCronTab makes a module in a directory with the types of the CronTab example that requires a release of
// client-go, and the modules of this repository that generated code imports. It returns the directory.
func newCronTab(t *testing.T, dir, release string) string {
	t.Helper()
	copyDir(t, filepath.Join(dir, "apis"), filepath.Join("..", "..", "examples", "crontab-types", "apis"))
	moduletest.Copy(t, dir, moduletest.Release(release), kubegenModule+"/examples/crontab-types")
	modules := append(use("consistency", filepath.Join(moduletest.Root, "consistency")), use("conversion", filepath.Join(moduletest.Root, "conversion"))...)
	if _, err := output(goCommand(dir, append([]string{"mod", "edit"}, modules...)...)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replaceClientGo makes a module use the client-go in a directory, without a version.
func replaceClientGo(t *testing.T, dir, clientGo string) {
	t.Helper()
	if _, err := output(goCommand(dir, "mod", "edit", "-require=k8s.io/client-go@v0.0.0", "-replace=k8s.io/client-go="+clientGo)); err != nil {
		t.Fatal(err)
	}
}

func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	files := 0
	err := fs.WalkDir(os.DirFS(want), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		a, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(want, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
