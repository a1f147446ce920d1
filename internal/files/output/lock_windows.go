package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the name of the file that represents a lock on a directory. The go command ignores it. Clean removes it
// if the system has not.
const lockName = ".lock.kubegen-0.tmp"

// lock locks the existing directory dir against other Commits until held is closed or the process ends. It creates a
// file in dir that no other process can open, and that the system removes when it is closed. If another Commit has
// locked dir, lock returns errLocked.
func lock(dir string) (held io.Closer, err error) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, lockName))
	if err != nil {
		return nil, err
	}
	const (
		deleteAccess     = 0x00010000         // DELETE
		deleteOnClose    = 0x04000000         // FILE_FLAG_DELETE_ON_CLOSE
		sharingViolation = syscall.Errno(32)  // ERROR_SHARING_VIOLATION
		deletePending    = syscall.Errno(303) // ERROR_DELETE_PENDING
	)
	handle, err := syscall.CreateFile(
		name, syscall.GENERIC_WRITE|deleteAccess, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0,
	)
	switch {
	case errors.Is(err, sharingViolation), errors.Is(err, deletePending):
		return nil, errLocked
	case err != nil:
		return nil, err
	}
	return os.NewFile(uintptr(handle), lockName), nil
}
