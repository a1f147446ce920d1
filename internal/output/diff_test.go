package output

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	var got strings.Builder
	must(t, Diff(&got, []Change{
		{Kind: Delete, Path: filepath.Join("out", "z.go"), Old: []byte("old\n")},
		{Kind: Update, Path: filepath.Join("out", "b.go"), Old: []byte("1\n2\n3\n4\n5\nold\n"), New: []byte("1\n2\n3\n4\n5\nnew")},
		{Kind: Create, Path: filepath.Join("out", "a.go"), New: []byte("new\n")},
		{Kind: Create, Path: "/abs/empty.go"},
	}))
	equal(t, "diff", got.String(), `--- /dev/null
+++ b/abs/empty.go
--- /dev/null
+++ b/out/a.go
@@ -0,0 +1,1 @@
+new
--- a/out/b.go
+++ b/out/b.go
@@ -3,4 +3,4 @@
 3
 4
 5
-old
+new
\ No newline at end of file
--- a/out/z.go
+++ /dev/null
@@ -1,1 +0,0 @@
-old
`)
	got.Reset()
	must(t, Diff(&got, nil))
	equal(t, "diff of nothing", got.String(), "")

	full := errors.New("full")
	if err := Diff(failing{full}, []Change{{Path: "a"}}); !errors.Is(err, full) {
		t.Errorf("a failing writer: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
