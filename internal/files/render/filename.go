package render

import (
	"go/build"
	"io"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// safeName returns the file name for a kind. It appends "_generated" to a name that the go command would interpret as a
// build constraint, such as fake_windows.go or fake_test.go, and to a name that is taken by another file of the
// directory, followed by a number if necessary. Names of instances of generic types may be too long for file systems.
func safeName(name string, taken func(string) bool) string {
	name = gofile.ShortName(name)
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
