// Package stamp tells whether files are still as they were, without reading them again.
package stamp

import (
	"io/fs"
	"os"
)

// Stamp is what changes with the content of a file: size, time of the last change and, where files have one, number. The zero
// Stamp is that of no file.
type Stamp struct {
	size, time int64
	number     uint64
}

// Of returns the Stamp of a file. Symlinks are followed.
func Of(name string) Stamp {
	info, err := os.Stat(name)
	if err != nil {
		return Stamp{}
	}
	return OfInfo(info)
}

// OfInfo returns the Stamp of the file that is described.
func OfInfo(info fs.FileInfo) Stamp {
	return Stamp{info.Size(), info.ModTime().UnixNano(), number(info)}
}
