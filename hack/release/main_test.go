package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

const version = "v0.0.1-test"

var emptyCache = flag.Bool("empty-cache", false, "build the release the second time with an empty build cache")

// What is checked out must be the release. Nothing is written otherwise.
func TestNotARelease(t *testing.T) {
	dir := clone(t)
	refused := func(version, want string) {
		t.Helper()
		r := release{dir: dir, version: version, output: filepath.Join(t.TempDir(), "dist")}
		if err := r.build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if _, err := os.Stat(r.output); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("there is output (%v)", err)
		}
	}
	refused("latest", `"latest" is not a version such as v1.2.3`)
	refused(version, "is not tagged "+version)
	git(t, dir, "tag", version)
	refused(version, "is not tagged apilint/"+version)
	tag(t, dir)
	refused(version, "apilint/go.mod:7: requires github.com/kubegen/kubegen@v0.0.0; run go mod edit -require=")
	run(t, dir, "go", "mod", "edit", "-require=github.com/kubegen/kubegen@"+version, "apilint/go.mod")
	git(t, dir, "commit", "-qam", "Requirement of the linter")
	tag(t, dir)
	refused(version, "fakeapi/crdvalidation/go.mod:7: requires github.com/kubegen/kubegen/fakeapi@v0.0.0; run go mod edit -require=")
	require(t, dir)
	git(t, dir, "commit", "-qam", "Requirements")
	tag(t, dir)
	refused(version, "CHANGELOG.md has no section "+version)
	write(t, filepath.Join(dir, "new"), "")
	refused(version, "?? new")
}

// Two builds of a commit in different directories have the same bytes, and the commands in it know their version.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles everything twice")
	}
	tagged := clone(t)
	changes, err := os.ReadFile(filepath.Join(tagged, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tagged, "CHANGELOG.md"), strings.Replace(string(changes), "## Unreleased", "## "+version, 1))
	require(t, tagged)
	git(t, tagged, "commit", "-qam", "Release")
	tag(t, tagged)
	again := filepath.Join(t.TempDir(), "of", "another", "length")
	git(t, ".", "clone", "-q", tagged, again)

	var dist [2]string
	for i, dir := range []string{tagged, again} {
		dist[i] = filepath.Join(t.TempDir(), "dist")
		r := release{dir: dir, version: version, output: dist[i], platforms: []string{runtime.GOOS + "/" + runtime.GOARCH}}
		if i == 1 && *emptyCache {
			r.env = []string{"GOCACHE=" + filepath.Join(t.TempDir(), "cache")}
		}
		if err := r.build(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dist[0])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
		first, err := os.ReadFile(filepath.Join(dist[0], file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(filepath.Join(dist[1], file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s differs between two builds", file.Name())
		}
		switch {
		case file.Name() == "SHA256SUMS":
			for line := range strings.Lines(string(first)) {
				sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
				content, err := os.ReadFile(filepath.Join(dist[0], name))
				if err != nil {
					t.Error(err)
				}
				if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != sum {
					t.Errorf("%s has the sum %s, not %s", name, got, sum)
				}
			}
		case file.Name() == "NOTES.md" && !strings.HasPrefix(string(first), "The first release."):
			t.Errorf("the notes are\n%s", first)
		case strings.HasSuffix(file.Name(), ".tar.gz"):
			if got := versionIn(t, first); got != version {
				t.Errorf("the kubegen in %s prints version %q", file.Name(), got)
			}
		}
	}
	if len(names) != 3 {
		t.Errorf("the release consists of %v", names)
	}
}

// versionIn returns what the kubegen in an archive prints as its version.
func versionIn(t *testing.T, archive []byte) string {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(compressed); ; {
		entry, err := entries.Next()
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(entry.Name) != "kubegen" {
			continue
		}
		file := filepath.Join(t.TempDir(), "kubegen")
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, entry.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd := exec.Command(file, "--version")
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		fields := strings.Fields(string(out))
		return fields[len(fields)-1]
	}
}

// clone returns a clone of the commit of this repository that is checked out.
func clone(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("not in a git repository: ", err)
	}
	dir := filepath.Join(t.TempDir(), "clone")
	git(t, ".", "clone", "-q", "--no-tags", strings.TrimSpace(string(root)), dir)
	git(t, dir, "config", "user.name", "test")
	git(t, dir, "config", "user.email", "test@example.com")
	git(t, dir, "config", "maintenance.auto", "false") // which would go on after a commit, while the test removes dir
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	run(t, dir, "git", args...)
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tag tags what is checked out as a release.
func tag(t *testing.T, dir string) {
	t.Helper()
	for _, module := range moduletest.Published(t, dir) {
		git(t, dir, "tag", "-f", path.Join(module, version))
	}
}

// require makes the modules require each other in the version of the release.
func require(t *testing.T, dir string) {
	t.Helper()
	for _, module := range moduletest.Published(t, dir) {
		name := filepath.Join(dir, module, "go.mod")
		for _, required := range moduletest.ModFile(t, name).Require {
			if path := required.Mod.Path; strings.HasPrefix(path, "github.com/kubegen/kubegen") {
				run(t, dir, "go", "mod", "edit", "-require="+path+"@"+version, name)
			}
		}
	}
}
