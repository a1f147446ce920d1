package docs

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

// TestLines compares the lines of generated code in generated-code.md with those for one and for two new kinds.
func TestLines(t *testing.T) {
	page, err := os.ReadFile("generated-code.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range controllerRuntime(t, root) {
		write(t, filepath.Join(dir, file.Name), file.Data)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	run := func(args ...string) {
		t.Helper()
		stderr := &bytes.Buffer{}
		if code := cli.Main(cli.Kubegen, args, io.Discard, stderr); code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, stderr)
		}
	}
	var lines [2]map[string]int
	for i, kind := range []string{"CronTab", "CronRun"} {
		run("new", kind+".v1.stable.example.com")
		run("--with-deepcopy", "--with-register", "--with-crds", "./apis/...")
		lines[i] = linesOf(t, dir)
	}
	for output, two := range lines[1] {
		one := lines[0][output]
		if row := fmt.Sprintf(" | %d | %d |\n", 2*one-two, two-one); !strings.Contains(string(page), row) {
			t.Errorf("the page has no row with the figures of %s:%s", output, row)
		}
	}
}

// linesOf counts the lines of the generated files below a directory, by output.
func linesOf(t *testing.T, dir string) map[string]int {
	t.Helper()
	lines := map[string]int{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		output, below := "", strings.TrimPrefix(name, "pkg/generated/")
		switch {
		case strings.HasPrefix(filepath.Base(name), "zz_generated."):
			output = "apis"
		case strings.HasPrefix(name, "config/crd/"):
			output = "manifests"
		case strings.Contains(below, "fake"):
			output = "fakes"
		case below != name:
			output, _, _ = strings.Cut(below, "/")
		default:
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		lines[output] += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
