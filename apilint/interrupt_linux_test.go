package apilint

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestInterrupt interrupts a run whose go command does not end: the command in PATH opens one pipe, and waits for the
// end of another.
func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pipe := func(name string) string {
		file := filepath.Join(dir, name)
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	begun, ended := pipe("begun"), pipe("ended")
	script := "#!/bin/sh\n: >'" + begun + "'\nread -r line <'" + ended + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored) // as by nohup
	for _, signal := range signals {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(self, "-conventions", "-fix", ".")
		cmd.Env = append(os.Environ(), "APILINT_MAIN=1", "PATH="+dir)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(begun) // waits for the script
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, f)
		f.Close()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitError || stdout.Len() > 0 ||
			stderr.String() != "apilint: interrupted; nothing was changed\n" {
			t.Errorf("%v: exit code %d, output %q, %q", signal, code, stdout.String(), stderr.String())
		}
		if w, err := os.OpenFile(ended, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // fails if the script was killed
			w.Close()
		}
	}
}

// TestClosedPipe prints findings that nobody reads.
func TestClosedPipe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(self, "-format", "json", "nosuch.go")
	cmd.Env = append(os.Environ(), "APILINT_MAIN=1")
	cmd.Stdout, cmd.Stderr = w, &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit code %d, output %q", code, stderr.String())
	}
}
