package deepcopy

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// step describes how to copy a value that an assignment does not copy deeply. Its code runs after the assignment.
type step struct {
	how    how
	of     *model.Type // type of the value
	elem   *step       // copies the elements of a pointer, slice, array or map; nil if an assignment is enough
	fields []field     // of a struct: the fields for which an assignment is not enough
}

type field struct {
	name string
	step *step
}

// how is a way to copy a value.
type how int

const (
	into      how = iota // DeepCopyInto
	call                 // DeepCopy that returns the value
	callStar             // DeepCopy that returns a pointer to the value
	helper               // the unexported method generated for types without DeepCopyInto
	callNamed            // a DeepCopyNAME method of an interface
	pointer              // copy the target
	eachIndex            // copy the elements of a slice or array
	eachKey              // copy the values of a map
	eachField            // copy the fields
)

// methods describes the generated methods of a type.
type methods struct {
	*model.Declared
	hidden bool  // has an unexported method instead of the exported ones
	step   *step // nil if an assignment is enough
}

// copier determines how the types of one package are copied.
type copier struct {
	home    string // the package's import path
	plans   []*methods
	planned map[*model.Declared]bool
	diags   diag.List
	search  search

	pos   token.Position // position of the type or field that is copied
	what  string
	in    *model.Declared // type that contains it
	open  []string        // types without methods that are being copied, outermost first
	size  int             // number of values visited within it
	depth int             // number of enclosing values
}

// add plans the copying of a declared type.
func (c *copier) add(d *model.Declared) {
	if !c.planned[d] {
		c.planned[d] = true
		c.plans = append(c.plans, &methods{Declared: d, hidden: !d.Copied})
	}
}

// finish returns the plans of all added types and of the types that they need, ordered by name.
func (c *copier) finish() []*methods {
	for i := 0; i < len(c.plans); i++ {
		p := c.plans[i]
		if p.Methods.Any() {
			continue // its methods call each other
		}
		c.in, c.pos, c.what, c.size = p.Declared, p.Pos, p.Name, 0
		if p.Type.Kind == model.Struct {
			p.step = c.struct_(p.Type)
		} else {
			p.step = c.value(p.Type.Underlying())
			if p.step != nil {
				p.step.of = p.Type
			}
		}
	}
	slices.SortFunc(c.plans, func(a, b *methods) int { return cmp.Compare(a.Name, b.Name) })
	return c.plans
}

// immutable lists types of other packages that an assignment copies although they contain pointers, because the targets
// never change.
var immutable = []model.TypeRef{
	{Path: "time", Name: "Time"},
	{Path: "net/netip", Name: "Addr"}, {Path: "net/netip", Name: "AddrPort"}, {Path: "net/netip", Name: "Prefix"},
}

// Limits for a field whose values are copied one by one: their number, and the depth of nesting. Methods of their types
// would copy them in one statement.
const (
	maxSize  = 10_000
	maxDepth = 100
)

// value returns how to copy a value of a type, or nil if an assignment is enough.
func (c *copier) value(t *model.Type) *step {
	if s, ok := c.byMethod(t); ok {
		return s
	}
	if !c.isDeep(t) {
		return nil
	}
	c.size++
	c.depth++
	defer func() { c.depth-- }()
	if c.size > maxSize || c.depth > maxDepth {
		if c.size <= maxSize+1 {
			c.errorf("its parts would have to be copied one by one, more than %d of them or %d within each other", maxSize, maxDepth).
				Suggest("write DeepCopyInto for %s by hand, or for the types of its fields", c.in.Name)
		}
		c.size = maxSize + 2
		return nil
	}
	switch t.Kind {
	case model.Param:
		if t.Elem == nil {
			c.errorf("type parameter %s can be any type", t.Name.Name).Suggest(
				"give it the constraint interface{ DeepCopy() %s }, or mark %[3]s with +%[2]s=false: fields of its instances are then copied one by one",
				t.Name.Name, model.DeepCopyMarker, c.in.Name,
			)
		}
		return nil
	case model.Interface:
		return c.iface(t)
	case model.Func:
		c.errorf("it contains a func or channel").Suggest("write DeepCopyInto for %s by hand, or leave the field out", c.in.Name)
		return nil
	case model.Unknown:
		c.unknown(t)
		return nil
	case model.Pointer:
		return &step{how: pointer, of: t, elem: c.value(t.Elem)}
	case model.Slice:
		return &step{how: eachIndex, of: t, elem: c.value(t.Elem)}
	case model.Array:
		if elem := c.value(t.Elem); elem != nil {
			return &step{how: eachIndex, of: t, elem: elem}
		}
		return nil
	case model.Map:
		if (&search{known: map[*model.Type]bool{}}).deep(t.Key) {
			c.errorf("the keys of a map contain pointers, slices, maps or interfaces").Suggest("use a key type without them")
		}
		return &step{how: eachKey, of: t, elem: c.value(t.Elem)}
	case model.Named:
		s := c.nested(t, func() *step { return c.value(t.Elem) })
		if s != nil {
			s.of = t
		}
		return s
	}
	return c.nested(t, func() *step { return c.struct_(t) }) // a struct; basic types are not deep
}

// byMethod returns how to copy a value of a type with its existing or generated methods, exported or not. A nil step
// means that an assignment is enough. ok is false if there is no method.
func (c *copier) byMethod(t *model.Type) (s *step, ok bool) {
	d := t.Declared
	switch {
	case slices.Contains(immutable, origin(t)):
		return nil, true
	case d == nil || t.Kind == model.Interface:
		return nil, false
	case !d.Has():
		named := t.Kind == model.Struct || isReference(t)
		if t.Name.Path != c.home || len(d.Params) > 0 || !named || t.Kind == model.Param {
			return nil, false
		}
		if !c.isDeep(t) {
			return nil, true
		}
		c.add(d)
		return &step{how: helper, of: t}, true
	case !d.Methods.Any() && !c.isDeep(t):
		return nil, true
	case isReference(t) && d.Methods.DeepCopy == nil && d.Copied:
		return &step{how: call, of: t}, true
	case d.Methods.DeepCopyInto != nil && !(isReference(t) && d.Methods.DeepCopy != nil), d.Methods.DeepCopy == nil, d.Copied &&
		!isReference(t):
		return &step{how: into, of: t}, true
	case d.Methods.DeepCopy.Pointer:
		return &step{how: callStar, of: t}, true
	}
	return &step{how: call, of: t}, true
}

// isReference reports whether a type is declared as a map or slice.
func isReference(t *model.Type) bool {
	under := t.Underlying()
	return t.Kind == model.Named && (under.Kind == model.Map || under.Kind == model.Slice)
}

// nested returns how to copy a value of a type without methods, by its elements or fields, which inside returns. It
// detects recursive types.
func (c *copier) nested(t *model.Type, inside func() *step) *step {
	name := t.Identity()
	if t.Name.Name != "" {
		if slices.Contains(c.open, name) {
			c.errorf("%s is recursive and has no DeepCopy methods", t.Name.Name).Suggest("write DeepCopyInto for %s by hand", c.in.Name)
			return nil
		}
		c.open = append(c.open, name)
		defer func() { c.open = c.open[:len(c.open)-1] }()
	}
	return inside()
}

// struct_ returns how to copy the fields of a struct.
func (c *copier) struct_(t *model.Type) *step {
	list := t.Fields
	if t.Struct != nil {
		list = t.Struct.Fields
	}
	from := origin(t)
	if slices.Contains(immutable, from) {
		return nil
	}
	own := t.Name == c.in.TypeRef
	foreign := from.Name != "" && from.Path != c.home
	s := &step{how: eachField, of: t}
	for _, f := range list {
		if f.Name == "_" {
			continue
		}
		if own {
			c.what, c.size = "field "+f.Name+" of "+c.in.Name, 0
			if from == t.Name {
				c.pos = f.Pos
			}
		}
		if foreign && !token.IsExported(f.Name) {
			if c.isDeep(f.Type) {
				c.errorf("%s.%s has no DeepCopy methods, and its field %s is not exported", from.Path, from.Name, f.Name).
					Suggest("write DeepCopyInto for %s by hand", c.in.Name)
				return nil
			}
			continue
		}
		if inner := c.value(f.Type); inner != nil {
			s.fields = append(s.fields, field{f.Name, inner})
		}
	}
	if len(s.fields) == 0 {
		return nil
	}
	return s
}

// origin returns the type that declares the fields of a struct: the type itself, or the type in its definition.
func origin(t *model.Type) model.TypeRef {
	for t.Struct != nil && t.Struct.DefinedAs != nil {
		t = t.Struct.DefinedAs
	}
	return t.Name
}

// iface returns how to copy an interface with its DeepCopy method.
func (c *copier) iface(t *model.Type) *step {
	switch {
	case t.Name.Name == "":
		c.errorf("it contains an unnamed interface").Suggest("declare the interface as a type with a method DeepCopyTYPE() TYPE")
	case t.Declared == nil:
		c.errorf("it contains an %s", t.Name.Name).Suggest("make it a string")
	case !t.Declared.Methods.Interface && t.Name.Path != c.home:
		c.errorf("interface %s.%s has no method DeepCopy%s() %s", t.Name.Path, t.Name.Name, t.Name.Name, t.Name.Name).
			Suggest("write DeepCopyInto for %s by hand", c.in.Name)
	case !t.Declared.Methods.Interface:
		c.errorf("interface %s has no method DeepCopy%s() %s", t.Name.Name, t.Name.Name, t.Name.Name).Suggest("add the method to the interface")
	default:
		return &step{how: callNamed, of: t}
	}
	return nil
}

func (c *copier) unknown(t *model.Type) {
	name := t.Name.Name
	if t.Name.Path != "" && t.Name.Path != c.home {
		name = t.Name.Path + "." + name
	}
	switch {
	case t.Name.Path == "unsafe" || t.Name.Path == "C":
		c.errorf("%s can point to anything", name).Suggest("write DeepCopyInto for %s by hand", c.in.Name)
	case name == "":
		c.errorf("kubegen cannot read its type").Suggest("give the type a name")
	case t.Mistake != "":
		c.diags.Warnf(c.pos, "cannot copy %s: its file has no import for %s", c.what, name).Suggest("add the import").Once(t.Mistake)
	case t.Why != "":
		c.errorf("cannot find type %s", name).Suggest("%s", t.Why).CausedBy(t.Why).Once(t.Name.Missing())
	default:
		c.errorf("there is no type %s", name).Suggest("declare it, or correct the field").Once(t.Name.Missing())
	}
}

// errorf reports that the current type or field cannot be copied.
func (c *copier) errorf(format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(c.pos, "cannot copy %s: %s", c.what, fmt.Sprintf(format, args...))
}

// isDeep reports whether an assignment does not copy a value of a type deeply, because the type contains pointers,
// slices, maps or interfaces, or has copy methods.
func (c *copier) isDeep(t *model.Type) bool { return c.search.deep(t) }

// search looks for pointers, slices, maps and interfaces in types.
type search struct {
	methods bool // also look for copy methods
	known   map[*model.Type]bool
}

func (s *search) deep(t *model.Type) bool {
	hasMethods := s.methods && t.Declared != nil && t.Declared.Methods.Any()
	switch t.Kind {
	case model.Basic:
		return hasMethods
	case model.Param:
		return t.Elem == nil
	case model.Array:
		return s.deep(t.Elem)
	case model.Named, model.Struct:
		if t.Name.Name == "" {
			return s.among(t.Fields)
		}
		deep, known := s.known[t]
		if !known {
			switch {
			case t.Kind == model.Struct && slices.Contains(immutable, origin(t)):
			case hasMethods:
				deep = true
			case t.Kind == model.Named:
				deep = s.deep(t.Elem)
			case t.Struct != nil:
				deep = s.among(t.Struct.Fields)
			default:
				deep = s.among(t.Fields)
			}
			s.known[t] = deep
		}
		return deep
	}
	return true
}

func (s *search) among(fields []*model.Field) bool {
	return slices.ContainsFunc(fields, func(f *model.Field) bool { return f.Name != "_" && s.deep(f.Type) })
}
