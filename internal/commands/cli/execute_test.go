package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

// What cannot be printed is an error, whatever was to be printed, unless nobody reads it any more.
func TestUnprintable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows describes these errors in other words")
	}
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	const target = "./apis/..."
	for _, args := range []string{
		"--version", "--help", "version", "help", "help list", "markers", "markers genclient", "markers --help", "list --help",
		"list " + target, "list --format json " + target,
		"--dry-run --output-dir gen " + target,
		"--verify --output-dir gen " + target,
	} {
		command := func(stdout *os.File) (string, int) {
			cmd := exec.Command(kubegen, strings.Fields(args)...)
			cmd.Dir = filepath.Join(moduletest.Root, "examples", "crontab-types")
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			return stderr.String(), cmd.ProcessState.ExitCode()
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if stderr, code := command(w); code != exitPipe || stderr != "" {
			t.Errorf("%s into a closed pipe: exit code %d, %q", args, code, stderr)
		}
		w.Close()
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // not Linux
		}
		if err != nil {
			t.Fatal(err)
		}
		if stderr, code := command(full); code != exitError || stderr != "kubegen: cannot write to standard output: no space left on device\n" {
			t.Errorf("%s into /dev/full: exit code %d, %q", args, code, stderr)
		}
		full.Close()
	}
}

// waiting is a generator that prints that it generates, and then waits for the end of the run's context or of its
// standard input, and at most for a minute, so that a signal without effect fails the test.
type waiting struct {
	render.KindGenerator
	run context.Context
}

func (w waiting) When(*render.API, string) bool {
	fmt.Println("generating")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case <-ended:
	case <-w.run.Done():
	case <-time.After(time.Minute):
	}
	return true
}

// A signal ends a run before it writes. The second one kills a run in a template without end, or one that prints to a
// pipe that nobody reads. The run is this test in a process of its own, with the generator above.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a process cannot send these signals")
	}
	if args := os.Getenv("INTERRUPTED_COMMAND"); args != "" {
		ctx, stop := UntilSignal()
		defer stop()
		tool := GenLister
		i := slices.Index(generators.All, render.Generator(lister.Generator{}))
		generators.All[i] = waiting{lister.Generator{}, ctx}
		env, err := load.Current()
		if err != nil {
			t.Fatal(err)
		}
		os.Exit(execute(ctx, tool, strings.Fields(args), env, os.Stdout, os.Stderr))
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "templates/listers/group/version/kind_endless.go.tmpl"), []byte("{{range $i := 1000000000000000}}{{end}}"))
	writeFile(t, filepath.Join(dir, "full"), []byte(strings.Repeat("// more than a pipe holds\n", 10000)))
	for _, args := range []string{
		"",
		"--templates " + filepath.Join(dir, "templates"),
		"--verify --go-header-file " + filepath.Join(dir, "full"),
	} {
		for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			if signal.Ignored(sent) { // with nohup, by the command as well
				continue
			}
			out := filepath.Join(dir, "out")
			flags := args + " --output-dir " + out + " --output-pkg example.com/gen " + filepath.Join(moduletest.Root, "examples/crontab-types/apis/stable/v1")
			cmd := exec.Command(os.Args[0], "-test.run=^TestInterrupt$")
			cmd.Dir, cmd.Env = moduletest.Root, append(os.Environ(), "INTERRUPTED_COMMAND="+flags)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(stdout, make([]byte, len("generating\n"))); err != nil {
				t.Fatalf("%s: %v, %s", flags, err, &stderr)
			}
			if args != "" {
				stdin.Close()
			}
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			ended := make(chan bool)
			if args != "" {
				second := sent
				if sent == syscall.SIGHUP {
					second = syscall.SIGTERM
				}
				go func() { // which the process may receive together with the first
					for {
						select {
						case <-ended:
							return
						case <-time.After(100 * time.Millisecond):
							_ = cmd.Process.Signal(second)
						}
					}
				}()
			}
			state, err := cmd.Process.Wait() // cmd.Wait closes the pipe
			if err != nil {
				t.Fatal(err)
			}
			close(ended)
			stdin.Close()
			_ = cmd.Wait()
			said := strings.HasSuffix(stderr.String(), "gen-lister: interrupted; nothing was changed\n")
			if state.Success() || args == "" && (state.ExitCode() != exitError || !said) {
				t.Errorf("%s, %v: %v, %q", flags, sent, state, &stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s, %v: wrote something", flags, sent)
			}
		}
	}
}
