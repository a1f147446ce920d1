//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package output

import (
	"io"
	"strings"
)

// lock keeps nobody out: there is no lock on folders that every system has.
func lock(string) (held io.Closer, err error) { return io.NopCloser(strings.NewReader("")), nil }
