package parser

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// assemble joins the packages into groups and versions, names these, and reports collisions.
func (p *parser) assemble(units []*unit, types model.Types) *model.API {
	p.agreeOnResources(units)
	api := &model.API{Structs: types.All}
	versions := map[*unit]*model.Version{}
	groups := map[string]*model.Group{}
	members := map[*model.Group][]*unit{}
	groupOf := func(u *unit) string { return u.group }
	if p.cfg.Policy.GroupsByDirectory {
		groupOf = byDir(units)
	}
	for _, u := range units {
		key := groupOf(u)
		g := groups[key]
		if g == nil {
			g = &model.Group{Name: u.group}
			groups[key] = g
			api.Groups = append(api.Groups, g)
		}
		if !u.shared || len(members[g]) == 0 { // only packages with kinds influence names
			members[g] = append(members[g], u)
		}
		versions[u] = p.addToVersion(g, u)
	}
	place(types.Own, units, versions)
	var named, shared []*model.Group
	for _, g := range api.Groups {
		p.agreeOnGoName(g, members[g])
		if members[g][0].shared {
			shared = append(shared, g)
		} else {
			named = append(named, g)
		}
	}
	goName := func(g *model.Group) string { return members[g][0].goName }
	dir := func(g *model.Group) string { return dirOf(members[g]) }
	var renamed []*model.Group
	if p.cfg.Policy.GroupsByDirectory {
		renamed = model.NameClassicGroups(named, goName, dir, func(g *model.Group) string {
			if u := members[g][0]; u.pkg.GroupFrom.Kind != model.FromMarker && u.dir != "" {
				return u.dir
			}
			return g.Name
		})
	} else {
		renamed = model.NameGroups(named, goName, dir)
	}
	model.PlaceGroups(shared, named, dir)
	model.SortGroups(api.Groups)
	for _, g := range renamed {
		first := members[g][0]
		if members[g][0].goName == "" {
			p.Warnf(first.pkg.Pos, "group %q shares its first label with another group: its Go name is %s", g.Name, g.GoName).
				Suggest("choose one with +groupGoName in the package comment")
		}
	}
	p.reportSameNames(named, members)
	for _, g := range api.Groups {
		model.SortVersions(g.Versions)
		for _, v := range g.Versions {
			slices.SortStableFunc(v.Resources, func(a, b *model.Resource) int { return cmp.Compare(a.Kind, b.Kind) })
			slices.SortStableFunc(v.Structs, func(a, b *model.StructType) int { return cmp.Compare(a.BuilderName(), b.BuilderName()) })
			p.reportCollisions(v)
		}
	}
	return api
}

// sharedUnits returns a unit for each package without kinds that has some of the structs.
func (p *parser) sharedUnits(structs []*model.StructType, found []*load.Package, units []*unit) []*unit {
	reached := map[*model.Package]bool{}
	for _, s := range structs {
		reached[s.Package] = true
	}
	for _, u := range units {
		delete(reached, u.pkg)
	}
	var shared []*unit
	for _, src := range found {
		pkg := p.packages[src]
		if !reached[pkg] {
			continue
		}
		var known diag.List // readPackage reported it
		comments := gotypes.PackageMarkers(p.Fset, src, p.cfg.Policy, &known)
		u := &unit{src: src, pkg: pkg, shared: true}
		p.nameGroupVersion(u, comments) // whatever it says: no API server has that group, and the names are those of directories
		shared = append(shared, u)
	}
	return shared
}

// place adds structs to the versions of their packages; to none if they are unversioned.
func place(structs []*model.StructType, units []*unit, versions map[*unit]*model.Version) {
	byPackage := map[*model.Package]*model.Version{}
	for _, u := range units {
		if u.version != "" {
			byPackage[u.pkg] = versions[u]
		}
	}
	for _, s := range structs {
		if s.Version = byPackage[s.Package]; s.Version != nil {
			s.Version.Structs = append(s.Version.Structs, s)
		}
	}
}

// byDir returns the key by which packages are grouped in Classic mode. Like the tools of k8s.io/code-generator it uses
// the directory above that of the version, whatever the group's name. Only if two packages would then share a version,
// of which the tools would generate just one, the key includes the name.
func byDir(units []*unit) func(*unit) string {
	type version struct{ dir, label string }
	first := map[version]*unit{}
	shared := map[string]bool{}
	dirOf := func(u *unit) string { return strings.ToLower(u.dir) }
	for _, u := range units {
		v := version{dirOf(u), strings.ToLower(cmp.Or(u.label, u.version))}
		if other := first[v]; other != nil && other.group != u.group {
			shared[v.dir] = true
		}
		first[v] = u
	}
	return func(u *unit) string {
		switch dir := dirOf(u); {
		case dir == "":
			return u.group
		case shared[dir]:
			return dir + "/" + u.group
		default:
			return dir + "/"
		}
	}
}

// addToVersion adds a package to its version of the group.
func (p *parser) addToVersion(g *model.Group, u *unit) *model.Version {
	i := slices.IndexFunc(g.Versions, func(v *model.Version) bool { return cmp.Or(v.Label, v.Name) == cmp.Or(u.label, u.version) })
	if i < 0 {
		i = len(g.Versions)
		g.Versions = append(g.Versions, &model.Version{Group: g, Name: u.version, Label: u.label})
	}
	v := g.Versions[i]
	if !u.shared {
		v.Packages = append(v.Packages, u.pkg)
	}
	for _, k := range u.kinds {
		if k.resource != nil {
			k.resource.Version = v
			v.Resources = append(v.Resources, k.resource)
		}
	}
	return v
}

// dirOf returns the common parent directory of a group's packages if the layout is group/version, as in
// example.com/apis/stable/v1, and "" for any other layout.
func dirOf(units []*unit) string {
	dir := units[0].dir
	for _, u := range units {
		if u.dir != dir {
			return ""
		}
	}
	return dir
}

// agreeOnGoName applies the +groupGoName of one package to all packages of its group, and reports packages with a
// different one.
func (p *parser) agreeOnGoName(g *model.Group, members []*unit) {
	var first *unit
	for _, u := range members {
		switch {
		case u.goName == "":
		case first == nil:
			first = u
		case u.goName != first.goName:
			p.Errorf(u.goNamePos, "+groupGoName=%s, but +groupGoName=%s for the same group %q", u.goName, first.goName, g.Name).
				SaidAt(first.goNamePos).Suggest("use the same name in both")
		}
	}
	for _, u := range members {
		if first != nil {
			u.goName, u.goNamePos = first.goName, first.goNamePos
		}
	}
}

// reportSameNames reports groups that have the same Go name because of +groupGoName.
func (p *parser) reportSameNames(groups []*model.Group, members map[*model.Group][]*unit) {
	first := map[string]*model.Group{}
	for _, g := range groups {
		keys := []string{strings.ToLower(g.GoName)}
		if p.cfg.Policy.GroupsByDirectory {
			keys = g.VersionNames()
		}
		var other *model.Group
		for _, key := range keys {
			other = cmp.Or(other, first[key])
			first[key] = cmp.Or(first[key], g)
		}
		if other == nil {
			continue
		}
		u := members[g][0]
		if u.goName == "" {
			u = members[other][0]
		}
		p.Errorf(u.goNamePos, "groups %q and %q have the same Go name %s", other.Name, g.Name, g.GoName).
			Suggest("give one of them another +groupGoName")
	}
}

// reportCollisions reports kinds of one version with the same file, resource or Go name.
func (p *parser) reportCollisions(v *model.Version) {
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
			case other.Name == r.Name:
				then = "the generic informer for the resource is that of " + other.Kind
				clash, fix = "has the resource name "+r.Name+" of "+other.Kind, diag.Textf("give one of them another +resourceName")
			default:
				continue
			}
			complain := p.Errorf
			if then != "" {
				complain = func(pos token.Position, format string, args ...any) *diag.Diagnostic {
					return p.mistakef(pos, then, format, args...)
				}
			}
			complain(r.Pos, "kind %s of %s %s", r.Kind, gv, clash).SaidAt(other.Pos).Suggest("%s", fix)
			break // one error is enough
		}
	}
}
