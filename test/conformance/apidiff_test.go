package conformance

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/exp/apidiff"

	syntactic "github.com/kubegen/kubegen/internal/commands/impact"
)

var (
	apidiffSeeds = flag.Int("apidiff-seeds", 3000, "how many random changes of a package TestApidiff compares")
	apidiffSeed  = flag.Uint64("apidiff-seed", 0, "compare this one alone, and print it")
)

// TestApidiff compares kubegen's internal/commands/impact, which uses only syntax, with golang.org/x/exp/apidiff,
// which type-checks, on random changes of random packages: both must report the same symbols.
func TestApidiff(t *testing.T) {
	first, last := uint64(1), uint64(*apidiffSeeds)
	if *apidiffSeed != 0 {
		first, last = *apidiffSeed, *apidiffSeed
	}
	compared, broken := 0, 0
	for seed := first; seed <= last; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		p := newRandomPackage(r)
		before := p.source()
		for range 1 + r.IntN(3) {
			p.mutate()
		}
		after := p.source()
		old, err := check(before)
		if err != nil {
			continue // an interface with two methods of the same name, its own and an embedded one
		}
		now, err := check(after)
		if err != nil {
			continue // the edit does not compile: another declaration needs the removed one
		}
		var want, got, implied brokenSymbols
		confused := false
		changes := apidiff.Changes(old, now).Changes
		told := func(symbol string) bool {
			return slices.ContainsFunc(changes, func(change apidiff.Change) bool {
				return !change.Compatible && strings.HasPrefix(change.Message, symbol+":")
			})
		}
		for _, change := range changes {
			// What a struct has lost of one that it embedded follows from that it does not embed it any more. And that a type
			// does not implement an interface any more follows from a change of one of them, which is there too; it may stand in
			// the place of what else there is to say of the type. Nobody compares generated structs.
			lost := slices.ContainsFunc(embeddingsOf(old, change.Message), told)
			incomparable := strings.HasSuffix(change.Message, "old is comparable, new is not")
			if strings.Contains(change.Message, "no longer implements") || incomparable || lost {
				implied.add(change.Message)
			} else if !change.Compatible {
				want.add(change.Message)
			}
			// Where that differ has taken one type for another, it says of that, gone or not, "changed from A to B", of
			// whatever it noticed it in "changed from A to A", or it tells of members of a type that is gone.
			owner, member := splitSymbol(change.Message)
			_, types, changed := strings.Cut(change.Message, ": changed from ")
			from, to, _ := strings.Cut(types, " to ")
			gone := now.Scope().Lookup(owner) == nil
			confused = confused || changed && (from == to || gone) || member != "" && gone && old.Scope().Lookup(owner) != nil
		}
		for _, method := range lostByValues(old, now) {
			if !slices.ContainsFunc(embeddingsOf(now, method), told) {
				want.add(method)
			}
		}
		for _, change := range syntactic.Compare([]syntactic.File{{Name: "p.go", Content: []byte(before)}}, []syntactic.File{{Name: "p.go", Content: []byte(after)}}, syntactic.Context{Imported: readImported}) {
			got.add(change.Symbol)
		}
		compared++
		if want.any() {
			broken++
		}
		maps.DeleteFunc(got.exported, func(name string, _ bool) bool { return implied.exported[name] && !want.exported[name] && want.any() })
		// What callers get of an unexported type is told of that type by types, and of what they get it from by syntax; and
		// after that is gone by syntax of both. So names of theirs need not agree. Nor need they where members of imported
		// types are among them: by types one is told of all that embed it at any depth, by syntax of where the embedding is
		// lost.
		maps.DeleteFunc(want.hidden, func(name, of string) bool { return got.hidden[name] == "" && !got.exported[name] && takes(before, of) })
		if want.any() != got.any() || !confused && len(want.hidden) == 0 && !want.imported && !maps.Equal(want.exported, got.exported) {
			t.Errorf("seed %d: by types %v are broken, by syntax %v\n-- before --\n%s\n-- after --\n%s\n%s", seed, want, got, before, after, apidiff.Changes(old, now))
		} else if *apidiffSeed != 0 {
			t.Logf("broken: %v\n-- before --\n%s\n-- after --\n%s", want, before, after)
		}
		if t.Failed() && seed > first+20 {
			break
		}
	}
	t.Logf("%d changes compared, %d of them broken", compared, broken)
	if *apidiffSeed == 0 && !t.Failed() && broken < *apidiffSeeds/5 {
		t.Error("that is too few to say anything")
	}
}

// brokenSymbols are the names of changed symbols: of members, which the random packages declare once, or of
// package-level declarations. Members include those promoted from embedded structs.
type brokenSymbols struct {
	exported map[string]bool
	hidden   map[string]string // the unexported types of those that belong to one
	imported bool              // some are of imported types
}

func (b *brokenSymbols) add(message string) {
	if b.exported == nil {
		b.exported, b.hidden = map[string]bool{}, map[string]string{}
	}
	owner, member := splitSymbol(message)
	if member == "" || !token.IsExported(member) {
		member = owner
	}
	if strings.HasPrefix(message, "example.com/") {
		b.imported = true
	}
	if token.IsExported(owner) {
		b.exported[member] = true
	} else {
		b.hidden[member] = owner
	}
}

func (b brokenSymbols) any() bool { return len(b.exported)+len(b.hidden) > 0 }

func (b brokenSymbols) String() string {
	return strings.Join(slices.Sorted(maps.Keys(b.exported)), ", ") + " (" + strings.Join(slices.Sorted(maps.Keys(b.hidden)), ", ") + ")"
}

// takes reports whether a function or method of a package has a parameter that mentions a type. By syntax, an
// unexported type that callers only pass is no exported API, since they have no values of it.
func takes(source, name string) bool {
	return regexp.MustCompile(`\b[ab]\d+ [^,)]*\b` + name + `\b`).MatchString(source)
}

// splitSymbol returns the symbol in a message: "Name: ...", "Type.Field: ...", "(*Type).Method, method set of ...:
// ...".
func splitSymbol(message string) (owner, member string) {
	symbol, _, _ := strings.Cut(message, ":")
	symbol, _, _ = strings.Cut(symbol, ",")
	owner, member, _ = strings.Cut(strings.NewReplacer("(", "", "*", "", ")", "", "example.com/deeper.", "", "example.com/dep.", "").Replace(symbol), ".")
	return owner, member
}

// embeddingsOf returns the embedded fields, each as Type.Field, from which a struct gets the changed member; nil if it
// declares the member itself.
func embeddingsOf(pkg *types.Package, message string) (embeddings []string) {
	owner, member := splitSymbol(message)
	if _, of, ok := strings.Cut(message, "method set of "); ok {
		of, _, _ = strings.Cut(of, ":")
		owner = strings.TrimPrefix(of, "*")
	}
	declared := pkg.Scope().Lookup(owner)
	if declared == nil {
		return nil
	}
	_, index, _ := types.LookupFieldOrMethod(declared.Type(), true, pkg, member)
	at := declared.Type()
	for _, i := range index[:max(len(index)-1, 0)] {
		if pointer, ok := at.Underlying().(*types.Pointer); ok {
			at = pointer.Elem()
		}
		field := at.Underlying().(*types.Struct).Field(i)
		if named, ok := types.Unalias(at).(*types.Named); ok {
			embeddings = append(embeddings, named.Obj().Name()+"."+field.Name())
		}
		at = field.Type()
	}
	return embeddings
}

// lostByValues returns the promoted methods, as Type.Method, that values have lost and pointers still have, since
// they now are methods of pointers to what is embedded: v.M() no longer compiles where v is not addressable, nor does
// what needs M of the values' type; and the methods that interfaces have lost. The differ that type-checks looks for
// what is lost of methods that another type declares among those of pointers alone.
func lostByValues(old, now *types.Package) (lost []string) {
	for _, name := range old.Scope().Names() {
		before, isType := old.Scope().Lookup(name).(*types.TypeName)
		after, stillType := now.Scope().Lookup(name).(*types.TypeName)
		if !isType || !stillType || !before.Exported() {
			continue
		}
		had, values, pointers := types.NewMethodSet(before.Type()), types.NewMethodSet(after.Type()), types.NewMethodSet(types.NewPointer(after.Type()))
		for method := range had.Methods() {
			of, called := method.Obj().Pkg(), method.Obj().Name()
			byPointer := len(method.Index()) > 1 && pointers.Lookup(of, called) != nil
			if method.Obj().Exported() && values.Lookup(of, called) == nil && (byPointer || types.IsInterface(before.Type()) && types.IsInterface(after.Type())) {
				lost = append(lost, name+"."+called)
			}
		}
	}
	return lost
}

func check(source string) (*types.Package, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer(imported())}
	return config.Check("example.com/p", fset, []*ast.File{file}, nil)
}

// importedSources are packages of which random ones embed types. Members are called as theirs are, fields by other
// names than methods: the differ that type-checks looks at either by themselves, so it misses that one hides the
// other.
var importedSources = map[string]string{
	"example.com/deeper": `package deeper
type Struct struct { F1 int; F2 string; base }
func (Struct) M3() int { return 0 }
func (*Struct) M4(a0 *Struct) {}
type base struct { F5 bool }
func (*base) M6() *Of[int] { return nil }
func (base) M7() error { return nil }
type Of[T any] struct { F8 []T }
func (o *Of[E]) M9() []E { return nil }
type Interface interface { M10(); M11() (int, error) }
`,
	"example.com/dep": `package dep
import "example.com/deeper"
type Struct struct { *deeper.Struct; F1 string; F12 []int }
func (*Struct) M13(a0 Basic) {}
type Alias = deeper.Struct
type Ints = deeper.Of[int]
type Basic int
func (Basic) M3() int { return 0 }
func (*Basic) M14() string { return "" }
type Interface interface { deeper.Interface; M15() Basic }
type Embedding struct { Interface; F2 int }
`,
}

// importedTypes are those that a struct may embed, and the last of them an interface.
var importedTypes = []string{"deeper.Struct", "*deeper.Struct", "deeper.Of[string]", "*deeper.Of[int]", "dep.Struct", "*dep.Struct", "dep.Alias", "*dep.Alias",
	"dep.Ints", "dep.Basic", "dep.Embedding", "dep.Interface", "deeper.Interface"}

// imported returns the packages.
var imported = sync.OnceValue(func() map[string]*types.Package {
	found := map[string]*types.Package{}
	for _, path := range slices.Sorted(maps.Keys(importedSources)) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, importedSources[path], 0)
		if err != nil {
			panic(err)
		}
		config := types.Config{Importer: importer(found)}
		if found[path], err = config.Check(path, fset, []*ast.File{file}, nil); err != nil {
			panic(err)
		}
	}
	return found
})

// readImported returns the packages as the differ that reads syntax wants them.
func readImported(path string) (before, after *syntactic.Declarations) {
	read := syntactic.Parse(path, []syntactic.File{{Name: "imported.go", Content: []byte(importedSources[path])}})
	return read, read
}

// randomPackage is a package in the making.
type randomPackage struct {
	r     *rand.Rand
	decls []*randomDecl
	named int // how many names there are
}

// randomDecl is a type, function, constant or variable; methods are with their types.
type randomDecl struct {
	name    string
	kind    string // struct, interface, basic, func, const, var
	members []*randomMember
	typ     string
}

type randomMember struct {
	name    string
	typ     string // of a field, or the signature of a method
	method  bool
	pointer bool
	embeds  bool
}

func newRandomPackage(r *rand.Rand) *randomPackage {
	p := &randomPackage{r: r}
	for range 3 + r.IntN(6) {
		p.add()
	}
	return p
}

func (p *randomPackage) pick(words ...string) string { return words[p.r.IntN(len(words))] }

func (p *randomPackage) name(exported string) string {
	p.named++
	if p.r.IntN(5) == 0 {
		exported = strings.ToLower(exported)
	}
	return fmt.Sprintf("%s%d", exported, p.named)
}

// typ returns a random type, of those of the package too.
func (p *randomPackage) typ() string {
	base := p.pick("int", "string", "bool", "error", "any")
	var own []string
	for _, d := range p.decls {
		if d.isType() {
			own = append(own, d.name)
		}
	}
	if len(own) > 0 && p.r.IntN(2) == 0 {
		base = "*" + p.pick(own...)
	}
	return p.pick("", "", "", "[]", "map[string]", "*", "chan ", "[2]") + base
}

func (p *randomPackage) signature() string {
	params := []string{}
	for i := range p.r.IntN(3) {
		params = append(params, fmt.Sprintf("%s%d %s", p.pick("a", "b"), i, p.typ()))
	}
	return "(" + strings.Join(params, ", ") + ") " + p.pick("", p.typ(), "("+p.typ()+", error)")
}

func (d *randomDecl) isType() bool {
	return d.kind == "struct" || d.kind == "interface" || d.kind == "basic"
}

func (p *randomPackage) add() {
	d := &randomDecl{kind: p.pick("struct", "struct", "interface", "basic", "func", "const", "var")}
	d.name = p.name("X")
	switch d.kind {
	case "basic":
		d.typ = p.pick("int", "string", "[]int", "map[string]int", "func() int")
	case "func":
		d.typ = p.signature()
	case "const":
		d.typ = p.pick("1", "2", `"a"`, "true")
	case "var":
		d.typ = p.typ()
	}
	if d.isType() {
		for range p.r.IntN(4) {
			d.members = append(d.members, p.member(d))
		}
	}
	p.decls = append(p.decls, d)
}

func (p *randomPackage) member(d *randomDecl) *randomMember {
	// What interfaces lose of embedded ones is found by lostByValues alone, which looks at exported types.
	if (d.kind == "struct" || d.kind == "interface" && token.IsExported(d.name)) && p.r.IntN(5) == 0 {
		of := importedTypes
		if d.kind == "interface" {
			of = of[len(of)-2:]
		}
		m := &randomMember{embeds: true, typ: p.pick(of...)}
		_, m.name, _ = strings.Cut(m.typ, ".")
		if m.name, _, _ = strings.Cut(m.name, "["); !slices.ContainsFunc(d.members, func(other *randomMember) bool { return other.name == m.name }) {
			return m
		}
	}
	m := &randomMember{name: p.name("M"), method: d.kind != "struct" || p.r.IntN(2) == 0, pointer: p.r.IntN(2) == 0}
	if m.typ = p.typ(); !m.method {
		m.name = strings.NewReplacer("M", "F", "m", "f").Replace(m.name)
	} else {
		m.typ = p.signature()
	}
	if !m.method && p.r.IntN(4) == 0 {
		for _, other := range p.decls {
			if other != d && other.kind == "struct" && !slices.ContainsFunc(d.members, func(m *randomMember) bool { return m.embeds && m.typ == other.name }) {
				m.embeds, m.typ, m.name = true, other.name, other.name
				break
			}
		}
	}
	return m
}

// mutate changes the package in one place.
func (p *randomPackage) mutate() {
	if len(p.decls) == 0 || p.r.IntN(6) == 0 {
		p.add()
		return
	}
	at := p.r.IntN(len(p.decls))
	d := p.decls[at]
	switch p.r.IntN(5) {
	case 0:
		p.decls = slices.Delete(p.decls, at, at+1)
		return
	case 1: // in another place
		p.decls = append(slices.Delete(p.decls, at, at+1), d)
		return
	}
	if d.isType() {
		if len(d.members) == 0 || p.r.IntN(3) == 0 {
			d.members = append(d.members, p.member(d))
			return
		}
		i := p.r.IntN(len(d.members))
		m := d.members[i]
		switch p.r.IntN(4) {
		case 0:
			d.members = slices.Delete(d.members, i, i+1)
		case 1:
			m.pointer = !m.pointer
		case 2:
			m.typ = strings.NewReplacer("a0", "c0", "b1", "d1").Replace(m.typ) // which nobody notices
		default:
			if m.method {
				m.typ = p.signature()
			} else if !m.embeds {
				m.typ = p.typ()
			}
		}
		return
	}
	switch d.kind {
	case "func":
		d.typ = p.signature()
	case "const":
		d.typ = p.pick("1", "2", `"a"`, "true")
	case "var":
		d.typ = p.typ()
	}
}

// source writes the package.
func (p *randomPackage) source() string {
	var b strings.Builder
	b.WriteString("package p\n\nimport (\n\t\"example.com/deeper\"\n\t\"example.com/dep\"\n)\n\nvar _ deeper.Struct\nvar _ dep.Struct\n")
	for _, d := range p.decls {
		switch d.kind {
		case "func":
			fmt.Fprintf(&b, "\nfunc %s%s { panic(0) }\n", d.name, d.typ)
		case "const":
			fmt.Fprintf(&b, "\nconst %s = %s\n", d.name, d.typ)
		case "var":
			fmt.Fprintf(&b, "\nvar %s %s\n", d.name, d.typ)
		case "basic":
			fmt.Fprintf(&b, "\ntype %s %s\n", d.name, d.typ)
		default:
			fmt.Fprintf(&b, "\ntype %s %s {\n", d.name, d.kind)
			for _, m := range d.members {
				switch {
				case d.kind == "interface" && !m.embeds:
					fmt.Fprintf(&b, "\t%s%s\n", m.name, m.typ)
				case m.embeds:
					fmt.Fprintf(&b, "\t%s\n", m.typ)
				case !m.method:
					fmt.Fprintf(&b, "\t%s %s\n", m.name, m.typ)
				}
			}
			b.WriteString("}\n")
		}
		if d.kind == "struct" || d.kind == "basic" {
			for _, m := range d.members {
				if m.method {
					fmt.Fprintf(&b, "\nfunc (x %s%s) %s%s { panic(0) }\n", map[bool]string{true: "*"}[m.pointer], d.name, m.name, m.typ)
				}
			}
		}
	}
	return b.String()
}
