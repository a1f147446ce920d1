package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKilled kills runs that update everything, while they write. Each file is then the old one or the new one, and the next
// run puts the rest right.
func TestKilled(t *testing.T) {
	kubegen := filepath.Join(buildCommands(t, "kubegen"), "kubegen")
	start := func(out string) *exec.Cmd {
		cmd := exec.Command(kubegen, "--output-dir", out, "--output-pkg", "example.com/killed", "k8s.io/api/apps/...", "k8s.io/api/core/v1")
		cmd.Dir = filepath.Join(packageDir, "..", "..")
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
