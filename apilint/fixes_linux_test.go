package apilint

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kubegen/kubegen/internal/files/output"
)

// TestWriteFails writes files, one of them through a symbolic link, until one becomes too large for the system. All
// keep their contents. The limit of the system holds for a process of its own, because go test also writes files.
func TestWriteFails(t *testing.T) {
	if os.Getenv("APILINT_LIMITED") == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^TestWriteFails$")
		cmd.Env = append(os.Environ(), "APILINT_LIMITED=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return
	}
	dir := t.TempDir()
	old := []byte("package old\n")
	var changes []output.Change
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, output.Change{Action: output.Update, Path: file, Old: old, New: []byte("package new\n")})
	}
	link := filepath.Join(dir, "link.go")
	if err := os.Symlink("a.go", link); err != nil {
		t.Fatal(err)
	}
	changes[0].Path = link
	small := changes[1].New
	changes[1].New = bytes.Repeat(small, 1000)
	check := func(want []byte) {
		t.Helper()
		for _, c := range changes {
			got, err := os.ReadFile(c.Path)
			info, infoErr := os.Stat(c.Path)
			if err != nil || infoErr != nil || !bytes.Equal(got, want) || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has %d bytes, mode %v (%v)", filepath.Base(c.Path), len(got), info.Mode(), err)
			}
		}
	}

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	err := write(t.Context(), changes)
	if restored := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); restored != nil {
		t.Fatal(restored)
	}
	if err == nil {
		t.Error("there is no error")
	}
	check(old)

	changes[1].New = small
	if err := write(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	check(small)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced", err)
	}
}
