package products

import (
	"cmp"
	"go/token"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// packageNamed returns the package that a marker names, or nil with an error if there is none.
func packageNamed(l *load.Loader, m model.Marker, diags *diag.List) *load.Package {
	switch {
	case m.Text == "":
		diags.Errorf(m.Pos, "+%s has no value", m.Name).Suggest("write +%s=example.com/api/v2, the import path of a package", m.Name)
		return nil
	case l.IsLocal(m.Text):
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

// canImport reports whether generated code in a package can import the package that a marker names.
func canImport(src, named *load.Package, m model.Marker, diags *diag.List) bool {
	switch {
	case named.Name == "main":
		diags.Errorf(m.Pos, "+%s names %s, which is a program and cannot be imported", m.Name, m.Text).
			Suggest("move its types to another package")
	case !gofile.Importable(src.Path, named.Path):
		diags.Errorf(m.Pos, "+%s names %s, which %s cannot import because it is internal", m.Name, m.Text, src.Path).
			Suggest("move one of the packages")
	case named.Imports(src.Path) && m.Name == model.HubMarker:
		diags.Errorf(m.Pos, "the hub is in %s, which imports %s: generated code would make an import cycle", m.Text, src.Path).
			Suggest("move what it imports to another package, and functions that convert to %s", src.Path)
	case named.Imports(src.Path):
		diags.Errorf(m.Pos, "+%s names %s, which imports %s: generated code would make an import cycle", m.Name, m.Text, src.Path).
			Suggest("let only one of the packages have the marker, and import the other")
	default:
		return true
	}
	return false
}

// extraPeers returns the packages that patterns in a flag match, for functions of other packages. A pattern without any
// is an error.
func extraPeers(l *load.Loader, patterns []string, diags *diag.List) []*load.Package {
	found, unmatched := l.Match(patterns)
	for _, pattern := range unmatched {
		diags.Errorf(token.Position{}, "%s: there is no package %s", diag.Setting("extra-peer-dirs"), diag.Value(pattern)).
			Suggest("%s", cmp.Or(l.Remedy(pattern), "correct the import path"))
	}
	return found
}
