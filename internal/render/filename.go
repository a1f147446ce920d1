package render

import (
	"fmt"
	"go/build"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// safeName returns the name for a kind's file. A name that the go command would read as a condition, as it does
// fake_windows.go and fake_test.go, or that another file of the directory has, gets "_generated" at its end. One that is too long
// for file systems, as instances of generic types may have, ends in a hash of the rest.
func safeName(name string, siblings []*file) string {
	if len(name) > longestName {
		name = shortened(name)
	}
	taken := slices.ContainsFunc(siblings, func(f *file) bool { return path.Base(f.path) == name })
	if taken || !unconditional(name) {
		return strings.TrimSuffix(name, ".go") + "_generated.go"
	}
	return name
}

// longestName is the number of bytes that a file name may have. File systems allow 255, of which temporary files need some.
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
