package output

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func cleanAll(t *testing.T, trees ...Tree) {
	t.Helper()
	for i := range trees {
		snapshot, err := new(Disk).Read(trees[i].Dir)
		must(t, err)
		trees[i].Snapshot = snapshot
	}
	Clean(trees...)
}

// TestClean checks that Clean removes the temporary files of a killed run, and directories that contain nothing else,
// up to the output directory, but nothing more.
func TestClean(t *testing.T) {
	enter(t,
		"out/.a.go.kubegen-123.tmp", "half",
		"out/.kubegen-123.tmp", "no name of ours",
		"out/x.kubegen-123.tmp", "no name of ours",
		"out/.a.go.kubegen-x.tmp", "no name of ours",
		"out/.l.go.kubegen-1.tmp", "->x.kubegen-123.tmp",
		"out/stale/.b.go.kubegen-18446744073709551615.tmp", "deleted",
		"out/stale/.c.go.kubegen-2.tmp", "deleted",
		"out/deep/er/est/.b.go.kubegen-3.tmp", "deleted",
		"out/deep/er/.d.go.kubegen-4.tmp", "deleted",
		"out/half/v1/.b.go.kubegen-7.tmp", "deleted",
		"out/half/b.go", hand,
		"out/full/v1/.b.go.kubegen-8.tmp", "deleted",
		"out/full/v1/empty/", "a directory of the user's",
		"out/empty/", "a directory of the user's",
		"alone/v1/.b.go.kubegen-1.tmp", "deleted",
		"other/.b.go.kubegen-1.tmp", "not looked at",
	)
	cleanAll(t, tree("out"), tree("alone"), tree("out"), tree("missing"))
	all := disk(t)
	equal(t, "left", slices.Sorted(maps.Keys(all)), []string{
		".", "alone", "other", "other/.b.go.kubegen-1.tmp", "out",
		"out/.a.go.kubegen-x.tmp", "out/.kubegen-123.tmp", "out/.l.go.kubegen-1.tmp",
		"out/empty", "out/full", "out/full/v1", "out/full/v1/empty", "out/half", "out/half/b.go", "out/x.kubegen-123.tmp",
	})
	before := disk(t)
	cleanAll(t, tree("out"), tree("alone"))
	unchanged(t, before)
}

// TestCleanAfterKill stops a Commit that deletes files after each of its steps. Clean must then remove the rest of what
// was being deleted, and nothing that was not.
func TestCleanAfterKill(t *testing.T) {
	files := []string{"out/a/b/c/x.go", "out/a/b/y.go", "out/a/z.go", "out/keep.go"}
	begin := func() []*step {
		enter(t, files[0], generated("x"), files[1], generated("y"), files[2], generated("z"), files[3], generated("keep"))
		var steps []*step
		for _, change := range planned(t, Tree{Dir: "out", Mark: mark, Stale: func(rel string, _ []byte) bool { return rel != "keep.go" }}) {
			steps = append(steps, &step{Change: change})
		}
		return steps
	}
	steps := begin()
	for killed := 0; killed <= len(steps); killed++ {
		c := &commit{steps: begin()[:killed]}
		must(t, c.apply())
		cleanAll(t, tree("out"))
		want := []string{".", "out"}
		for _, file := range append([]string{files[3]}, files[killed:3]...) {
			for path := filepath.ToSlash(file); path != "out"; path = filepath.ToSlash(filepath.Dir(path)) {
				want = append(want, path)
			}
		}
		slices.Sort(want)
		equal(t, "left", slices.Sorted(maps.Keys(disk(t))), slices.Compact(want))
	}
}

// TestCleanLocked checks that Clean does not touch what another Commit is working on.
func TestCleanLocked(t *testing.T) {
	enter(t, "out/v1/.b.go.kubegen-1.tmp", "the other run's")
	held, err := lock("out")
	must(t, err)
	before := disk(t)
	cleanAll(t, tree("out"))
	if _, err := lock("out"); err == nil {
		t.Skip("this system does not lock directories")
	}
	unchanged(t, before)
	must(t, held.Close())
	cleanAll(t, tree("out"))
	if _, err := os.Stat("out/v1"); err == nil {
		t.Error("what was the other run's is still there")
	}
}

// TestStrayNames checks that Clean recognizes what Commit leaves behind.
func TestStrayNames(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &step{Change: Change{Action: Create, Path: "a.go"}}
	must(t, s.write(nil))
	if name := filepath.Base(s.temp); !stray.MatchString(name) {
		t.Errorf("%s is not taken for a stray", name)
	}
}
