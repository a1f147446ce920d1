package facts

import (
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
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
func (p *Facts) selected(pkg *kinds.Package) []*kinds.Kind {
	found := slices.Clone(pkg.Kinds)
	if p.cfg.Import == nil {
		return found
	}
	versions := p.cfg.Import.Versions
	return slices.DeleteFunc(found, func(k *kinds.Kind) bool {
		switch {
		case !p.imports(pkg.Source): // the manifests decide
			return false
		case !p.cfg.Import.names(pkg, k):
			return true
		}
		k.Served = p.cfg.Import.Served[kinds.Version{Group: pkg.Clients.Group, Kind: k.Name(), Version: pkg.Clients.Version}]
		switch {
		case len(versions) > 0:
			return !slices.Contains(versions, pkg.Clients.Version)
		case k.Served != nil:
			return k.Served.Unserved
		}
		return k.Marker("genclient") == nil && (k.Marker("kubebuilder:unservedversion") != nil || k.Marker("kubebuilder:skipversion") != nil)
	})
}

// names reports whether the import names a kind, or all kinds.
func (i *Import) names(pkg *kinds.Package, k *kinds.Kind) bool {
	name := k.Name()
	return len(i.Kinds) == 0 || slices.Contains(i.Kinds, name) || slices.Contains(i.Kinds, name+"."+pkg.Clients.Group)
}

// include applies --included-types-overrides, which overrides the markers of the group/versions it names, and returns
// the included ones of the found kinds.
func (p *Facts) include(pkg *kinds.Package, found []*kinds.Kind, diags *diag.List) []*kinds.Kind {
	var wanted []string
	ok := false
	for _, key := range p.groupVersions(pkg) {
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
	}
	if !ok {
		return slices.DeleteFunc(found, func(k *kinds.Kind) bool { return !k.Marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(found, func(k *kinds.Kind) bool { return k.Name() == name }) {
			p.mode().Mistake(diags, pkg.Types.Pos, "it has no effect", "%s names %s, but package %s has no such type", diag.Setting("included-types-overrides"), name, pkg.Source.Path).
				Meant(name, slices.Sorted(maps.Keys(pkg.Source.Decls)), "correct the flag, or declare the type")
		}
	}
	return slices.DeleteFunc(found, func(k *kinds.Kind) bool { return !slices.Contains(wanted, k.Name()) })
}

// groupVersions returns the forms of a package's group and version in --included-types-overrides.
func (p *Facts) groupVersions(pkg *kinds.Package) []string {
	if p.cfg.Policy.IncludeByGroup {
		return []string{pkg.Clients.Group + "/" + pkg.Clients.Version}
	}
	return []string{pkg.Clients.Group + "/" + pkg.Clients.Version, pkg.Clients.Dir + "/" + pkg.Clients.Version}
}

// reportUnusedIncludes reports group/versions in --included-types-overrides that no package has.
func (p *Facts) reportUnusedIncludes(diags *diag.List) {
	var known []string
	for _, pkg := range p.named {
		known = append(known, p.groupVersions(pkg)...)
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
