package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestFirstDay follows kubegen's words in a module that has types and apimachinery of a release, and nothing else:
// the code that it generates compiles once the module has the client-go that its message names. In a workspace with a
// module of a newer client-go that is still so.
func TestFirstDay(t *testing.T) {
	pinned := releaseDir(t, *release)
	kubegen := buildKubegen(t)
	version := versionOf(t, pinned, "k8s.io/apimachinery")
	work := workDir(t)
	dir := filepath.Join(work, "api")
	copyFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), filepath.Join("testdata", "firstday", "types.go"))
	inModule := func(env []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(goEnv(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	goMod := "module example.com/api\n\ngo 1.24.0\n"
	if *release == model.PreviewRelease.String() {
		goMod = fmt.Sprintf("module example.com/api\n\ngo 1.27.0\n\ntoolchain %s\n", toolchainOf(t, pinned)) // it needs a new Go
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, replace := range moduletest.Replacements(t, filepath.Join(pinned, "go.mod")) {
		inModule(nil, "go", "mod", "edit", replace)
	}
	inModule(nil, "go", "get", "k8s.io/apimachinery@"+version)
	inModule(nil, "go", "mod", "tidy")

	inModule(nil, kubegen, "--with-deepcopy", "--with-register")
	said := inModule(nil, kubegen, "--with-deepcopy", "--with-register") // before anything else is done: generated code has no client-go yet
	advice := regexp.MustCompile(`\(run (go get \S+) and then (go mod tidy)\)`).FindStringSubmatch(said)
	if advice == nil {
		t.Fatalf("kubegen says nothing of client-go:\n%s", said)
	}
	for _, command := range advice[1:] {
		words := strings.Fields(command)
		inModule(nil, words[0], words[1:]...)
	}
	inModule(nil, "go", "build", "./...")
	for _, module := range []string{"k8s.io/client-go", "k8s.io/apimachinery"} {
		if got := versionOf(t, dir, module); got != version {
			t.Errorf("%s is %s after %q, but apimachinery was %s", module, got, advice[0], version)
		}
	}
	inModule(nil, kubegen, "--with-deepcopy", "--with-register", "--verify") // client-go says the same as apimachinery did
	list := inModule(nil, kubegen, "list")
	known := *release
	if known == model.PreviewRelease.String() {
		known += " by its source"
	}
	if want := "client-go " + known + ", from k8s.io/client-go " + version + " at go.mod:"; !strings.Contains(list, want) {
		t.Errorf("list does not say %q:\n%s", want, list)
	}

	newest := model.NewestRelease.String()
	if *release >= newest {
		return
	}
	tools := filepath.Join(work, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	moduletest.Copy(t, tools, moduletest.Client, "conformance")
	workspace := []string{"GOWORK=" + filepath.Join(work, "go.work")}
	if err := os.WriteFile(filepath.Join(work, "go.work"), []byte("go 1.26.0\n\nuse (\n\t./api\n\t./tools\n)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said = inModule(workspace, kubegen, "--with-deepcopy", "--with-register", "--verify")
	warned := strings.Contains(said, "the workspace builds with k8s.io/client-go "+versionOf(t, tools, "k8s.io/client-go"))
	if old := *release == "v0.33"; warned != old {
		t.Errorf("kubegen warns of the workspace: %t, want %t:\n%s", warned, old, said)
	}
	if !warned {
		inModule(workspace, "go", "build", "./...")
	}
}

// toolchainOf returns the toolchain that the go.mod in dir names.
func toolchainOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^toolchain (\S+)$`).FindSubmatch(text)
	if match == nil {
		t.Fatalf("go.mod in %s names no toolchain", dir)
	}
	return string(match[1])
}

// versionOf returns the version of a module that the module in dir selects.
func versionOf(t *testing.T, dir, module string) string {
	t.Helper()
	version, err := output(goCommand(dir, "list", "-m", "-f", "{{.Version}}", module))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(version))
}
