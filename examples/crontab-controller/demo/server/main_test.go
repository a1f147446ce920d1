package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for line, want := range map[string]string{
		`"Reconciling again" crontab="demo/slow" after="Operation cannot be fulfilled on crontabs.stable.example.com \"slow\": the object has been modified; please apply your changes to the latest version and try again" failures=1`: "demo/slow has changed in the meantime; reconciling it again",
		`"Event occurred" object="demo/quick" kind="CronTab" apiVersion="stable.example.com/v1" type="Normal" reason="Created" action="Schedule" note="Created quick-1"`:                                                                "demo/quick: Created quick-1",
		`"Reconciling again" crontab="demo/slow" after="timeout" failures=1`: `"Reconciling again" crontab="demo/slow" after="timeout" failures=1`,
	} {
		if got := readable(line); got != want {
			t.Errorf("%s\nreads\n%s\nwant\n%s", line, got, want)
		}
	}
}

// TestInterruptedBuild checks that Ctrl-C during the compilation of the API server ends the demo at once, without an
// error.
func TestInterruptedBuild(t *testing.T) {
	program := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	demo := exec.CommandContext(t.Context(), program)
	demo.Env = append(os.Environ(), "GOCACHE="+t.TempDir()) // everything must be compiled
	var stderr bytes.Buffer
	demo.Stderr = &stderr
	stdout, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), " packages: ") { // the first package is being compiled
			if err := demo.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := demo.Wait(); err != nil || stderr.Len() > 0 || !strings.HasSuffix(printed.String(), " Interrupted before anything was applied.\n") {
		t.Errorf("%v\n%s%s", err, &printed, &stderr)
	}
}
