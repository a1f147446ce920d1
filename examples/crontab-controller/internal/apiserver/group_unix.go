//go:build unix

package apiserver

import (
	"os/exec"
	"syscall"
)

// OwnGroup keeps a terminal's Ctrl-C from a process, so that what depends on it can end first.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
