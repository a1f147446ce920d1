package conformance

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// registered are packages of public modules with +groupName, by their module. The registration of those of
// k8s.io/metrics is written by hand, that of the others by register-gen.
var registered = map[string][]string{
	"k8s.io/metrics":           {"pkg/apis/metrics/v1", "pkg/apis/metrics/v1alpha1", "pkg/apis/metrics/v1beta1"},
	"k8s.io/sample-controller": {"pkg/apis/samplecontroller/v1alpha1"},
	"sigs.k8s.io/gateway-api":  {"apis/v1", "apis/v1alpha2", "apis/v1alpha3", "apis/v1beta1", "apisx/v1alpha1"},
}

// TestMigrationRegister replaces what registers the types in copies of public modules: callers must notice nothing,
// the packages must compile, and the same types must be registered.
func TestMigrationRegister(t *testing.T) {
	dir := workDir(t)
	tool := filepath.Join(dir, "gen-register")
	if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", tool, "./cmd/gen-register")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
	}
	var packages, files, before []string
	for module, below := range registered {
		from, err := output(goCommand("migration", "list", "-m", "-f", "{{.Dir}}", module))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.Base(module))
		copyWritable(t, to, strings.TrimSpace(string(from)))
		if _, err := output(goCommand(dir, "mod", "edit", "-replace", module+"=./"+filepath.Base(module))); err != nil {
			t.Fatal(err)
		}
		for _, pkg := range below {
			packages = append(packages, module+"/"+pkg)
			file := filepath.Join(to, filepath.FromSlash(pkg), "zz_generated.register.go")
			files = append(files, file)
			byHand := filepath.Join(filepath.Dir(file), "register.go")
			if _, err := os.Stat(file); err == nil {
				before = append(before, registers(t, file))
				continue
			}
			before = append(before, registers(t, byHand))
			if err := os.Remove(byHand); err != nil {
				t.Fatal(err)
			}
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command(tool, packages...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, goEnv(), &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for i, file := range files {
		text, _ := os.ReadFile(file)
		if after := registers(t, file); after != before[i] || !bytes.Contains(text, []byte("by kubegen register")) {
			t.Errorf("%s registers\n%s\nbut before\n%s", file, after, before[i])
		}
	}
	if _, err := output(goCommand(dir, append([]string{"vet"}, packages...)...)); err != nil {
		t.Error(err)
	}
	was, err := Load("migration", packages...)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Load(dir, packages...)
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range Compare(was, is).Differences() {
		t.Error(difference)
	}
}

// registers returns what the file passes to AddKnownTypes, sorted.
func registers(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "AddKnownTypes(SchemeGroupVersion,")
	types, _, ok := strings.Cut(rest, ")")
	if !ok {
		t.Fatalf("%s registers nothing", file)
	}
	return strings.Join(slices.Sorted(strings.FieldsSeq(types)), " ")
}

// copyWritable copies a directory out of the module cache, whose files cannot be written to.
func copyWritable(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, name)
		if err != nil || relErr != nil || entry.IsDir() {
			return err
		}
		if ext := filepath.Ext(name); ext != ".go" && ext != ".mod" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
