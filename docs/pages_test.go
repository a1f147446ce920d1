// Package docs tests that the pages for users say what is so.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestPages does what the pages say, in an empty directory: it carries out their blocks of code in order. What a block is
// follows the language:
//
//	```go file=NAME      is written to the file, which the text before the block names; so are other languages
//	```bash              is run, in the directory in which the block before it ended
//	```text              has lines that the last commands printed
//	```bash cluster      needs a cluster, and is not run
//
// kubegen is that of this repository, and nothing is downloaded.
func TestPages(t *testing.T) {
	for _, page := range []string{"getting-started.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runPage(t, page)
		})
	}
}

var block = regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$")

func runPage(t *testing.T, page string) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash, with paths as Go has them, to run the commands with")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	env := offline(t)
	dir, printed, before := t.TempDir(), "", 0
	for _, at := range block.FindAllSubmatchIndex(text, -1) {
		prose, info, code := string(text[before:at[0]]), string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
		before = at[1]
		where := fmt.Sprintf("%s:%d", page, 1+strings.Count(string(text[:at[0]]), "\n"))
		language, rest, _ := strings.Cut(info, " ")
		file, isFile := strings.CutPrefix(rest, "file=")
		switch {
		case isFile:
			if !strings.Contains(prose, "`"+file+"`") {
				t.Errorf("%s: the text before does not name the file %s", where, file)
			}
			name := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(code), 0o644); err != nil {
				t.Fatal(err)
			}
		case info == "bash":
			t.Logf("%s:\n%s", where, code)
			ended := filepath.Join(t.TempDir(), "ended")
			run := exec.Command(bash, "-e", "-c", withoutNetwork(code)+"\npwd >'"+filepath.ToSlash(ended)+"'")
			run.Dir, run.Env = dir, env
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%s:\n%s%s%v", where, code, out, err)
			}
			now, err := os.ReadFile(ended)
			if err != nil {
				t.Fatal(err)
			}
			dir, printed = strings.TrimSpace(string(now)), string(out)
		case language == "text":
			for line := range strings.Lines(code) {
				if !strings.Contains(printed, line) {
					t.Errorf("%s: the commands did not print %q, but\n%s", where, line, printed)
				}
			}
		case info != "bash cluster":
			t.Errorf("%s: %q is none of the blocks that the test knows", where, info)
		}
	}
}

// withoutNetwork has `go get` take kubegen from this repository, and other modules at the version that the page names.
func withoutNetwork(commands string) string {
	const get = "go get -tool github.com/kubegen/kubegen/cmd/kubegen"
	commands = strings.ReplaceAll(commands, get, `cp "$KUBEGEN/go.sum" .; go mod edit -replace "github.com/kubegen/kubegen=$KUBEGEN"; `+get)
	return regexp.MustCompile(`(?m)^go get (\S+@v)`).ReplaceAllString(commands, "go mod edit -require $1")
}

// TestVersions checks that the pages name the version of client-go that kubegen itself requires.
func TestVersions(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages: ", err)
	}
	requirements, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range regexp.MustCompile(`k8s\.io/client-go@(v[0-9.]+)`).FindAllSubmatch(text, -1) {
			if !strings.Contains(string(requirements), "\tk8s.io/client-go "+string(named[1])+"\n") {
				t.Errorf("%s: %s is not the version in go.mod", page, named[0])
			}
		}
	}
}

// offline returns an environment in which the go command takes modules from the module cache alone.
func offline(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy := filepath.ToSlash(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	return append(os.Environ(), "KUBEGEN="+filepath.ToSlash(root), "GOPROXY=file:///"+strings.TrimPrefix(proxy, "/"),
		"GOSUMDB=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
}
