package workflow

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestOwnWrites runs the tests in testdata/ownwrites, for which the table of approaches in docs/consistency.md is.
// They need the package consistency of client-go's preview release, beside kubegen's and controller-runtime's client.
func TestOwnWrites(t *testing.T) {
	dir, pinned := t.TempDir(), moduletest.Release(model.PreviewRelease.String())
	moduletest.Copy(t, dir, pinned, "github.com/kubegen/kubegen/examples/crontab-types")
	for to, from := range map[string]string{
		"apis":      filepath.Join(moduletest.Root, "examples", "crontab-types", "apis"),
		"ownwrites": filepath.Join("testdata", "ownwrites"),
	} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(moduletest.Root, "docs", "consistency.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "consistency.md"), page, 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN="+moduletest.ModFile(t, pinned).Toolchain.Name)
	tests := moduletest.ModFile(t, "../go.mod")
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	edit := []string{"go", "mod", "edit", "-require=sigs.k8s.io/controller-runtime@" + moduletest.Required(tests, "sigs.k8s.io/controller-runtime")}
	for _, name := range []string{"consistency", "conversion", "fakeapi"} {
		module := "github.com/kubegen/kubegen/" + name
		edit = append(edit, "-require="+module+"@v0.0.0", "-replace="+module+"="+filepath.Join(moduletest.Root, name))
	}
	for _, command := range [][]string{
		edit,
		{kubegen, "--with-consistency", "--output-dir", "generated", "./apis/..."},
		{"go", "mod", "tidy"},
		{"go", "vet", "./ownwrites"},
		{"go", "test", "./ownwrites"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
}
