//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// survivePipes makes writing to a closed pipe an error instead of ending the process. Unlike signal.Ignore, it does not
// affect the commands that kubegen starts.
func survivePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
