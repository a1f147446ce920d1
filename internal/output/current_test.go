package output

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/origin"
	"time"
)

// stepwise is a run that pauses at each step until the test resumes it.
type stepwise struct {
	context.Context
	step, resume chan bool // the run has reached a step; the run may continue
	ended        bool
	err          error
}

// pause waits at a step until the test resumes the run.
func (s *stepwise) pause() {
	s.step <- true
	<-s.resume
}

// Err is called wherever Commit checks whether to stop, so each call is a step.
func (s *stepwise) Err() error {
	s.pause()
	return nil
}

// versions has the files generated from each version of the sources. Between two versions, some files are the same,
// some updated, some new and some left over, in two directories.
var versions = map[string][]string{
	"0": {"a/same.go", "same", "a/x.go", "0", "a/y.go", "0", "b/z.go", "0", "b/gone0.go", "0"},
	"1": {"a/same.go", "same", "a/x.go", "1", "a/y.go", "0", "b/z.go", "0", "b/gone1.go", "1"},
	"2": {"a/same.go", "same", "a/x.go", "0", "a/y.go", "2", "b/z.go", "2", "c/new.go", "2"},
	"3": {"a/same.go", "same", "a/x.go", "0", "a/y.go", "0", "b/z.go", "0", "b/gone0.go", "0"}, // the same as 0
	"4": {"a/same.go", "same", "a/x.go", "4", "a/y.go", "0", "b/z.go", "0", "b/gone0.go", "0"}, // changes only a
	"5": {"a/same.go", "same", "a/x.go", "0", "a/y.go", "0", "b/z.go", "5", "b/gone0.go", "0"}, // changes only b
}

// treesOf returns the trees of a version, one for each directory.
func treesOf(version string) []Tree {
	var trees []Tree
	for _, dir := range []string{"a", "b", "c"} {
		t := Tree{Dir: dir, Mark: mark, Stale: everything}
		list := versions[version]
		for i := 0; i < len(list); i += 2 {
			if rel, ok := strings.CutPrefix(list[i], dir+"/"); ok {
				t.Files = append(t.Files, File{Path: rel, Content: text(generated(list[i+1]))})
			}
		}
		trees = append(trees, t)
	}
	return trees
}

// start starts a run. First the run reads the version of the sources. If late is true, these can change after it last
// checks them.
func start(t *testing.T, late bool) *stepwise {
	s := &stepwise{Context: t.Context(), step: make(chan bool), resume: make(chan bool)}
	go func() {
		s.err = func() error {
			<-s.resume
			version, err := os.ReadFile("version")
			if err != nil {
				return err
			}
			s.pause()
			trees := treesOf(string(version))
			for i, tree := range trees {
				if trees[i].Snapshot, err = new(Store).Read(tree.Dir, origin.Mark{Line: mark}); err != nil {
					return err
				}
				s.pause()
			}
			changes, err := Plan(trees...)
			if err != nil {
				return err
			}
			s.pause()
			return Commit(s, changes, Basis{Trees: trees, Dir: ".", Sources: func() error {
				s.pause()
				now, err := os.ReadFile("version")
				if late {
					s.pause()
				}
				if err != nil || string(now) != string(version) {
					return errors.Join(err, errors.New("version was changed"))
				}
				return nil
			}})
		}()
		s.ended = true
		s.step <- true
	}()
	return s
}

// run resumes a run for n steps, or until it ends if that is sooner or n is negative.
func (s *stepwise) run(n int) {
	for ; n != 0 && !s.ended; n-- {
		s.resume <- true
		<-s.step
	}
}

// TestInterleaved runs two Commits in every interleaving of this form: some steps of the first, a change of the
// sources, some steps of the second, and then one of them to its end, followed by the other. Afterwards the files on
// disk must be those of a single version: the newest one, unless its run failed. A run that fails must have changed
// nothing.
func TestInterleaved(t *testing.T) {
	const steps = 15 // at least as many as a run makes that never waits
	defer func(was time.Duration) { lockInterval = was }(lockInterval)
	lockInterval = 10 * time.Microsecond
	failed, both := 0, 0
	pairs := [][2]string{{"1", "2"}, {"4", "5"}, {"2", "1"}, {"1", "3"}, {"2", "3"}, {"3", "1"}, {"1", "1"}}
	if testing.Short() {
		pairs = pairs[:2]
	}
	for _, pair := range pairs {
		for first := range steps {
			for second := range steps {
				for _, last := range []int{0, 1} {
					name := fmt.Sprintf("sources %s and %s, %d and %d steps, %d ends last", pair[0], pair[1], first, second, last)
					enter(t, "version", "0")
					trees := treesOf("0")
					commitAll(t, trees...)
					put(t, "version", pair[0])
					late := pair[1] != "3" // the second run changes nothing, so it would not notice what the first does later
					a, b := start(t, late), start(t, late)
					a.run(first)
					put(t, "version", pair[1])
					b.run(second)
					runs := []*stepwise{a, b}
					finish(runs[1-last], runs[last])
					if a.err != nil && b.err != nil {
						t.Errorf("%s: both fail: %v; %v", name, a.err, b.err)
					}
					for _, run := range runs {
						if run.err != nil {
							failed++
							if !strings.Contains(run.err.Error(), "changed") || !strings.HasSuffix(run.err.Error(), "; no file was changed") {
								t.Errorf("%s: %v", name, run.err)
							}
						}
					}
					if a.err == nil && b.err == nil {
						both++
					}
					want := pair[1]
					if b.err != nil {
						want = pair[0]
					}
					if got := disk(t); !maps.Equal(contents(got), wantedOf(want)) {
						t.Fatalf("%s: %v, %v\ngot  %v\nwant %v", name, a.err, b.err, contents(got), wantedOf(want))
					}
				}
			}
		}
	}
	t.Logf("%d runs failed; %d times both were successful", failed, both)
	if failed == 0 || both == 0 {
		t.Error("the runs did not get into each other's way, or always did")
	}
}

// finish lets one run end and then the other. While the first waits for the second, the second continues.
func finish(first, second *stepwise) {
	first.run(20)
	second.run(-1)
	first.run(-1)
}

func contents(disk map[string]string) map[string]string {
	files := map[string]string{}
	for name, what := range disk {
		if strings.HasSuffix(name, ".go") {
			files[name] = what[strings.Index(what, `"`):]
		} else if what[0] == '-' && name != "version" {
			files[name] = "left behind"
		}
	}
	return files
}

func wantedOf(version string) map[string]string {
	files := map[string]string{}
	list := versions[version]
	for i := 0; i < len(list); i += 2 {
		files[list[i]] = fmt.Sprintf("%q", generated(list[i+1]))
	}
	return files
}

// TestCommitChanged changes the basis of a plan before it is committed.
func TestCommitChanged(t *testing.T) {
	for _, test := range []struct {
		name   string
		change []string // as for put; the content "" deletes the file
		want   string   // name of the file that the error is about; "" for no error
	}{
		{"nothing", nil, ""},
		{"a file that stays", []string{"out/same.go", generated("other")}, "out/same.go"},
		{"a file that stays, gone", []string{"out/same.go", ""}, "out/same.go"},
		{"a file to update", []string{"out/old.go", generated("other")}, "out/old.go"},
		{"a file to update, gone", []string{"out/old.go", ""}, "out/old.go"},
		{"a file to delete", []string{"out/stale.go", generated("other")}, "out/stale.go"},
		{"a file to delete, gone", []string{"out/stale.go", ""}, ""},
		{"a file to create", []string{"out/new.go", generated("other")}, "out/new.go"},
		{"a file to create, by hand", []string{"out/new.go", hand}, "out/new.go"},
		{"as it should be", []string{"out/new.go", generated("new"), "out/old.go", generated("new"), "out/stale.go", ""}, ""},
		{"written again", []string{"out/same.go", generated("same"), "out/old.go", generated("old"), "out/hand.go", hand}, ""},
		{"a generated file more", []string{"out/v2/more.go", generated("more")}, "out/v2/more.go"},
		{"a hand-written file", []string{"out/hand.go", hand + "\n"}, "out/hand.go"},
		{"a hand-written file more", []string{"out/hand2.go", hand}, "out/hand2.go"},
		{"a hand-written file elsewhere", []string{"out/v1/hand.go", hand + "\n", "out/v3/hand.go", hand}, ""},
		{"a generated file of another tool", []string{"out/v3/foreign.go", foreign("more")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, "out/same.go", generated("same"), "out/old.go", generated("old"), "out/stale.go", generated("stale"), "out/hand.go", hand, "out/v1/hand.go", hand)
			want := tree("out", "same.go", generated("same"), "old.go", generated("new"), "new.go", generated("new"))
			want.Stale = everything
			var err error
			want.Snapshot, err = new(Store).Read("out", origin.Mark{Line: mark})
			must(t, err)
			changes := planned(t, want)
			for i := 0; i < len(test.change); i += 2 {
				must(t, os.RemoveAll(test.change[i]))
				if test.change[i+1] != "" {
					put(t, test.change[i:i+2]...)
					must(t, os.Chtimes(test.change[i], time.Time{}, time.Now()))
				}
			}
			before := disk(t)
			err = Commit(t.Context(), changes, Basis{Trees: []Tree{want}, Dir: "."})
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "":
				for name, content := range map[string]string{"out/same.go": "same", "out/old.go": "new", "out/new.go": "new"} {
					if got, err := os.ReadFile(name); string(got) != generated(content) {
						t.Errorf("%s is %q, %v", name, got, err)
					}
				}
				if _, err := os.Stat("out/stale.go"); err == nil {
					t.Error("the file that is left over is still there")
				}
			case err == nil:
				t.Error("no error")
			default:
				equal(t, "error", err.Error(), test.want+" was changed during the run, perhaps by another one; run the command again; no file was changed")
				unchanged(t, before)
			}
		})
	}
}

// TestCommitSources checks that Commit returns the error of Basis.Sources and changes nothing.
func TestCommitSources(t *testing.T) {
	enter(t, "out/old.go", generated("old"))
	before := disk(t)
	err := Commit(t.Context(), planned(t, tree("out", "old.go", generated("new"), "v1/new.go", generated("new"))), Basis{Sources: func() error { return errors.New("no") }})
	equal(t, "error", fmt.Sprint(err), "no; no file was changed")
	unchanged(t, before)
}
