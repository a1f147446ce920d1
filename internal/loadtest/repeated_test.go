package loadtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestRepeated checks that a command runs again if, and only if, files that it reads have changed.
func TestRepeated(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) *byte {
		t.Helper()
		cmd := exec.Command("go", append([]string{"list", "-e", "-find", "-f", "{{.ImportPath}} {{.GoFiles}}"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
		out, err := output(cmd)
		if err != nil || len(out) == 0 {
			t.Fatalf("%v: %q, %v", cmd.Args, out, err)
		}
		return &out[0]
	}
	moduletest.Write(t, dir, []byte("module example.com/m\n"))
	write("v1/a.go", "package v1")

	commands := [][]string{{"--", "./..."}, {"--", "example.com/m/v1"}, {"--", "time"}}
	for _, step := range []struct {
		name   string
		change func()
		again  []bool
	}{
		{"nothing", func() {}, []bool{false, false, false}},
		{"a new file", func() { write("v1/b.go", "package v1") }, []bool{true, true, false}},
		{"a longer file", func() { write("v1/b.go", "package v1 // b") }, []bool{true, true, false}},
		{"a new directory", func() { write("v2/b.go", "package v2") }, []bool{true, true, false}},
		{"the checksums", func() { write("go.sum", "") }, []bool{true, true, true}},
	} {
		var before []*byte
		for _, args := range commands {
			before = append(before, run(args...))
		}
		step.change()
		for i, args := range commands {
			if again := run(args...) != before[i]; again != step.again[i] {
				t.Errorf("%s changed: go list %v runs again: %t", step.name, args, again)
			}
		}
	}

	modfile := filepath.Join(t.TempDir(), "go.mod")
	complete := func() string {
		t.Helper()
		if err := os.WriteFile(modfile, []byte("module example.com/m\ngo 1.24\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		run("-mod=mod", "-modfile="+modfile, "--", "time")
		text, err := os.ReadFile(modfile)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if first, second := complete(), complete(); first != second {
		t.Errorf("the first command wrote\n%s\nthe same one later\n%s", first, second)
	}
}
