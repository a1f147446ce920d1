package typecopy

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// position returns the position in the file itself, whatever its line directives say.
func (c *copier) position(pos token.Pos) token.Position { return c.l.Fset.PositionFor(pos, false) }

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
