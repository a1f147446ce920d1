//go:build unix

package cli

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestIrregularFiles puts what is no regular file where manifests, Go files and other input are. Runs end with an
// error that names it, or do without it; they never wait for it, and change nothing.
func TestIrregularFiles(t *testing.T) {
	t.Parallel()
	pipe := func(t *testing.T, name string) {
		if err := syscall.Mkfifo(name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	socket := func(t *testing.T, name string) {
		short, err := os.MkdirTemp("", "kubegen") // names of sockets have few bytes
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(short)
		short = filepath.Join(short, "socket")
		listener, err := net.Listen("unix", short)
		if err == nil {
			listener.(*net.UnixListener).SetUnlinkOnClose(false)
			err = os.Rename(short, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
	}
	device := func(t *testing.T, name string) {
		if err := os.Symlink("/dev/zero", name); err != nil {
			t.Fatal(err)
		}
	}
	directory := func(t *testing.T, name string) {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const imports = "kubegen import --output-dir internal/acme "
	for _, test := range []struct {
		name    string
		put     func(*testing.T, string)
		command string
		want    string // part of the message; "" if the run succeeds
	}{
		{"crds/a.yaml", pipe, imports + "crds", "crds/a.yaml is a named pipe, but must be a file"},
		{"crds/a.json", socket, imports + "crds", "crds/a.json is a socket, but must be a file"},
		{"crds/a.yml", device, imports + "crds", "crds/a.yml is a device, but must be a file"},
		{"crds/a.yaml", directory, imports + "crds", ""},
		{"internal/acme/acme/v1/a.go", pipe, imports + "crds", "internal/acme/acme/v1/a.go is a named pipe"},
		{"crds/a.txt", pipe, imports + "crds", ""},
		{"a", pipe, imports + "a", "no CustomResourceDefinition"},
		{"a", socket, imports + "a", "a: "},
		{"crds/a.yaml", pipe, "kubegen --only lister --crds crds ./apis/...", "crds/a.yaml is a named pipe"},
		{"crds/a.yaml", device, "kubegen --only lister --crds crds ./apis/...", "crds/a.yaml is a device"},
		{"crds/a.yaml", directory, "kubegen --only lister --crds crds ./apis/...", ""},
		{"crds/stable.example.com_crontabs.yaml", pipe, "kubegen --with-crds=crds --only crd ./apis/...", "crds/stable.example.com_crontabs.yaml is not a regular file"},
		{"crds/stable.example.com_crontabs.yaml", directory, "kubegen --with-crds=crds --only crd ./apis/...", "crds/stable.example.com_crontabs.yaml is a directory"},
		{"header.txt", pipe, "kubegen --only lister --boilerplate header.txt ./apis/...", ""},
		{"header.txt", device, "kubegen --only lister --boilerplate header.txt ./apis/...", "larger than the limit"},
		{"templates/listers/group/version/kind.go.tmpl", pipe, "kubegen --only lister --templates templates ./apis/...", "kind.go.tmpl is a named pipe"},
		{"apis/stable/v1/a.go", directory, "kubegen --only lister ./apis/stable/v1", ""},
		{"apis/stable/v1/.a.go", pipe, "kubegen --only lister ./apis/...", ""},
		{"pkg/generated/listers/stable/v1/a.go", pipe, "kubegen --only lister ./apis/...", ""},
		{"pkg/generated/listers/stable/v1/crontab.go", pipe, "kubegen --only lister ./apis/...", "crontab.go is not a regular file"},
	} {
		t.Run(test.name+" "+strings.Fields(test.command)[1], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			unpack(t, dir, []txtar.File{
				{Name: "go.mod", Data: []byte("module example.com/api\n")},
				{Name: "apis/stable/v1/types.go CronTab stable.example.com/v1"},
				{Name: "crds/zz.yaml", Data: []byte(crdOf("Widget", "widgets", "acme.example.com"))},
			})
			moduletest.Complete(t, dir)
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, test.name)), 0o755); err != nil {
				t.Fatal(err)
			}
			test.put(t, filepath.Join(dir, test.name))
			before := listFiles(t, dir)
			env := environment(t, dir)
			code, _, stderr := runCommand(t, &env, test.command)
			switch after := listFiles(t, dir); {
			case test.want == "" && code != exitDone, test.want != "" && (code != exitError || !strings.Contains(stderr, test.want)):
				t.Errorf("exit code %d\n%s", code, stderr)
			case test.want != "" && len(after) != len(before):
				t.Errorf("files before %q, after %q", before, after)
			}
		})
	}
}

// TestNoSpace runs kubegen where no file may have more than 512 bytes, as on a full disk: nothing changes.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	dir := t.TempDir()
	unpack(t, dir, []txtar.File{{Name: "go.mod", Data: []byte("module example.com/api\n")}, {Name: "apis/stable/v1/types.go CronTab stable.example.com/v1"}})
	moduletest.Complete(t, dir)
	run := func(script string) (string, error) {
		cmd := exec.Command("sh", "-c", script+kubegen+" --only lister ./apis/...")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for range 2 {
		before := readFiles(t, dir)
		out, err := run("ulimit -f 1 && exec ")
		if err == nil || !strings.Contains(out, "file too large; no file was changed") {
			t.Errorf("%v\n%s", err, out)
		}
		if after := readFiles(t, dir); !maps.Equal(before, after) {
			t.Errorf("files before %q, after %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
		if out, err := run(""); err != nil { // then with files to update
			t.Fatalf("%v\n%s", err, out)
		}
		for name, text := range readFiles(t, filepath.Join(dir, "pkg")) {
			writeFile(t, filepath.Join(dir, "pkg", name), []byte(text+"// old\n"))
		}
	}
}

// TestPipedInput reads manifests from a pipe that the command line names, as in a shell: <(kubectl get crd).
func TestPipedInput(t *testing.T) {
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Skip("files have no names by descriptor: ", err)
	}
	dir := t.TempDir()
	unpack(t, dir, []txtar.File{{Name: "go.mod", Data: []byte("module example.com/api\n")}})
	moduletest.Complete(t, dir)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(crdOf("Widget", "widgets", "acme.example.com")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	env := environment(t, dir)
	code, _, stderr := runCommand(t, &env, fmt.Sprintf("kubegen import --types-only --output-dir internal/acme /dev/fd/%d", r.Fd()))
	if code != exitDone || len(listFiles(t, filepath.Join(dir, "internal/acme/acme/v1"))) == 0 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
