// Package apidiff tells what a change of a Go package breaks for those that import it, by syntax alone: the package need
// not compile, and nothing that it imports is read.
//
// The definition is that of golang.org/x/exp/apidiff, which follows https://go.dev/doc/go1compat: what is gone is removed;
// what has another type or value is changed, and so is an interface with a new method, for those who implement it. More
// may be exported. Struct tags count, since they are what goes over the wire. Names of parameters, import aliases, comments,
// bodies and the order of declarations do not.
//
// What only a type-checker knows is judged by how it is written: a variable without a type by its initial value, and what
// a struct gets from an embedded type of another package not at all.
package apidiff

import (
	"cmp"
	"slices"
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
}

// Compare compares two states of a package and returns what is broken, ordered by symbol. Files that are the same in both
// may be left out. beside returns those, and others that are not to be judged: what they declare is neither removed nor
// changed. It is called only if there are differences; nil is for no such files. Tests are not looked at, nor are files that
// are for no build.
func Compare(before, after []File, beside func() []File) []Change {
	changes := compare(parse(before, nil), parse(after, nil))
	if len(changes) == 0 || beside == nil {
		return changes
	}
	others := beside()
	if len(others) == 0 {
		return changes
	}
	return compare(parse(before, others), parse(after, others))
}

func compare(before, after *pkg) []Change {
	was, is := before.surface(), after.surface()
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
		changes = append(changes, c)
	}
	for _, name := range sortedKeys(was.symbols) { // a type comes before its members
		o, n := was.symbols[name], is.symbols[name]
		switch {
		case whole[o.of] || o.hidden && n == nil:
			whole[name] = true
		case n == nil:
			report(Removed, name, o, nil)
			whole[name] = true
		case o.text != n.text && !o.mayBecome(n):
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
		if o := was.symbols[n.of]; n.abstract && o != nil && !whole[n.of] && !o.sealed && was.symbols[name] == nil {
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

// mayBecome reports whether callers need not notice that o is n.
func (o *symbol) mayBecome(n *symbol) bool {
	// What only pointers had, values may have too.
	return o.method && n.method && o.signature == n.signature && !n.pointer
}
