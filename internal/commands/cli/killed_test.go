package cli

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestKilled kills runs that update everything, while they write. Each file is then the old one or the new one, and
// the next run puts the rest right.
func TestKilled(t *testing.T) {
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	start := func(out string) *exec.Cmd {
		cmd := exec.Command(kubegen, "--output-dir", out, "--output-pkg", "example.com/killed", "k8s.io/api/apps/...", "k8s.io/api/core/v1")
		cmd.Dir = moduletest.Root
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	finished := func() map[string]string {
		out := t.TempDir()
		if err := start(out).Wait(); err != nil {
			t.Fatal(err)
		}
		return readFiles(t, out)
	}()
	for range 5 {
		out := t.TempDir()
		for name, text := range finished {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(out, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, name), []byte(text+"// old\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := start(out)
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		for running := true; running && !writes(out); {
			select {
			case <-exited:
				running = false
				exited <- nil
			default:
			}
		}
		_ = cmd.Process.Kill() // unless it was faster
		<-exited
		for name, text := range readFiles(t, out) {
			if want := finished[name]; !strings.HasSuffix(name, ".tmp") && text != want && text != want+"// old\n" {
				t.Errorf("%s is neither old nor new", name)
			}
		}
		if err := start(out).Wait(); err != nil {
			t.Fatal(err)
		}
		healed := readFiles(t, out)
		for name, text := range finished {
			if healed[name] != text {
				t.Errorf("%s is wrong after the next run", name)
			}
		}
		for name := range healed {
			if _, ok := finished[name]; !ok {
				t.Errorf("%s stays after the next run", name)
			}
		}
	}
}

// TestEndedWhileWriting sends signals to runs that update everything, while they write, as a terminal does that is
// closed. All files are then old or all are new, and nothing else is there.
func TestEndedWhileWriting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be sent signals")
	}
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	start := func(out string) *exec.Cmd {
		cmd := exec.Command(kubegen, "--output-dir", out, "--output-pkg", "example.com/ended", "--only", "lister", "k8s.io/api/apps/...", "k8s.io/api/core/v1")
		cmd.Dir = moduletest.Root
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	finished := t.TempDir()
	if err := start(finished).Wait(); err != nil {
		t.Fatal(err)
	}
	after, before := readFiles(t, finished), map[string]string{}
	for name, text := range after {
		before[name] = text + "// old\n"
	}
	for _, signals := range [][]syscall.Signal{{syscall.SIGHUP}, {syscall.SIGHUP, syscall.SIGHUP, syscall.SIGHUP}, {syscall.SIGTERM, syscall.SIGHUP}, {syscall.SIGQUIT}} {
		out := t.TempDir()
		for name, text := range before {
			writeFile(t, filepath.Join(out, name), []byte(text))
		}
		cmd := start(out)
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		for running := true; running && !writes(out); {
			select {
			case err := <-exited:
				running = false
				exited <- err
			default:
			}
		}
		for _, signal := range signals {
			_ = cmd.Process.Signal(signal) // unless it was faster
		}
		err := <-exited
		want := before
		if err == nil {
			want = after
		}
		if got := readFiles(t, out); !maps.Equal(got, want) {
			t.Errorf("%v, %v: files are neither all old nor all new: %q", signals, err, slices.Sorted(maps.Keys(got)))
		}
	}
}

// TestKilledWhileDeleting kills runs that delete most of what there is. The next run leaves neither files nor
// directories behind.
func TestKilledWhileDeleting(t *testing.T) {
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	out := filepath.Join(t.TempDir(), "out")
	start := func(packages ...string) *exec.Cmd {
		cmd := exec.Command(kubegen, append([]string{"--output-dir", out, "--output-pkg", "example.com/killed", "--only", "lister"}, packages...)...)
		cmd.Dir = moduletest.Root
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	some := []string{"k8s.io/api/batch/v1"}
	many := append([]string{"k8s.io/api/apps/v1", "k8s.io/api/autoscaling/v1", "k8s.io/api/core/v1", "k8s.io/api/rbac/v1"}, some...)
	if err := start(some...).Wait(); err != nil {
		t.Fatal(err)
	}
	want := dirsBelow(t, out)
	for range 5 {
		if err := start(many...).Wait(); err != nil {
			t.Fatal(err)
		}
		for name, text := range readFiles(t, out) { // as if all of it came from the packages that remain
			if strings.HasPrefix(name, "listers/batch/") {
				continue
			}
			at := strings.Index(text, "// Source: ")
			end := at + strings.Index(text[at:], "\n")
			writeFile(t, filepath.Join(out, name), []byte(text[:at]+"// Source: "+some[0]+text[end:]))
		}
		cmd := start(some...)
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		for running := true; running && !writes(out); {
			select {
			case <-exited:
				running = false
				exited <- nil
			default:
			}
		}
		_ = cmd.Process.Kill() // unless it was faster
		<-exited
		if err := start(some...).Wait(); err != nil {
			t.Fatal(err)
		}
		if got := dirsBelow(t, out); !slices.Equal(got, want) {
			t.Errorf("after the next run there are %q; want %q", got, want)
		}
	}
}

// dirsBelow returns the directories below dir, and the files, in order.
func dirsBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// writes reports whether there is a file below dir that waits for being renamed.
func writes(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
		found = found || strings.HasSuffix(name, ".tmp")
		return nil
	})
	return found
}

// readFiles returns the content of all files below dir.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, file := range listFiles(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		files[file] = string(text)
	}
	return files
}
