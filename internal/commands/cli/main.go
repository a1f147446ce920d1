// Package cli implements the command lines of kubegen and its gen-* commands: it parses flags, reads the packages,
// generates, lists, writes or verifies, and returns an exit code. No other package knows about flags, terminals and
// exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// The exit codes.
const (
	exitDone  = 0   // done; with --verify, everything is up to date
	exitStale = 1   // with --verify, something is out of date; with breaking, something breaks
	exitError = 2   // an error: nothing was written
	exitPipe  = 141 // nobody reads standard output any more; shells return 128+SIGPIPE for programs that this ends
)

// Main runs a command with its arguments, without the command's name, and returns its exit code. Files on disk change
// only if that is 0. SIGINT, SIGQUIT, SIGTERM and SIGHUP end the run before it changes files. A second signal kills it,
// unless it is SIGHUP.
func Main(program Command, args []string, stdout, stderr io.Writer) int {
	ctx, stop := UntilSignal()
	defer stop()
	collectGarbageLater()
	env, err := load.Current()
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", program.Name, err)
		return exitError
	}
	if formatIn(args) != "json" {
		env.Downloading = func(line []byte) { _, _ = stderr.Write(line) }
	}
	return execute(ctx, program, args, env, stdout, stderr)
}

// UntilSignal returns a context that ends with the first signal that ends a run. Signals that the process was started
// to ignore, as by nohup, do not count.
func UntilSignal() (context.Context, context.CancelFunc) {
	surviveSignals()
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 { // NotifyContext would listen to all signals
		return context.WithCancel(context.Background())
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // so that the second signal kills the run
	return ctx, stop
}

// collectGarbageLater starts the first collection when 32 MB are in use, so that a run for a small API needs none.
// Later collections start when the garbage reaches one and a half times the memory in use, or 150 MB if that is less,
// but at least a quarter of the memory in use.
func collectGarbageLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const first, most, least, garbage = 800, 150, 25, 150 << 20
	debug.SetGCPercent(first)
	var afterCollection func(struct{})
	afterCollection = func(struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(int(max(least, min(most, 100*garbage/max(1, live[0].Value.Uint64())))))
		runtime.AddCleanup(new([64]byte), afterCollection, struct{}{})
	}
	runtime.AddCleanup(new([64]byte), afterCollection, struct{}{})
}

// withOptional joins a flag whose value is optional with the next argument if that is the value: -v with a number, as
// in klog, and --with-crds and the like with a directory. -v alone is -v=1. The last argument of import is what to
// import.
func withOptional(args []string, env load.Environment, imports bool) []string {
	var all []string
	for i := 0; i < len(args); i++ {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		verbosity := args[i] == "-v" || args[i] == "--v"
		_, notNumber := strconv.Atoi(next)
		switch {
		case args[i] == "--":
			return append(all, args[i:]...)
		case verbosity && notNumber == nil, ofManifests(args[i]) && isDirectory(next, env) && (!imports || i+2 < len(args)):
			all = append(all, args[i]+"="+next)
			i++
		case verbosity:
			all = append(all, "-v=1")
		default:
			all = append(all, args[i])
		}
	}
	return all
}

// isDirectory reports whether an argument names a directory, and neither a kind nor packages by the rules of the go
// command: a path such as config/crd, unless it is a path in the module, or an absolute path. A directory ./crd could
// be a package.
func isDirectory(arg string, env load.Environment) bool {
	if filepath.IsAbs(arg) {
		return !strings.Contains(arg, "...")
	}
	first, _, _ := strings.Cut(filepath.ToSlash(arg), "/")
	if arg == "" || arg[0] == '-' || isKind(arg) || strings.Contains(first, ".") || strings.Contains(arg, "...") {
		return false
	}
	_, module, ok := env.FindModule(".")
	return !ok || arg != module && !strings.HasPrefix(arg, module+"/")
}

// ofManifests reports whether an argument is a flag with an optional directory of manifests, without a value.
func ofManifests(arg string) bool {
	name, ok := strings.CutPrefix(arg, "--")
	info := manifestsOf(name)
	return ok && info != nil && info.Manifests.Dir != ""
}

// execute runs a command and returns its exit code. If ctx is done before the command writes files, it writes none.
func execute(ctx context.Context, program Command, args []string, env load.Environment, stdout, stderr io.Writer) int {
	in := &invocation{
		options: &options{}, program: program, command: program, env: env, stdout: &stream{w: stdout}, stderr: &stream{w: stderr},
	}
	return in.end(in.main(ctx, args))
}

var errInterrupted = errors.New("interrupted; nothing was changed")

// end returns the exit code of a command that ended with code. It is an error if its output could not be printed, but
// nothing is said if nobody reads it any more, as after head.
func (in *invocation) end(code int) int {
	switch {
	case in.stdout.err == nil:
		return code
	case errors.Is(in.stdout.err, syscall.EPIPE):
		return exitPipe
	}
	return in.fail(fmt.Errorf("cannot write to standard output: %w", output.Reason(in.stdout.err)))
}

// stream is standard output or standard error. It keeps the first write error, because callers that print ignore it.
type stream struct {
	w     io.Writer
	err   error
	exact bool // the output is the contents of files for a program, not for a terminal
}

func (s *stream) Write(text []byte) (int, error) {
	shown := text
	if !s.exact {
		shown = []byte(visible(string(text)))
	}
	n, err := s.w.Write(shown)
	if s.err == nil {
		s.err = err
	}
	if err == nil {
		n = len(text)
	}
	return n, err
}

// ownSequences matches the escape sequences that kubegen itself writes, which set readable colors.
var ownSequences = regexp.MustCompile("\x1b\\[(?:[0-2]|[0-2]?;?3[1-6])?m")

// visible escapes other sequences that control a terminal, because names and texts of the input may contain them.
func visible(text string) string {
	var b strings.Builder
	for text != "" {
		at := ownSequences.FindStringIndex(text)
		if at == nil {
			break
		}
		b.WriteString(diag.Visible(text[:at[0]]) + text[at[0]:at[1]])
		text = text[at[1]:]
	}
	return b.String() + diag.Visible(text)
}
