// Package stamp detects whether a file has changed, without reading it.
package stamp

import (
	"io/fs"
	"os"
)

// Stamp identifies a state of a file by its size, modification time and, if the system has one, number. The zero Stamp
// stands for a file that does not exist.
type Stamp struct {
	size, time int64
	number     uint64
}

// Of returns the Stamp of a file, following symlinks. If the file cannot be read, it is the zero Stamp.
func Of(name string) Stamp {
	info, err := os.Stat(name)
	if err != nil {
		return Stamp{}
	}
	return OfInfo(info)
}

// OfInfo returns the Stamp of the file that info describes.
func OfInfo(info fs.FileInfo) Stamp {
	return Stamp{info.Size(), info.ModTime().UnixNano(), number(info)}
}
