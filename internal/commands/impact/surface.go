package impact

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

// surface is the exported API of a package: its symbols by name.
type surface map[string]*symbol

// symbol is an element of the API: a declaration, or a member of a type.
type symbol struct {
	text   string // the declaration, as writer writes it
	of     string // the type whose member it is; "" for a declaration
	file   string
	line   int
	hidden bool // an unexported type that an exported declaration mentions

	shape    string   // kind of a type: struct, interface, alias or other
	sealed   bool     // an interface with unexported methods, which other packages cannot implement
	union    []string // types of a constraint that consists of one union; nil otherwise
	imported          // for a struct or interface

	method    bool // has a receiver
	pointer   bool // the receiver is a pointer
	signature string
	abstract  bool   // a method of an interface, or an interface that it embeds
	field     string // type and tag of a field; "" for other symbols

	depth    int    // number of structs through which a member is promoted
	promoted string // symbol of the member in the type of this package that it is promoted from; "" for none
	through  string // symbol of the embedded field through which it is promoted
	source   string // type of another package that it is promoted from; "" for none
}

// imported lists the types of other packages that a type embeds.
type imported struct {
	embeds map[string]bool // types that were read
	unread map[string]bool // types that were not read
	both   map[string]bool // members that are ambiguous, because two embedded types have them
}

// surfacing is a surface under construction.
type surfacing struct {
	*Declarations
	symbols surface
	reads   reads
	exposed []string
	queued  map[string]bool
}

// reads determines which types of other packages are read: the types embedded in embedders.
type reads struct {
	embedders map[string]bool
	imported  func(importPath string) *Declarations // nil if there is no such package
}

func (p *Declarations) surface(reads reads) surface {
	s := &surfacing{Declarations: p, symbols: surface{}, queued: map[string]bool{}, reads: reads}
	for name := range p.objects {
		if ast.IsExported(name) {
			s.expose(name)
		}
	}
	slices.Sort(s.exposed)
	for len(s.exposed) > 0 {
		name := s.exposed[0]
		s.exposed = s.exposed[1:]
		for _, o := range p.objects[name] {
			s.object(name, o)
		}
	}
	return s.symbols
}

// expose queues a declaration that callers can refer to.
func (s *surfacing) expose(name string) {
	if !s.queued[name] && (ast.IsExported(name) || s.objects[name][0].typ != nil) {
		s.queued[name] = true
		s.exposed = append(s.exposed, name)
	}
}

// writer returns a writer for a declaration of a type, or of its package, with type parameters.
func (s *surfacing) writer(t named, in *file, params []*ast.Ident) writer {
	w := writer{Declarations: t.in, file: in}.with(params, t.args...)
	if !t.foreign() {
		w.seen = s.expose
	}
	return w
}

// add adds a symbol.
func (s *surfacing) add(name string, sym symbol) { merge(s.symbols, name, &sym) }

// merge adds a symbol to a map. If the map already has a symbol of this name, with other build constraints, its text
// becomes "one or the other".
func merge(into map[string]*symbol, name string, sym *symbol) {
	known := into[name]
	if known == nil {
		into[name] = sym
		return
	}
	if !slices.Contains(strings.Split(known.text, " or "), sym.text) {
		both := []string{known.text, sym.text}
		slices.Sort(both)
		known.text = strings.Join(both, " or ")
	}
}

func (s *surfacing) object(name string, o *object) {
	w := s.writer(named{in: s.Declarations, name: name}, o.file, nil)
	sym := symbol{file: o.file.name, line: s.fset.Position(o.at).Line}
	switch {
	case o.fn != nil:
		sym.text = "func" + w.signature(o.fn.Type)
	case o.typ != nil:
		s.typ(name, o, sym)
		return
	case o.constant:
		sym.text = strings.TrimRight("const "+w.expr(o.expr), " ") + " = " + w.constant(o.value, o.index, 0)
	case o.expr != nil:
		sym.text = "var " + w.expr(o.expr)
	default:
		sym.text = "var " + w.valueType(o.value)
	}
	s.add(name, sym)
}

func (s *surfacing) typ(name string, o *object, sym symbol) {
	sym.hidden = !ast.IsExported(name)
	self := named{in: s.Declarations, name: name}
	w := s.writer(self, o.file, names(o.typ.TypeParams))
	if o.typ.Assign.IsValid() {
		sym.text, sym.shape = "type"+w.constraints(o.typ.TypeParams)+" = "+w.expr(o.typ.Type), "alias"
		s.add(name, sym)
		return
	}
	sym.text = "type" + w.constraints(o.typ.TypeParams) + " "
	sym.imported = imported{embeds: map[string]bool{}, unread: map[string]bool{}, both: map[string]bool{}}
	e := embedder{s, &sym.imported, nil}
	if s.reads.embedders[name] {
		e.packages = s.reads.imported
	}
	switch under := ast.Unparen(o.typ.Type).(type) {
	case *ast.InterfaceType:
		sym.shape = "interface"
		set := e.methodSet(self, under, w, map[string]bool{})
		sym.sealed = set.sealed
		sym.text += "interface"
		if len(set.terms) > 0 {
			slices.Sort(set.terms)
			if len(set.terms) == 1 {
				sym.union = strings.Split(set.terms[0], " | ")
			}
			sym.text += "{" + strings.Join(set.terms, "; ") + "}"
		}
		s.add(name, sym)
		for _, member := range sortedKeys(set.members) {
			s.add(name+"."+member, set.members[member].in(name, &sym))
		}
		return
	case *ast.StructType:
		sym.shape = "struct"
		sym.text += "struct"
	default:
		sym.shape = "other"
		sym.text += w.expr(o.typ.Type)
	}
	s.add(name, sym)
	for member, found := range e.members(self) {
		placed := found.in(name, &sym)
		s.symbols[name+"."+member] = &placed
	}
}

// in returns the symbol as a member of a type. A member from another package takes the position of the type.
func (sym symbol) in(name string, typ *symbol) symbol {
	sym.of = name
	if sym.file == "" {
		sym.file, sym.line = typ.file, typ.line
	}
	return sym
}

// baseName returns the name of an embedded type or of a receiver, without package and type arguments, and whether it is
// a pointer.
func baseName(e ast.Expr) (name string, pointer bool) {
	_, pointer = ast.Unparen(e).(*ast.StarExpr)
	return load.BaseName(e), pointer
}
