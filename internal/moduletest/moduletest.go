// Package moduletest lets tests write modules as users have them, which require a release of client-go, and build the commands
// of this repository. Only tests import it.
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
	"testing"
)

// Root is the directory of this repository.
var Root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}()

// Client is the directory of a module that requires the newest release of client-go, and that no workspace has.
var Client = filepath.Join(Root, "test", "conformance", "releases", "v0.37")

// Complete completes the modules in dir and below, as Write does.
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

// Write writes a go.mod, which gets the requirements of Client if it has none, and the go.sum of Client.
func Write(t testing.TB, dir string, goMod []byte) {
	t.Helper()
	if !bytes.Contains(goMod, []byte("require")) {
		_, requirements, _ := bytes.Cut(read(t, "go.mod"), []byte("\ngo "))
		goMod = slices.Concat(bytes.TrimSpace(goMod), []byte("\n\ngo "), requirements)
	}
	for name, text := range map[string][]byte{"go.mod": goMod, "go.sum": read(t, "go.sum")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Client, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Build builds commands of the directory cmd, without the race detector, and returns the directory that they are in. If the
// coverage of the test is measured, theirs counts. With -short it skips the test.
func Build(t testing.TB, names ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it builds commands and runs them")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator))
	if dir := flag.Lookup("test.gocoverdir"); dir != nil && dir.Value.String() != "" {
		t.Setenv("GOCOVERDIR", dir.Value.String())
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
