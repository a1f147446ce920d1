package workflow

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestBump upgrades client-go in a project from release to release, as docs/troubleshooting.md says: by go get, and
// one run of kubegen. Before that run, kubegen verify names both releases first.
func TestBump(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/install/projects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	bin := moduletest.Build(t, "kubegen")
	kubegen := []string{filepath.Join(bin, "kubegen"), "--with-deepcopy", "--with-register"}
	p := newProject(t, newProxy(t), archive, "bump")
	release := model.NewestRelease - 1
	p.upgrade(release)
	p.run(kubegen...)
	for {
		p.run("go", "mod", "tidy")
		p.run("go", "vet", "./...")
		p.run("go", "test", "./...")
		p.run(append(kubegen, "--verify")...)
		if release++; release > model.PreviewRelease {
			return
		}
		p.upgrade(release)
		p.says(append(kubegen, "--verify"), 1, "warning", release)
		p.says(kubegen, 0, "note", release)
	}
}

// upgrade selects the client-go of a release, and what a prerelease needs.
func (p *project) upgrade(release model.Release) {
	p.Helper()
	name := moduletest.Release(release.String())
	pinned := moduletest.ModFile(p, name)
	if pinned.Toolchain != nil {
		p.env = append(p.env, "GOTOOLCHAIN="+pinned.Toolchain.Name)
	}
	for _, replace := range moduletest.Replacements(p, name) {
		p.run("go", "mod", "edit", replace)
	}
	client := moduletest.Required(pinned, "k8s.io/client-go")
	p.run("go", "get", "k8s.io/client-go@"+client, "k8s.io/apimachinery@"+client)
}

// says checks that the first line that a command prints to standard error names the release before and this one.
func (p *project) says(command []string, code int, severity string, release model.Release) {
	p.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, append(p.env, "GOPROXY=off"), &stderr
	_ = cmd.Run()
	line, _, _ := strings.Cut(stderr.String(), "\n")
	want := regexp.MustCompile(fmt.Sprintf(`^go\.mod:\S+ %s: the generated code is for client-go %s, and this run for %s( by its source)?, from k8s\.io/client-go v`,
		severity, release-1, release))
	if got := cmd.ProcessState.ExitCode(); got != code || !want.MatchString(line) {
		p.Errorf("%s: exit code %d, want %d and %s:\n%s", strings.Join(command, " "), got, code, want, stderr.String())
	}
}
