package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// chooseGoNames sets the Go names of a group's versions from +groupGoName in their packages, and reports packages with
// different names.
func (rv *resolver) chooseGoNames(g *model.Group, members []*kinds.Package) {
	var first *kinds.Package
	for _, pkg := range members {
		if pkg.GoName == "" {
			continue
		}
		first = cmp.Or(first, pkg)
		name, v := model.GroupGoName(pkg.GoName), rv.versions[pkg]
		taken := v.GroupGoName != "" && v.GroupGoName != name
		v.GroupGoName = cmp.Or(v.GroupGoName, name)
		switch {
		case taken:
			rv.diags.Errorf(
				pkg.GoNamePos, "+groupGoName=%s, but +groupGoName=%s for the same version of group %q", pkg.GoName, first.GoName, g.Name,
			).WithRelated(first.GoNamePos).Suggest("use the same name in both")
		case !sameGoName(pkg, first):
			rv.diags.Warnf(pkg.GoNamePos, "+groupGoName=%s, but +groupGoName=%s for the same group %q: the clients of each version use its own "+
				"name, but informers use the name of %s",
				pkg.GoName, first.GoName, g.Name, factoryPackage(members).Types.Path).WithRelated(first.GoNamePos).Suggest("use the same name in both")
		}
	}
}

// commonGoName returns the Go name for versions whose packages have no +groupGoName: the name in the other versions if
// they agree, or "" for a name derived from the group.
func (rv *resolver) commonGoName(members []*kinds.Package) string {
	first := withGoName(members)
	if first == nil || rv.policy.GoNameByPackage ||
		slices.ContainsFunc(members, func(pkg *kinds.Package) bool { return pkg.GoName != "" && !sameGoName(pkg, first) }) {
		return ""
	}
	return first.GoName
}

func sameGoName(a, b *kinds.Package) bool {
	return model.GroupGoName(a.GoName) == model.GroupGoName(b.GoName)
}

// withGoName returns the first package with +groupGoName, or nil.
func withGoName(members []*kinds.Package) *kinds.Package {
	return find(members, func(pkg *kinds.Package) bool { return pkg.GoName != "" })
}

// find returns the first package that fulfils a condition, or nil.
func find(members []*kinds.Package, is func(*kinds.Package) bool) *kinds.Package {
	if i := slices.IndexFunc(members, is); i >= 0 {
		return members[i]
	}
	return nil
}

// nameFactory makes the name of one version the name of the group, which the informer factory uses. The other versions
// keep their names.
func (rv *resolver) nameFactory(g *model.Group, members []*kinds.Package) {
	name := cmp.Or(rv.versions[factoryPackage(members)].GroupGoName, g.GoName)
	for _, v := range g.Versions {
		v.GroupGoName = cmp.Or(v.GroupGoName, g.GoName)
	}
	g.GoName = name
}

// factoryPackage returns the package that names the group in the informer factory: the last one, as in informer-gen.
func factoryPackage(members []*kinds.Package) *kinds.Package {
	last := members[0]
	for _, pkg := range members {
		if !pkg.Shared && !pkg.Types.Off(model.InformerSwitch) && (last.Types.Off(model.InformerSwitch) || pkg.Types.Path > last.Types.Path) {
			last = pkg
		}
	}
	return last
}

// reportSameNames reports groups with the same Go name because of +groupGoName.
func (rv *resolver) reportSameNames(groups []*model.Group, members map[*model.Group][]*kinds.Package) {
	first := map[string]*model.Group{}
	keys := (*model.Group).GoNames
	if rv.policy.GroupsByDirectory {
		keys = (*model.Group).VersionNames
	}
	for _, g := range groups {
		var other *model.Group
		name := g.GoName
		for _, key := range keys(g) {
			if other == nil && first[key] != nil {
				other, name = first[key], nameOf(g, key)
			}
			first[key] = cmp.Or(first[key], g)
		}
		if other == nil {
			continue
		}
		pkg := cmp.Or(withGoName(members[g]), withGoName(members[other]), members[g][0])
		rv.diags.Errorf(pkg.GoNamePos, "groups %q and %q have the same Go name %s", other.Name, g.Name, name).
			Suggest("give one of them another +groupGoName")
	}
}

// nameOf returns the Go name, of the group or one of its versions, that produced a key of GoNames or VersionNames.
func nameOf(g *model.Group, key string) string {
	for _, v := range g.Versions {
		if key == strings.ToLower(v.GroupGoName) || key == strings.ToLower(v.ClientName()) {
			return v.GroupGoName
		}
	}
	return g.GoName
}
