package output

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// TestKeep checks that of files by kubegen only the lines above the package clause remain in memory, that new files are
// compared with the whole content, and that many of them are in a file on disk.
func TestKeep(t *testing.T) {
	byKubegen := gofile.MarkLine("kubegen lister")
	top, rest := byKubegen+"\n// Source: a\n\n", "package p\n\nvar x = 1\n"
	enter(t, "out/a.go", top+rest, "out/b.go", "\ufeff"+top+rest, "out/other.go", foreign(""), "out/hand.go", hand)
	var d Disk
	s, err := d.Read("out", gofile.ToolMark{Line: byKubegen})
	must(t, err)
	equal(t, "tops", s.Generated(), map[string][]byte{"a.go": []byte(top), "b.go": []byte("\ufeff" + top)})
	equal(t, "whole", string(s.Content("a.go")), top+rest)
	equal(t, "by another tool", string(s.Top("other.go")), foreign(""))
	if s.Content("none.go") != nil || s.Top("none.go") != nil {
		t.Error("a missing file has content")
	}
	equal(t, "hand-written", s.HandWritten(".", map[string][]byte{"hand.go": []byte("new"), "more.go": nil}),
		map[string][]byte{"hand.go": []byte("new"), "more.go": nil, "other.go": []byte(foreign(""))})

	want := Tree{Dir: "out", Mark: byKubegen, Snapshot: s, Stale: everything}
	plan := func(content string) []Change {
		want.Files = []File{{"a.go", s.Keep("a.go", []byte(content))}, {"b.go", s.Keep("b.go", []byte("\ufeff"+content))}}
		changes, err := Plan(want)
		must(t, err)
		return changes
	}
	equal(t, "changes", len(plan(top+rest)), 0)
	equal(t, "unchanged", string(want.Files[1].Content.Bytes()), "\ufeff"+top+rest)
	if runtime.GOOS == "windows" { // which does not remove open files
		return
	}
	d.spill.held = maxHeld
	changed := top + "package p\n\nvar x = 2\n"
	changes := plan(changed)
	if len(changes) != 2 || changes[0].New.in == nil || changes[0].Action != Update || string(changes[0].Old) != top+rest {
		t.Fatalf("changes: %v", changes)
	}
	must(t, Commit(t.Context(), changes))
	written, err := os.ReadFile("out/a.go")
	must(t, err)
	equal(t, "written", string(written), changed)

	must(t, d.spill.file.Close())
	before := disk(t)
	if err := Commit(t.Context(), changes); err == nil {
		t.Error("no error for a text that cannot be read")
	}
	if err := Diff(new(bytes.Buffer), changes); err == nil {
		t.Error("no error for a diff of a text that cannot be read")
	}
	unchanged(t, before)
	equal(t, "in memory after a failure", string(s.Keep("a.go", []byte("x")).held), "x")
	d.spill = spill{held: maxHeld}
	t.Setenv("TMPDIR", "nowhere")
	equal(t, "without a directory for temporary files", string(s.Keep("a.go", []byte("x")).held), "x")
	must(t, os.Remove("out/a.go"))
	if s.Content("a.go") != nil {
		t.Error("a file that was removed has content")
	}
}
