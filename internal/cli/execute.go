package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubegen/kubegen/internal/environment"
)

// grace is how long an interrupted command may take to end by itself: to undo what it did, and to say so.
const grace = 300 * time.Millisecond

// execute runs a command until it ends or ctx does. A command that goes on all the same is abandoned: it may be within a
// template of the user's, which nothing can stop, or write to a pipe that nobody reads. It is not abandoned while files are
// being written, which heeds ctx and does not take long.
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
		return exitDone // all that is missing is to say so
	}
	told := make(chan bool)
	go func() { // in case nobody reads that either
		defer close(told)
		last := &run{tool: tool, options: &options{}}
		if begun := in.run.Load(); begun != nil {
			*last = run{tool: tool, options: begun.options}
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

// end returns the exit code of a command that has ended with the given one: what could not be printed is an error.
func (in *invocation) end(code int) int {
	if in.stdout.err == nil {
		return code
	}
	fmt.Fprintf(in.stderr, "%s: cannot write to standard output: %v\n", in.tool.Name, cause(in.stdout.err))
	return exitError
}

// cause returns what the system said, without the operation and the name of the file.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// stream is standard output or standard error. It remembers the first error of writing to it, for those who print cannot
// do anything about it.
type stream struct {
	w      io.Writer
	err    error
	closed atomic.Bool // nothing is printed any more
}

func (s *stream) Write(text []byte) (int, error) {
	if s.closed.Load() {
		return 0, io.ErrClosedPipe
	}
	n, err := s.w.Write(text)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// writing guards the part of a run that changes files.
type writing struct {
	lock sync.Mutex
	done bool // the files were changed
}

// do changes files by f.
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
