package gofile

import (
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// chooseAlias names an import: by its wish if it has one, otherwise by the end of its path, with as much of the path
// as it takes to say something and to differ from what is taken: "k8s.io/api/apps/v1" is appsv1, or apiappsv1 where
// appsv1 is taken. Numbers come last.
func chooseAlias(importPath, wish string, taken func(name string) bool) string {
	if wish != "" && !taken(wish) {
		return wish
	}
	elements := strings.Split(importPath, "/")
	alias := ""
	for i := len(elements) - 1; i >= 0; i-- {
		alias = clean(elements[i]) + alias
		if !generic.MatchString(elements[i]) && usable(alias, taken) {
			return alias
		}
	}
	if !token.IsIdentifier(alias + "2") { // nothing is left of the path, or it starts with a digit
		alias = "pkg" + alias
	}
	for n := 2; ; n++ {
		if numbered := alias + strconv.Itoa(n); usable(numbered, taken) {
			return numbered
		}
	}
}

// generic matches path elements that say nothing by themselves.
var generic = regexp.MustCompile(`^(v[0-9]+((alpha|beta)[0-9]+)?|fake|internalversion)$`)

func usable(alias string, taken func(string) bool) bool {
	return token.IsIdentifier(alias) && types.Universe.Lookup(alias) == nil && !taken(alias)
}

// clean keeps what an identifier can hold, in lower case.
func clean(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
}
