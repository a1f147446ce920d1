//go:build unix

package output

import "syscall"

// access checks whether files can be created and removed in the existing directory dir. The kernel also considers
// restrictions on root, such as read-only file systems.
func access(dir string) error {
	const write, search = 2, 1 // W_OK and X_OK of access(2)
	return syscall.Access(dir, write|search)
}
