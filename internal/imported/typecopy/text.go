package typecopy

import (
	"bytes"
	"cmp"
	"errors"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// directive matches a line of a comment that the go command, the compiler or cgo interprets, or that grants permissions
// to the program or serves webhooks: the author of a copied file must not choose what runs in this module. The go
// command and controller-gen skip any white space, such as U+00A0.
var directive = regexp.MustCompile(
	`(?m)^(//go:|//line |/\*line |//export |//extern |//[\t\p{Z}]*\+build\b|[\t\p{Z}/*]*\+kubebuilder:(rbac|webhook|webhookconfiguration)\b).*$`,
)

// permission matches a comment with a rule of a role or a webhook.
var permission = regexp.MustCompile(`^//[\t\p{Z}]*\+kubebuilder:(rbac|webhook|webhookconfiguration)\b`)

// withoutDirectives returns the text of a file with spaces in place of the directives in its comments.
func withoutDirectives(text []byte, syntax *ast.File) []byte {
	text = slices.Clone(text)
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			part := text[comment.Pos()-syntax.FileStart : comment.End()-syntax.FileStart]
			for _, at := range directive.FindAllIndex(part, -1) {
				start := at[0]
				if bytes.HasPrefix(part[start:], []byte("//")) || start == 0 {
					start += len("//")
				}
				for i := start; i < at[1] && !bytes.HasPrefix(part[i:], []byte("*/")); i++ {
					part[i] = ' '
				}
			}
		}
	}
	return text
}

// edit replaces a part of a file in its copy.
type edit struct {
	from, to token.Pos
	text     string
}

// replace adds an edit, unless a part of it is edited already. Edits inside it have no effect.
func (f *file) replace(from, to token.Pos, text string) {
	first, last := editsBetween(f.edits, from, to)
	for _, e := range f.edits[first:last] {
		if e.from < from || to < e.to || e.from == from && e.to == to {
			return
		}
	}
	f.edits = slices.Replace(f.edits, first, last, edit{from, to, text})
}

// drop removes a comment, with its line if there is nothing else on it.
func (f *file) drop(comment *ast.Comment) {
	start := f.syntax.FileStart
	from, to := withLine(f.text, int(comment.Pos()-start), int(comment.End()-start))
	f.replace(start+token.Pos(from), start+token.Pos(to), "")
}

// withLine extends a range of a text to its whole line if there is nothing else on it.
func withLine(text []byte, from, to int) (start, end int) {
	before := bytes.TrimRight(text[:from], " \t")
	if bytes.HasPrefix(text[to:], []byte("\n")) && (len(before) == 0 || before[len(before)-1] == '\n') {
		return len(before), to + 1
	}
	return from, to
}

// slice returns a part of the file, with its edits.
func (f *file) slice(from, to token.Pos) []byte {
	part := func(from, to token.Pos) []byte { return f.text[from-f.syntax.FileStart : to-f.syntax.FileStart] }
	var edited []byte
	changed := false
	for _, e := range editsIn(f.edits, from, to) {
		start, end := max(e.from, from), min(e.to, to)
		edited, changed = append(edited, part(from, start)...), true
		if e.from == start {
			edited = append(edited, e.text...)
		}
		from = end
	}
	if !changed {
		return part(from, to)
	}
	return append(edited, part(from, to)...)
}

// editsIn returns the ones among edits in the order of a file that concern the text between two positions.
func editsIn(edits []edit, from, to token.Pos) []edit {
	first, last := editsBetween(edits, from, to)
	return edits[first:last]
}

// editsBetween returns the indexes of the first of these edits and the one after the last.
func editsBetween(edits []edit, from, to token.Pos) (first, last int) {
	first, _ = slices.BinarySearchFunc(edits, from, func(e edit, from token.Pos) int { return cmp.Compare(e.to, from+1) })
	last, _ = slices.BinarySearchFunc(edits, to, func(e edit, to token.Pos) int { return cmp.Compare(e.from, to) })
	return first, max(first, last)
}

// position returns the position in the file itself, whatever its line directives say.
func (c *copier) position(pos token.Pos) token.Position { return c.fset.PositionFor(pos, false) }

// root returns the directory of the module of a package, which vendor directories may have moved.
func root(pkg *load.Package) string {
	switch m := pkg.Owner; {
	case m == nil:
		return ""
	case m.Replace != nil && m.Replace.Dir != "":
		return m.Replace.Dir
	case m.Dir != "":
		return m.Dir
	default:
		within := strings.TrimPrefix(strings.TrimPrefix(pkg.Path, m.Path), "/")
		return strings.TrimSuffix(strings.TrimSuffix(pkg.Dir(), filepath.FromSlash(within)), string(filepath.Separator))
	}
}

// leaves reports whether a file is a symbolic link, or in a directory that is one, to a place outside of a directory.
// A file that does not exist does not leave it.
func leaves(dir, name string) bool {
	target, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err != nil {
			return false
		}
	}
	if resolved, err2 := filepath.EvalSymlinks(dir); err == nil && err2 == nil {
		rel, err := filepath.Rel(resolved, target)
		return err != nil || !filepath.IsLocal(rel)
	}
	return true
}

// inModule reports whether all files of a package that is copied are in its module. It adds errors for others.
func (c *copier) inModule(pkg *load.Package, hint diag.Text) bool {
	if c.isKept(pkg.Path) || pkg.Owner == nil {
		return true
	}
	dir, inside := root(pkg), true
	for _, f := range pkg.Files {
		info, err := os.Lstat(f.Name)
		if err != nil { // the Loader reports it
			continue
		}
		if first := f == pkg.Files[0]; (first || info.Mode()&fs.ModeSymlink != 0) && leaves(dir, f.Name) {
			inside = false
			c.diags.Errorf(token.Position{Filename: f.Name, Line: 1}, linkOutside).Suggest("replace the link with the file, or %s", hint)
		}
	}
	return inside
}

// checkText reports names of files, and characters in files, that would make a copy differ from what readers of the
// original see: they control a terminal or the direction of text, or end a line for some programs and not for others.
func (c *copier) checkText() {
	for _, src := range c.used() {
		for _, f := range src.files {
			name := path.Join(src.within(), filepath.Base(f.Name))
			if strings.ContainsAny(name, "\n\t") || strings.ContainsFunc(name, diag.IsControl) {
				c.diags.Errorf(
					token.Position{Filename: f.Name, Line: 1}, "the name of this file or of its directory has a control character, which is not copied",
				).Suggest("rename it, or %s", c.keepHint(src.Path))
			}
			text := bytes.TrimPrefix(f.Text, []byte(bom))
			if i := bytes.IndexFunc(text, diag.IsControl); i >= 0 {
				r, _ := utf8.DecodeRune(text[i:])
				at := f.syntax.FileStart + token.Pos(len(f.Text)-len(text)+i)
				c.diags.Errorf(c.position(at), "this file has the control character %U, which is not copied", r).
					Suggest("remove it, or %s", c.keepHint(src.Path))
			}
		}
	}
}

// bom is a byte order mark at the start of a file.
const bom = "\ufeff"
