package crds_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var (
	allMakefiles = flag.Bool("makefiles", false, "run the command lines of all modules in makefiles.txt, not only of those marked [quick]")
	checkouts    = flag.String("checkouts", "", "also run those of repositories.txt, with the git repositories OWNER/NAME below this directory")
)

// makefile is a module with the command lines for controller-gen in its Makefile. A line can begin with "cd DIRECTORY
// &&". The version of a repository is a commit.
type makefile struct {
	publicModule
	lines      []string
	repository string // a clone, or ""
}

// makefiles reads makefiles.txt or a file like it.
func makefiles(t *testing.T, name string) (all []makefile) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] == '\t':
			all[len(all)-1].lines = append(all[len(all)-1].lines, trimmed)
		default:
			words := strings.Fields(trimmed)
			m := makefile{publicModule: publicModule{options: map[string]bool{}}}
			m.path, m.version, _ = strings.Cut(words[0], "@")
			for _, word := range words[1:] {
				m.options[strings.Trim(word, "[]")] = true
			}
			all = append(all, m)
		}
	}
	return all
}

// differ lists files whose contents differ from controller-gen's, by module, with the reason.
var differ = map[string]map[string]string{
	"github.com/kubernetes-sigs/node-feature-discovery": {
		"deployment/base/nfd-crds/nfd-api-crds.yaml": "the module in api/nfd requires an older k8s.io/api than the root module, which has another comment;" +
			" a run of kubegen reads imported packages in one version, which the root module selects",
	},
	"github.com/splunk/splunk-operator": {
		"config/crd/bases/_testresources.yaml": "a kind of a package without an API group, whose manifest a server refuses; kubegen warns of it instead",
	},
}

// TestMakefiles runs the command lines for controller-gen in the Makefiles of public modules with gen-controller, too,
// and compares all files of the modules.
func TestMakefiles(t *testing.T) {
	tool, err := exec.Command("go", "tool", "-n", "controller-gen").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, got := strings.TrimSpace(string(tool)), filepath.Join(moduletest.Build(t, "gen-controller"), "gen-controller")
	all := makefiles(t, "makefiles.txt")
	if !*allMakefiles {
		all = slices.DeleteFunc(all, func(m makefile) bool { return !m.options["quick"] })
	}
	if *checkouts != "" {
		for _, m := range makefiles(t, "repositories.txt") {
			m.repository = filepath.Join(*checkouts, filepath.FromSlash(strings.TrimPrefix(m.path, "github.com/")))
			all = append(all, m)
		}
	}
	modules, files := 0, 0
	for _, m := range all {
		t.Run(m.path, func(t *testing.T) {
			theirs, ours := filepath.Join(t.TempDir(), "module"), filepath.Join(t.TempDir(), "module")
			for _, dir := range []string{theirs, ours} {
				m.copyTo(t, dir)
			}
			age(t, theirs)
			for _, line := range m.lines {
				theirTime, refused := m.carryOut(t, theirs, want, line)
				ourTime, ourRefusal := m.carryOut(t, ours, got, line)
				if (refused != nil) != (ourRefusal != nil) {
					t.Errorf("%s: controller-gen: %v; gen-controller: %v", line, refused, ourRefusal)
				}
				t.Logf("%s: wall and CPU of controller-gen %s, of gen-controller %s", line, theirTime, ourTime)
			}
			n := compareTrees(t, m, theirs, ours)
			if n == 0 {
				t.Error("controller-gen writes no files")
			}
			modules, files = modules+1, files+n
		})
	}
	fmt.Printf("makefiles: %d files of %d public modules are equal\n", files, modules)
}

// copyTo writes the files of a module or a repository into a directory that does not exist.
func (m makefile) copyTo(t *testing.T, dir string) {
	t.Helper()
	if m.repository == "" {
		if err := os.CopyFS(dir, os.DirFS(download(t, m.publicModule))); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, err := os.Stat(m.repository); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "--no-checkout", m.repository, dir}, {"-C", dir, "checkout", "--quiet", "--detach", m.version},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
}

// age sets the time of all files in a directory, so that written files can be recognized.
func age(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return os.Chtimes(name, time.Unix(0, 0), time.Unix(0, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// carryOut runs a command with the arguments in a line, in a copy of the module. A shell splits the line.
func (m makefile) carryOut(t *testing.T, dir, command, line string) (took string, refused error) {
	t.Helper()
	if change, rest, ok := strings.Cut(line, " && "); ok {
		dir, line = filepath.Join(dir, strings.TrimPrefix(change, "cd ")), rest
	}
	cmd := exec.Command("sh", "-c", command+" "+line)
	cmd.Dir = dir
	mode := "mod"
	if m.options["vendor"] {
		mode = "vendor"
	}
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod="+mode)
	begun := time.Now()
	text, err := cmd.CombinedOutput()
	took = fmt.Sprintf("%.2f s", time.Since(begun).Seconds())
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		took += fmt.Sprintf(" %.2f s", time.Duration(usage.Utime.Nano()+usage.Stime.Nano()).Seconds())
	}
	if err != nil {
		err = fmt.Errorf("%w: %.2000s", err, text)
	}
	return took, err
}

// toolMarks matches the lines that name the tool and its version.
var toolMarks = regexp.MustCompile(`(?m)^( *controller-gen\.kubebuilder\.io/version: .*|// Code generated by .* DO NOT EDIT\.)$`)

// compareTrees compares all files of two directories, and returns how many of them the tool has written into the first
// one. Of Go files, it compares the exported functions and methods.
func compareTrees(t *testing.T, m makefile, theirs, ours string) (equal int) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for dir, found := range map[string]map[string]string{theirs: want, ours: got} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || entry.Name() == "go.mod" || entry.Name() == "go.sum" { // of the go command
				return err
			}
			text, err := os.ReadFile(name)
			rel, _ := filepath.Rel(dir, name)
			found[rel] = toolMarks.ReplaceAllString(string(text), "$$TOOL")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range want {
		info, err := os.Stat(filepath.Join(theirs, name))
		if err != nil {
			t.Fatal(err)
		}
		written := info.ModTime().After(time.Unix(0, 0))
		other, ok := got[name]
		if filepath.Ext(name) == ".go" && written {
			if filepath.Base(filepath.Dir(name)) == "internal" { // of apply configurations, which alone call its functions
				text, other = "", ""
			}
			text, other = functions(text), functions(other)
		}
		reason := differ[m.path][name]
		switch {
		case !ok && reason == "":
			t.Errorf("%s is missing", name)
		case text != other && reason == "":
			t.Errorf("%s differs:\n%s", name, difference(other, text))
		case text == other && reason != "":
			t.Errorf("%s: no longer an exception: %s", name, reason)
		case text == other && written:
			equal++
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok && differ[m.path][name] == "" {
			t.Errorf("%s is only written by gen-controller", name)
		}
	}
	return equal
}

var declarations = regexp.MustCompile(`(?m)^func (\([^)]*\) )?[A-Z].*\{$`)

// functions returns the first lines of the exported functions and methods in a Go file.
func functions(text string) string {
	return strings.ReplaceAll(strings.Join(declarations.FindAllString(text, -1), "\n"), "interface{}", "any")
}

// difference returns the first line that differs between two texts.
func difference(got, want string) string {
	ours, theirs := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(ours), len(theirs)) {
		var a, b string
		if i < len(ours) {
			a = ours[i]
		}
		if i < len(theirs) {
			b = theirs[i]
		}
		if a != b {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, a, b)
		}
	}
	return ""
}
