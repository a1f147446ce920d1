package gofile

import (
	gotoken "go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// chooseAlias chooses a free name for an import. It is wish if that is free. Otherwise it consists of elements from the
// end of the path, as many as are needed to be meaningful and free: "k8s.io/api/apps/v1" becomes appsv1, or apiappsv1
// if appsv1 is taken. If the whole path is not enough, a number is appended.
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
	if !gotoken.IsIdentifier(alias + "2") { // the whole path is used, or it starts with a digit
		alias = "pkg" + alias
	}
	for n := 2; ; n++ {
		if numbered := alias + strconv.Itoa(n); usable(numbered, taken) {
			return numbered
		}
	}
}

// generic matches path elements without a meaning of their own.
var generic = regexp.MustCompile(`^(v[0-9]+((alpha|beta)[0-9]+)?|fake|internalversion)$`)

// usable reports whether a name is free and allowed for an import. The names init and main and predeclared names are
// not.
func usable(alias string, taken func(string) bool) bool {
	return gotoken.IsIdentifier(alias) && alias != "init" && alias != "main" && types.Universe.Lookup(alias) == nil && !taken(alias)
}

// clean returns a path element in lower case, without characters that are not allowed in identifiers.
func clean(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
}
