package facts

import (
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/registration"
)

// outsideVersions reports whether VersionDirs excludes a package.
func (p *Facts) outsideVersions(src *load.Package) bool {
	if !src.Mentions(markers.Genclient) {
		return true
	}
	if model.IsVersion(path.Base(src.Path)) {
		return false
	}
	if p.isHub(src) {
		return true // no server serves it
	}
	p.Warnf(p.PackagePos(src), "no clients are generated for package %s: its directory is not named like a version", src.Path).
		Suggest("move the package to a directory such as v1").Or("omit %s", diag.Setting("classic"))
	return true
}

// isHub reports whether a package has the internal version of a group, the hub of conversions in servers: its
// declared version is __internal, or the metadata of its objects has no JSON tag.
func (p *Facts) isHub(src *load.Package) bool {
	if declared := registration.Declared(p.Loader, src).Version; declared != nil && *declared == model.InternalVersion {
		return true
	}
	for _, in := range p.outline().Objects(src) {
		if meta, ok := in.Meta("ObjectMeta"); ok && !strings.Contains(string(meta.Tag), "json") {
			return true
		}
	}
	return false
}
