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

// SortVersions sorts versions by Kubernetes' priority: stable versions before beta and alpha versions, higher before
// lower numbers, and names that are not Kubernetes versions last, by name
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority).
// Unversioned types come first.
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

// NameGroups gives each group of an API a unique Go name and directory.
//
// goName and dir return the preferred names of a group, or "". By default a group is named after the first label of its
// name, as in client-go: "networking.k8s.io" is Networking. The core group is Core. For groups with the same name, one
// more label at a time is added until the names differ: NetworkingExample, NetworkingAcme. NameGroups returns the
// groups renamed in this way, in order.
func NameGroups(groups []*Group, goName, dir func(*Group) string) (renamed []*Group) {
	SortGroups(groups)
	for _, g := range groups {
		g.GoName = exported(goName(g))
		if g.GoName == "" {
			g.GoName = goNameOfLabels(g.Name, 1)
		}
	}
	renamed = separate(groups, (*Group).GoNames, func(g *Group, labels int) {
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
	separate(groups, func(g *Group) []string {
		return []string{strings.ToLower(g.Dir)}
	}, func(g *Group, _ int) { g.Dir = strings.ToLower(g.GoName) })
	return slices.DeleteFunc(renamed, func(g *Group) bool { return goName(g) != "" }) // names from goName were kept
}

// NameClassicGroups names groups as the tools of k8s.io/code-generator do: the directory is the result of dir, and the
// Go name is the first label of the result of label. Groups may share a directory or Go name unless they have a version
// in common. In that case the tools would generate code that does not compile, or overwrite their own files.
// NameClassicGroups therefore adds labels to the directories and Go names of these groups. It returns the groups whose
// Go name changed, in order.
func NameClassicGroups(groups []*Group, dir, label func(*Group) string) (renamed []*Group) {
	for _, g := range groups {
		g.Dir = cmp.Or(dir(g), firstLabel(g.Name), "core")
		g.GoName = goNameOfLabels(label(g), 1)
	}
	SortGroups(groups)
	separate(groups, func(g *Group) (keys []string) {
		for _, v := range g.Versions {
			keys = append(keys, strings.ToLower(g.Dir)+"/"+v.Dir())
		}
		return keys
	}, func(g *Group, labels int) { g.Dir = strings.ToLower(goNameOfLabels(g.Name, labels)) })
	return separate(groups, (*Group).VersionNames, func(g *Group, labels int) {
		g.GoName = goNameOfLabels(label(g), labels-1) + exported(g.Dir)
	})
}

// GoNames returns the Go names of the group and of its versions, in lower case.
func (g *Group) GoNames() []string {
	names := []string{strings.ToLower(g.GoName)}
	for _, v := range g.Versions {
		if name := strings.ToLower(v.groupGoName()); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// VersionNames returns the lower-case names of the versions with kinds, as in the methods of a clientset: "stablev1".
func (g *Group) VersionNames() (names []string) {
	for _, v := range g.Versions {
		if len(v.Resources) > 0 {
			names = append(names, strings.ToLower(v.ClientName()))
		}
	}
	return names
}

// PlaceGroups chooses directories for groups without kinds. None of the directories contains a version of others, the
// groups with kinds. The Go names of groups without kinds are not used and may be equal.
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
		for labels := 2; labels <= 16 &&
			slices.ContainsFunc(g.Versions, func(v *Version) bool { return taken[strings.ToLower(g.Dir)+"/"+v.Dir()] }); labels++ {
			g.Dir = strings.ToLower(goNameOfLabels(g.Name, labels))
		}
		take(g)
	}
}

// SortGroups orders groups by name, then by directory.
func SortGroups(groups []*Group) {
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Dir, b.Dir)) })
}

// GoName returns the Go name of a group of the API, or a longer name if another group has the same one.
func (a *API) GoName(g *Group) string {
	if slices.ContainsFunc(a.Groups, func(other *Group) bool { return other != g && strings.EqualFold(other.GoName, g.GoName) }) {
		return g.GoName + exported(g.Dir)
	}
	return g.GoName
}

// separate calls rename for the groups that share a key with another group, with an increasing number of labels, until
// all keys differ or all labels are used. It returns the groups that were renamed.
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

// goNameOfLabels returns the Go name formed from the first n dot-separated labels of a group's name.
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

// GroupGoName returns the Go name of a group with this value of +groupGoName. It returns "" for an empty value.
func GroupGoName(value string) string { return exported(value) }

// exported converts a name to an exported Go identifier. Characters that identifiers cannot contain are dropped, and
// the letter after each of them and the first letter are capitalized: "my-group" becomes MyGroup. An X precedes a
// leading digit.
func exported(name string) string {
	if token.IsExported(name) && token.IsIdentifier(name) {
		return name
	}
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

// Exportable reports whether exported returns an exported Go identifier for a name.
func Exportable(name string) bool { return token.IsExported(exported(name)) }

// Unexported returns name with its first letter in lower case: "cronTab". client-go names unexported types of a kind in
// this way. If the result is a Go keyword, an underscore is appended, which does not occur in client-go.
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

// PackageName returns a valid Go package name for the name of a directory: its letters, digits and underscores up to
// the first dot, in lower case. Names that no importable package can have, such as main, are prefixed with x.
func PackageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, firstLabel(dir))
	if name == "" || unicode.IsDigit(rune(name[0])) || token.IsKeyword(name) || name == "main" || name == "init" {
		name = "x" + name
	}
	return name
}
