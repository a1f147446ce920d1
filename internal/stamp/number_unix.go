//go:build unix

package stamp

import (
	"io/fs"
	"syscall"
)

// number returns the file's number in its file system. A file that is renamed to the name of another one has its own.
func number(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
