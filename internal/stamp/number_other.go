//go:build !unix

package stamp

import "io/fs"

// number returns 0, because a file must be opened to get its number.
func number(fs.FileInfo) uint64 { return 0 }
