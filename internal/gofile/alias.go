package gofile

import (
	gotoken "go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// chooseAlias names an import: wish if that is not "", otherwise the end of its path, with as many elements as needed
// to be meaningful and not taken. "k8s.io/api/apps/v1" becomes appsv1, or apiappsv1 if appsv1 is taken. As a last
// resort it adds a number.
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
	if !gotoken.IsIdentifier(alias + "2") { // the path is used up, or starts with a digit
		alias = "pkg" + alias
	}
	for n := 2; ; n++ {
		if numbered := alias + strconv.Itoa(n); usable(numbered, taken) {
			return numbered
		}
	}
}

// generic matches path elements that are not meaningful by themselves.
var generic = regexp.MustCompile(`^(v[0-9]+((alpha|beta)[0-9]+)?|fake|internalversion)$`)

func usable(alias string, taken func(string) bool) bool {
	return gotoken.IsIdentifier(alias) && types.Universe.Lookup(alias) == nil && !taken(alias)
}

// clean removes what an identifier cannot contain, and converts to lower case.
func clean(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
}
