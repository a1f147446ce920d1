package repository

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestSteps checks that the jobs of CI run each step of hack/test.sh all once, and that make knows all steps.
func TestSteps(t *testing.T) {
	script, makefile := read(t, "hack/test.sh"), read(t, "Makefile")
	var want []string
	for _, group := range []string{"basic", "rest"} {
		found := regexp.MustCompile(`(?m)^` + group + `=\((.*)\)$`).FindStringSubmatch(script)
		if found == nil {
			t.Fatalf("hack/test.sh has no steps %s", group)
		}
		want = append(want, strings.Fields(found[1])...)
	}
	var workflow struct {
		Jobs struct {
			Test struct {
				Strategy struct {
					Matrix struct{ Steps []string }
				}
			}
		}
	}
	parse(t, ".github/workflows/ci.yml", &workflow)
	got := []string{"lint"} // a job of its own
	for _, steps := range workflow.Jobs.Test.Strategy.Matrix.Steps {
		got = append(got, strings.Fields(steps)...)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("CI runs the steps\n%s, but hack/test.sh has\n%s", got, want)
	}
	targets := strings.Fields(regexp.MustCompile(`(?m)^steps = .*$`).FindString(makefile))
	for _, step := range want {
		if !slices.Contains(targets, step) {
			t.Errorf("the Makefile has no target %s", step)
		}
	}
}

// TestDirectives checks that go generate runs nothing: it also reads lines of raw strings, as tests have them.
func TestDirectives(t *testing.T) {
	command := exec.Command("go", "generate", "-n", "./...")
	command.Dir = "../.."
	if out, err := command.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("got %v\n%s", err, out)
	}
}

// TestPinned checks that workflows use actions by their commits, and the same commit and release of Go everywhere.
func TestPinned(t *testing.T) {
	names, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatalf("got workflows %q, %v", names, err)
	}
	pinned := regexp.MustCompile(`^([^/@]+/[^/@]+)\S*@([0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	commits, releases := map[string]string{}, map[string]bool{}
	for _, name := range names {
		text := read(t, path.Join(".github/workflows", filepath.Base(name)))
		for _, use := range regexp.MustCompile(`(?m)^ +(?:- )?uses: (.*)$`).FindAllStringSubmatch(text, -1) {
			found := pinned.FindStringSubmatch(use[1])
			switch {
			case use[1] == "./":
			case found == nil:
				t.Errorf("%s: %s is not a commit with its version in a comment", name, use[1])
			case commits[found[1]] != "" && commits[found[1]] != found[2]:
				t.Errorf("%s: %s is used at %s, and elsewhere at %s", name, found[1], found[2], commits[found[1]])
			default:
				commits[found[1]] = found[2]
			}
		}
		for _, release := range regexp.MustCompile(`(?m)^ +go-version: (.*)$`).FindAllStringSubmatch(text, -1) {
			releases[release[1]] = true
		}
	}
	if len(releases) != 1 {
		t.Errorf("workflows name different releases of Go: %v", releases)
	}
}

// TestDependabot checks that Dependabot upgrades all modules but those whose versions must stay.
func TestDependabot(t *testing.T) {
	var config struct {
		Updates []struct{ Directories []string }
	}
	parse(t, ".github/dependabot.yml", &config)
	want := config.Updates[0].Directories
	var got []string
	chosen := moduletest.Published(t, "../..")
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), "_")) {
			return fs.SkipDir
		}
		if dir := path.Dir(name); entry.Name() == "go.mod" && !slices.Contains(chosen, dir) && !fixed.MatchString(dir) {
			got = append(got, "/"+dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("Dependabot upgrades the modules\n%s, but there are\n%s", want, got)
	}
}

// fixed matches the directories of modules for tests whose versions are chosen by hand, as those of published ones are.
var fixed = regexp.MustCompile(`^test/(authorizer|conformance/(migration|releases(/ktesting)?))$`)

func parse(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
