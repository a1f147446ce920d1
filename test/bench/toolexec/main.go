//go:build unix

// Command toolexec runs a tool for the go command, and appends a line to the file in the environment variable
// TOOLEXEC_LOG: the name of the tool, its CPU time in seconds, its peak memory in bytes, and the import path of the
// package. It is for the flag -toolexec.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

func main() {
	if err := run(os.Args[1], os.Args[2:], os.Getenv("TOOLEXEC_LOG")); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) { // the tool has said what is wrong
			fmt.Fprintln(os.Stderr, "toolexec:", err)
		}
		os.Exit(1)
	}
}

func run(tool string, args []string, log string) error {
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil || log == "" {
		return err
	}
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss // kilobytes, except on macOS
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	_, err = fmt.Fprintf(file, "%s %f %d %s\n", filepath.Base(tool), cpu.Seconds(), peak, os.Getenv("TOOLEXEC_IMPORTPATH"))
	return errors.Join(err, file.Close())
}
