// This file combines facts about packages and their kinds into an API with groups, versions, and their names. It
// does not depend on the source of the facts, Go types or a manifest.

package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

type resolver struct {
	policy model.Policy
	served map[model.TypeRef]*kinds.Served
	diags  diag.List

	versions map[*kinds.Package]*model.Version
}

// API joins packages into groups and versions, names them, and reports contradictions and collisions. It sets the
// groups, versions and names in the resources of the kinds, and the versions of types. served maps types to the kinds
// for which the run writes CustomResourceDefinitions, which determine names and scopes.
func API(
	packages []*kinds.Package, types model.Types, served map[model.TypeRef]*kinds.Served, policy model.Policy,
) (*model.API, diag.List) {
	rv := &resolver{policy: policy, served: served, versions: map[*kinds.Package]*model.Version{}}
	rv.agreeOnResources(packages)
	api := &model.API{Structs: types.All}
	groups := map[string]*model.Group{}
	members := map[*model.Group][]*kinds.Package{}
	groupOf := func(pkg *kinds.Package) string { return pkg.Clients.Group }
	if rv.policy.GroupsByDirectory {
		groupOf = byDir(packages)
	}
	for _, pkg := range packages {
		key := groupOf(pkg)
		g := groups[key]
		if g == nil {
			g = &model.Group{Name: pkg.Clients.Group}
			groups[key] = g
			api.Groups = append(api.Groups, g)
		}
		if !pkg.Shared || len(members[g]) == 0 { // only packages with kinds influence names
			members[g] = append(members[g], pkg)
		}
		rv.versions[pkg] = addToVersion(g, pkg)
	}
	rv.place(types.Own, packages)
	var named, shared []*model.Group
	for _, g := range api.Groups {
		rv.chooseGoNames(g, members[g])
		if members[g][0].Shared {
			shared = append(shared, g)
		} else {
			named = append(named, g)
		}
	}
	goName := func(g *model.Group) string { return rv.commonGoName(members[g]) }
	dir := func(g *model.Group) string { return dirOf(members[g]) }
	var renamed []*model.Group
	if rv.policy.GroupsByDirectory {
		renamed = model.NameClassicGroups(named, dir, func(g *model.Group) string {
			if pkg := members[g][0]; pkg.Types.GroupFrom.Kind != model.FromMarker && pkg.Clients.Dir != "" {
				return pkg.Clients.Dir
			}
			return g.Name
		})
	} else {
		renamed = model.NameGroups(named, goName, dir)
	}
	model.PlaceGroups(shared, named, dir)
	model.SortGroups(api.Groups)
	for _, g := range renamed {
		if first := find(members[g], func(pkg *kinds.Package) bool { return pkg.GoName == "" }); first != nil {
			rv.diags.Warnf(first.Types.Pos, "group %q shares its first label with another group: its Go name is %s", g.Name, g.GoName).
				Suggest("choose one with +groupGoName in the package comment")
		}
	}
	for _, g := range named {
		rv.nameFactory(g, members[g])
	}
	rv.reportSameNames(named, members)
	for _, g := range api.Groups {
		model.SortVersions(g.Versions)
		for _, v := range g.Versions {
			slices.SortStableFunc(v.Resources, func(a, b *model.Resource) int { return cmp.Compare(a.Kind, b.Kind) })
			slices.SortStableFunc(v.Structs, func(a, b *model.StructType) int { return cmp.Compare(a.BuilderName(), b.BuilderName()) })
			rv.reportCollisions(v)
		}
		rv.reportSharedNames(g)
	}
	return api, rv.diags
}

// place adds structs to the versions of their packages. Structs of unversioned packages are not added.
func (rv *resolver) place(structs []*model.StructType, packages []*kinds.Package) {
	byPackage := map[*model.Package]*model.Version{}
	for _, pkg := range packages {
		if pkg.Clients.Version != "" {
			byPackage[pkg.Types] = rv.versions[pkg]
		}
	}
	for _, s := range structs {
		if s.Version = byPackage[s.Package]; s.Version != nil {
			s.Version.Structs = append(s.Version.Structs, s)
		}
	}
}

// byDir returns the grouping key of packages if groups are determined by directory. Like the tools of
// k8s.io/code-generator, it uses the parent directory of the version and ignores the group's name. If two packages of
// different groups would then share a version, the key includes the name, because the tools would only generate one of
// the two.
func byDir(packages []*kinds.Package) func(*kinds.Package) string {
	type version struct{ dir, label string }
	first := map[version]*kinds.Package{}
	shared := map[string]bool{}
	dirOf := func(pkg *kinds.Package) string { return strings.ToLower(pkg.Clients.Dir) }
	for _, pkg := range packages {
		v := version{dirOf(pkg), strings.ToLower(cmp.Or(pkg.Clients.Label, pkg.Clients.Version))}
		if other := first[v]; other != nil && other.Clients.Group != pkg.Clients.Group {
			shared[v.dir] = true
		}
		first[v] = pkg
	}
	return func(pkg *kinds.Package) string {
		switch dir := dirOf(pkg); {
		case dir == "":
			return pkg.Clients.Group
		case shared[dir]:
			return dir + "/" + pkg.Clients.Group
		default:
			return dir + "/"
		}
	}
}

// addToVersion adds a package to its version of the group, which it returns.
func addToVersion(g *model.Group, pkg *kinds.Package) *model.Version {
	i := slices.IndexFunc(g.Versions, func(v *model.Version) bool {
		return cmp.Or(v.Label, v.Name) == cmp.Or(pkg.Clients.Label, pkg.Clients.Version)
	})
	if i < 0 {
		i = len(g.Versions)
		g.Versions = append(g.Versions, &model.Version{Group: g, Name: pkg.Clients.Version, Label: pkg.Clients.Label})
	}
	v := g.Versions[i]
	if !pkg.Shared {
		v.Packages = append(v.Packages, pkg.Types)
	}
	for k := range pkg.Readable() {
		k.Resource.Version = v
		v.Resources = append(v.Resources, k.Resource)
	}
	return v
}

// dirOf returns the common parent directory of a group's packages if the layout is group/version, as in
// example.com/apis/stable/v1, and "" for other layouts.
func dirOf(packages []*kinds.Package) string {
	dir := packages[0].Clients.Dir
	for _, pkg := range packages {
		if pkg.Clients.Dir != dir {
			return ""
		}
	}
	return dir
}

// reportCollisions reports kinds of one version with the same file, resource or Go name.
func (rv *resolver) reportCollisions(v *model.Version) {
	gv := path.Join(v.Group.Name, v.Dir())
	resources := slices.SortedFunc(slices.Values(v.Resources), func(a, b *model.Resource) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	for i, r := range resources {
		for _, other := range resources[:i] {
			var clash, then string
			var fix diag.Text
			switch {
			case other.Kind == r.Kind:
				clash, fix = "is declared twice", diag.Textf("keep one of them")
			case strings.EqualFold(other.Kind, r.Kind):
				clash, fix = "differs from "+other.Kind+" only in case", diag.Textf("rename one of them: file names are in lower case")
				then = "the names of its files end in _generated"
			case other.Plural == r.Plural:
				clash, fix = "has the plural "+r.Plural+" of "+other.Kind, diag.Textf(
					"correct %s, or rename one of them", diag.Setting("plural-exceptions"),
				)
			case other.Name == r.Name && rv.served[r.Type()] != nil: // the manifests report it
				continue
			case other.Name == r.Name:
				then = "the generic informer for the resource is the informer of " + other.Kind
				clash, fix = "has the resource name "+r.Name+" of "+other.Kind, diag.Textf("give one of them another +resourceName")
			default:
				continue
			}
			rv.diags.Mistakef(rv.policy.AcceptMistakes && then != "", r.Pos, then, "kind %s of %s %s", r.Kind, gv, clash).
				WithRelated(other.Pos).Suggest("%s", fix)
			break // one error is enough
		}
	}
}

// reportSharedNames reports different kinds with the same resource name in versions of a group. A server only has one
// kind for the name.
func (rv *resolver) reportSharedNames(g *model.Group) {
	first := map[string]*model.Resource{}
	for _, v := range g.Versions {
		for _, r := range v.Resources {
			other := first[r.Name]
			switch {
			case v.Internal() || rv.served[r.Type()] != nil:
			case other == nil:
				first[r.Name] = r
			case other.Kind != r.Kind && other.Version != v:
				first[r.Name] = r // one error is enough for a version
				rv.diags.Mistakef(
					rv.policy.AcceptMistakes, r.Pos, "", "kind %s of %s has the resource name %s of %s in %s", r.Kind, path.Join(g.Name, v.Dir()), r.Name,
					other.Kind, other.Version.Name,
				).WithRelated(other.Pos).Suggest("give one of them another +resourceName, or use the same kind in both versions")
			}
		}
	}
}
