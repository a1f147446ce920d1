//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// survivePipes makes writing to a pipe that nobody reads any more an error, where it would end the process. Unlike
// signal.Ignore this leaves the commands alone that kubegen starts.
func survivePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
