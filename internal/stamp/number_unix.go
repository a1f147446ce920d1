//go:build unix

package stamp

import (
	"io/fs"
	"syscall"
)

// number returns the inode number. It changes if another file is renamed to the name of this one.
func number(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
