package output

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff writes changes as one unified diff, in the order of their paths, that "git apply" and "patch -p1" take: names
// begin with a/ and b/, and are /dev/null for files that are created or deleted. It writes nothing for no changes.
func Diff(w io.Writer, changes []Change) error {
	for _, c := range slices.SortedFunc(slices.Values(changes), byPath) {
		path := strings.TrimPrefix(filepath.ToSlash(c.Path), "/")
		from, to := "a/"+path, "b/"+path
		switch c.Kind {
		case Create:
			from = "/dev/null"
		case Delete:
			to = "/dev/null"
		}
		// The library's first line, "diff from to", is none that git or diff writes for /dev/null.
		_, text, _ := bytes.Cut(diff.Diff(from, c.Old, to, c.New), []byte("\n"))
		if len(text) == 0 { // an empty file comes or goes: a change without lines
			text = fmt.Appendf(nil, "--- %s\n+++ %s\n", from, to)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
