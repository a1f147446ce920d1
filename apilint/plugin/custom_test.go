package plugin

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var golangci = flag.Bool("golangci", false, "build a golangci-lint with the plugin, which takes minutes")

// TestCustom runs golangci-lint custom with the .custom-gcl.yml of docs/linting.md, and lints the types there with the
// golangci-lint that it builds. The plugin is that of this repository, and git clones golangci-lint from a repository
// with the files of its module.
func TestCustom(t *testing.T) {
	if !*golangci {
		t.Skip("-golangci is not set")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "linting.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	config, plugins, types := after(t, page, "```yaml\nversion: \"2\"\n"), after(t, page, "```yaml\nversion: v"), after(t, page, "```go\n")
	version := "v" + plugins[:strings.Index(plugins, "\n")]

	dir := t.TempDir()
	bin, clone, built := filepath.Join(dir, "bin"), filepath.Join(dir, "clone"), filepath.Join(dir, "built")
	const module = "github.com/golangci/golangci-lint/v2"
	run := func(dir, name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOBIN="+bin, "GOLANGCI_LINT_CACHE="+filepath.Join(bin, "cache"),
			"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+clone+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/golangci/golangci-lint.git")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return out
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(run(dir, "go", "mod", "download", "-json", module+"@"+version), &downloaded); err != nil || downloaded.Dir == "" {
		t.Fatal(downloaded, err)
	}
	if err := os.CopyFS(clone, os.DirFS(downloaded.Dir)); err != nil {
		t.Fatal(err)
	}
	run(clone, "git", "init", "--quiet")
	run(clone, "git", "add", "--all", "--force")
	run(clone, "git", "commit", "--quiet", "--message=files")
	run(clone, "git", "tag", version)

	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(built, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".custom-gcl.yml", strings.Replace("version: v"+plugins, "version: latest", "path: "+filepath.Join(root, "apilint"), 1)+
		"  - module: github.com/kubegen/kubegen\n    path: "+root+"\n")
	run(dir, "go", "install", module+"/cmd/golangci-lint@"+version)
	run(built, filepath.Join(bin, "golangci-lint"), "custom")

	config = strings.Replace(config, "enable: [kubeapilinter]", "enable: [kubeapilinter, kubegen]", 1)
	write(".golangci.yml", "version: \"2\"\n"+strings.Replace(config, "    custom:\n", "    custom:\n      kubegen:\n        type: module\n", 1))
	write("api/v1/types.go", types)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "conversion", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, strings.Replace(string(text), "module github.com/kubegen/kubegen/conversion\n", "module example.com/cron\n", 1))
	}
	got := string(run(built, filepath.Join(built, "custom-gcl"), "run", "./..."))
	for _, want := range []string{
		"api/v1/types.go:15:5: unknown marker +kubebuilder:validation:MinLenght (did you mean +kubebuilder:validation:MinLength?) (kubegen)\n",
		"api/v1/types.go:17:2: commentstart: godoc for field CronTab.Suspended should start with 'suspended ...' (kubeapilinter)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no\n%sin\n%s", want, got)
		}
	}
}

// after returns the rest of a block of a page that begins with some lines.
func after(t *testing.T, page, lines string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n"+lines)
	block, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("the page has no block %q", lines)
	}
	return block
}
