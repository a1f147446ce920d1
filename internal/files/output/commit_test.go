package output

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestCommit(t *testing.T) {
	enter(t,
		"out/same.go", generated("same"),
		"out/script.go", generated("old"),
		"out/target.go", generated("old"),
		"out/link.go", "->target.go",
		"out/v1/gone/stale.go", generated("stale"),
		"out/v1/hand.go", hand,
		"out/v2/a/b/stale.go", generated("stale"),
		"out/v3/stale.go", generated("stale"),
		"gone/stale.go", generated("stale"),
	)
	must(t, os.Chmod("out/script.go", 0o755))
	same, err := os.Stat("out/same.go")
	must(t, err)
	want := tree("out",
		"same.go", generated("same"),
		"script.go", generated("new"),
		"link.go", generated("new"),
		"v3/a/new.go", generated("new"),
		"v4/a/new.go", generated("new"),
	)
	none := tree("gone")
	want.Stale, none.Stale = everything, everything
	// The target of the link would be left over, but a file reached through the link is wanted.
	commitAll(t, want, none)
	holds(t,
		"out/same.go", generated("same"),
		"out/script.go", generated("new"),
		"out/target.go", generated("new"),
		"out/v1/hand.go", hand,
		"out/v3/a/new.go", generated("new"),
		"out/v4/a/new.go", generated("new"),
	)
	var directories []string
	after := disk(t)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if after[path][0] == 'd' {
			directories = append(directories, path)
		}
	}
	equal(t, "directories: emptied ones go, but no output directory", directories,
		[]string{".", "gone", "out", "out/v1", "out/v3", "out/v3/a", "out/v4", "out/v4/a"})
	if after["out/link.go"][0] != 'L' {
		t.Error("the symlink has become a file")
	}
	if info, err := os.Stat("out/script.go"); err != nil || info.Mode().Perm()&0o100 == 0 && runtime.GOOS != "windows" {
		t.Errorf("permissions of an updated file: %v, %v", info.Mode(), err)
	}
	must(t, os.WriteFile("usual.go", nil, 0o644))
	usual, err := os.Stat("usual.go")
	must(t, err)
	if info, err := os.Stat("out/v4/a/new.go"); err != nil || info.Mode() != usual.Mode() {
		t.Errorf("permissions of a new file: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat("out/same.go"); err != nil || !info.ModTime().Equal(same.ModTime()) || !os.SameFile(same, info) {
		t.Error("a file that was right was written")
	}

	before := disk(t)
	commitAll(t, want, none)
	unchanged(t, before)
}

// TestCommitUndo checks that a failure after the first rename undoes the steps before it.
func TestCommitUndo(t *testing.T) {
	update := Change{Action: Update, Path: "out/a.go", Old: []byte(generated("old")), New: []byte(generated("new"))}
	create := Change{Action: Create, Path: "out/new/deep/b.go", New: []byte(generated("new"))}
	remove := Change{Action: Delete, Path: "out/v1/c.go", Old: []byte(generated("stale")), root: "out", keep: "out"}
	for _, test := range []struct {
		name    string
		changes []Change
		want    string
	}{
		{"rename", []Change{update, create, remove, {Action: Create, Path: "out/d"}, {Action: Create, Path: "out/d/e.go"}},
			"cannot create out/d: file exists; no file was changed"},
		{"delete", []Change{update, create, remove, remove},
			"cannot delete out/v1/c.go: no such file or directory; no file was changed"},
		{"delete, in another order", []Change{remove, remove, create, update},
			"cannot delete out/v1/c.go: no such file or directory; no file was changed"},
		{"stage: a file for a directory", []Change{update, create, remove, {Action: Create, Path: "out/a.go/x.go"}},
			"cannot write to the directory of out/a.go/x.go: not a directory; no file was changed"},
		{"stage: a hand-written file since Plan", []Change{update, create, {Action: Create, Path: "out/hand.go"}},
			"cannot create out/hand.go: it was changed during the run; run the command again; no file was changed"},
		{"stage: a file gone since Plan", []Change{update, create, remove, {Action: Delete, Path: "out/gone.go"}},
			"cannot delete out/gone.go: it was changed during the run; run the command again; no file was changed"},
		{"stage: a directory since Plan", []Change{create, {Action: Update, Path: "out/v1"}},
			"cannot update out/v1: it was changed during the run; run the command again; no file was changed"},
		{"stage: a path that no system takes", []Change{update, create, {Action: Create, Path: "out/" + string(make([]byte, 300)) + ".go"}},
			"cannot access out/" + string(make([]byte, 300)) + ".go: invalid argument; no file was changed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, "out/a.go", generated("old"), "out/v1/c.go", generated("stale"), "out/hand.go", hand)
			must(t, os.Chmod("out/v1/c.go", 0o600))
			before := disk(t)
			err := Commit(t.Context(), test.changes)
			if err == nil {
				t.Fatal("no error")
			}
			if runtime.GOOS != "windows" { // Windows words the errors differently
				equal(t, "error", filepath.ToSlash(err.Error()), test.want)
			}
			unchanged(t, before)
		})
	}
}

// TestCommitUndoFails checks that if undoing fails, the error names the files to look at.
func TestCommitUndoFails(t *testing.T) {
	enter(t, "out/c.go", generated("stale"))
	create := Change{Action: Create, Path: "out/a.go", New: []byte(generated("new"))}
	remove := Change{Action: Delete, Path: "out/c.go", Old: []byte(generated("stale"))}
	err := Commit(t.Context(), []Change{create, create, remove, remove})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	equal(t, "error", err.Error(), "cannot delete out/c.go: no such file or directory; the changes could not be undone: check these files\n"+
		"cannot undo the step to create out/a.go: no such file or directory")
	holds(t, "out/c.go", generated("stale"))
}

// ending is a context that ends when Err is called for the n-th time.
type ending struct {
	context.Context
	n atomic.Int64
}

func (e *ending) Err() error {
	if e.n.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestCommitCancelled(t *testing.T) {
	want := tree("out", "a.go", generated("new"), "b.go", generated("new"), "v1/c.go", generated("new"), "v2/d.go", generated("new"))
	want.Stale = everything
	stopped := 0
	for n := 0; ; n++ {
		enter(t, "out/a.go", generated("old"), "out/stale.go", generated("stale"))
		changes, before := planned(t, want), disk(t)
		ctx := &ending{Context: t.Context()}
		ctx.n.Store(int64(n))
		err := Commit(ctx, changes)
		if err == nil {
			holds(t, "out/a.go", generated("new"), "out/b.go", generated("new"), "out/v1/c.go", generated("new"), "out/v2/d.go", generated("new"))
			break
		}
		stopped++
		equal(t, "error", err.Error(), "stopped while writing: context canceled; no file was changed")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is not context.Canceled: %v", err)
		}
		unchanged(t, before)
	}
	if stopped < len(want.Files) {
		t.Errorf("stopped %d times: ctx is not looked at for each file", stopped)
	}
}
