package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestAddToSchemeAdvice does what the messages of the archives mistake-no-addtoscheme*.txtar say, and expects all to be
// well then: it adds the flag, or else the function.
func TestAddToSchemeAdvice(t *testing.T) {
	archives, err := filepath.Glob("testdata/golden/mistake-no-addtoscheme*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	advice := regexp.MustCompile(`(?m)^(\S+)/[^/]+:\d+:\d+: error: package .* has no AddToScheme function, .* \((?:add (--\S+), or )?declare (.*) in it\)$`)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			unpack(t, dir, archive.Files)
			moduletest.Complete(t, dir)
			env := environment(t, dir)
			_, command, _ := strings.Cut(string(archive.Comment), "$ ")
			_, _, stderr := runCommand(t, &env, command)
			found := advice.FindAllStringSubmatch(stderr, -1)
			if len(found) == 0 {
				t.Fatalf("no advice in:\n%s", stderr)
			}
			for _, match := range found {
				if match[2] != "" {
					command = strings.Replace(command, " ", " "+match[2]+" ", 1)
					break // for all packages
				}
				code := "package " + filepath.Base(match[1]) + "; import \"k8s.io/apimachinery/pkg/runtime\"; " + match[3] + " { return nil }\n"
				writeFile(t, filepath.Join(dir, match[1], "register.go"), []byte(code))
			}
			if code, _, stderr := runCommand(t, &env, command); code != exitDone || strings.Count(stderr, "\n") > strings.Count(stderr, noDeepCopy) {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
			if !testing.Short() {
				typeCheck(t, dir)
			}
		})
	}
}
