package render

import (
	"fmt"
	"go/build"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// safeName returns the file name for a kind. It appends "_generated" to a name that the go command would interpret as a
// build constraint, such as fake_windows.go or fake_test.go, and to a name that is taken by another file of the
// directory, followed by a number if necessary. The end of a name that is too long for file systems, such as the name
// of an instance of a generic type, is replaced with a hash.
func safeName(name string, taken func(string) bool) string {
	if len(name) > longestName {
		name = shortened(name)
	}
	if !taken(name) && unconditional(name) {
		return name
	}
	base := strings.TrimSuffix(name, ".go") + "_generated"
	name = base + ".go"
	for n := 2; taken(name); n++ {
		name = base + strconv.Itoa(n) + ".go"
	}
	return name
}

// longestName is the greatest length of a file name in bytes. File systems allow 255, but temporary files have longer
// names.
const longestName = 200

func shortened(name string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	end := fmt.Sprintf("_%016x.go", hash.Sum64())
	at := longestName - len(end)
	for !utf8.RuneStart(name[at]) {
		at--
	}
	return name[:at] + end
}

// unconditional reports whether a Go file with this name is built on every system
// (https://pkg.go.dev/cmd/go#hdr-Build_constraints).
func unconditional(name string) bool {
	if !strings.Contains(name, "_") {
		return true // the quick answer for most names
	}
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	match, err := nowhere.MatchFile("", name)
	return err == nil && match && !strings.HasSuffix(name, "_test.go")
}
