package render

import (
	"go/build"
	"io"
	"path"
	"slices"
	"strings"
)

// safeName returns the name for a kind's file. A name that the go command would read as a condition, as it does
// fake_windows.go and fake_test.go, or that another file of the directory has, gets "_generated" at its end.
func safeName(name string, siblings []*file) string {
	taken := slices.ContainsFunc(siblings, func(f *file) bool { return path.Base(f.path) == name })
	if taken || !unconditional(name) {
		return strings.TrimSuffix(name, ".go") + "_generated.go"
	}
	return name
}

// unconditional reports whether a Go file of that name is built everywhere
// (https://pkg.go.dev/cmd/go#hdr-Build_constraints).
func unconditional(name string) bool {
	if !strings.Contains(name, "_") {
		return true // which most names are
	}
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	match, err := nowhere.MatchFile("", name)
	return err == nil && match && !strings.HasSuffix(name, "_test.go")
}
