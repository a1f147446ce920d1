package output

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Colors are those of git: headers are bold, also lines that look like changes, and lines of a hunk have the color of
// their first character, also those that look like headers.
func TestColored(t *testing.T) {
	var got strings.Builder
	must(t, Diff(Colored{&got}, []Change{
		{Action: Update, Path: "a.go", Old: []byte("one\n-- two\n"), New: []byte("one\n++ two")},
		{Action: Delete, Path: "b.go", Old: []byte("old\n")},
	}))
	shown := strings.NewReplacer("\x1b[1m", "<bold>", "\x1b[31m", "<red>", "\x1b[32m", "<green>", "\x1b[36m", "<cyan>", "\x1b[m", "</>").Replace(got.String())
	equal(t, "diff", shown, `<bold>diff --git a/a.go b/a.go</>
<bold>index 4f3a660..bc3bb25 100644</>
<bold>--- a/a.go</>
<bold>+++ b/a.go</>
<cyan>@@ -1,2 +1,2 @@</>
 one
<red>--- two</>
<green>+++ two</>
\ No newline at end of file
<bold>diff --git a/b.go b/b.go</>
<bold>deleted file mode 100644</>
<bold>index 3367afd..0000000</>
<bold>--- a/b.go</>
<bold>+++ /dev/null</>
<cyan>@@ -1 +0,0 @@</>
<red>-old</>
`)
}

func TestDiff(t *testing.T) {
	var got strings.Builder
	must(t, Diff(&got, []Change{
		{Action: Delete, Path: filepath.Join("out", "z.go"), Old: []byte("old\n")},
		{Action: Update, Path: filepath.Join("out", "b.go"), Old: []byte("func f() {\n1\n2\n3\n4\n5\nold\n"), New: []byte("func f() {\n1\n2\n3\n4\n5\nnew")},
		{Action: Create, Path: filepath.Join("out", "a.go"), New: []byte("new\n")},
		{Action: Create, Path: "/abs/empty.go"},
	}))
	equal(t, "diff", got.String(), `diff --git a/abs/empty.go b/abs/empty.go
new file mode 100644
index 0000000..e69de29
diff --git a/out/a.go b/out/a.go
new file mode 100644
index 0000000..3e75765
--- /dev/null
+++ b/out/a.go
@@ -0,0 +1 @@
+new
diff --git a/out/b.go b/out/b.go
index 9da2667..ea1cec3 100644
--- a/out/b.go
+++ b/out/b.go
@@ -4,4 +4,4 @@ func f() {
 3
 4
 5
-old
+new
\ No newline at end of file
diff --git a/out/z.go b/out/z.go
deleted file mode 100644
index 3367afd..0000000
--- a/out/z.go
+++ /dev/null
@@ -1 +0,0 @@
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

// TestDiffAsGit compares the output of Diff with that of git.
func TestDiffAsGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		out, err := cmd.Output()
		must(t, err)
		return string(out)
	}
	body := strings.Repeat("\tx++\n", 20)
	long := "func long(" + strings.Repeat("a", 100) + " int) {\n"
	changes := []Change{
		{Action: Update, Path: "changed.go", Old: []byte("package p\n\nfunc f() {\n" + body + "\ty++\n}\n\n" + long + body + "\tz()\n}\n"),
			New: []byte("package q\n\nfunc f() {\n" + body + "\ty--\n}\n\n" + long + body + "\tz()\n\tz()\n}\n")},
		{Action: Update, Path: "filled.go", New: []byte("package p\n\nvar x int\n")},
		{Action: Create, Path: "new.go", New: []byte("package p\n\nvar y int\n")},
		{Action: Delete, Path: "old.go", Old: []byte("package p\n\nvar z int")},
	}
	git("init", "-q")
	for _, c := range changes {
		if c.Action != Create {
			must(t, os.WriteFile(filepath.Join(dir, c.Path), c.Old, 0o644))
		}
	}
	git("add", ".")
	for _, c := range changes {
		must(t, os.WriteFile(filepath.Join(dir, c.Path), c.New, 0o644))
		if c.Action == Delete {
			must(t, os.Remove(filepath.Join(dir, c.Path)))
		}
	}
	git("add", "-N", "new.go")
	var got strings.Builder
	must(t, Diff(&got, changes))
	equal(t, "diff", got.String(), git("diff", "--no-renames"))
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
