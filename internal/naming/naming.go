// Package naming combines facts about packages and their kinds into an API with groups, versions, and their names. It
// does not depend on the source of the facts, Go types or a manifest.
package naming

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/compat"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// Package holds the facts about a package of types.
type Package struct {
	Types          *model.Package
	Group, Version string // Version is "" for unversioned types
	Label          string // for model.Version
	Dir            string // directory of the group if the layout is group/version, otherwise ""; with GroupsByDirectory always the parent directory
	GoName         string // Go name of the group in the package's markers, or ""
	GoNamePos      token.Position
	Shared         bool // has no kinds, but structs that kinds of other packages contain
	Kinds          []*Kind

	version *model.Version // set by API
}

// Kind holds the facts about one version of a kind.
type Kind struct {
	Resource *model.Resource
	Named    bool           // declares names and scope of the resource, for all versions
	Stored   token.Position // position of the marker for the storage version; invalid if there is none
	Defined  model.Source   // a marker for the CustomResourceDefinition that controller-gen writes; the zero Source if there is none
}

type resolver struct {
	policy compat.Policy
	served map[model.TypeRef]*Served
	diags  *diag.List
}

// API joins packages into groups and versions, names them, and reports contradictions and collisions. It sets the
// groups, versions and names in the resources of the kinds, and the versions of types. served maps types to the kinds
// for which the run writes CustomResourceDefinitions, which determine names and scopes.
func API(packages []*Package, types model.Types, served map[model.TypeRef]*Served, policy compat.Policy, diags *diag.List) *model.API {
	rv := &resolver{policy, served, diags}
	rv.agreeOnResources(packages)
	api := &model.API{Structs: types.All}
	groups := map[string]*model.Group{}
	members := map[*model.Group][]*Package{}
	groupOf := func(pkg *Package) string { return pkg.Group }
	if rv.policy.GroupsByDirectory {
		groupOf = byDir(packages)
	}
	for _, pkg := range packages {
		key := groupOf(pkg)
		g := groups[key]
		if g == nil {
			g = &model.Group{Name: pkg.Group}
			groups[key] = g
			api.Groups = append(api.Groups, g)
		}
		if !pkg.Shared || len(members[g]) == 0 { // only packages with kinds influence names
			members[g] = append(members[g], pkg)
		}
		addToVersion(g, pkg)
	}
	place(types.Own, packages)
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
			if pkg := members[g][0]; pkg.Types.GroupFrom.Kind != model.FromMarker && pkg.Dir != "" {
				return pkg.Dir
			}
			return g.Name
		})
	} else {
		renamed = model.NameGroups(named, goName, dir)
	}
	model.PlaceGroups(shared, named, dir)
	model.SortGroups(api.Groups)
	for _, g := range renamed {
		if first := find(members[g], func(pkg *Package) bool { return pkg.GoName == "" }); first != nil {
			rv.diags.Warnf(first.Types.Pos, "group %q shares its first label with another group: its Go name is %s", g.Name, g.GoName).
				Suggest("choose one with +groupGoName in the package comment")
		}
	}
	for _, g := range named {
		nameFactory(g, members[g])
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
	return api
}

// place adds structs to the versions of their packages. Structs of unversioned packages are not added.
func place(structs []*model.StructType, packages []*Package) {
	byPackage := map[*model.Package]*model.Version{}
	for _, pkg := range packages {
		if pkg.Version != "" {
			byPackage[pkg.Types] = pkg.version
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
func byDir(packages []*Package) func(*Package) string {
	type version struct{ dir, label string }
	first := map[version]*Package{}
	shared := map[string]bool{}
	dirOf := func(pkg *Package) string { return strings.ToLower(pkg.Dir) }
	for _, pkg := range packages {
		v := version{dirOf(pkg), strings.ToLower(cmp.Or(pkg.Label, pkg.Version))}
		if other := first[v]; other != nil && other.Group != pkg.Group {
			shared[v.dir] = true
		}
		first[v] = pkg
	}
	return func(pkg *Package) string {
		switch dir := dirOf(pkg); {
		case dir == "":
			return pkg.Group
		case shared[dir]:
			return dir + "/" + pkg.Group
		default:
			return dir + "/"
		}
	}
}

// addToVersion adds a package to its version of the group.
func addToVersion(g *model.Group, pkg *Package) {
	i := slices.IndexFunc(g.Versions, func(v *model.Version) bool { return cmp.Or(v.Label, v.Name) == cmp.Or(pkg.Label, pkg.Version) })
	if i < 0 {
		i = len(g.Versions)
		g.Versions = append(g.Versions, &model.Version{Group: g, Name: pkg.Version, Label: pkg.Label})
	}
	v := g.Versions[i]
	if !pkg.Shared {
		v.Packages = append(v.Packages, pkg.Types)
	}
	for _, k := range pkg.Kinds {
		k.Resource.Version = v
		v.Resources = append(v.Resources, k.Resource)
	}
	pkg.version = v
}

// dirOf returns the common parent directory of a group's packages if the layout is group/version, as in
// example.com/apis/stable/v1, and "" for other layouts.
func dirOf(packages []*Package) string {
	dir := packages[0].Dir
	for _, pkg := range packages {
		if pkg.Dir != dir {
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
				clash, fix = "has the plural "+r.Plural+" of "+other.Kind, diag.Textf("correct %s, or rename one of them", diag.Setting("plural-exceptions"))
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
				rv.diags.Mistakef(rv.policy.AcceptMistakes, r.Pos, "", "kind %s of %s has the resource name %s of %s in %s", r.Kind, path.Join(g.Name, v.Dir()), r.Name, other.Kind, other.Version.Name).
					WithRelated(other.Pos).Suggest("give one of them another +resourceName, or use the same kind in both versions")
			}
		}
	}
}
