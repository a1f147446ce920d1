package output

import (
	"bytes"
	"fmt"
	"github.com/kubegen/kubegen/internal/input"
	"path"
	"path/filepath"
)

// Basis describes the inputs of a Plan. Commit only makes the changes if these are the same.
type Basis struct {
	// Trees are the trees given to Plan, with their Snapshots. The files in their directories must be the same as in
	// the Snapshots, or already have the content of the Trees.
	Trees []Tree
	// Dir is a directory shared by all runs with the same sources, so that they wait for each other even if they change
	// different directories; "" for none.
	Dir string
	// Sources returns an error with advice if the sources of the Files have changed. It may be nil.
	Sources func() error
}

// compare checks that the trees have not changed, and removes steps already done by another run.
func (c *commit) compare(trees []Tree) error {
	steps := map[string]int{} // by path
	for i, s := range c.steps {
		steps[s.Path] = i
	}
	wanted := map[string]Text{}
	for _, t := range trees {
		for _, file := range t.Files {
			wanted[t.At(path.Clean(file.Path))] = file.Content
		}
	}
	done := map[string]bool{}
	// check reads a file whose stamp has changed. The file may have the content of the trees, or content for which
	// harmless returns true.
	check := func(name string, harmless func(content []byte) bool) error {
		content, err := input.File(name)
		want := wanted[name]
		switch {
		case err != nil:
			return changedError(name)
		case want.Exists() && sameText(content, want.Bytes()):
			done[name] = true
		case !harmless(content):
			return changedError(name)
		}
		return nil
	}
	for _, t := range trees {
		if t.Snapshot == nil {
			continue
		}
		now, err := t.Snapshot.again()
		if err != nil {
			return err
		}
		used := t.usedDirectories()
		for _, was := range t.Snapshot.files {
			name := t.At(was.rel)
			is := now.at(was.rel)
			i, changes := steps[name]
			switch {
			case is.rel != "" && is.stamp == was.stamp, !was.generated && !used[path.Dir(was.rel)]:
			case is.rel == "" && changes && c.steps[i].Kind == Delete:
				done[name] = true
			case is.rel == "":
				return changedError(name)
			default:
				if err := check(name, func(content []byte) bool { return bytes.Equal(content, was.text.Bytes()) }); err != nil {
					return err
				}
			}
		}
		for _, is := range now.files {
			if t.Snapshot.at(is.rel).rel != "" {
				continue
			}
			unrelated := func(content []byte) bool {
				return !used[path.Dir(is.rel)] && !t.Snapshot.marks.On(path.Base(is.rel), content)
			}
			if err := check(t.At(is.rel), unrelated); err != nil {
				return err
			}
		}
	}
	rest := c.steps[:0]
	for _, s := range c.steps {
		if !done[s.Path] {
			rest = append(rest, s)
		}
	}
	c.steps = rest
	return nil
}

func changedError(name string) error {
	return fmt.Errorf("%s was changed during the run, perhaps by another one; run the command again", filepath.Clean(name))
}
