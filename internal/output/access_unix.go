//go:build unix

package output

import "syscall"

// access asks whether entries can be made and removed in the existing folder dir. The kernel's answer covers what even
// root may not do, such as changing a read-only file system.
func access(dir string) error {
	const write, search = 2, 1 // W_OK and X_OK of access(2)
	return syscall.Access(dir, write|search)
}
