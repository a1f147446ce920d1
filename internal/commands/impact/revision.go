package impact

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Since returns the differences between the generated files of a git revision and the generated files after the planned
// changes. ok reports whether the revision has any. It is an error if it only has some elsewhere. For manifests, see
// OnManifests.
func Since(
	ctx context.Context, env load.Environment, rev string, trees []output.Tree, planned []output.Change,
) (changes []output.Change, ok bool, err error) {
	trees = slices.DeleteFunc(slices.Clone(trees), func(t output.Tree) bool { return !t.IsGo() })
	if len(trees) == 0 {
		return nil, true, nil
	}
	deleted := map[string]bool{}
	for _, change := range planned {
		deleted[change.Path] = change.Action == output.Delete
	}
	after := map[string][]byte{}
	for _, tree := range trees {
		for rel := range tree.Snapshot.Generated() {
			if name := tree.At(rel); !deleted[name] {
				after[name] = tree.Snapshot.Content(rel)
			}
		}
		for _, file := range tree.Files {
			after[tree.At(file.Path)] = file.Content
		}
	}
	before := map[string]bool{}
	for _, tree := range trees {
		at, err := OpenRevision(ctx, tree.Dir, rev)
		if err != nil {
			return nil, false, err
		}
		marks := tree.Marks()
		err = at.Files(tree.Dir, []string{".go"}, func(rel string, content []byte) {
			name := tree.At(rel)
			if before[name] || tree.Flat && strings.Contains(rel, "/") || !marks.On(path.Base(rel), content) {
				return
			}
			before[name] = true
			if now := after[name]; now == nil || !bytes.Equal(now, content) {
				changes = append(changes, output.Change{Path: name, Old: content, New: now})
			}
		})
		if err != nil {
			return nil, false, err
		}
	}
	if len(before) == 0 {
		return nil, false, checkElsewhere(ctx, env, rev, trees)
	}
	for name, text := range after {
		if !before[name] {
			changes = append(changes, output.Change{Path: name, New: text})
		}
	}
	lost, err := abandoned(ctx, env, rev, trees, before)
	return append(changes, lost...), true, err
}

// abandoned returns the deletion of generated files of a revision that no tree contains and that are no longer on disk:
// the files of a directory that was renamed or is no longer generated. Only packages that consist of generated code
// count. found lists the files that trees contain.
func abandoned(
	ctx context.Context, env load.Environment, rev string, trees []output.Tree, found map[string]bool,
) (changes []output.Change, err error) {
	var marks gofile.ToolMarks
	var lines []string
	for _, tree := range trees {
		if !tree.Flat {
			marks = append(marks, tree.Marks()...)
		}
	}
	root, _, ok := env.FindModule(trees[0].Dir)
	if !ok || len(marks) == 0 {
		return nil, nil
	}
	for _, mark := range marks {
		lines = append(lines, mark.Line)
	}
	at, err := OpenRevision(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	gone := func(name string) bool {
		_, err := os.Lstat(name)
		return !found[name] && errors.Is(err, fs.ErrNotExist)
	}
	names, err := at.Containing(lines...)
	if err != nil || !slices.ContainsFunc(names, func(name string) bool { return gone(at.At(name)) }) {
		return nil, err // most runs end here, before all files of the revision are read
	}
	err = at.Files(root, []string{".go"}, func(rel string, content []byte) {
		if name := filepath.Join(root, filepath.FromSlash(rel)); gone(name) && marks.On(path.Base(rel), content) {
			changes = append(changes, output.Change{Action: output.Delete, Path: name, Old: content})
		}
	})
	return changes, err
}

// checkElsewhere returns an error if the revision has generated files in directories other than the output directories.
func checkElsewhere(ctx context.Context, env load.Environment, rev string, trees []output.Tree) error {
	var dirs, lines []string
	for _, tree := range trees {
		dirs = append(dirs, env.Name(tree.Dir))
		for _, mark := range tree.Marks() {
			lines = append(lines, mark.Line)
		}
	}
	at, err := OpenRevision(ctx, trees[0].Dir, rev)
	if err != nil {
		return err
	}
	elsewhere, err := at.Containing(lines...)
	if err != nil {
		return err
	}
	slices.Sort(dirs)
	if len(elsewhere) > 0 {
		return diag.Errorf(
			"%s has no generated code in %s, but some in %s; name the directory with %s", rev, strings.Join(dirs, ", "), path.Dir(elsewhere[0]),
			diag.Setting("output-dir"),
		)
	}
	return nil
}
