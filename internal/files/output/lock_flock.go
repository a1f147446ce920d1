//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package output

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lock locks the existing directory dir against other Commits until held is closed or the process ends. If another
// Commit has locked it, or has removed it in the meantime, it returns errLocked. On file systems without locks it does
// nothing.
func lock(dir string) (held io.Closer, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(errLocked, f.Close())
	}
	if locked, err := f.Stat(); err == nil {
		if now, err := os.Stat(dir); err != nil || !os.SameFile(locked, now) {
			return nil, errors.Join(errLocked, f.Close())
		}
	}
	return f, nil
}
