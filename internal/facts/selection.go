package facts

import (
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
	"github.com/kubegen/kubegen/internal/registration"
)

// withinVersions applies Config.VersionDirs.
func (p *Facts) withinVersions(all []*load.Package, diags *diag.List) []*load.Package {
	if !p.cfg.VersionDirs {
		return all
	}
	named := p.Named(p.patterns)
	inPackages := len(p.cfg.Copies.Marks)+len(p.cfg.Registration.Marks) > 0
	return slices.DeleteFunc(slices.Clone(all), func(src *load.Package) bool {
		p.excluded[src] = p.outsideVersions(src, diags)
		if p.excluded[src] && !src.Mentions(markers.Genclient) && named(src.Path, src.Dir()) {
			why, candidate := p.whyNothing(src)
			p.passOver(src, why, candidate)
		}
		return p.excluded[src] && !inPackages
	})
}

// outsideVersions reports whether VersionDirs excludes a package.
func (p *Facts) outsideVersions(src *load.Package, diags *diag.List) bool {
	if !src.Mentions(markers.Genclient) {
		return true
	}
	if model.IsVersion(path.Base(src.Path)) {
		return false
	}
	if p.isHub(src) {
		return true // no server serves it
	}
	diags.Warnf(p.PackagePos(src), "no clients are generated for package %s: its directory is not named like a version", src.Path).
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

// selected returns the kinds of a package that Import selects. Unless the version is named, kinds are left out if a
// manifest does not serve it, or else, without +genclient, if a marker says so.
func (p *Facts) selected(u *unit) []*kind {
	kinds := slices.Clone(u.found)
	if p.cfg.Import == nil {
		return kinds
	}
	versions := p.cfg.Import.Versions
	return slices.DeleteFunc(kinds, func(k *kind) bool {
		switch {
		case !p.imports(u.src): // the manifests decide
			return false
		case !p.cfg.Import.names(u, k):
			return true
		}
		k.served = p.cfg.Import.Served[naming.KindVersion{Group: u.Group, Kind: k.Spec.Name.Name, Version: u.Version}]
		switch {
		case len(versions) > 0:
			return !slices.Contains(versions, u.Version)
		case k.served != nil:
			return k.served.Unserved
		}
		return k.Marker("genclient") == nil && (k.Marker("kubebuilder:unservedversion") != nil || k.Marker("kubebuilder:skipversion") != nil)
	})
}

// names reports whether the import names a kind, or all kinds.
func (i *Import) names(u *unit, k *kind) bool {
	name := k.Spec.Name.Name
	return len(i.Kinds) == 0 || slices.Contains(i.Kinds, name) || slices.Contains(i.Kinds, name+"."+u.Group)
}

// include applies --included-types-overrides, which overrides the markers of the group/versions it names, and returns
// the included ones of the kinds.
func (p *Facts) include(u *unit, kinds []*kind, diags *diag.List) []*kind {
	var wanted []string
	ok := false
	for _, key := range p.groupVersions(u) {
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
	}
	if !ok {
		return slices.DeleteFunc(kinds, func(k *kind) bool { return !k.marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(kinds, func(k *kind) bool { return k.Spec.Name.Name == name }) {
			p.mode().Mistake(diags, u.Types.Pos, "it has no effect", "%s names %s, but package %s has no such type", diag.Setting("included-types-overrides"), name, u.src.Path).
				Meant(name, slices.Sorted(maps.Keys(u.src.Decls)), "correct the flag, or declare the type")
		}
	}
	return slices.DeleteFunc(kinds, func(k *kind) bool { return !slices.Contains(wanted, k.Spec.Name.Name) })
}

// groupVersions returns the forms of a package's group and version in --included-types-overrides.
func (p *Facts) groupVersions(u *unit) []string {
	if p.cfg.Policy.IncludeByGroup {
		return []string{u.Group + "/" + u.Version}
	}
	return []string{u.Group + "/" + u.Version, u.Dir + "/" + u.Version}
}

// reportUnusedIncludes reports group/versions in --included-types-overrides that no package has.
func (p *Facts) reportUnusedIncludes(diags *diag.List) {
	var known []string
	for _, u := range p.named {
		known = append(known, p.groupVersions(u)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, key := range slices.Sorted(maps.Keys(p.cfg.IncludedTypes)) {
		if slices.Contains(known, key) || len(known) == 0 {
			continue
		}
		p.mode().Mistake(diags, token.Position{}, "it has no effect", "%s names %s, but no package has that group and version", diag.Setting("included-types-overrides"), diag.Value(key)).
			Meant(key, known, "correct the flag, or name more packages")
	}
}
