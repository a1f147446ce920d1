package apilint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// edit replaces a part of a file.
type edit struct {
	file       string
	start, end int // offsets
	text       string
}

func editsOf(fset *token.FileSet, fix analysis.SuggestedFix) (edits []edit) {
	for _, e := range fix.TextEdits {
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		from, to := fset.PositionFor(e.Pos, false), fset.PositionFor(end, false)
		edits = append(edits, edit{from.Filename, from.Offset, to.Offset, string(e.NewText)})
	}
	return edits
}

// fixed returns the changes that fix findings, and the findings that they leave: those without a suggested fix, and
// those whose fix overlaps with another one, which a second run can apply.
func fixed(findings []finding) (changes []output.Change, left []finding, err error) {
	accepted := map[string][]edit{}
	for _, f := range findings {
		if len(f.fix) == 0 || slices.ContainsFunc(f.fix, func(e edit) bool { return conflicts(e, accepted[e.file]) }) {
			left = append(left, f)
			continue
		}
		for _, e := range f.fix {
			if !slices.Contains(accepted[e.file], e) {
				accepted[e.file] = append(accepted[e.file], e)
			}
		}
	}
	for file, edits := range accepted {
		change, err := apply(file, edits)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b output.Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes, left, nil
}

// conflicts reports whether an edit overlaps with others, or inserts at the same place. An equal edit does not
// conflict.
func conflicts(e edit, others []edit) bool {
	return slices.ContainsFunc(others, func(o edit) bool {
		return o != e && (e.start < o.end && o.start < e.end || e.start == o.start)
	})
}

// in returns the text of an edit with the line breaks that a file has where the edit begins.
func (e edit) in(file []byte) string {
	_, rest, _ := bytes.Cut(file[min(e.start, len(file)):], []byte("\n"))
	line := file[min(e.start, len(file)) : len(file)-len(rest)]
	if !bytes.HasSuffix(line, []byte("\r\n")) {
		return e.text
	}
	return strings.ReplaceAll(strings.ReplaceAll(e.text, "\r\n", "\n"), "\n", "\r\n")
}

// apply returns a file with edits. It stays formatted if it was, and keeps its line breaks.
func apply(file string, edits []edit) (output.Change, error) {
	old, err := os.ReadFile(file)
	if err != nil {
		return output.Change{}, err
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var text []byte
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start || e.end > len(old) {
			return output.Change{}, fmt.Errorf("%s: the file changed while it was read", file)
		}
		text = append(append(text, old[at:e.start]...), e.in(old)...)
		at = e.end
	}
	text = append(text, old[at:]...)
	if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return output.Change{}, fmt.Errorf("%s: a suggested fix does not compile: %w", file, err)
	}
	for _, breaks := range []string{"\n", "\r\n"} {
		if formatted, ok := formattedWith(breaks, old); ok && bytes.Equal(formatted, old) {
			if formatted, ok = formattedWith(breaks, text); ok {
				text = formatted
			}
		}
	}
	return output.Change{Action: output.Update, Path: file, Old: old, New: text}, nil
}

// formattedWith returns a file in the format of gofmt, with other line breaks. ok is false if it cannot be parsed.
func formattedWith(breaks string, text []byte) (formatted []byte, ok bool) {
	formatted, err := format.Source(bytes.ReplaceAll(text, []byte(breaks), []byte("\n")))
	return bytes.ReplaceAll(formatted, []byte("\n"), []byte(breaks)), err == nil
}

// relativeTo returns changes with paths relative to a directory.
func relativeTo(dir string, changes []output.Change) (relative []output.Change) {
	for _, c := range changes {
		c.Path = diag.Relative(dir, c.Path)
		relative = append(relative, c)
	}
	return relative
}

// write writes changes, all or none. Symbolic links stay.
func write(ctx context.Context, changes []output.Change) error {
	var targets []output.Change
	for _, c := range changes {
		target, err := filepath.EvalSymlinks(c.Path)
		if err != nil {
			return err
		}
		c.Path = target
		targets = append(targets, c)
	}
	return output.Commit(ctx, targets)
}
