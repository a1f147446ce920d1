package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMigrationApplyMarkers compares apply configurations that controller-gen's markers request with controller-gen's:
// the same files, with the same exported API.
func TestMigrationApplyMarkers(t *testing.T) {
	dir := workDir(t)
	tools := filepath.Join(dir, "bin")
	for name, pkg := range map[string][]string{"kubegen": {"../..", "./cmd/kubegen"}, "controller-gen": {"../../hack/tools", "sigs.k8s.io/controller-tools/cmd/controller-gen"}} {
		if _, err := output(goCommand(filepath.FromSlash(pkg[0]), "build", "-o", filepath.Join(tools, name), pkg[1])); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "applymarkers.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	input := map[string]bool{}
	place := func(root string) string {
		for _, file := range archive.Files {
			name := filepath.Join(root, filepath.FromSlash(file.Name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, file.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			input[file.Name] = true
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(root, file), filepath.Join("migration", file))
			input[file] = true
		}
		return root
	}
	classic, ours := place(filepath.Join(dir, "classic")), place(filepath.Join(dir, "ours"))
	command := func(root, name string, args ...string) {
		var stderr bytes.Buffer
		cmd := exec.Command(filepath.Join(tools, name), args...)
		cmd.Dir, cmd.Env, cmd.Stderr = root, goEnv(), &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, stderr.String())
		}
	}
	command(classic, "controller-gen", "object", "applyconfiguration", "paths=./...")
	command(ours, "kubegen", "--only", "deepcopy", "--applyconfig-markers", "./...")
	generated := func(root string) (names []string) {
		all, err := filepath.Glob(filepath.Join(root, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, top := range all {
			err := filepath.Walk(top, func(name string, info os.FileInfo, err error) error {
				if rel, _ := filepath.Rel(root, name); err == nil && !info.IsDir() && !input[filepath.ToSlash(rel)] {
					names = append(names, filepath.ToSlash(rel))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return names
	}
	if want, got := generated(classic), generated(ours); !slices.Equal(want, got) {
		t.Errorf("files\n%q\nbut controller-gen writes\n%q", got, want)
	}
	want, err := Load(classic, "./...")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(ours, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range Compare(want, got).Differences() {
		t.Error(difference)
	}
	if _, err := output(goCommand(ours, "vet", "./...")); err != nil {
		t.Error(err)
	}
}
