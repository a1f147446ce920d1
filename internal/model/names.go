package model

import (
	"cmp"
	"go/token"
	"go/types"
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

// NameGroups gives every group of the API a Go name and a folder of its own.
//
// goName and dir say what a group would like to be called; "" means no wish. The default is what client-go does: the
// first label of the group's name, so "networking.k8s.io" is Networking, and the core group is Core. Groups that would
// share a name get one more of their labels each until they differ: NetworkingExample, NetworkingAcme.
// The groups that had to be renamed so are returned, in order.
func NameGroups(groups []*Group, goName, dir func(*Group) string) (renamed []*Group) {
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
	for _, g := range groups {
		g.GoName = exported(goName(g))
		if g.GoName == "" {
			g.GoName = goNameOfLabels(g.Name, 1)
		}
	}
	renamed = separate(groups, func(g *Group) string { return strings.ToLower(g.GoName) }, func(g *Group, labels int) {
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
	separate(groups, func(g *Group) string { return strings.ToLower(g.Dir) }, func(g *Group, _ int) { g.Dir = strings.ToLower(g.GoName) })
	return slices.DeleteFunc(renamed, func(g *Group) bool { return goName(g) != "" }) // those have kept their names
}

// separate calls rename for the groups whose key is not unique, with ever more labels, until all keys differ or the
// labels are used up. It returns the groups that were renamed.
func separate(groups []*Group, key func(*Group) string, rename func(g *Group, labels int)) (renamed []*Group) {
	for labels := 2; labels <= 16; labels++ {
		count := map[string]int{}
		for _, g := range groups {
			count[key(g)]++
		}
		var clash []*Group
		for _, g := range groups {
			if count[key(g)] > 1 {
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

// goNameOfLabels makes a Go name of the first n dot-separated labels of a group's name.
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

// exported makes an exported Go identifier of a name: the first letter and every letter after a character that
// identifiers cannot hold become upper case ("my-group" is MyGroup). A name that starts with a digit gets an X.
func exported(name string) string {
	var b strings.Builder
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

// Unexported returns name with its first letter in lower case, as client-go names the unexported types that it
// generates for a kind: "cronTab". A Go keyword gets an underscore, for which there is no name to match.
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

// Parameter returns the name for a parameter that holds a kind: its unexported name, or "obj" where that is a keyword,
// a predeclared identifier or one of the names in taken.
func Parameter(kind string, taken func(string) bool) string {
	name := Unexported(kind)
	if strings.HasSuffix(name, "_") || types.Universe.Lookup(name) != nil || taken(name) {
		return "obj"
	}
	return name
}

// PackageName makes a valid Go package name of a folder's name: letters and digits in lower case up to the first dot.
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
