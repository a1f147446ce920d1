package kinds

import (
	"cmp"
	"go/build"
	"go/token"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// packageNamed returns the package that a marker names, or nil with an error if there is none.
func packageNamed(l *load.Loader, m model.Marker, diags *diag.List) *load.Package {
	if build.IsLocalImport(m.Text) {
		diags.Errorf(m.Pos, "+%s names %s, which is not an import path", m.Name, m.Text).Suggest("write the import path of the package")
		return nil
	}
	l.Preload(m.Text)
	src := l.Known[m.Text]
	if src == nil {
		why := l.Remedy(m.Text)
		diags.Errorf(m.Pos, "+%s names %s, but there is no package %[2]s", m.Name, m.Text).
			Suggest("%s", cmp.Or(why, "correct the import path")).CausedBy(why)
	}
	return src
}

// extraPeers returns the packages that a flag names, for functions of other packages. A missing one is an error.
func extraPeers(l *load.Loader, paths []string, diags *diag.List) (found []*load.Package) {
	l.Preload(paths...)
	for _, importPath := range paths {
		if src := l.Known[importPath]; src != nil {
			found = append(found, src)
			continue
		}
		diags.Errorf(token.Position{}, "%s: there is no package %s", diag.Setting("extra-peer-dirs"), diag.Value(importPath)).
			Suggest("%s", cmp.Or(l.Remedy(importPath), "correct the import path"))
	}
	return found
}
