package output

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Diff writes changes in the format of "git diff", ordered by path. "git apply" and "patch -p1" accept this format,
// described at https://git-scm.com/docs/diff-format. Without changes, nothing is written.
func Diff(w io.Writer, changes []Change) error {
	for _, c := range slices.SortedFunc(slices.Values(changes), byPath) {
		path := strings.TrimPrefix(filepath.ToSlash(c.Path), "/")
		from, to := "a/"+path, "b/"+path
		oldHash, newHash := blobHash(c.Old), blobHash(c.New)
		var text bytes.Buffer
		fmt.Fprintf(&text, "diff --git %s %s\n", from, to)
		switch c.Action {
		case Create:
			from, oldHash = "/dev/null", noBlob
			fmt.Fprintf(&text, "new file mode 100644\nindex %s..%s\n", oldHash, newHash)
		case Delete:
			to, newHash = "/dev/null", noBlob
			fmt.Fprintf(&text, "deleted file mode 100644\nindex %s..%s\n", oldHash, newHash)
		default:
			mode := "100644"
			if c.Executable {
				mode = "100755"
			}
			fmt.Fprintf(&text, "index %s..%s %s\n", oldHash, newHash, mode)
		}
		if differences := hunks(c.Old, c.New); len(differences) > 0 {
			fmt.Fprintf(&text, "--- %s\n+++ %s\n%s", from, to, differences)
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// noBlob is git's abbreviated hash of a missing file.
const noBlob = "0000000"

// blobHash returns the abbreviated hash of a git blob (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
func blobHash(content []byte) string {
	hash := sha1.New()
	fmt.Fprintf(hash, "blob %d\x00", len(content))
	hash.Write(content)
	return fmt.Sprintf("%x", hash.Sum(nil))[:len(noBlob)]
}

var section = regexp.MustCompile(`^[A-Za-z_$]`)
