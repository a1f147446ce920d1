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

// leaves reports whether an existing file is outside of a directory once symbolic links are resolved.
func leaves(dir, name string) bool {
	if _, err := os.Lstat(name); err != nil {
		return false
	}
	target, err1 := filepath.EvalSymlinks(name)
	resolved, err2 := filepath.EvalSymlinks(dir)
	rel, err3 := filepath.Rel(resolved, target)
	return errors.Join(err1, err2, err3) != nil || !filepath.IsLocal(rel)
}

// inModule reports whether all files of a package that is copied are in its module. It adds errors for others.
func (c *copier) inModule(pkg *load.Package, hint diag.Text) bool {
	if c.isKept(pkg.Path) || pkg.Owner == nil {
		return true
	}
	inside := true
	for i, f := range pkg.Files {
		info, err := os.Lstat(f.Name)
		if err == nil && (i == 0 || info.Mode()&fs.ModeSymlink != 0) && leaves(root(pkg), f.Name) { // the Loader reports an error
			inside = false
			c.diags.Errorf(token.Position{Filename: f.Name, Line: 1}, linkOutside).Suggest("replace the link with the file, or %s", hint)
		}
	}
	return inside
}
