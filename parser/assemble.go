package parser

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/model"
)

// assemble joins what the packages have into groups and versions, names those, and reports what collides.
func (p *parser) assemble(units []*unit) *model.API {
	api := &model.API{}
	groups := map[string]*model.Group{}
	members := map[*model.Group][]*unit{}
	for _, u := range units {
		g := groups[u.group]
		if g == nil {
			g = &model.Group{Name: u.group}
			groups[u.group] = g
			api.Groups = append(api.Groups, g)
		}
		members[g] = append(members[g], u)
		p.addToVersion(g, u)
	}
	renamed := model.NameGroups(api.Groups,
		func(g *model.Group) string { return p.goNameOf(members[g]) },
		func(g *model.Group) string { return dirOf(members[g]) },
	)
	for _, g := range renamed {
		first := members[g][0]
		if p.goNameOf(members[g]) == "" {
			p.Warnf(first.pkg.Pos, "group %q shares its first label with another group: its Go name is %s", g.Name, g.GoName).
				Suggest("choose one with +groupGoName in the package comment")
		}
	}
	p.reportSameNames(api.Groups, members)
	for _, g := range api.Groups {
		model.SortVersions(g.Versions)
		for _, v := range g.Versions {
			slices.SortStableFunc(v.Resources, func(a, b *model.Resource) int { return cmp.Compare(a.Kind, b.Kind) })
			p.reportCollisions(v)
		}
	}
	return api
}

// addToVersion adds a package to its version of the group.
func (p *parser) addToVersion(g *model.Group, u *unit) {
	i := slices.IndexFunc(g.Versions, func(v *model.Version) bool { return v.Name == u.version })
	if i < 0 {
		i = len(g.Versions)
		g.Versions = append(g.Versions, &model.Version{Group: g, Name: u.version})
	}
	v := g.Versions[i]
	v.Packages = append(v.Packages, u.pkg)
	for _, k := range u.kinds {
		if k.resource != nil {
			k.resource.Version = v
			v.Resources = append(v.Resources, k.resource)
		}
	}
}

// goNameOf returns what +groupGoName says in any of a group's packages.
func (p *parser) goNameOf(units []*unit) string {
	for _, u := range units {
		if u.goName != "" {
			return u.goName
		}
	}
	return ""
}

// dirOf returns the folder that all packages of a group lie in, where the layout is group/version, as
// example.com/apis/stable/v1 is. For any other layout it returns "".
func dirOf(units []*unit) string {
	dir := units[0].dir
	for _, u := range units {
		if u.dir != dir {
			return ""
		}
	}
	return dir
}

// reportSameNames complains of groups that still share a Go name, because +groupGoName says so.
func (p *parser) reportSameNames(groups []*model.Group, members map[*model.Group][]*unit) {
	first := map[string]*model.Group{}
	for _, g := range groups {
		key := strings.ToLower(g.GoName)
		if other := first[key]; other != nil {
			p.Errorf(members[g][0].pkg.Pos, "groups %q and %q have the same Go name %s", other.Name, g.Name, g.GoName).
				Suggest("give one of them another +groupGoName")
			continue
		}
		first[key] = g
	}
	for _, g := range groups {
		wishes := map[string]bool{}
		for _, u := range members[g] {
			if u.goName != "" {
				wishes[u.goName] = true
			}
		}
		if len(wishes) > 1 {
			p.Errorf(members[g][0].pkg.Pos, "the packages of group %q disagree on +groupGoName", g.Name).Suggest("write the same in all of them")
		}
	}
}

// reportCollisions complains of kinds of one version that would share a file, a resource or a Go name.
func (p *parser) reportCollisions(v *model.Version) {
	for what, key := range map[string]func(*model.Resource) string{
		"kind":          func(r *model.Resource) string { return strings.ToLower(r.Kind) },
		"resource name": func(r *model.Resource) string { return r.Name },
		"plural":        func(r *model.Resource) string { return r.Plural },
	} {
		first := map[string]*model.Resource{}
		for _, r := range v.Resources {
			other := first[key(r)]
			switch {
			case other == nil:
				first[key(r)] = r
			case what == "kind" || !strings.EqualFold(other.Kind, r.Kind):
				p.Errorf(r.Pos, "kinds %s and %s of %s have the same %s %q, first at %s",
					other.Kind, r.Kind, path.Join(v.Group.Name, v.Dir()), what, key(r), p.short(other.Pos)).
					Suggest("rename one, or use +resourceName or --plural-exceptions")
			}
		}
	}
}
