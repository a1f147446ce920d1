package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"syscall"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// execute runs a command and returns its exit code. If ctx is done before the command writes files, it writes none.
func execute(ctx context.Context, program Command, args []string, env load.Environment, stdout, stderr io.Writer) int {
	in := &invocation{
		options: &options{}, program: program, command: program, env: env, stdout: &stream{w: stdout}, stderr: &stream{w: stderr},
		progress: &progress{},
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
	return in.fail(fmt.Errorf("cannot write to standard output: %w", cause(in.stdout.err)))
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
