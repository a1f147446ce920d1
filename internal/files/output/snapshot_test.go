package output

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

func TestRead(t *testing.T) {
	enter(t,
		"out/go.mod", "module example.com/m\n", // the directory itself may be a module
		"out/a.go", hand,
		"out/generated.go", generated(""),
		"out/adopted.go", foreign(""),
		"out/a_test.go", hand,
		"out/readme.md", "text",
		"out/.hidden.go", hand,
		"out/_off.go", hand,
		"out/directory.go/x.txt", "text",
		"out/v1/b.go", hand,
		"out/v1/link.go", "->../../elsewhere/c.go",
		"out/v1/nowhere.go", "->none.go",
		"out/v1/.#b.go", "->user@host", // the lock file of an editor
		"out/v1/up.go", "->..",
		"out/v1/loop", "->..",
		"out/outside", "->../elsewhere",
		"out/.git/x.go", hand,
		"out/_x/x.go", hand,
		"out/vendor/x/x.go", hand,
		"out/testdata/x.go", hand,
		"out/node_modules/x.go", hand,
		"out/nested/go.mod", "module example.com/n\n",
		"out/nested/x.go", hand,
		"out/nested/below/x.go", hand,
		"elsewhere/c.go", "package c\n",
		"link", "->out",
	)
	for _, dir := range []string{"out", "./link/", "elsewhere/../out"} {
		s, err := new(Disk).Read(dir, gofile.ToolMark{Line: mark}, gofile.ToolMark{Line: other})
		must(t, err)
		var rels []string
		for _, f := range s.files {
			rels = append(rels, f.rel)
		}
		equal(t, "files", rels, []string{"a.go", "a_test.go", "adopted.go", "generated.go", "v1/b.go", "v1/link.go"})
		equal(t, "hand-written", s.HandWritten(".", nil), map[string][]byte{"a.go": []byte(hand), "a_test.go": []byte(hand)})
		equal(t, "in v1", s.HandWritten("v1", nil), map[string][]byte{"b.go": []byte(hand), "link.go": []byte("package c\n")})
		equal(t, "in no directory", s.HandWritten("v2", nil), nil)
	}
	s, err := new(Disk).Read("out")
	must(t, err)
	equal(t, "without marks", slices.Sorted(maps.Keys(s.HandWritten("./", nil))), []string{"a.go", "a_test.go", "adopted.go", "generated.go"})
}

func TestReadMissing(t *testing.T) {
	enter(t, "file", "text", "nowhere", "->none")
	s, err := new(Disk).Read("a/b", gofile.ToolMark{Line: mark})
	must(t, err)
	equal(t, "hand-written", s.HandWritten(".", nil), nil)
	for dir, want := range map[string]string{
		"file":      "file is a file, but must be a directory; rename it or choose another output directory",
		"file/a/b":  "file is a file, but must be a directory; rename it or choose another output directory",
		"nowhere/x": "nowhere is a dangling symlink; remove it or choose another output directory",
	} {
		if _, err := new(Disk).Read(dir); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
}

func TestReadFlat(t *testing.T) {
	enter(t, "out/a.go", hand, "out/generated.go", generated(""), "out/v1/b.go", hand, "out/v1/generated.go", generated(""))
	s, err := new(Disk).ReadFlat("out", gofile.ToolMark{Line: mark})
	must(t, err)
	if got := slices.Collect(maps.Keys(s.Generated())); !slices.Equal(got, []string{"generated.go"}) {
		t.Errorf("generated are %q", got)
	}
	if got := slices.Collect(maps.Keys(s.HandWritten(".", nil))); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("hand-written are %q", got)
	}
	if len(s.HandWritten("v1", nil)) > 0 {
		t.Error("a flat snapshot has files of a directory below")
	}
}

// TestReadDuringCommits checks that files that another process creates and deletes are no errors.
func TestReadDuringCommits(t *testing.T) {
	enter(t)
	stop, stopped := make(chan bool), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			dir := filepath.Join("out", "v"+strconv.Itoa(i%3))
			err := os.MkdirAll(dir, 0o777)
			for j := 0; j < 20 && err == nil; j++ {
				err = os.WriteFile(filepath.Join(dir, strconv.Itoa(j)+".go"), []byte(hand), 0o666)
			}
			if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 300 {
		s, err := new(Disk).Read("out")
		if err != nil {
			t.Error(err)
			break
		}
		for _, f := range s.files {
			if f.content == nil || s.at(f.rel) != f {
				t.Errorf("%s is incomplete", f.rel)
			}
		}
	}
	close(stop)
	must(t, <-stopped)
}

// TestParts checks that of files by kubegen only the lines above the package clause remain in memory, and that new
// files are compared with the whole content.
func TestParts(t *testing.T) {
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
		want.Files = []File{{"a.go", []byte(content)}, {"b.go", []byte("\ufeff" + content)}}
		changes, err := Plan(want)
		must(t, err)
		return changes
	}
	equal(t, "changes", len(plan(top+rest)), 0)
	changes := plan(top + "package p\n\nvar x = 2\n")
	if len(changes) != 2 || changes[0].Action != Update || string(changes[0].Old) != top+rest {
		t.Fatalf("changes: %v", changes)
	}
	must(t, os.Remove("out/a.go"))
	if s.Content("a.go") != nil {
		t.Error("a file that was removed has content")
	}
}
