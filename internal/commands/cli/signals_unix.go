//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveSignals makes it an error to write to a closed pipe, or to exceed the permitted size of a file, instead of
// ending the process. Unlike signal.Ignore, it does not affect the commands that kubegen starts. When a terminal is
// closed, shells and the system send SIGHUP one after the other; the second one does not kill a run that the first one
// has ended.
func surviveSignals() {
	survived := []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
	if !signal.Ignored(syscall.SIGHUP) {
		survived = append(survived, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), survived...)
}
