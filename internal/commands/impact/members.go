package impact

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"
)

// embedder finds the members that a type inherits from embedded types.
type embedder struct {
	*surfacing
	found    *imported
	packages func(importPath string) *Declarations // nil if other packages are not read
}

// named is a declared type, with type arguments if it is an instance.
type named struct {
	in   *Declarations // package of the declaration; nil for none
	name string
	args []string // type arguments; nil stands for the type parameters
}

// String returns the type as PATH.NAME.
func (t named) String() string {
	if t.in.path == "" {
		return t.name
	}
	return t.in.path + "." + t.name
}

// source returns the type with its type arguments, as PATH.NAME[ARGUMENTS].
func (t named) source() string {
	if len(t.args) == 0 {
		return t.String()
	}
	return t.String() + "[" + strings.Join(t.args, ", ") + "]"
}

// foreign reports whether the type belongs to another package.
func (t named) foreign() bool { return t.in.path != "" }

// universe is a package of the predeclared types that can be embedded.
var universe = Parse("builtin", []File{{
	"builtin.go", []byte("package builtin\ntype error interface { Error() string }\ntype any interface {}\n"),
}})

// inside returns a writer for the inside of one of the declarations of a type.
func (e *embedder) inside(t named, o *object) writer {
	return e.writer(t, o.file, names(o.typ.TypeParams))
}

// resolve finds the declared type that an expression names, following aliases. pointer reports whether the expression
// is a pointer to it. If the type belongs to a package that is not read, unread is its name.
func (e *embedder) resolve(typ ast.Expr, w writer, depth int) (t named, pointer bool, unread string) {
	switch typ := ast.Unparen(typ).(type) {
	case *ast.StarExpr:
		t, _, unread = e.resolve(typ.X, w, depth)
		return t, true, unread
	case *ast.IndexExpr:
		return e.instance(typ.X, []ast.Expr{typ.Index}, w, depth)
	case *ast.IndexListExpr:
		return e.instance(typ.X, typ.Indices, w, depth)
	}
	return e.instance(typ, nil, w, depth)
}

func (e *embedder) instance(typ ast.Expr, args []ast.Expr, w writer, depth int) (t named, pointer bool, unread string) {
	switch typ := ast.Unparen(typ).(type) {
	case *ast.Ident:
		switch {
		case w.params[typ.Name] != "" || depth > 20:
			return named{}, false, ""
		case len(w.objects[typ.Name]) > 0:
			t = named{in: w.Declarations, name: typ.Name}
		case len(universe.objects[typ.Name]) > 0:
			t = named{in: universe, name: typ.Name}
		default:
			return named{}, false, ""
		}
	case *ast.SelectorExpr:
		x, ok := typ.X.(*ast.Ident)
		if !ok {
			return named{}, false, ""
		}
		importPath := w.importPath(x.Name)
		if e.packages != nil {
			t = named{in: e.packages(importPath), name: typ.Sel.Name}
		}
		if t.in == nil || len(t.in.objects[t.name]) == 0 {
			return named{}, false, importPath + "." + typ.Sel.Name
		}
	default:
		return named{}, false, ""
	}
	for _, arg := range args {
		t.args = append(t.args, w.expr(arg))
	}
	if o := t.in.objects[t.name][0]; o.typ == nil {
		return named{}, false, ""
	} else if o.typ.Assign.IsValid() {
		in := e.inside(t, o)
		switch of := ast.Unparen(o.typ.Type).(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.StarExpr:
			return e.resolve(of, in, depth+1)
		}
	}
	return t, false, ""
}

// underlying returns the type literal that the type is declared as, directly or through other types, and a writer for
// it.
func (e *embedder) underlying(typ ast.Expr, w writer, depth int) (ast.Expr, writer) {
	switch typ := ast.Unparen(typ).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		t, pointer, unread := e.resolve(typ, w, depth)
		if unread != "" {
			e.found.unread[unread] = true
		}
		if t.in != nil && !pointer && depth < 20 {
			o := t.in.objects[t.name][0]
			return e.underlying(o.typ.Type, e.inside(t, o), depth+1)
		}
	}
	return ast.Unparen(typ), w
}

// embedding is a type that another one embeds, directly or indirectly.
type embedding struct {
	named
	pointer bool   // through a pointer somewhere on the path
	through string // the embedded field through which it is reached; "" if that is unexported
	source  string // the first type of another package on the path; "" for none
	twice   bool   // it is embedded more than once at the same depth
}

// members returns the exported fields and methods of a type that is not an interface: its own, and members promoted by
// the rules of https://go.dev/ref/spec#Selectors. Of several members with the same name, the one at the lowest depth
// counts. If there are two at this depth, none counts.
func (e *embedder) members(self named) map[string]*symbol {
	all := map[string]*symbol{}
	seen := map[string]bool{}
	level := []*embedding{{named: self}}
	for depth := 0; len(level) > 0; depth++ {
		var deeper []*embedding
		found, twice := map[string]*symbol{}, map[string]bool{}
		for _, at := range level {
			seen[at.String()] = true
		}
		for _, at := range level {
			own, embedded := e.own(at, depth)
			for name, sym := range own {
				twice[name] = twice[name] || at.twice || found[name] != nil
				found[name] = sym
			}
			for _, next := range embedded {
				if depth == 0 && next.through != "" {
					next.through = self.name + "." + next.through
				} else if depth > 0 {
					next.through = at.through
				}
				next.pointer = next.pointer || at.pointer
				next.twice = at.twice
				if next.source = at.source; next.foreign() && next.source == "" {
					next.source = next.named.source()
					e.found.embeds[next.source] = true
				}
				if seen[next.String()] {
					continue
				}
				same := slices.IndexFunc(deeper, func(other *embedding) bool { return other.String() == next.String() })
				if same >= 0 {
					deeper[same].twice = true
				} else {
					deeper = append(deeper, next)
				}
			}
		}
		for name, sym := range found {
			if _, hidden := all[name]; hidden {
				continue
			}
			if all[name] = sym; twice[name] {
				all[name] = nil
				e.found.both[name] = true
			}
		}
		level = deeper
	}
	for name := range e.found.both {
		delete(all, name)
	}
	return all
}

// own returns the exported fields and methods that a type declares, and the types that it embeds. All methods of an
// interface count as declared.
func (e *embedder) own(at *embedding, depth int) (own map[string]*symbol, embedded []*embedding) {
	own = map[string]*symbol{}
	add := func(w writer, name string, node ast.Node, sym symbol) {
		if !ast.IsExported(name) {
			return
		}
		if !at.foreign() {
			sym.file, sym.line = w.file.name, e.fset.Position(node.Pos()).Line
		}
		sym.depth, sym.through, sym.source = depth, at.through, at.source
		if depth > 0 && at.source == "" {
			sym.promoted = promotedFrom(at.name, name)
		}
		merge(own, name, &sym)
	}
	for _, o := range at.in.objects[at.name] {
		if o.typ == nil {
			continue
		}
		w := e.inside(at.named, o)
		under := ast.Unparen(o.typ.Type)
		if depth > 0 {
			under, w = e.underlying(under, w, 0)
		}
		switch under := under.(type) {
		case *ast.StructType:
			for _, f := range under.Fields.List {
				tag := ""
				if f.Tag != nil {
					tag = " " + f.Tag.Value
				}
				field := func(name, what string) {
					if ast.IsExported(name) {
						typ := w.expr(f.Type) + tag
						add(w, name, f, symbol{text: what + typ, field: typ})
					}
				}
				for _, ident := range f.Names {
					field(ident.Name, "field ")
				}
				if len(f.Names) > 0 {
					continue
				}
				base, byPointer := baseName(f.Type)
				field(base, "embedded ")
				t, pointer, unread := e.resolve(f.Type, w, 0)
				next := &embedding{named: t, pointer: pointer || byPointer}
				if ast.IsExported(base) {
					next.through = base
				}
				if unread != "" {
					e.found.unread[unread] = true
				} else if t.in != nil {
					embedded = append(embedded, next)
				}
			}
		case *ast.InterfaceType:
			set := e.methodSet(at.named, under, w, map[string]bool{})
			for name, m := range set.members {
				if ast.IsExported(name) {
					sym := symbol{
						text: m.text, method: true, signature: m.text, file: m.file, line: m.line, depth: depth, through: at.through,
						source: cmp.Or(at.source, m.source),
					}
					if sym.source == "" {
						sym.promoted = promotedFrom(at.name, name)
					}
					merge(own, name, &sym)
				}
			}
		}
	}
	for _, method := range sortedKeys(at.in.methods[at.name]) {
		for _, m := range at.in.methods[at.name][method] {
			w := e.writer(at.named, m.file, receiverParams(m.decl))
			_, pointer := receiver(m.decl)
			sym := symbol{method: true, pointer: pointer && !at.pointer}
			if ast.IsExported(method) {
				sym.signature = "func" + w.signature(m.decl.Type)
			}
			if sym.text = sym.signature; sym.pointer {
				sym.text = "method of pointers " + sym.text
			}
			add(w, method, m.decl.Name, sym)
		}
	}
	return own, embedded
}

// promotedFrom returns the symbol of a promoted member in its own type, base, or "" if that type is unexported.
func promotedFrom(base, member string) string {
	if !ast.IsExported(base) {
		return ""
	}
	return base + "." + member
}

// methodSet is the method set of an interface.
type methodSet struct {
	members map[string]symbol // exported methods
	sealed  bool              // has unexported methods
	terms   []string          // unions of types
}

func (e *embedder) methodSet(t named, under *ast.InterfaceType, w writer, seen map[string]bool) methodSet {
	set := methodSet{members: map[string]symbol{}}
	seen[t.String()] = true
	at := func(f *ast.Field, text string) symbol {
		sym := symbol{abstract: true, text: text}
		if w.path == "" {
			sym.file, sym.line = w.file.name, e.fset.Position(f.Pos()).Line
		}
		return sym
	}
	for _, f := range under.Methods.List {
		for _, ident := range f.Names {
			fn, ok := f.Type.(*ast.FuncType)
			switch {
			case !ok:
			case !ast.IsExported(ident.Name):
				set.sealed = true
			default:
				set.members[ident.Name] = at(f, "func"+w.signature(fn))
			}
		}
	}
	for _, f := range under.Methods.List {
		if len(f.Names) > 0 {
			continue
		}
		base, pointer := baseName(f.Type)
		if base == "" || pointer {
			set.terms = append(set.terms, w.expr(f.Type))
			continue
		}
		if ident, ok := ast.Unparen(f.Type).(*ast.Ident); ok && ident.Name == "comparable" && w.objects[ident.Name] == nil {
			set.terms = append(set.terms, ident.Name)
			continue
		}
		embedded, _, unread := e.resolve(f.Type, w, 0)
		if unread != "" {
			e.found.unread[unread] = true
		}
		if embedded.in == nil || seen[embedded.String()] || !e.embed(&set, embedded, seen) {
			set.members[w.expr(f.Type)] = at(f, "embedded "+w.expr(f.Type))
		}
	}
	delete(seen, t.String())
	return set
}

// embed adds the methods of an embedded interface to set. It reports whether t is an interface.
func (e *embedder) embed(set *methodSet, t named, seen map[string]bool) (embedded bool) {
	for _, o := range t.in.objects[t.name] {
		if o.typ == nil {
			continue
		}
		under, w := e.underlying(o.typ.Type, e.inside(t, o), 0)
		inner, ok := under.(*ast.InterfaceType)
		if !ok {
			continue
		}
		embedded = true
		if t.foreign() && t.in != universe {
			e.found.embeds[t.source()] = true
		}
		got := e.methodSet(t, inner, w, seen)
		set.sealed = set.sealed || got.sealed
		set.terms = append(set.terms, got.terms...)
		for member, sym := range got.members {
			if _, own := set.members[member]; own {
				continue
			}
			switch {
			case !t.foreign():
				sym.promoted = promotedFrom(t.name, member)
			case t.in != universe && sym.source == "":
				sym.source = t.source()
			}
			set.members[member] = sym
		}
	}
	return embedded
}
