//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package output

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lock keeps other Commits out of the existing folder dir until held is closed, be it by the end of the process.
// It returns errLocked while another Commit is in there. A file system that has no locks does without.
func lock(dir string) (held io.Closer, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(errLocked, f.Close())
	}
	return f, nil
}
