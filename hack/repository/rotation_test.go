package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestRotation checks that each test that hack/test.sh leaves out for some commits runs every week. The script runs
// with a go command that only notes its arguments.
func TestRotation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the script selects the same tests on all systems")
	}
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skipf("the script selects packages with git grep: %v", err)
	}
	var scheduled struct {
		Jobs struct {
			All struct {
				Strategy struct {
					Matrix struct{ Steps []string }
				}
			}
		}
	}
	parse(t, ".github/workflows/scheduled.yml", &scheduled)
	weekly := goTests(t, "0000000", strings.Fields(strings.Join(scheduled.Jobs.All.Strategy.Matrix.Steps, " "))...)
	steps := []string{"unit", "race", "long", "crds", "e2e", "install", "conformance", "migration"} // lint checks other systems in turn, and no tests
	const commits = 7                                                                               // more than one call of others has groups
	left := map[string]int{}
	at := map[string][]goTest{}
	for commit := range commits {
		for _, command := range goTests(t, fmt.Sprintf("%07x", commit), steps...) {
			for _, group := range alternatives(command.skip) {
				left[group]++
				at[group] = append(at[group], command)
			}
		}
	}
	tests, rotated := testFuncs(files(t)), 0
	for group, times := range left {
		if times == commits {
			continue // of another step
		}
		rotated++
		top, _, _ := strings.Cut(group, "/")
		match, found := regexp.MustCompile(top), 0
		for _, command := range at[group] {
			for _, test := range tests {
				if !match.MatchString(test.name) || !command.has(test) {
					continue
				}
				found++
				if !slices.ContainsFunc(weekly, func(w goTest) bool {
					return w.race == command.race && w.runs(test.name) && w.has(test)
				}) {
					t.Errorf("some commits leave out %s in %s (%s), which no scheduled step runs", test.name, test.dir, group)
				}
			}
		}
		if found == 0 {
			t.Errorf("some commits leave out %s, but there is no such test", group)
		}
	}
	if rotated < 20 {
		t.Errorf("found only %d groups", rotated)
	}
}

// goTest is a go test command.
type goTest struct {
	run, skip string
	race      bool
	packages  []string
}

type testFunc struct{ dir, name string }

// runs tells whether a command runs a test, or some of its subtests.
func (c goTest) runs(test string) bool {
	return regexp.MustCompile(c.run).MatchString(test) &&
		!slices.ContainsFunc(alternatives(c.skip), func(left string) bool {
			return !strings.Contains(left, "/") && regexp.MustCompile(left).MatchString(test)
		})
}

// has reports whether a test is in a package of the command.
func (c goTest) has(test testFunc) bool {
	return slices.ContainsFunc(c.packages, func(pkg string) bool {
		dir, below := strings.CutSuffix(pkg, "/...")
		return test.dir == dir || below && strings.HasPrefix(test.dir, dir+"/")
	})
}

// testFuncs returns the test functions in files.
func testFuncs(texts map[string]string) (all []testFunc) {
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for name, text := range texts {
		if strings.HasSuffix(name, "_test.go") {
			for _, found := range function.FindAllStringSubmatch(text, -1) {
				all = append(all, testFunc{"./" + filepath.ToSlash(filepath.Dir(name)), found[1]})
			}
		}
	}
	return all
}

// alternatives splits the regular expression of -skip as go test does, at each | outside of parentheses.
func alternatives(skip string) (all []string) {
	depth, start := 0, 0
	for i, r := range skip + "|" {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '|' && depth == 0:
			all = append(all, skip[start:i])
			start = i + 1
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// goTests runs the functions of steps of hack/test.sh, and returns the go test commands that they would run for a
// commit.
func goTests(t *testing.T, commit string, steps ...string) (all []goTest) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for name, script := range map[string]string{
		"go":  `[ "$1 $2" != "list ./..." ] || echo ./...; [ "$1" != test ] || [ ! -e hack/test.sh ] || { printf '%s\037' "$@"; echo; } >>"$0.log"; echo conformance of nothing`,
		"git": `[ "$1" != rev-parse ] || { echo ` + commit + `; exit; }; exec '` + git + `' "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	functions, _, found := strings.Cut(read(t, "hack/test.sh"), "\n# run executes")
	if !found {
		t.Fatal("hack/test.sh has no functions before run")
	}
	functions = strings.Replace(functions, `cd "$(dirname "${BASH_SOURCE[0]}")/.."`, "", 1)
	command := exec.Command("bash", "-c", functions+"\n"+strings.Join(steps, "\n"))
	command.Dir = "../.."
	command.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(bin, "go.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var c goTest
		args := strings.Split(line, "\x1f")
		for i, arg := range args {
			switch {
			case strings.HasPrefix(arg, "./"):
				c.packages = append(c.packages, arg)
			case arg == "-race":
				c.race = true
			case arg == "-run":
				c.run = args[i+1]
			case arg == "-skip":
				c.skip = args[i+1]
			}
		}
		all = append(all, c)
	}
	return all
}
