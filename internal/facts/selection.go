package facts

import (
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// withinVersions applies plan.Plan.VersionDirs. inPackages means that the run writes files into packages of types.
func (p *Facts) withinVersions(outline *gotypes.Reader, inPackages bool) (diags diag.List) {
	named := p.Named(p.patterns)
	p.found = slices.DeleteFunc(slices.Clone(p.all), func(src *load.Package) bool {
		p.clientless[src] = outsideVersions(outline, src, &diags)
		p.excluded[src] = p.clientless[src]
		if p.clientless[src] && !hasGenclient(src) && named(src.Path, src.Dir()) {
			p.excluded[src] = false
			why, candidate := whyNothing(outline, src)
			p.passOver(src, why, candidate)
		}
		return p.excluded[src] && !inPackages
	})
	return diags
}

func hasGenclient(src *load.Package) bool {
	return slices.ContainsFunc(src.Files, func(f *load.File) bool { return markers.HasGenclient(f.Text) })
}

// outsideVersions reports whether VersionDirs excludes a package.
func outsideVersions(outline *gotypes.Reader, src *load.Package, diags *diag.List) bool {
	if !hasGenclient(src) {
		return true
	}
	if model.IsVersion(path.Base(src.Path)) {
		return false
	}
	if isHub(outline, src) {
		return true // no server serves it
	}
	diags.Warnf(outline.PackagePos(src), "no clients are generated for package %s: its directory is not named like a version", src.Path).
		Suggest("move the package to a directory such as v1").Or("omit %s", diag.Setting("classic"))
	return true
}

// isHub reports whether a package has the internal version of a group, the hub of conversions in servers: its
// declared version is __internal, or the metadata of its objects has no JSON tag.
func isHub(outline *gotypes.Reader, src *load.Package) bool {
	if declared := kinds.ReadDeclared(outline.Loader, src).Version; declared != nil && *declared == model.InternalVersion {
		return true
	}
	for _, in := range outline.Objects(src) {
		if meta, ok := in.Meta("ObjectMeta"); ok && !strings.Contains(string(meta.Tag), "json") {
			return true
		}
	}
	return false
}

// selected returns the kinds of a package that Import selects. Unless the version is named, kinds are left out if a
// manifest does not serve it, or else, without +genclient, if a marker says so.
func (i *Import) selected(pkg *kinds.Package) []*kinds.Kind {
	found := slices.Clone(pkg.Kinds)
	if i == nil {
		return found
	}
	return slices.DeleteFunc(found, func(k *kinds.Kind) bool {
		switch isName := func(name string) bool { return name == k.Name() || name == k.Name()+"."+pkg.Clients.Group }; {
		case !i.takes(pkg.Source): // the manifests decide
			return false
		case len(i.Kinds) > 0 && !slices.ContainsFunc(i.Kinds, isName):
			return true
		}
		k.Served = i.Served[kinds.Version{Group: pkg.Clients.Group, Kind: k.Name(), Version: pkg.Clients.Version}]
		switch {
		case len(i.Versions) > 0:
			return !slices.Contains(i.Versions, pkg.Clients.Version)
		case k.Served != nil:
			return k.Served.Unserved
		}
		return k.Marker("genclient") == nil && (k.Marker("kubebuilder:unservedversion") != nil || k.Marker("kubebuilder:skipversion") != nil)
	})
}

// include applies --included-types-overrides, which overrides the markers of the group/versions it names, and returns
// the included ones of the found kinds.
func (p *Facts) include(pkg *kinds.Package, found []*kinds.Kind, diags *diag.List) []*kinds.Kind {
	var wanted []string
	ok := false
	for _, key := range groupVersions(pkg, p.cfg.Policy) {
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
	}
	if !ok {
		return slices.DeleteFunc(found, func(k *kinds.Kind) bool { return !k.Marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(found, func(k *kinds.Kind) bool { return k.Name() == name }) {
			diags.Mistakef(
				p.cfg.Policy.AcceptMistakes, pkg.Types.Pos, "it has no effect", "%s names %s, but package %s has no such type",
				diag.Setting("included-types-overrides"), name, pkg.Source.Path,
			).Meant(name, slices.Sorted(maps.Keys(pkg.Source.Decls)), "correct the flag, or declare the type")
		}
	}
	return slices.DeleteFunc(found, func(k *kinds.Kind) bool { return !slices.Contains(wanted, k.Name()) })
}

// groupVersions returns the forms of a package's group and version in --included-types-overrides.
func groupVersions(pkg *kinds.Package, policy model.Policy) []string {
	if policy.IncludeByGroup {
		return []string{pkg.Clients.Group + "/" + pkg.Clients.Version}
	}
	return []string{pkg.Clients.Group + "/" + pkg.Clients.Version, pkg.Clients.Dir + "/" + pkg.Clients.Version}
}

// reportUnusedIncludes reports group/versions in --included-types-overrides that no package has.
func (p *Facts) reportUnusedIncludes(diags *diag.List) {
	policy := p.cfg.Policy
	var known []string
	for _, pkg := range p.named {
		known = append(known, groupVersions(pkg, policy)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, key := range slices.Sorted(maps.Keys(p.cfg.IncludedTypes)) {
		if slices.Contains(known, key) || len(known) == 0 {
			continue
		}
		diags.Mistakef(
			policy.AcceptMistakes, token.Position{}, "it has no effect", "%s names %s, but no package has that group and version",
			diag.Setting("included-types-overrides"), diag.Value(key),
		).Meant(key, known, "correct the flag, or name more packages")
	}
}
