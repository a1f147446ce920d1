package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestCronTab generates the CronTab example for a release of client-go, which its go.mod names, and runs those of the example's
// tests that do without fakeapi, which needs the newest release. They are written for that, too; --backport makes them work with
// others.
func TestCronTab(t *testing.T) {
	pinned, err := ReleaseDir(*release)
	if err != nil {
		t.Fatal(err)
	}
	example := filepath.Join("..", "..", "examples", "crontab-types")
	dir := t.TempDir()
	if err := CopyModule(filepath.Join(dir, "apis"), filepath.Join(example, "apis")); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(dir, "go.sum"), filepath.Join(pinned, "go.sum"))
	goMod, err := os.ReadFile(filepath.Join(pinned, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	goMod = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(goMod, []byte("module github.com/kubegen/kubegen/examples/crontab-types"))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), goMod, 0o644); err != nil {
		t.Fatal(err)
	}

	kubegen := filepath.Join(t.TempDir(), "kubegen")
	if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", kubegen, "./cmd/kubegen")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--output-dir", "plain", "./apis/..."},
		{"--output-dir", "generated", "--backport", "./apis/..."},
	} {
		cmd := goCommand(dir, args...)
		cmd.Path = kubegen
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := output(goCommand(dir, "mod", "tidy")); err != nil { // generated code imports what only client-go did
		t.Fatal(err)
	}
	if _, err := output(goCommand(dir, "vet", "./...")); err != nil { // also for the Go release that client-go asks for
		t.Error(err)
	}
	realtime := *release < "v0.35" // see there
	files := []string{"informers_test.go", "fakes_test.go", "lifecycle_test.go"}
	if realtime {
		copyFile(t, filepath.Join(dir, "realtime", "synctest.go"), filepath.Join("realtime", "synctest.go"))
	} else {
		files = append(files, "waits_test.go") // which waits for minutes
	}
	for _, name := range files {
		tests, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			t.Fatal(err)
		}
		if realtime {
			tests = bytes.ReplaceAll(tests, []byte(`"testing/synctest"`), []byte(`"github.com/kubegen/kubegen/examples/crontab-types/realtime"`))
		}
		if err := os.WriteFile(filepath.Join(dir, name), tests, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := output(goCommand(dir, "mod", "edit", "-go=1.26.0")); err != nil { // which the test asks for
		t.Fatal(err)
	}
	runs, err := RunTests(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range runs {
		if !run.Passed {
			t.Errorf("%s failed\n%s%v", name, run.Output, run.Failed)
		}
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
