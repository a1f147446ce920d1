// This file finds changes of a Go package that break the code that imports it. It reads syntax only, so the
// package need not compile. It reads an imported package only if the compared package embeds its types and the result
// depends on them.
//
// The rules follow golang.org/x/exp/apidiff and https://go.dev/doc/go1compat: a breaking change removes a symbol,
// changes its type or value, or adds a method to an interface, which breaks its implementations. New symbols are
// compatible. Struct tags matter, because they determine the serialized form. Names of parameters, import aliases,
// comments, function bodies and the order of declarations do not matter.
//
// Where only a type checker could decide, the source text is compared. For example, a variable that is declared without
// a type is compared by its initial value.

package impact

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

// Difference is what has changed.
type Difference string

// The differences.
const (
	Removed     Difference = "removed"      // the symbol no longer exists
	Changed     Difference = "changed"      // it has another type or value
	MethodAdded Difference = "method added" // an interface has a new method, which breaks its implementations
	URLChanged  Difference = "URL changed"  // the Go API is the same, but requests go to another URL; see Moved
	TypesMoved  Difference = "types moved"  // symbols only differ in the package of some types; see Report.Collapsed
)

// Change is a difference that may break code which imports the package.
type Change struct {
	Difference Difference
	Symbol     string // Name, Type.Field or Type.Method; "" for the package itself
	Was        string // the old declaration, with import paths for packages and without names of parameters; "" if there is none
	Is         string // the new declaration, in the same form
	File       string // file of the new declaration, or of the type with the new member; "" if the symbol is removed
	Line       int    // line in File, from 1; 0 if the symbol is removed
	From       string // file of the old declaration, or of the type with the old member
	Unless     string // an embedded type whose package was not found; nothing changed if it has the symbol; "" for none

	symbols int // number of symbols, for TypesMoved
}

// Context gives Compare access to files other than the compared ones. Each function may be nil, and is called only if
// its result is needed.
type Context struct {
	// Unchanged returns the files of the package that are the same in both states, and other files whose changes are
	// ignored. The declarations in these files count as neither removed nor changed.
	Unchanged func() []File
	// Imported returns both states of an imported package, or nil if it is not found. It is called only for packages of
	// embedded types, if a type that embeds one seems to lose a member, or gains a member that may hide an embedded
	// one.
	Imported func(importPath string) (before, after *Declarations)
}

// Compare compares two states of a package and returns the breaking changes, ordered by symbol. Files that are the same
// in both states may be left out if context.Unchanged returns them. Tests and files that no build includes are ignored.
func Compare(before, after []File, context Context) []Change {
	c := newComparison(parse(before, nil), parse(after, nil), reads{}, reads{})
	changes := c.changes()
	if len(changes)+len(c.embedders(nil)) == 0 && !c.before.partial() {
		return nil
	}
	if context.Unchanged != nil {
		if others := context.Unchanged(); len(others) > 0 {
			c = newComparison(parse(before, others), parse(after, others), reads{}, reads{})
			changes = c.changes()
		}
	}
	if embedders := c.embedders(changes); len(embedders) > 0 && context.Imported != nil {
		c = newComparison(c.before, c.after,
			reads{embedders, func(importPath string) *Declarations { before, _ := context.Imported(importPath); return before }},
			reads{embedders, func(importPath string) *Declarations { _, after := context.Imported(importPath); return after }})
		changes = c.changes()
	}
	return changes
}

// partial reports whether the files declare methods of types that they do not declare.
func (p *Declarations) partial() bool {
	for receiver := range p.methods {
		if len(p.objects[receiver]) == 0 {
			return true
		}
	}
	return false
}

// comparison holds the two states of a package.
type comparison struct {
	before, after *Declarations
	was, is       surface
}

func newComparison(before, after *Declarations, old, now reads) *comparison {
	return &comparison{before, after, before.surface(old), after.surface(now)}
}

// embedders returns the types that embed unread types on which the result may depend: types that changed, or have new
// members.
func (c *comparison) embedders(changes []Change) map[string]bool {
	found := map[string]bool{}
	add := func(name string) {
		if o, n := c.was[name], c.is[name]; o != nil && n != nil && len(o.unread)+len(n.unread) > 0 {
			found[name] = true
		}
	}
	for _, change := range changes {
		name, _, _ := strings.Cut(change.Symbol, ".")
		add(name)
	}
	for name, n := range c.is {
		if c.was[name] == nil && n.of != "" {
			add(n.of)
		}
	}
	return found
}

// changes returns the breaking changes.
func (c *comparison) changes() []Change {
	before, after, was, is := c.before, c.after, c.was, c.is
	if len(was) == 0 {
		return nil
	}
	if after.name == "" {
		return []Change{{Difference: Removed, Was: "package " + before.name, From: before.file}}
	}
	var changes []Change
	if before.name != after.name {
		changes = append(changes, Change{
			Difference: Changed, Was: "package " + before.name, Is: "package " + after.name, File: after.file, Line: 1, From: before.file,
		})
	}
	whole := map[string]bool{} // types whose members are not compared
	report := func(kind Difference, symbol string, o, n *symbol) {
		c := Change{Difference: kind, Symbol: symbol, From: o.file}
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
	for _, name := range sortedKeys(was) { // a type comes before its members
		o, n := was[name], is[name]
		switch {
		case whole[o.of] || o.hidden && n == nil:
			whole[name] = true
		case o.source != "" && is.stillEmbeds(name, o): // reported for the package of the embedded type
		case n == nil:
			report(Removed, name, o, nil)
			whole[name] = true
		case o.method && o.source != "" && n.method && n.depth == 0 && before.unchanged(o.of):
			// The type is hand-written, and a generated method replaces a promoted one. Most likely, the type itself is
			// new.
		case !o.mayBecome(n):
			report(Changed, name, o, n)
			whole[name] = o.shape != n.shape // their members cannot be compared
		case o.shape == "interface" && !o.sealed && n.sealed:
			report(MethodAdded, name, o, n)
			changes[len(changes)-1].Is = "unexported methods"
		}
	}
	for _, name := range sortedKeys(is) {
		n := is[name]
		o := was[n.of]
		if o != nil && len(o.union) > 0 && (ofKinds[n.source] || ofKinds[strings.TrimPrefix(name, n.of+".")]) {
			continue // see mayBecome
		}
		if n.abstract && o != nil && !whole[n.of] && !o.sealed && was[name] == nil && !o.embeds[n.source] {
			report(MethodAdded, name, o, n)
		}
	}
	said := map[string]bool{}
	for _, c := range changes {
		said[c.Symbol] = c.Symbol != ""
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { // reported for the embedded type
		via := cmp.Or(is[c.Symbol], was[c.Symbol])
		return via != nil && (said[via.promoted] || said[via.through])
	})
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return changes
}

// stillEmbeds reports whether a member is embedded as before, so that a change of it is a change of the embedded type.
func (s surface) stillEmbeds(name string, o *symbol) bool {
	typ, n := s[o.of], s[name]
	if typ == nil {
		return false
	}
	if n != nil {
		return n.source == o.source && n.pointer == o.pointer
	}
	return (typ.embeds[o.source] || typ.unread[o.source]) && !typ.both[strings.TrimPrefix(name, o.of+".")]
}

// unreadBy returns the names of embedded types that were not found and may have any member, joined by "or".
func (s surface) unreadBy(name string) string {
	if typ := s[name]; typ != nil {
		return strings.Join(sortedKeys(typ.unread), " or ")
	}
	return ""
}

// unchanged reports whether a type is declared in a file that is the same in both states.
func (p *Declarations) unchanged(typ string) bool {
	return len(p.objects[typ]) > 0 && p.objects[typ][0].file.unchanged
}

// ofKinds lists the interfaces that all kinds implement.
var ofKinds = map[string]bool{"k8s.io/apimachinery/pkg/runtime.Object": true, "k8s.io/apimachinery/pkg/apis/meta/v1.Object": true}

// mayBecome reports whether replacing o with n is compatible.
func (o *symbol) mayBecome(n *symbol) bool {
	switch {
	case o.method && n.method: // a method of pointers may become a method of values
		return o.text == n.text || o.signature == n.signature && !n.pointer
	case o.field != "" && n.field != "": // a composite literal cannot set a promoted field
		return o.field == n.field && (o.depth > 0 || n.depth == 0 && o.text == n.text)
	case len(o.union) > 0 && len(n.union) > 0: // a constraint may allow more types
		missing := func(typ string) bool { return !slices.Contains(n.union, typ) }
		return !slices.ContainsFunc(o.union, missing)
	case len(o.union) > 0 && n.text == "type interface": // a union of kinds may become an interface that all kinds implement
		isOther := func(name string) bool { return !ofKinds[name] }
		embeds := append(sortedKeys(n.embeds), sortedKeys(n.unread)...)
		return len(embeds) > 0 && !slices.ContainsFunc(embeds, isOther)
	}
	return o.text == n.text
}
