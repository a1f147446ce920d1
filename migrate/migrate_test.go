package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/commands/cli"
	"github.com/kubegen/kubegen/internal/commands/project"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestMigrate runs the archives of testdata, as TestGolden of kubegen does: the description has command lines of
// migrate and kubegen, "cp FROM TO" and "chmod FILE", which makes a file executable. The sections exit, stdout and
// stderr are exit codes other than 0 and outputs. Only kubegen may create files.
func TestMigrate(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	for i, name := range names {
		if names[i], err = filepath.Abs(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runArchive(t, name) })
	}
}

func runArchive(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	must(t, err)
	want := map[string]string{}
	isExpected := func(f txtar.File) bool { return slices.Contains([]string{"exit", "stdout", "stderr"}, f.Name) }
	for _, f := range archive.Files {
		if isExpected(f) {
			want[f.Name] = string(f.Data)
		}
	}
	archive.Files = slices.DeleteFunc(archive.Files, isExpected)
	dir := t.TempDir()
	unpack(t, dir, archive.Files)
	moduletest.Complete(t, dir)
	t.Chdir(dir)
	env := load.Environment{Dir: dir, Vars: os.Environ(), Go: loadtest.Go}
	got, stdout, stderr := map[string]string{}, &bytes.Buffer{}, &bytes.Buffer{}
	for line := range strings.Lines(string(archive.Comment)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		words, code := strings.Fields(command), exitDone
		switch words[0] {
		case "migrate":
			before := listFiles(t, dir)
			if code = run(env, words[1:], stdout, stderr); !slices.Equal(listFiles(t, dir), before) {
				t.Errorf("%s writes files", command)
			}
		case "kubegen":
			code = cli.Main(cli.Kubegen, words[1:], stdout, stderr)
		case "cp":
			text, err := os.ReadFile(words[1])
			must(t, err)
			must(t, os.WriteFile(words[2], text, 0o644))
		case "chmod":
			must(t, os.Chmod(words[1], 0o755))
		default:
			t.Fatalf("unknown command %q", words[0])
		}
		if code != exitDone {
			got["exit"] += fmt.Sprintf("$ %s: %d\n", command, code)
		}
	}
	work := strings.NewReplacer(dir, "$WORK", filepath.ToSlash(dir), "$WORK")
	got["stdout"], got["stderr"] = work.Replace(stdout.String()), work.Replace(stderr.String())
	for _, section := range []string{"exit", "stdout", "stderr"} {
		if got[section] != "" {
			archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(got[section])})
		}
		if got[section] != want[section] && !*update {
			var diff bytes.Buffer
			change := output.Change{Action: output.Update, Path: section, Old: []byte(want[section]), New: []byte(got[section])}
			must(t, output.Diff(&diff, []output.Change{change}))
			t.Errorf("%s(go test -run Migrate -update . accepts it)", &diff)
		}
	}
	if *update {
		must(t, os.WriteFile(name, txtar.Format(archive), 0o644))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, dir string, files []txtar.File) {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, f.Data, 0o644))
	}
}

func listFiles(t *testing.T, dir string) (names []string) {
	must(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	}))
	return names
}

// survey returns the module example.com/api with some files, in the format of txtar.
func survey(t *testing.T, files string) *module {
	dir := t.TempDir()
	unpack(t, dir, append(txtar.Parse([]byte(files)).Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/api\n\ngo 1.24.0\n")}))
	env := load.Environment{Dir: dir, Vars: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")}
	found, err := project.Survey(env)
	must(t, err)
	return &module{found, env}
}
