package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/origin"
)

// Plan compares the trees with the disk and returns the differences, ordered by Change.Path. It changes nothing.
//
// If there are problems, it returns an error for all of them, one on each line, and no changes. Problems are
// hand-written files at the path of a file to write, files in place of directories and the reverse, symlinks that lead
// out of a Dir, and Files that are outside their Dir or are the same file, also if they are so only on file systems
// that ignore case. Only directories that are not writable are reported together with the changes, so that a read-only
// checkout can be compared. Commit requires that the error is nil.
func Plan(trees ...Tree) ([]Change, error) {
	p := &planner{wanted: map[string]place{}, deleted: map[string]bool{}, reported: map[string]bool{}}
	snapshots := map[string]*Snapshot{}
	var open []*treePlan
	for _, tree := range trees {
		t := &treePlan{planner: p, Tree: tree}
		if err := t.open(snapshots); err != nil {
			p.report(&p.errs, err)
			continue
		}
		open = append(open, t)
		for _, file := range t.Files {
			p.report(&p.errs, t.compare(file))
		}
	}
	for _, t := range open { // requires that all wanted files are known
		t.leftOver()
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(append(p.errs, p.denied...)...)
	}
	slices.SortFunc(p.changes, byPath)
	return p.changes, errors.Join(p.denied...)
}

func byPath(a, b Change) int { return cmp.Compare(a.Path, b.Path) }

// planner is the state that all trees of a Plan share.
type planner struct {
	wanted   map[string]place // by place.key
	deleted  map[string]bool  // by place.real
	changes  []Change
	errs     []error
	denied   []error         // directories that are not writable
	reported map[string]bool // messages in errs and denied
}

// place is the location of a file that exists or is to be written.
type place struct {
	path string // for messages and Change
	real string // absolute and without symlinks
}

// key returns a value that is equal for paths of the same file on file systems that ignore case.
func (p place) key() string { return strings.ToLower(p.real) }

// report adds err to list unless it is nil or already reported, since each file in a directory finds the same problem.
func (p *planner) report(list *[]error, err error) {
	if err != nil && !p.reported[err.Error()] {
		p.reported[err.Error()] = true
		*list = append(*list, err)
	}
}

// change adds a change of a file in the directory f.
func (p *planner) change(c Change, f directory) {
	if err := access(f.nearest); err != nil {
		p.report(&p.denied, fmt.Errorf("cannot write to directory %s: %w; change its permissions or choose another output directory", f.nearest, err))
	}
	p.changes = append(p.changes, c)
}

// wants reports whether an existing file is one of the wanted files.
func (p *planner) wants(at place) bool {
	want, ok := p.wanted[at.key()]
	if !ok || want.real == at.real {
		return ok
	}
	// The paths differ in case only. The file system decides whether they are one file or two.
	a, errA := os.Stat(want.real)
	b, errB := os.Stat(at.real)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// treePlan is the plan of one Tree.
type treePlan struct {
	*planner
	Tree
	directories *directories
}

// open checks the Tree, and reads its Snapshot if necessary. known are the Snapshots that were read before.
func (t *treePlan) open(known map[string]*Snapshot) (err error) {
	t.Dir = filepath.Clean(t.Dir)
	for _, mark := range t.Marks() {
		if line := mark.Line; line != strings.TrimSpace(line) || line == "" || strings.Contains(line, "\n") {
			return fmt.Errorf("%q cannot mark generated files in %s; give one line of text", line, t.Dir)
		}
	}
	if t.directories = newDirectories(t.Dir); t.directories.root.err != nil {
		return t.directories.root.err
	}
	if t.Snapshot != nil && t.Snapshot.dir != t.Dir {
		return fmt.Errorf("the snapshot given for %s is of %s; read the former", t.Dir, t.Snapshot.dir)
	}
	switch {
	case t.Snapshot != nil:
	case t.Flat:
		t.Snapshot, err = new(Store).ReadFlat(t.Dir)
	default:
		if known[t.Dir] == nil {
			known[t.Dir], err = new(Store).Read(t.Dir)
		}
		t.Snapshot = known[t.Dir]
	}
	return err
}

// compare plans the change of one of the Tree's Files.
func (t *treePlan) compare(file File) error {
	rel := path.Clean(file.Path)
	if !filepath.IsLocal(filepath.FromSlash(file.Path)) || rel == "." {
		return fmt.Errorf("%q is not a path below the output directory %s; use a relative path without \"..\"", file.Path, t.Dir)
	}
	at := place{path: filepath.Join(t.Dir, filepath.FromSlash(rel))}
	f := t.directories.at(filepath.Dir(at.path))
	if f.err != nil {
		return f.err
	}
	direct := filepath.Join(f.real, filepath.Base(at.path))
	real, info, err := t.directories.stat(at.path, direct)
	if err != nil {
		return err
	}
	at.real = real
	if other, ok := t.wanted[at.key()]; ok {
		if other.path == at.path {
			return fmt.Errorf("%s is generated twice; rename one of the two", at.path)
		}
		return fmt.Errorf("%s and %s are the same file where file names ignore case; rename one of them", other.path, at.path)
	}
	t.wanted[at.key()] = at

	change := Change{Kind: Create, Path: at.path, New: file.Content, root: t.Dir}
	if real != direct {
		change.target = real
	}
	regular := info != nil && info.Mode().IsRegular()
	switch {
	case regular && file.Content == t.Snapshot.Content(rel): // Keep has compared the contents
		return nil
	case !origin.Has(file.Content.Bytes(), t.Mark):
		return fmt.Errorf("%s is generated without the line %q; add it before the package clause", at.path, t.Mark)
	case info == nil:
		t.change(change, f)
		return nil
	case info.IsDir():
		return fmt.Errorf("%s is a directory, but must be a file; rename it or choose another output directory", at.path)
	case !regular:
		return fmt.Errorf("%s is not a regular file; remove it or choose another output directory", at.path)
	}
	if change.Old = t.Snapshot.Content(rel); !change.Old.Exists() { // not a Go file, or in a directory that Read skips
		content, err := os.ReadFile(at.path)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", at.path, reason(err))
		}
		change.Old = TextOf(content)
	}
	old := change.Old.Bytes()
	if sameText(old, change.New.Bytes()) {
		return nil
	}
	if t.Marks().On(path.Base(rel), old) {
		change.Kind = Update
		t.change(change, f)
		return nil
	}
	elsewhere := " or choose another output directory"
	if t.Flat { // files elsewhere belong to other trees
		elsewhere = ""
	}
	if !t.IsGo() {
		return fmt.Errorf("%s may be hand-written (it has no annotation %s); delete it, or choose another output directory", at.path, strings.TrimSuffix(t.Mark, ":"))
	}
	if foreign := origin.Of(old); foreign != "" {
		return fmt.Errorf("%s was generated by another tool (%q); delete it%s", at.path, foreign, elsewhere)
	}
	return fmt.Errorf("%s is hand-written (it has no \"Code generated\" line); rename it%s", at.path, elsewhere)
}

// sameText reports whether two contents are equal, except that lines of old may end in CRLF. On Windows, git may
// convert line ends on checkout, and converts them back on commit.
func sameText(old, new []byte) bool {
	if bytes.Equal(old, new) {
		return true
	}
	return len(old) > len(new) && bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), new)
}

// leftOver plans the deletion of files of earlier runs that are in the Files of no Tree.
func (t *treePlan) leftOver() {
	if t.Stale == nil {
		return
	}
	marks := t.Marks()
	for _, file := range t.Snapshot.files {
		if file.link || !marks.On(path.Base(file.rel), file.text.Bytes()) {
			continue
		}
		at := place{path: t.Snapshot.join(file.rel)}
		f := t.directories.at(filepath.Dir(at.path))
		at.real = filepath.Join(f.real, filepath.Base(at.path))
		if t.deleted[at.real] || t.wants(at) || !t.Stale(file.rel) {
			continue
		}
		t.deleted[at.real] = true
		t.change(Change{Kind: Delete, Path: at.path, Old: file.text, root: t.Dir}, f)
	}
}
