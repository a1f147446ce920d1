package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
)

// grace is the time for an interrupted command to undo its changes, print a message and end.
const grace = 300 * time.Millisecond

// execute runs a command until it ends or ctx is done. A command that does not end when ctx is done is abandoned: it
// may be executing a user's template, which cannot be stopped, or writing to a pipe without a reader. It is not
// abandoned while it writes files, which observes ctx and is fast.
func execute(ctx context.Context, tool Tool, args []string, env environment.Environment, stdout, stderr io.Writer) int {
	in := &invocation{tool: tool, env: env, stdout: &stream{w: stdout}, stderr: &stream{w: stderr}}
	ended := make(chan int, 1)
	go func() { ended <- in.main(ctx, args) }()
	select {
	case code := <-ended:
		return in.end(code)
	case <-ctx.Done():
	}
	select {
	case code := <-ended:
		return in.end(code)
	case <-time.After(grace):
	}
	written := in.writing.forbid()
	in.stdout.closed.Store(true)
	in.stderr.closed.Store(true)
	if written {
		return exitDone // only its messages are missing
	}
	told := make(chan bool)
	go func() { // this may have no reader either
		defer close(told)
		last := &command{tool: tool, options: &options{}}
		if begun := in.command.Load(); begun != nil {
			*last = command{tool: tool, options: begun.options}
		}
		last.stderr, last.progress = stderr, &progress{}
		if _, ok := terminal(stderr); ok {
			fmt.Fprint(stderr, eraseLine)
		}
		last.fail(errInterrupted)
	}()
	select {
	case <-told:
	case <-time.After(grace):
	}
	return exitError
}

var errInterrupted = errors.New("interrupted; nothing was changed")

// end returns the exit code of a command that ended with code. It is an error if its output could not be printed.
func (in *invocation) end(code int) int {
	if in.stdout.err == nil {
		return code
	}
	last := &command{tool: in.tool, options: &options{}, stderr: in.stderr, progress: &progress{}}
	if begun := in.command.Load(); begun != nil {
		last.options = begun.options
	}
	return last.fail(fmt.Errorf("cannot write to standard output: %w", cause(in.stdout.err)))
}

// cause returns the system error, without the operation and the name of the file.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// stream is standard output or standard error. It remembers the first write error, because callers that print ignore
// it.
type stream struct {
	w      io.Writer
	err    error
	closed atomic.Bool // output is discarded
	exact  bool        // the output is the contents of files for a program, not for a terminal
}

func (s *stream) Write(text []byte) (int, error) {
	if s.closed.Load() {
		return 0, io.ErrClosedPipe
	}
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

// ownSequences matches the escape sequences that kubegen itself writes: they erase a line, or set readable colors.
var ownSequences = regexp.MustCompile("^\r\x1b\\[K|\x1b\\[(?:[0-2]|[0-2]?;?3[1-6])?m")

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

// writing guards the part of a run that changes files.
type writing struct {
	lock sync.Mutex
	done bool // the files were changed
}

// do calls f, which changes files.
func (w *writing) do(f func() error) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	err := f()
	w.done = err == nil
	return err
}

// forbid waits until no files are being changed, prevents it from now on, and reports whether they were changed.
func (w *writing) forbid() bool {
	w.lock.Lock()
	return w.done
}
