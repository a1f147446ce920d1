package gofile

import (
	"fmt"
	"hash/fnv"
	"unicode/utf8"
)

// longestName is the greatest length of a file name in bytes. File systems allow 255, but temporary files have longer
// names.
const longestName = 200

// ShortName returns the name of a Go file. A hash replaces its end if it is too long for file systems.
func ShortName(name string) string {
	if len(name) <= longestName {
		return name
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	end := fmt.Sprintf("_%016x.go", hash.Sum64())
	at := longestName - len(end)
	for !utf8.RuneStart(name[at]) {
		at--
	}
	return name[:at] + end
}
