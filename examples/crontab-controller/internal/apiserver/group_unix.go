//go:build unix

package apiserver

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a command run in its own process group, so that Ctrl-C in a terminal does not end it before the
// processes that use it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
