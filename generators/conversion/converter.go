package conversion

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// step describes how to convert a value.
type step struct {
	how      how
	pair     model.TypePair
	function string // name of the function of the package; "" for byHand
	byHand   *model.ConversionFunc
	key      *step // for the keys of a map
	elem     *step // for the elements of a pointer, slice, array or map
}

// how is a way to convert a value.
type how int

const (
	assign      how = iota // the types are the same
	cast                   // a conversion of Go
	reinterpret            // the same memory as another type
	call                   // a conversion function
	pointer                // convert the target
	eachIndex              // convert the elements of a slice or array
	eachKey                // convert the keys and values of a map
	first                  // the first of several values
)

// function describes the generated functions for a pair of types.
type function struct {
	model.TypePair
	whole  bool // the value is reinterpreted
	fields []*field
	values bool // converts from url.Values
	// byHand means that the exported function is hand-written.
	byHand bool
}

// field describes how a field of the first type is converted.
type field struct {
	*model.Field
	step *step  // nil if the field is not converted
	out  string // name of the other field
	note string // why it is not; "" if a marker or a function says so
	key  string // of url.Values
	kept bool   // in an annotation; note says why
}

// converter determines how the types of one package are converted.
type converter struct {
	*model.Conversions
	home      string // the package's import path
	unsafe    bool
	byHand    map[string]*model.ConversionFunc // by pair
	generated map[string]bool                  // pairs with generated functions
	same      map[string]bool                  // results of sameMemory, by pair
	keeping   map[string]*keeping              // by pair
	diags     diag.List
}

func newConverter(pkg *model.Package, unsafe bool) *converter {
	c := &converter{
		Conversions: pkg.Conversions, home: pkg.Path, unsafe: unsafe, byHand: map[string]*model.ConversionFunc{},
		generated: map[string]bool{}, same: map[string]bool{}, keeping: map[string]*keeping{},
	}
	if !c.Registers && pkg.Registration == nil && !c.OnlyHubs {
		c.diags.Warnf(c.Pos, "nothing calls %s: package %s has no %s", model.RegisterConversions, pkg.Path, model.LocalSchemeBuilder).
			Suggest("declare var %s = &SchemeBuilder, or call the function yourself", model.LocalSchemeBuilder)
	}
	for _, f := range c.Functions {
		if id := f.Identity(); c.byHand[id] == nil {
			c.byHand[id] = f
		}
	}
	for _, pair := range c.Pairs {
		c.generated[pair.Identity()], c.generated[pair.Reversed().Identity()] = true, true
	}
	return c
}

// all returns the functions of the package in both directions, ordered by the names of the types.
func (c *converter) all() (functions []*function) {
	declared := map[string]bool{}
	add := func(f *function) {
		name := f.FuncName()
		if pos, ok := c.Declared[name]; ok && !f.byHand {
			c.diags.Errorf(pos, "%s has the name of a function that is generated", name).
				Suggest("declare it as %s, or rename it", c.signature(f.TypePair))
		}
		if pos, ok := c.Declared["auto"+name]; ok {
			c.diags.Errorf(pos, "auto%s is generated for this package", name).Suggest("rename this one")
		}
		if declared[name] {
			c.diags.Errorf(c.Pos, "%s would be declared twice, because the packages of both types end in the same element", name).
				Suggest("rename one of the directories, or import the types from another package")
		} else {
			declared[name] = true
			functions = append(functions, f)
		}
	}
	if pos, ok := c.Declared[model.RegisterConversions]; ok {
		c.diags.Errorf(pos, "%s is generated for this package", model.RegisterConversions).Suggest("rename this one")
	}
	values := slices.Clone(c.FromValues)
	for _, pair := range c.Pairs {
		add(c.function(pair))
		add(c.function(pair.Reversed()))
		if i := slices.Index(values, pair.In); i >= 0 {
			add(c.fromValues(values[i]))
			values = slices.Delete(values, i, i+1)
		}
	}
	for _, t := range values {
		add(c.fromValues(t))
	}
	return functions
}

// function determines how a pair of structs is converted.
func (c *converter) function(pair model.TypePair) *function {
	f := &function{TypePair: pair, byHand: c.byHand[pair.Identity()] != nil}
	if f.whole = c.isWhole(pair); f.whole {
		return f
	}
	others := model.Counterparts(fieldsOf(pair.In), fieldsOf(pair.Out))
	for _, in := range fieldsOf(pair.In) {
		one := &field{Field: in}
		f.fields = append(f.fields, one)
		c.checkKept(in)
		out := others[in]
		var why string
		switch {
		case in.Name == "_" || isOff(in):
			continue
		case out == nil && pair.Out.Kind != model.Struct:
			why = c.name(pair.Out) + " is not a struct"
		case out == nil:
			why = fmt.Sprintf("%s has no field %s", c.name(pair.Out), in.Name)
		case !token.IsExported(in.Name) && pair.In.Name.Path != c.home:
			why = "it is not exported from " + pair.In.Name.Path
		case !token.IsExported(in.Name) && pair.Out.Name.Path != c.home:
			why = "it is not exported from " + pair.Out.Name.Path
		default:
			types := model.TypePair{In: in.Type, Out: out.Type}
			if byHand := c.byHand[types.Identity()]; byHand != nil && byHand.Drop {
				continue
			}
			known := types.In.Kind != model.Unknown && types.Out.Kind != model.Unknown
			if known && kindOf(types.In) != kindOf(types.Out) && c.byHand[types.Identity()] == nil {
				why = fmt.Sprintf("it is of type %s, but %s in %s", c.name(in.Type), c.name(out.Type), c.name(pair.Out))
				if out.Name != in.Name {
					why = fmt.Sprintf("it is of type %s, but field %s of %s is of type %s", c.name(in.Type), out.Name, c.name(pair.Out), c.name(out.Type))
				}
				break
			}
			var missing *model.TypePair
			one.out = out.Name
			if one.step, missing = c.value(types); missing != nil {
				c.report(in, pair, fmt.Sprintf("no function converts %s to %s", c.name(missing.In), c.name(missing.Out)), *missing)
			}
			continue
		}
		one.kept = out == nil && isKept(in) && pair.Out.Kind == model.Struct
		if one.note = why; !f.byHand && !one.kept {
			c.report(in, pair, why, pair)
		}
	}
	return f
}

// report reports a field that cannot be converted, and the function to write.
func (c *converter) report(f *model.Field, of model.TypePair, why string, missing model.TypePair) {
	gone := func(t *model.Type) bool {
		return t.Kind == model.Unknown && (t.Mistake != "" || !model.IsStandard(t.Name.Path))
	}
	switch t := missing.In; {
	case gone(t):
		d := c.diags.Errorf(f.Pos, "there is no type %s, of field %s of %s", c.name(t), f.Name, c.name(of.In)).
			Suggest("%s", cmp.Or(t.Why, "declare it, or correct the field")).CausedBy(t.Why).Once(cmp.Or(t.Mistake, t.Name.Missing()))
		if t.Mistake != "" { // a check reports the error
			d.Severity = diag.Warning
		}
		return
	case gone(missing.Out): // the other direction says so
		return
	}
	if !missing.In.HasName(c.home) || !missing.Out.HasName(c.home) {
		missing = of
	}
	calls := ""
	if c.generated[missing.Identity()] {
		calls = ", which can call auto" + missing.FuncName() + " for the other fields"
	}
	or := fmt.Sprintf("mark the field +%s=false", model.ConversionMarker)
	inBoth := model.Counterparts(fieldsOf(of.In), fieldsOf(of.Out))[f] != nil
	if !inBoth && len(c.Spokes) > 0 {
		or = fmt.Sprintf("mark the field +%s to keep it in an annotation, or +%s=false to lose it", model.RestoreMarker, model.ConversionMarker)
	}
	c.diags.Errorf(f.Pos, "field %s of %s cannot be converted to %s: %s", f.Name, c.name(of.In), c.name(of.Out), why).
		Suggest("write %s%s; or %s", c.signature(missing), calls, or)
}

// name returns a type as it is written in the package, for messages.
func (c *converter) name(t *model.Type) string { return t.WrittenIn(c.home) }

// signature returns the declaration of the function that converts a pair of types.
func (c *converter) signature(pair model.TypePair) string {
	return fmt.Sprintf("func %s(in *%s, out *%s, s conversion.Scope) error", pair.FuncName(), c.name(pair.In), c.name(pair.Out))
}

// isOff reports whether a marker excludes a field.
func isOff(f *model.Field) bool {
	return slices.ContainsFunc(f.Markers, func(m model.Marker) bool { return m.Name == model.ConversionMarker && m.Text == "false" })
}

// kindOf returns the kind of a type's underlying type. Basic types of different kinds, such as string and int, are of
// different kinds.
func kindOf(t *model.Type) string {
	under := t.Underlying()
	if under.Kind != model.Basic {
		return fmt.Sprint(under.Kind)
	}
	switch name := under.Name.Name; name {
	case "string", "bool":
		return name
	case "complex64", "complex128":
		return "complex"
	}
	return "number"
}

// value returns how to convert a value. If that needs a function that is missing, it returns the types of this
// function.
func (c *converter) value(pair model.TypePair) (s *step, missing *model.TypePair) {
	same := pair.In.Same(pair.Out)
	if f := c.byHand[pair.Identity()]; f != nil && !(f.CopyOnly && (same || kindOf(pair.In) == kindOf(pair.Out) && isBasic(pair.In))) {
		return &step{how: call, pair: pair, byHand: f}, nil
	}
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	switch s = (&step{how: assign, pair: pair}); {
	case same:
		return s, nil
	case kindOf(in) != kindOf(out), !pair.Out.HasName(c.home):
		return nil, &pair
	case c.generated[pair.Identity()]:
		s.how, s.function = call, pair.FuncName()
		return s, nil
	case in.Kind == model.Basic:
		s.how = cast
		return s, nil
	case c.unsafe && c.sameMemory(pair):
		s.how = reinterpret
		return s, nil
	case in.Kind == model.Pointer && out.Elem.HasName(c.home):
		s.how = pointer
	case in.Kind == model.Slice, in.Kind == model.Array && in.Len == out.Len && in.Len != "":
		s.how = eachIndex
	case in.Kind == model.Map && out.Key.HasName(c.home) && out.Elem.HasName(c.home):
		s.how = eachKey
		if s.key, missing = c.value(model.TypePair{In: in.Key, Out: out.Key}); missing != nil {
			return nil, missing
		}
	default:
		return nil, &pair
	}
	s.elem, missing = c.value(pair.Elems())
	return s, missing
}

func isBasic(t *model.Type) bool { return t.Underlying().Kind == model.Basic }

// isWhole reports whether a struct can be reinterpreted as another one.
func (c *converter) isWhole(pair model.TypePair) bool {
	if !c.unsafe || !c.sameMemory(pair) {
		return false
	}
	others := fieldsOf(pair.Out)
	for i, in := range fieldsOf(pair.In) {
		private := !token.IsExported(in.Name) && (pair.In.Name.Path != c.home || pair.Out.Name.Path != c.home)
		f := c.byHand[model.TypePair{In: in.Type, Out: others[i].Type}.Identity()]
		if private || isOff(in) || f != nil && !f.CopyOnly {
			return false
		}
	}
	return true
}

// sameMemory reports whether values of two types have the same form in memory and the same meaning: their fields have
// the same names, and no hand-written function converts them. As for conversion-gen, arrays of different types have
// not, so that fields next to them can be left out of the conversion.
func (c *converter) sameMemory(pair model.TypePair) bool {
	if pair.In == pair.Out {
		return true
	}
	id := pair.Identity()
	if same, known := c.same[id]; known {
		return same
	}
	c.same[id] = true // while a recursive type is compared
	same := c.compare(pair)
	if !same {
		maps.DeleteFunc(c.same, func(_ string, same bool) bool { return same }) // they may assume the opposite
	}
	c.same[id] = same
	return same
}

func (c *converter) compare(pair model.TypePair) bool {
	if pair.In.Same(pair.Out) {
		return true
	}
	for _, direction := range []model.TypePair{pair, pair.Reversed()} {
		if f := c.byHand[direction.Identity()]; f != nil && !f.CopyOnly {
			return false
		}
	}
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	if in.Kind != out.Kind {
		return false
	}
	switch in.Kind {
	case model.Basic:
		return in.Name == out.Name
	case model.Pointer, model.Slice:
		return c.sameMemory(pair.Elems())
	case model.Map:
		return c.sameMemory(model.TypePair{In: in.Key, Out: out.Key}) && c.sameMemory(pair.Elems())
	case model.Struct:
		return slices.EqualFunc(fieldsOf(in), fieldsOf(out), func(a, b *model.Field) bool {
			return a.Name == b.Name && c.sameMemory(model.TypePair{In: a.Type, Out: b.Type})
		})
	}
	return false
}

// fieldsOf returns the fields of a struct.
func fieldsOf(t *model.Type) []*model.Field {
	t = t.Underlying()
	for t.Struct != nil && t.Struct.DefinedAs != nil {
		t = t.Struct.DefinedAs
	}
	if t.Struct != nil {
		return t.Struct.Fields
	}
	return t.Fields
}
