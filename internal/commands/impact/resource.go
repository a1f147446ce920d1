package impact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// Moved returns a change for each client of a kind whose requests go to another URL. before and after are the files of
// a generated package. In the changes, Was and Is are the names of the resource in URLs.
func Moved(before, after []File) (changes []Change) {
	was := map[string]client{}
	for _, f := range before {
		if c, ok := clientIn(f); ok {
			was[c.name] = c
		}
	}
	for _, f := range after {
		if now, ok := clientIn(f); ok && was[now.name].resource != "" && was[now.name].resource != now.resource {
			old := was[now.name]
			changes = append(changes, Change{
				Difference: URLChanged, Symbol: now.name, Was: old.resource, Is: now.resource, File: f.Name, Line: now.line, From: old.file,
			})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Symbol, b.Symbol) })
	return changes
}

// client describes the generated client of a kind: the name of its interface, and the name of its resource.
type client struct {
	name, resource, file string
	line                 int // line of the resource
}

var (
	clientInterface = regexp.MustCompile(`(?m)^type (\w+Interface) interface`)
	// The first alternative matches code of client-gen since v0.31, the second older code.
	clientResource = regexp.MustCompile(`\bgentype\.NewClient\w*\[[^\]]*\]\(\s*"([^"]*)"|\.\n\s*Resource\("([^"]*)"\)`)
)

// clientIn finds the client that a file declares.
func clientIn(f File) (client, bool) {
	if !bytes.Contains(f.Content, []byte("Interface interface")) { // much faster than the expressions
		return client{}, false
	}
	name := clientInterface.FindSubmatch(f.Content)
	at := clientResource.FindSubmatchIndex(f.Content)
	if name == nil || at == nil {
		return client{}, false
	}
	start, end := at[2], at[3]
	if start < 0 {
		start, end = at[4], at[5]
	}
	text := string(f.Content[:start])
	return client{string(name[1]), string(f.Content[start:end]), f.Name, 1 + strings.Count(text, "\n")}, true
}
