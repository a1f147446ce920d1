//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveSignals makes writing to a closed pipe, or more than the permitted size of a file, an error instead of ending the process. Unlike
// signal.Ignore, it does not affect the commands that kubegen starts. SIGHUP, which shells and the system send one after the other when a
// terminal is closed, kills no run that it has ended already.
func surviveSignals() {
	survived := []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
	if !signal.Ignored(syscall.SIGHUP) {
		survived = append(survived, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), survived...)
}
