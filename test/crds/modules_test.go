package crds_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var allModules = flag.Bool("modules", false, "compare the manifests of all modules, not only of those marked [quick]")

// publicModule is a line of modules.txt.
type publicModule struct {
	path, version string
	options       map[string]bool
	patterns      []string
}

func publicModules(t *testing.T) (all []publicModule) {
	text, err := os.ReadFile("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		m := publicModule{options: map[string]bool{}}
		m.path, m.version, _ = strings.Cut(words[0], "@")
		for _, word := range words[1:] {
			if option, ok := strings.CutPrefix(word, "["); ok {
				m.options[strings.TrimSuffix(option, "]")] = true
			} else {
				m.patterns = append(m.patterns, word)
			}
		}
		all = append(all, m)
	}
	return all
}

// refusals are the modules of which only one of the tools refuses something, with the reason.
var refusals = map[string]string{
	"github.com/envoyproxy/gateway":                            "controller-gen refuses markers above an alias in another module, though they fit the type that it stands for",
	"github.com/kubernetes-csi/external-snapshotter/client/v8": "a server refuses several storage versions",
}

// TestModules compares the manifests of the kinds of public modules, and which of them both tools refuse.
func TestModules(t *testing.T) {
	modules, manifests := 0, 0
	for _, m := range publicModules(t) {
		if !*allModules && !m.options["quick"] {
			continue
		}
		t.Run(m.path, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "module")
			if err := os.CopyFS(dir, os.DirFS(download(t, m))); err != nil {
				t.Fatal(err)
			}
			generator := "crd"
			var o crd.Options
			if o.Floats = m.options["floats"]; o.Floats {
				generator += ":allowDangerousTypes=true"
			}
			want, refused := run(t, dir, generator, m.patterns...)
			got, diags := generate(t, dir, o, m.patterns...)
			switch reason := refusals[m.path]; {
			case diags.HasErrors() != refused && reason == "":
				t.Errorf("controller-gen refuses something: %v; kubegen: %v", refused, messages(diags))
			case diags.HasErrors() == refused && reason != "":
				t.Errorf("no longer an exception: %s", reason)
			}
			equal := compare(t, got, want)
			t.Logf("%d manifests", equal)
			t.Logf("%d fields are on pages", checkPages(t, dir, got, m.patterns...))
			if equal == 0 {
				t.Error("there are no manifests")
			}
			modules, manifests = modules+1, manifests+equal
		})
	}
	fmt.Printf("crds: %d manifests of %d public modules are equal\n", manifests, modules)
}

// messages returns the errors among diagnostics.
func messages(diags diag.List) (errs []string) {
	for _, d := range diags {
		if d.Severity == diag.Error {
			errs = append(errs, fmt.Sprintf("%s: %s", d.Pos, d.Message))
		}
	}
	return errs
}

// download returns the directory of a module in the module cache.
func download(t *testing.T, m publicModule) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &found); err != nil || jsonErr != nil {
		t.Fatalf("go mod download %s@%s: %v %s", m.path, m.version, err, found.Error)
	}
	return found.Dir
}
