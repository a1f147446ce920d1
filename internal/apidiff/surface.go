package apidiff

import (
	"go/ast"
	"slices"
	"strings"
)

// surface is what importers of a package can see.
type surface struct {
	symbols map[string]*symbol
}

// symbol is something with a name that callers can write.
type symbol struct {
	text   string // the declaration
	of     string // type that it is a member of; "" for none
	file   string
	line   int
	hidden bool // an unexported type that something exported mentions

	shape      string // of a type: struct, interface, or other
	sealed     bool   // an interface that only its package implements
	comparable known  // of a struct

	method    bool // with a receiver
	pointer   bool // which is a pointer
	signature string
	abstract  bool // method of an interface, or what it embeds

	promoted string // the same member of the type that it is embedded from; "" for none
	through  string // the member that embeds that
}

type known int

const (
	unknown known = iota
	yes
	no
)

// surfacing is a surface in the making.
type surfacing struct {
	*pkg
	*surface
	exposed []string
	queued  map[string]bool
}

func (p *pkg) surface() *surface {
	s := &surfacing{pkg: p, surface: &surface{symbols: map[string]*symbol{}}, queued: map[string]bool{}}
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
	return s.surface
}

// expose adds a declaration to those that callers can get at.
func (s *surfacing) expose(name string) {
	if !s.queued[name] && (ast.IsExported(name) || s.objects[name][0].typ != nil) {
		s.queued[name] = true
		s.exposed = append(s.exposed, name)
	}
}

func (s *surfacing) writer(in *file) writer { return writer{pkg: s.pkg, file: in, seen: s.expose} }

// add adds a symbol. One that there is already, for another build, becomes both.
func (s *surfacing) add(name string, sym symbol) *symbol {
	if known := s.symbols[name]; known != nil && known.promoted == "" {
		if !slices.Contains(strings.Split(known.text, " or "), sym.text) {
			both := []string{known.text, sym.text}
			slices.Sort(both)
			known.text = strings.Join(both, " or ")
		}
		return known
	}
	s.symbols[name] = &sym
	return &sym
}

func (s *surfacing) object(name string, o *object) {
	w := s.writer(o.file)
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
	w := s.writer(o.file).with(names(o.typ.TypeParams))
	if o.typ.Assign.IsValid() {
		sym.text, sym.shape = "type = "+w.expr(o.typ.Type), "alias"
		s.add(name, sym)
		return
	}
	sym.text = "type" + w.constraints(o.typ.TypeParams) + " "
	switch under := ast.Unparen(o.typ.Type).(type) {
	case *ast.InterfaceType:
		sym.shape = "interface"
		set := s.methodSet(name, under, o, map[string]bool{})
		sym.sealed = set.sealed
		sym.text += "interface"
		if len(set.terms) > 0 {
			slices.Sort(set.terms)
			sym.text += "{" + strings.Join(set.terms, "; ") + "}"
		}
		s.add(name, sym)
		for _, member := range sortedKeys(set.members) {
			s.add(name+"."+member, set.members[member])
		}
		return
	case *ast.StructType:
		sym.shape, sym.comparable = "struct", s.comparable(under, o.file, 0)
		sym.text += "struct"
		s.add(name, sym)
		s.fields(name, under, w, o)
	default:
		sym.shape = "other"
		sym.text += w.expr(o.typ.Type)
		s.add(name, sym)
	}
	s.methodsOf(name, name, "", "", false)
}

// fields adds the fields of a struct, and what it gets from structs of this package that it embeds.
func (s *surfacing) fields(name string, under *ast.StructType, w writer, o *object) {
	type embedded struct {
		base    string
		pointer bool
	}
	var local []embedded
	for _, f := range under.Fields.List {
		tag := ""
		if f.Tag != nil {
			tag = " " + f.Tag.Value
		}
		add := func(field, what string) {
			if ast.IsExported(field) {
				s.add(name+"."+field, symbol{text: what + w.expr(f.Type) + tag, of: name, file: o.file.name, line: s.fset.Position(f.Pos()).Line})
			}
		}
		for _, ident := range f.Names {
			add(ident.Name, "field ")
		}
		if len(f.Names) == 0 {
			base, pointer := baseName(f.Type)
			add(base, "embedded ")
			if s.objects[base] != nil && isLocal(f.Type) {
				local = append(local, embedded{base, pointer})
			}
		}
	}
	// Own methods hide promoted ones; promoted fields come after the fields.
	for _, e := range local {
		s.promote(name, e.base, e.pointer, map[string]bool{name: true})
	}
}

// promote adds what a struct gets by embedding the type base of this package.
func (s *surfacing) promote(name, base string, pointer bool, seen map[string]bool) {
	if seen[base] {
		return
	}
	seen[base] = true
	through := ""
	if ast.IsExported(base) {
		through = name + "." + base
	}
	for _, o := range s.objects[base] {
		if o.typ == nil {
			continue
		}
		w := s.writer(o.file)
		switch under := ast.Unparen(o.typ.Type).(type) {
		case *ast.StructType:
			for _, f := range under.Fields.List {
				idents := f.Names
				what := "field "
				if len(idents) == 0 {
					inner, innerPointer := baseName(f.Type)
					idents, what = []*ast.Ident{{Name: inner}}, "embedded "
					if s.objects[inner] != nil && isLocal(f.Type) {
						defer s.promote(name, inner, pointer || innerPointer, seen)
					}
				}
				tag := ""
				if f.Tag != nil {
					tag = " " + f.Tag.Value
				}
				for _, ident := range idents {
					if member := name + "." + ident.Name; ast.IsExported(ident.Name) && s.symbols[member] == nil {
						s.add(member, symbol{text: what + w.expr(f.Type) + tag, of: name, file: o.file.name, line: s.fset.Position(f.Pos()).Line,
							promoted: promotedFrom(base, ident.Name), through: through})
					}
				}
			}
		case *ast.InterfaceType:
			set := s.methodSet(base, under, o, map[string]bool{})
			for _, member := range sortedKeys(set.members) {
				if m := set.members[member]; s.symbols[name+"."+member] == nil && !s.hasMethod(name, member) {
					m.of, m.abstract, m.promoted, m.through = name, false, promotedFrom(base, member), through
					s.add(name+"."+member, m)
				}
			}
		}
	}
	s.methodsOf(name, base, promotedFrom(base, ""), through, pointer)
}

// promotedFrom names the member of an embedded type, "" if callers cannot.
func promotedFrom(base, member string) string {
	if !ast.IsExported(base) {
		return ""
	}
	return base + "." + member
}

func (s *surfacing) hasMethod(typ, method string) bool { return s.methods[typ][method] != nil }

// methodsOf adds the methods of the type base to those of the type name, which is base or embeds it.
func (s *surfacing) methodsOf(name, base, promoted, through string, byPointer bool) {
	for _, method := range sortedKeys(s.methods[base]) {
		if !ast.IsExported(method) || name != base && (s.hasMethod(name, method) || s.symbols[name+"."+method] != nil) {
			continue
		}
		for _, m := range s.methods[base][method] {
			w := s.writer(m.file).with(receiverParams(m.decl))
			_, pointer := receiver(m.decl)
			sym := symbol{of: name, file: m.file.name, line: s.fset.Position(m.decl.Name.Pos()).Line, method: true, pointer: pointer && !byPointer,
				signature: "func" + w.signature(m.decl.Type), through: through}
			if promoted != "" {
				sym.promoted = promoted + method
			}
			sym.text = sym.signature
			if sym.pointer {
				sym.text = "method of pointers " + sym.text
			}
			if known := s.symbols[name+"."+method]; known != nil && known.promoted != "" {
				delete(s.symbols, name+"."+method) // hidden by this one
			}
			s.add(name+"."+method, sym)
		}
	}
}

// methodSet is what an interface has.
type methodSet struct {
	members map[string]symbol // exported ones
	sealed  bool              // has unexported ones
	terms   []string          // unions of types
}

func (s *surfacing) methodSet(name string, under *ast.InterfaceType, o *object, seen map[string]bool) methodSet {
	set := methodSet{members: map[string]symbol{}}
	seen[name] = true
	w := s.writer(o.file).with(names(o.typ.TypeParams))
	at := func(f *ast.Field) symbol {
		return symbol{of: name, abstract: true, file: o.file.name, line: s.fset.Position(f.Pos()).Line}
	}
	for _, f := range under.Methods.List {
		for _, ident := range f.Names {
			fn, ok := f.Type.(*ast.FuncType)
			if !ok {
				continue
			}
			if !ast.IsExported(ident.Name) {
				set.sealed = true
				continue
			}
			sym := at(f)
			sym.text = "func" + w.signature(fn)
			set.members[ident.Name] = sym
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
		if base == "error" && s.objects[base] == nil && isLocal(f.Type) {
			sym := at(f)
			sym.text = "func() string"
			set.members["Error"] = sym
			continue
		}
		if isLocal(f.Type) && (base == "any" || base == "comparable") && s.objects[base] == nil {
			if base == "comparable" {
				set.terms = append(set.terms, base)
			}
			continue
		}
		resolved := false
		if isLocal(f.Type) && !seen[base] {
			for _, embedded := range s.objects[base] {
				if embedded.typ == nil {
					continue
				}
				inner, ok := ast.Unparen(embedded.typ.Type).(*ast.InterfaceType)
				if !ok || embedded.typ.TypeParams != nil {
					continue
				}
				resolved = true
				got := s.methodSet(base, inner, embedded, seen)
				set.sealed = set.sealed || got.sealed
				set.terms = append(set.terms, got.terms...)
				for member, sym := range got.members {
					if _, own := set.members[member]; !own {
						sym.of, sym.promoted = name, promotedFrom(base, member)
						set.members[member] = sym
					}
				}
			}
		}
		if !resolved {
			sym := at(f)
			sym.text = "embedded " + w.expr(f.Type)
			set.members[w.expr(f.Type)] = sym
		}
	}
	delete(seen, name)
	return set
}

// baseName returns the name of a type that is embedded, without its package and type arguments.
func baseName(e ast.Expr) (name string, pointer bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name, false
	case *ast.SelectorExpr:
		return e.Sel.Name, false
	case *ast.StarExpr:
		name, _ = baseName(e.X)
		return name, true
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	}
	return "", false
}

// isLocal reports whether a type that is embedded is of the same package.
func isLocal(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return isLocal(e.X)
	case *ast.IndexExpr:
		return isLocal(e.X)
	case *ast.IndexListExpr:
		return isLocal(e.X)
	}
	return false
}

// comparable reports whether values of a type can be compared, if its syntax tells.
func (s *surfacing) comparable(e ast.Expr, in *file, depth int) known {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr, *ast.ChanType, *ast.InterfaceType:
		return yes
	case *ast.MapType, *ast.FuncType:
		return no
	case *ast.ArrayType:
		if e.Len == nil {
			return no
		}
		return s.comparable(e.Elt, in, depth+1)
	case *ast.StructType:
		all := yes
		for _, f := range e.Fields.List {
			switch s.comparable(f.Type, in, depth+1) {
			case no:
				return no
			case unknown:
				all = unknown
			}
		}
		return all
	case *ast.Ident:
		known := s.objects[e.Name]
		if len(known) == 1 && known[0].typ != nil && known[0].typ.TypeParams == nil && depth < 20 {
			return s.comparable(known[0].typ.Type, known[0].file, depth+1)
		}
		if len(known) == 0 && predeclared[e.Name] {
			return yes
		}
	}
	return unknown
}

var predeclared = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32
		int64 rune string uint uint8 uint16 uint32 uint64 uintptr`) {
		all[name] = true
	}
	return all
}()
