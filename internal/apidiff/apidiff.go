// Package apidiff tells what a change of a Go package breaks for those that import it, by syntax alone: the package need
// not compile, and of what it imports only packages are read whose types it embeds, if that may decide something.
//
// The definition is that of golang.org/x/exp/apidiff, which follows https://go.dev/doc/go1compat: what is gone is removed;
// what has another type or value is changed, and so is an interface with a new method, for those who implement it. More
// may be exported. Struct tags count, since they are what goes over the wire. Names of parameters, import aliases, comments,
// bodies and the order of declarations do not.
//
// What only a type-checker knows is judged by how it is written: a variable without a type by its initial value.
package apidiff

import (
	"cmp"
	"slices"
	"strings"
)

// File is a Go source file.
type File struct {
	Name    string
	Content []byte
}

// Kind is what a change is to callers.
type Kind int

// The kinds of changes.
const (
	Removed       Kind = iota // there is no such symbol any more
	Changed                   // it is something else
	MethodAdded               // an interface has one more method: noticed by those who implement it
	NotComparable             // a struct cannot be compared with == any more, nor be the key of a map
)

func (k Kind) String() string {
	return [...]string{"removed", "changed", "method added", "not comparable"}[k]
}

// Change is one difference that those who import a package may notice.
type Change struct {
	Kind   Kind
	Symbol string // Name, Type.Field or Type.Method; "" is the package itself
	Was    string // the declaration, with import paths for packages and without names of parameters; "" if there was none
	Is     string // the same of what there is now
	File   string // where it is declared now, or what it is a part of; "" for what is removed
	Line   int    // in File, from 1; 0 for what is removed
	From   string // File that it was declared in, or what it is a part of
	Unless string // type of a package that was not found: if it has the symbol, there is no such change; "" for none
}

// Around is what lies around a package that is compared. Its functions are called only if there may be something to report
// and may be nil.
type Around struct {
	// Beside returns the files that are the same in both states, and others that are not to be judged: what they declare is
	// neither removed nor changed.
	Beside func() []File
	// Imported returns both states of a package that is imported, nil for one that is not found. It is asked for those alone
	// of which a type is embedded in one that seems to lose something, or may: by a new member, which may hide another.
	Imported func(importPath string) (before, after *Package)
}

// Compare compares two states of a package and returns what is broken, ordered by symbol. Files that are the same in both
// may be left out, if around has them. Tests are not looked at, nor are files that are for no build.
func Compare(before, after []File, around Around) []Change {
	c := newComparison(parse(before, nil), parse(after, nil), reads{}, reads{})
	changes := c.changes()
	if len(changes)+len(c.embedders(nil)) == 0 {
		return nil
	}
	if around.Beside != nil {
		if others := around.Beside(); len(others) > 0 {
			c = newComparison(parse(before, others), parse(after, others), reads{}, reads{})
			changes = c.changes()
		}
	}
	if embedders := c.embedders(changes); len(embedders) > 0 && around.Imported != nil {
		c = newComparison(c.before, c.after,
			reads{embedders, func(importPath string) *Package { before, _ := around.Imported(importPath); return before }},
			reads{embedders, func(importPath string) *Package { _, after := around.Imported(importPath); return after }})
		changes = c.changes()
	}
	return changes
}

// comparison is two states of a package.
type comparison struct {
	before, after *Package
	was, is       *surface
}

func newComparison(before, after *Package, old, now reads) *comparison {
	return &comparison{before, after, before.surface(old), after.surface(now)}
}

// embedders returns the types that embed unread ones which may decide something: those that are changed, those that have
// a new member, and those that may have been comparable.
func (c *comparison) embedders(changes []Change) map[string]bool {
	found := map[string]bool{}
	add := func(name string) {
		if o, n := c.was.symbols[name], c.is.symbols[name]; o != nil && n != nil && len(o.unread)+len(n.unread) > 0 {
			found[name] = true
		}
	}
	for _, change := range changes {
		name, _, _ := strings.Cut(change.Symbol, ".")
		add(name)
	}
	for name, n := range c.is.symbols {
		switch o := c.was.symbols[name]; {
		case o == nil && n.of != "":
			add(n.of)
		case o != nil && o.comparable == unknown && n.comparable == no:
			add(name)
		}
	}
	return found
}

// changes returns what is broken.
func (c *comparison) changes() []Change {
	before, after, was, is := c.before, c.after, c.was, c.is
	if len(was.symbols) == 0 {
		return nil
	}
	if after.name == "" {
		return []Change{{Kind: Removed, Was: "package " + before.name, From: before.file}}
	}
	var changes []Change
	if before.name != after.name {
		changes = append(changes, Change{Kind: Changed, Was: "package " + before.name, Is: "package " + after.name, File: after.file, Line: 1, From: before.file})
	}
	whole := map[string]bool{} // types about which more need not be said
	report := func(kind Kind, symbol string, o, n *symbol) {
		c := Change{Kind: kind, Symbol: symbol, From: o.file}
		if kind != MethodAdded {
			c.Was = o.text
		}
		if n != nil {
			c.Is, c.File, c.Line = n.text, n.file, n.line
		}
		if o.field != "" && n != nil && n.depth > 0 {
			c.Is = "promoted " + c.Is
		}
		switch kind {
		case Removed:
			c.Unless = is.unreadBy(o.of)
		case MethodAdded:
			c.Unless = was.unreadBy(n.of)
		}
		changes = append(changes, c)
	}
	for _, name := range sortedKeys(was.symbols) { // a type comes before its members
		o, n := was.symbols[name], is.symbols[name]
		switch {
		case whole[o.of] || o.hidden && n == nil:
			whole[name] = true
		case o.source != "" && is.stillEmbeds(name, o): // told of the package that declares it
		case n == nil:
			report(Removed, name, o, nil)
			whole[name] = true
		case !o.mayBecome(n):
			report(Changed, name, o, n)
			whole[name] = o.shape != n.shape // their members cannot be compared
		case o.shape == "interface" && !o.sealed && n.sealed:
			report(MethodAdded, name, o, n)
			changes[len(changes)-1].Is = "unexported methods"
		case o.comparable == yes && n.comparable == no:
			report(NotComparable, name, o, n)
		}
	}
	for _, name := range sortedKeys(is.symbols) {
		n := is.symbols[name]
		if o := was.symbols[n.of]; n.abstract && o != nil && !whole[n.of] && !o.sealed && was.symbols[name] == nil && !o.embeds[n.source] {
			report(MethodAdded, name, o, n)
		}
	}
	said := map[string]bool{}
	for _, c := range changes {
		said[c.Symbol] = c.Symbol != ""
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { // what is told of the type that is embedded
		via := cmp.Or(is.symbols[c.Symbol], was.symbols[c.Symbol])
		return via != nil && (said[via.promoted] || said[via.through])
	})
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return changes
}

// stillEmbeds reports whether a member is gone or another because what it is embedded from is another, not the embedding.
func (s *surface) stillEmbeds(name string, o *symbol) bool {
	typ, n := s.symbols[o.of], s.symbols[name]
	if typ == nil {
		return false
	}
	if n != nil {
		return n.source == o.source && n.pointer == o.pointer
	}
	return (typ.embeds[o.source] || typ.unread[o.source]) && !typ.both[strings.TrimPrefix(name, o.of+".")]
}

// unreadBy names what a type embeds that was not found, which may have any member.
func (s *surface) unreadBy(name string) string {
	if typ := s.symbols[name]; typ != nil {
		return strings.Join(sortedKeys(typ.unread), " or ")
	}
	return ""
}

// mayBecome reports whether callers need not notice that o is n.
func (o *symbol) mayBecome(n *symbol) bool {
	switch {
	case o.method && n.method: // what only pointers had, values may have too
		return o.text == n.text || o.signature == n.signature && !n.pointer
	case o.field != "" && n.field != "": // what is promoted cannot be set in a literal
		return o.field == n.field && (o.depth > 0 || n.depth == 0 && o.text == n.text)
	}
	return o.text == n.text
}
