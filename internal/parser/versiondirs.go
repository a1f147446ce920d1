package parser

import (
	"path"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

// outsideVersions reports whether VersionDirs excludes a package.
func (p *parser) outsideVersions(src *load.Package) bool {
	if !src.Mentions(markers.Genclient) {
		return true
	}
	if kubeVersion.MatchString(path.Base(src.Path)) {
		return false
	}
	p.Warnf(p.PackagePos(src), "package %s gets no clients: its directory is not named like a version", src.Path).
		Suggest("move the package to a directory such as v1").Or("omit %s", diag.Setting("classic"))
	return true
}
