package model

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/version"
)

// SortVersions orders versions as Kubernetes does: stable before beta before alpha, higher before lower, and names that
// are not Kubernetes versions last, by name
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority).
// The internal form comes first.
func SortVersions(versions []*Version) {
	slices.SortStableFunc(versions, func(a, b *Version) int {
		if a.Internal() != b.Internal() {
			if a.Internal() {
				return -1
			}
			return 1
		}
		return version.CompareKubeAwareVersionStrings(b.Name, a.Name)
	})
}

// NameGroups gives every group of the API a unique Go name and directory.
//
// goName and dir return the preferred names of a group, "" for none. The default is that of client-go: the first label
// of the group's name, so "networking.k8s.io" is Networking, and the core group is Core. Groups with the same name get
// one more label each until they differ: NetworkingExample, NetworkingAcme. NameGroups returns the groups that were
// renamed in this way, in order.
func NameGroups(groups []*Group, goName, dir func(*Group) string) (renamed []*Group) {
	SortGroups(groups)
	for _, g := range groups {
		g.GoName = exported(goName(g))
		if g.GoName == "" {
			g.GoName = goNameOfLabels(g.Name, 1)
		}
	}
	renamed = separate(groups, func(g *Group) []string { return []string{strings.ToLower(g.GoName)} }, func(g *Group, labels int) {
		if goName(g) == "" {
			g.GoName = goNameOfLabels(g.Name, labels)
		}
	})
	for _, g := range groups {
		g.Dir = dir(g)
		if g.Dir == "" {
			g.Dir = strings.ToLower(cmp.Or(firstLabel(g.Name), "core"))
		}
	}
	separate(groups, func(g *Group) []string { return []string{strings.ToLower(g.Dir)} }, func(g *Group, _ int) { g.Dir = strings.ToLower(g.GoName) })
	return slices.DeleteFunc(renamed, func(g *Group) bool { return goName(g) != "" }) // these have kept their names
}

// NameClassicGroups gives every group the names that the tools of k8s.io/code-generator give it: the directory that dir
// returns, and the Go name that goName returns or, if that is "", the first label of what label returns. Groups may
// share either, as long as no two have the same version. If they do, the tools generate code that does not compile, or
// overwrite files of their own; NameClassicGroups then adds labels to the directories and the Go names of these groups.
// It returns the groups whose Go name changed, in order.
func NameClassicGroups(groups []*Group, goName, dir, label func(*Group) string) (renamed []*Group) {
	for _, g := range groups {
		g.Dir = cmp.Or(dir(g), firstLabel(g.Name), "core")
		g.GoName = cmp.Or(exported(goName(g)), goNameOfLabels(label(g), 1))
	}
	SortGroups(groups)
	separate(groups, func(g *Group) (keys []string) {
		for _, v := range g.Versions {
			keys = append(keys, strings.ToLower(g.Dir)+"/"+v.Dir())
		}
		return keys
	}, func(g *Group, labels int) { g.Dir = strings.ToLower(goNameOfLabels(g.Name, labels)) })
	renamed = separate(groups, (*Group).VersionNames, func(g *Group, labels int) {
		if goName(g) == "" {
			g.GoName = goNameOfLabels(label(g), labels-1) + exported(g.Dir)
		}
	})
	return slices.DeleteFunc(renamed, func(g *Group) bool { return goName(g) != "" })
}

// VersionNames returns the name that a clientset has for each version with kinds, in lower case: "stablev1".
func (g *Group) VersionNames() (names []string) {
	for _, v := range g.Versions {
		if len(v.Resources) > 0 {
			names = append(names, strings.ToLower(g.GoName+v.GoName()))
		}
	}
	return names
}

// PlaceGroups gives groups without kinds directories that do not contain a version of a group with kinds. Their Go
// names are not used and need not be unique.
func PlaceGroups(groups, others []*Group, dir func(*Group) string) {
	SortGroups(groups)
	taken := map[string]bool{}
	take := func(g *Group) {
		for _, v := range g.Versions {
			taken[strings.ToLower(g.Dir)+"/"+v.Dir()] = true
		}
	}
	for _, g := range others {
		take(g)
	}
	for _, g := range groups {
		g.GoName = goNameOfLabels(g.Name, 1)
		g.Dir = cmp.Or(dir(g), strings.ToLower(cmp.Or(firstLabel(g.Name), "core")))
		for labels := 2; labels <= 16 && slices.ContainsFunc(g.Versions, func(v *Version) bool { return taken[strings.ToLower(g.Dir)+"/"+v.Dir()] }); labels++ {
			g.Dir = strings.ToLower(goNameOfLabels(g.Name, labels))
		}
		take(g)
	}
}

// SortGroups orders groups by name, then by directory.
func SortGroups(groups []*Group) {
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Dir, b.Dir)) })
}

// GoName returns the Go name of one of the API's groups, or a longer name if several groups have the same.
func (a *API) GoName(g *Group) string {
	if slices.ContainsFunc(a.Groups, func(other *Group) bool { return other != g && strings.EqualFold(other.GoName, g.GoName) }) {
		return g.GoName + exported(g.Dir)
	}
	return g.GoName
}

// separate calls rename for the groups that share a key with another one, with ever more labels, until all keys differ or
// the labels are used up. It returns the groups that were renamed.
func separate(groups []*Group, keys func(*Group) []string, rename func(g *Group, labels int)) (renamed []*Group) {
	for labels := 2; labels <= 16; labels++ {
		count := map[string]int{}
		for _, g := range groups {
			for _, key := range keys(g) {
				count[key]++
			}
		}
		var clash []*Group
		for _, g := range groups {
			if slices.ContainsFunc(keys(g), func(key string) bool { return count[key] > 1 }) {
				clash = append(clash, g)
			}
		}
		if len(clash) == 0 {
			break
		}
		for _, g := range clash {
			rename(g, labels)
			if !slices.Contains(renamed, g) {
				renamed = append(renamed, g)
			}
		}
	}
	return renamed
}

// goNameOfLabels makes a Go name from the first n dot-separated labels of a group's name.
func goNameOfLabels(group string, n int) string {
	labels := strings.Split(cmp.Or(group, "core"), ".")
	var b strings.Builder
	for _, label := range labels[:min(n, len(labels))] {
		b.WriteString(exported(label))
	}
	return b.String()
}

func firstLabel(group string) string {
	label, _, _ := strings.Cut(group, ".")
	return label
}

// exported makes an exported Go identifier from a name: the first letter and every letter after a character that
// identifiers cannot hold become upper case ("my-group" is MyGroup). A name that starts with a digit gets an X.
func exported(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	up := true
	for _, r := range name {
		switch {
		case r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
			continue
		case up && unicode.IsDigit(r) && b.Len() == 0:
			b.WriteByte('X')
		case up:
			r = unicode.ToUpper(r)
		}
		up = false
		b.WriteRune(r)
	}
	return b.String()
}

// Exportable reports whether an exported Go identifier can be made from a name.
func Exportable(name string) bool { return token.IsExported(exported(name)) }

// Unexported returns name with its first letter in lower case, as client-go names the unexported types that it
// generates for a kind: "cronTab". A Go keyword gets an underscore; client-go has no such case.
func Unexported(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return name
	}
	name = string(unicode.ToLower(r)) + name[size:]
	if token.IsKeyword(name) {
		return name + "_"
	}
	return name
}

// PackageName makes a valid Go package name from the name of a directory: letters and digits in lower case up to the
// first dot.
func PackageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, firstLabel(dir))
	if name == "" || unicode.IsDigit(rune(name[0])) || token.IsKeyword(name) {
		name = "x" + name
	}
	return name
}
