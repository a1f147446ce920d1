package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

var (
	update = flag.Bool("update", false, "rewrite the expectations in testdata/golden")
	always = flag.Bool("go", false, "run the go command for each list of packages, and compare it with the answer of package loadtest")
)

// environment returns the environment of a command in a directory.
func environment(t testing.TB, dir string) load.Environment {
	env := load.Environment{Dir: dir, Vars: os.Environ(), Go: loadtest.Go}
	if *always {
		env.Go = loadtest.Compare(t)
	}
	return env
}

// TestGolden runs the archives of testdata/golden. Each is one feature or one mistake:
//
//	A description, in a line or more.
//	$ kubegen --output-dir gen ./apis/...
//	-- go.mod --
//	-- apis/stable/v1/types.go --
//	-- apis/batch/v1/types.go Job batch.example.com/v1 --   an ordinary kind, see unpack
//	-- exit --         the exit codes of commands other than 0: "$ COMMAND: 2"
//	-- stdout --       the output of the commands; omitted if empty
//	-- stderr --
//	-- files --        the files that the commands created, one path each; not compared if there is no such section
//	-- gone --         the files that they deleted
//	-- want/gen/... -- contents of selected files; names after the path select
//	                   declarations: "want/gen/types.go CronTab CronTab.GetName import"
//
// Besides the tools there are these commands: "rm FILE", "cp FROM TO", "ln TARGET LINK" (a symlink), "crlf FILE" (gives
// it Windows line ends), "chmod FILE" (makes it executable), "cd DIR" and "env NAME=VALUE".
//
// A go.mod that has only a module line gets the go line and requirements of this module, and a go.sum; VERSION and LINE
// stand for the version and position of client-go in it, where a list names them. Created Go files must be formatted
// like gofmt does. Unless a tool exits with 2, all packages of the archive are type-checked. API types need no DeepCopy
// methods for that, and errors in files whose names begin with "broken" are ignored. The warning about missing DeepCopy
// methods counts only in archives that mention DeepCopyObject. -update rewrites the expectations, except for a section
// of want/ whose file or declarations there are not: that is a mistake in its name, or in the code.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in testdata/golden: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runGolden(t, name, !testing.Short())
		})
	}
}

// noDeepCopy is part of the warning about types without DeepCopy methods.
const noDeepCopy = "no DeepCopyObject method"

// ownClientGo is client-go in a list, with its version and position.
var ownClientGo = regexp.MustCompile(`(k8s\.io/client-go )v[0-9.]+( at go\.mod:|",\n *"position": "go\.mod:)[0-9:]+`)

// runGolden runs an archive, and compiles the generated code.
func runGolden(t *testing.T, name string, compile bool) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var input, expected []txtar.File
	for _, f := range archive.Files {
		if slices.Contains([]string{"exit", "stdout", "stderr", "files", "gone"}, f.Name) || strings.HasPrefix(f.Name, "want/") {
			expected = append(expected, f)
		} else {
			input = append(input, f)
		}
	}
	dir := filepath.Join(t.TempDir(), "conf[x] y") // a name, and no pattern
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	unpack(t, dir, input)
	moduletest.Complete(t, dir)
	before := listFiles(t, dir)
	env := environment(t, dir)
	got := map[string]string{}
	failed := false
	copies := strings.Contains(string(archive.Comment), "DeepCopyObject")
	for line := range strings.Lines(string(archive.Comment)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		code, stdout, stderr := runCommand(t, &env, command)
		failed = failed || code == exitError
		if code != exitDone {
			got["exit"] += fmt.Sprintf("$ %s: %d\n", command, code)
		}
		work := strings.NewReplacer(dir, "$WORK", filepath.ToSlash(dir), "$WORK")
		if stdout = work.Replace(stdout); !bytes.Contains(txtar.Format(&txtar.Archive{Files: input}), []byte("\nrequire ")) {
			stdout = ownClientGo.ReplaceAllString(stdout, "${1}VERSION${2}LINE")
		}
		got["stdout"] += stdout
		for message := range strings.Lines(work.Replace(stderr)) {
			if copies || !strings.Contains(message, noDeepCopy) {
				got["stderr"] += message
			}
		}
	}
	after := listFiles(t, dir)
	for _, file := range after {
		if !slices.Contains(before, file) {
			got["files"] += file + "\n"
			checkFormat(t, filepath.Join(dir, file))
		}
	}
	for _, file := range before {
		if !slices.Contains(after, file) {
			got["gone"] += file + "\n"
		}
	}
	for _, f := range expected {
		if !strings.HasPrefix(f.Name, "want/") {
			continue
		}
		text, err := wanted(dir, f.Name)
		if err != nil {
			t.Errorf("%s: %v; correct the name of the section, or delete it", f.Name, err)
			text = string(f.Data) // which -update keeps
		}
		got[f.Name] = text
	}
	if *update {
		if !slices.ContainsFunc(expected, func(f txtar.File) bool { return f.Name == "files" }) {
			delete(got, "files")
		} else {
			got["files"] += "" // the section stays, even if it is empty
		}
		rewriteGolden(t, name, archive.Comment, input, got)
	} else {
		compareGolden(t, expected, got)
	}
	if compile && !failed {
		typeCheck(t, dir)
	}
}

// wanted returns the contents of a section want/: a file in dir, or declarations of it.
func wanted(dir, section string) (string, error) {
	words := strings.Fields(strings.TrimPrefix(section, "want/"))
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(words[0])))
	if err != nil {
		return "", errors.New("there is no such file")
	}
	if len(words) == 1 {
		return string(text), nil
	}
	return excerpt(string(text), words[1:])
}

// checkFormat fails the test if a Go file is not formatted like gofmt does, or contains a guess that the model makes
// unnecessary.
func checkFormat(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".go") {
		return // a symlink to a directory, or not a Go file
	}
	if bytes.Contains(text, []byte("UnsafeGuessKindToResource")) {
		t.Errorf("%s guesses the name of a resource", name)
	}
	if err := unformatted(name, text); err != nil {
		t.Error(err)
	}
}

// unformatted returns an error with the first line of a Go file that gofmt would change.
func unformatted(name string, text []byte) error {
	formatted, err := format.Source(text)
	if err != nil || bytes.Equal(formatted, text) {
		return err
	}
	want := strings.Split(string(formatted), "\n")
	for i, line := range strings.Split(string(text), "\n") {
		if i == len(want) || line != want[i] {
			return fmt.Errorf("%s:%d is not formatted: gofmt makes %q of %q", name, i+1, want[min(i, len(want)-1)], line)
		}
	}
	return fmt.Errorf("%s is not formatted: it ends too early", name)
}

// runCommand runs a command line of one of the tools, or of TestGolden's own, which may change the environment.
func runCommand(t *testing.T, env *load.Environment, line string) (code int, stdout, stderr string) {
	t.Helper()
	words := strings.Fields(line)
	for _, tool := range []Command{Kubegen, GenClientset, GenLister, GenInformer, GenApplyConfiguration, GenDeepCopy, GenRegister, GenConversion, GenDefaulter, GenOpenAPI, GenController} {
		if tool.Name == words[0] {
			var out, err bytes.Buffer
			code := execute(t.Context(), tool, words[1:], *env, &out, &err)
			return code, out.String(), err.String()
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(env.At(name))
		must(err)
		return text
	}
	switch words[0] {
	case "rm":
		must(os.Remove(env.At(words[1])))
	case "cp":
		writeFile(t, env.At(words[2]), read(words[1]))
	case "ln":
		must(os.Symlink(words[1], env.At(words[2])))
	case "crlf":
		must(os.WriteFile(env.At(words[1]), bytes.ReplaceAll(read(words[1]), []byte("\n"), []byte("\r\n")), 0o644))
	case "chmod":
		must(os.Chmod(env.At(words[1]), 0o755))
	case "cd":
		env.Dir = env.At(words[1])
	case "env":
		env.Vars = append(slices.Clip(env.Vars), words[1])
	default:
		t.Fatalf("unknown command %q", words[0])
	}
	return exitDone, "", ""
}

func compareGolden(t *testing.T, expected []txtar.File, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range expected {
		want[f.Name] = string(f.Data)
	}
	for _, section := range append([]string{"exit", "stdout", "stderr", "files", "gone"}, wantedFiles(expected)...) {
		if _, ok := want["files"]; section == "files" && !ok || want[section] == got[section] {
			continue
		}
		var diff bytes.Buffer
		change := output.Change{Action: output.Update, Path: section, Old: []byte(want[section]), New: []byte(got[section])}
		if err := output.Diff(&diff, []output.Change{change}); err != nil {
			t.Error(err)
		}
		t.Errorf("%s(go test ./internal/commands/cli -run Golden -update accepts it)", diff.String())
	}
}

func wantedFiles(expected []txtar.File) []string {
	var names []string
	for _, f := range expected {
		if strings.HasPrefix(f.Name, "want/") {
			names = append(names, f.Name)
		}
	}
	return names
}

func rewriteGolden(t *testing.T, name string, comment []byte, input []txtar.File, got map[string]string) {
	t.Helper()
	archive := &txtar.Archive{Comment: comment, Files: input}
	sections := []string{"exit", "stdout", "stderr", "files", "gone"}
	for section := range got {
		if strings.HasPrefix(section, "want/") {
			sections = append(sections, section)
		}
	}
	slices.Sort(sections[5:])
	for _, section := range sections {
		if text, ok := got[section]; text != "" || ok && (section == "files" || strings.HasPrefix(section, "want/")) {
			archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(text)})
		}
	}
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// listFiles lists the files below dir, slash-separated and relative to it.
func listFiles(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
