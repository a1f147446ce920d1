// Package moduletest helps tests to create modules as users have them, which require a release of client-go, and to
// build the commands of this repository. Only tests import it.
package moduletest

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Root is the root directory of this repository.
var Root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}()

// Releases is the root directory of a module that belongs to no workspace. It contains a go.mod file for each release
// of client-go for which code can be generated, for the option -modfile of the go command.
var Releases = filepath.Join(Root, "test", "conformance", "releases")

// Release returns the go.mod file for a release of client-go, such as v0.37.
func Release(release string) string { return filepath.Join(Releases, release+".mod") }

// Client is the go.mod file for the newest release of client-go.
var Client = Release(model.NewestRelease.String())

// Kubebuilder is the command that writes projects, for go run.
const Kubebuilder = "sigs.k8s.io/kubebuilder/v4@v4.16.0"

// Compiled returns the modules that kubegen is compiled with as a tool of the module in dir, one in each line. The go
// command has the environment env.
func Compiled(t testing.TB, dir string, env []string) string {
	t.Helper()
	const module, tool = "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "github.com/kubegen/kubegen/cmd/kubegen"
	list := exec.Command("go", "list", "-deps", "-f", module, tool)
	list.Dir, list.Env = dir, env
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list.Args, err)
	}
	return strings.Join(slices.Compact(slices.Sorted(strings.Lines(string(out)))), "")
}

// Complete calls Write for each module in dir and below.
func Complete(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		text, err := os.ReadFile(name)
		Write(t, filepath.Dir(name), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a go.mod file in dir, and the sums of Client. If goMod has no requirements, or the comment
// "and of client-go", it must have no go line either: the line and the requirements of Client are added.
func Write(t testing.TB, dir string, goMod []byte) {
	t.Helper()
	if !bytes.Contains(goMod, []byte("require")) || bytes.Contains(goMod, []byte("// and of client-go")) {
		_, requirements, _ := bytes.Cut(read(t, Client), []byte("\ngo "))
		goMod = slices.Concat(bytes.TrimSpace(goMod), []byte("\n\ngo "), requirements)
	}
	write(t, dir, goMod, sums(t, Client))
}

func write(t testing.TB, dir string, goMod, goSum []byte) {
	t.Helper()
	for name, text := range map[string][]byte{"go.mod": goMod, "go.sum": goSum} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sums returns the go.sum file that belongs to a go.mod file.
func sums(t testing.TB, goMod string) []byte {
	t.Helper()
	return read(t, strings.TrimSuffix(goMod, ".mod")+".sum")
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Build builds commands of the directory cmd, without the race detector, and returns the directory that contains them.
// If the test measures coverage, the commands contribute to it. With -short, Build skips the test.
func Build(t testing.TB, names ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it builds commands and runs them")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator)) // links in half of the time
	if dir := flag.Lookup("test.gocoverdir"); dir != nil && dir.Value.String() != "" {
		if err := os.Setenv("GOCOVERDIR", dir.Value.String()); err != nil { // for all tests of the process, which may be parallel
			t.Fatal(err)
		}
		build.Args = append(build.Args, "-cover", "-coverpkg=./cmd/...,./internal/...,./generators/...,./templates")
	}
	for _, name := range names {
		build.Args = append(build.Args, "./cmd/"+name)
	}
	build.Dir, build.Env = Root, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}
