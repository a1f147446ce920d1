package gofile

import (
	"bytes"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
)

var localName = regexp.MustCompile(localPlaceholder + `[\pL\pN_]+`)

// nameLocals replaces what Local returned, wherever it stands, by names that nothing else in the body has and that are no
// qualifiers.
func nameLocals(body []byte, qualifiers Imports) []byte {
	if !bytes.Contains(body, []byte(localPlaceholder)) {
		return body
	}
	taken := identifiers(body)
	for name := range qualifiers {
		taken[name] = true
	}
	chosen := map[string]string{}
	return localName.ReplaceAllFunc(body, func(match []byte) []byte {
		wish := string(match[len(localPlaceholder):])
		name, ok := chosen[wish]
		if !ok {
			name = chooseLocal(wish, taken)
			chosen[wish], taken[name] = name, true
		}
		return []byte(name)
	})
}

// chooseLocal returns the wish, or obj, or that with a number.
func chooseLocal(wish string, taken map[string]bool) string {
	free := func(name string) bool {
		return token.IsIdentifier(name) && types.Universe.Lookup(name) == nil && !taken[name]
	}
	for _, name := range []string{wish, "obj"} {
		if free(name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if name := "obj" + strconv.Itoa(n); free(name) {
			return name
		}
	}
}

// identifiers returns all identifiers in Go code, less those that are selected from something.
func identifiers(text []byte) map[string]bool {
	found := map[string]bool{}
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(text)), text, nil, 0)
	for before := token.ILLEGAL; ; {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT && before != token.PERIOD {
			found[lit] = true
		}
		before = tok
	}
}
