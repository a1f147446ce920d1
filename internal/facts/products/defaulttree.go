// This file determines what generated functions set: which functions they call for the parts of a value, and which
// parts have a default in a marker.

package products

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// defaultsBuilder determines what the functions of one package set.
type defaultsBuilder struct {
	*defaultsReader
	src       *load.Package
	home      string           // its import path
	requested bool             // the package has markers of its own, not only types with markers
	wanted    []wantedDefaults // types with a generated function if anything is set in them, ordered by name
	generated map[string]bool  // the ones among them with a generated function, by the text that identifies them
	open      map[string]bool  // types that contain the current value
	within    string           // import path of the named struct that contains the current value
}

// wantedDefaults is a type with a generated function if anything is set in it.
type wantedDefaults struct {
	of     *model.Type
	object bool
}

// value returns the defaults in a value, or nil if there are none. For the value that a generated function sets, root
// is true. Values of a type in values of the same type are left out, unless a function for the type sets them.
func (b *defaultsBuilder) value(t *model.Type, root bool) *model.Defaulting {
	key := t.Identity()
	set := &model.Defaulting{Type: t}
	if b.generated[key] && !root {
		set.Calls = []model.TypeRef{{Path: b.home, Name: model.SetObjectDefaults + t.Name.Name}}
		return set
	}
	if by := b.found[key]; by != nil {
		switch {
		case by.object != nil:
			b.call(set, by.object)
			return set
		case by.base != nil:
			if b.call(set, by.base); by.covers {
				return set
			}
		}
		b.call(set, by.additional...)
	}
	if b.open[key] {
		return nil
	}
	b.open[key] = true
	set.Parts = b.parts(t)
	delete(b.open, key)
	if len(set.Calls)+len(set.Parts) == 0 {
		return nil
	}
	return set
}

// call adds calls of hand-written functions.
func (b *defaultsBuilder) call(set *model.Defaulting, functions ...*defaulter) {
	for _, fn := range functions {
		if b.Known[fn.Path] != nil && b.Known[fn.Path].Imports(b.home) {
			b.errorf(fn.pos, "package %s cannot call %s, because package %s imports it", b.home, fn.Name, fn.Path).
				Suggest("move the function to package %s", b.home)
		}
		set.Calls = append(set.Calls, fn.TypeRef)
	}
}

// parts returns the defaults in the parts of a value.
func (b *defaultsBuilder) parts(t *model.Type) (parts []*model.Defaulting) {
	add := func(access model.Access, part *model.Defaulting) {
		if part != nil {
			part.Access = access
			parts = append(parts, part)
		}
	}
	switch t.Kind {
	case model.Named:
		add(model.SameValue, b.value(t.Underlying(), false))
	case model.Pointer:
		add(model.OfPointer, b.value(t.Elem, false))
	case model.Slice, model.Array:
		add(model.OfElements, b.element(t.Elem))
	case model.Map:
		add(model.OfKeys, b.element(t.Elem))
	case model.Struct:
		return b.fields(t)
	}
	return parts
}

// element returns the defaults in the elements of a slice, array or map.
func (b *defaultsBuilder) element(t *model.Type) *model.Defaulting {
	if set := b.value(t, false); set != nil {
		return set
	}
	if unset := b.unset(t, b.ofType(t), t.Name.Path); unset != nil {
		return &model.Defaulting{Type: t, Unset: unset}
	}
	return nil
}

// fields returns the defaults in the fields of a struct.
func (b *defaultsBuilder) fields(t *model.Type) (parts []*model.Defaulting) {
	if t.Name.Path != "" {
		outer := b.within
		b.within = t.Name.Path
		defer func() { b.within = outer }()
	}
	for _, f := range b.StructFields(t) {
		if f.Name == "_" || b.within != b.home && !token.IsExported(f.Name) {
			continue
		}
		set := b.value(f.Type, false)
		owner := b.within
		if set != nil {
			owner = f.Type.Name.Path
		}
		unset := b.unset(f.Type, withName(f.Markers, "default"), owner)
		switch {
		case set == nil && unset == nil:
			continue
		case set == nil:
			set = &model.Defaulting{Type: f.Type}
		}
		set.Access, set.Field, set.Unset = model.OfField, f.Name, unset
		parts = append(parts, set)
	}
	return parts
}

func withName(list []model.Marker, name string) []model.Marker {
	return slices.DeleteFunc(slices.Clone(list), func(m model.Marker) bool { return m.Name != name })
}

// ofType returns the default in the markers above the declaration of a type, if the type is not of a package that is
// only imported.
func (b *defaultsBuilder) ofType(t *model.Type) []model.Marker {
	if !b.marked[t.Name.Path] {
		return nil
	}
	list := t.Markers
	if t.Struct != nil {
		list = t.Struct.Markers
	}
	return withName(list, "default")
}

// inherited returns the first default above the types that a pointer leads to.
func (b *defaultsBuilder) inherited(t *model.Type) []model.Marker {
	for range maxPointers {
		if found := b.ofType(t); len(found) == 1 && found[0].Text != "" {
			return found
		}
		switch t.Kind {
		case model.Named:
			t = t.Underlying()
		case model.Pointer:
			t = t.Elem
		default:
			return nil
		}
	}
	return nil
}

// maxPointers is the number of pointers to pointers that are followed: a pointer type may point to itself.
const maxPointers = 64

// target returns the type that a pointer to pointers leads to, and the number of pointers.
func target(t *model.Type) (*model.Type, int) {
	for depth := 0; ; depth++ {
		if t = actual(t).Underlying(); t.Kind != model.Pointer || depth == maxPointers {
			return t, depth
		}
		t = t.Elem
	}
}

// actual returns the type of the standard library that a type of unknown kind is, or is declared as.
func actual(t *model.Type) *model.Type {
	for range maxPointers {
		if t.Kind != model.Unknown || t.Elem == nil {
			break
		}
		t = t.Elem
	}
	switch {
	case t.Kind == model.Unknown && t.Standard != nil:
		return t.Standard
	case t.Name == model.TypeRef{Path: "time", Name: "Duration"}: // it is not read
		return &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "int64"}}
	}
	return t
}

// reference matches the default that a constant has.
var reference = regexp.MustCompile(`^ref\(([^"]+)\)$`)

// unset returns the default of a value that the markers declare, or nil if there is none, or it is what Go has for an
// unset value of a predeclared type. A name without an import path in it belongs to the package owner, or else to the
// package of the declaration.
func (b *defaultsBuilder) unset(t *model.Type, declared []model.Marker, owner string) *model.Default {
	base, pointers := target(t)
	if len(declared) > 1 {
		b.errorf(declared[1].Pos, "a second default").WithRelated(declared[0].Pos).Suggest("keep one of them")
		return nil
	}
	if pointers > 0 && (len(declared) == 0 || declared[0].Text == "") {
		declared = b.inherited(t)
	}
	if len(declared) == 0 || declared[0].Text == "" {
		return nil
	}
	m := declared[0]
	if match := reference.FindStringSubmatch(cmp.Or(m.Reference, m.Text)); match != nil {
		return b.constant(match[1], m, t, owner)
	}
	var value any
	if err := json.Unmarshal([]byte(m.Text), &value); err != nil {
		b.errorf(m.Pos, "the default %s is not JSON: %v", m.Text, err).
			Suggest(`write strings in double quotes, or name a constant, as in +default=ref(DefaultName)`)
		return nil
	}
	if isZero(t, value) {
		return nil
	}
	if why := b.mismatch(base, []byte(m.Text), 0); why != "" {
		name := "this type"
		if base.Name.Name != "" {
			name = "type " + base.Name.Name
		}
		b.errorf(m.Pos, "the default %s is no value of %s: %s", m.Text, name, why).Suggest("correct the value")
		return nil
	}
	if base.Kind == model.Basic && b.pointsToHidden(t, m, nil) {
		return nil
	}
	if base.Kind == model.Basic {
		basic, _ := basicValue(base.Name.Name, m.Text)
		return &model.Default{Basic: basic, Of: base.Name.Name}
	}
	if kind := actual(t).Underlying().Kind; kind != model.Pointer && kind != model.Slice && kind != model.Map && kind != model.Interface {
		b.errorf(m.Pos, "a value of this type is never unset, so that the default %s would replace all values or none", m.Text).
			Suggest("make it a pointer, or set the default in a function %s%s", model.SetDefaults, cmp.Or(t.Name.Name, "TYPE"))
		return nil
	}
	return &model.Default{JSON: m.Text}
}

// pointsToHidden reports an error about a default of a pointer if the type that it points to cannot be named in the
// generated code. A constant may have the type already.
func (b *defaultsBuilder) pointsToHidden(t *model.Type, m model.Marker, of *model.TypeRef) bool {
	isPointer := t.IsPointer()
	for range maxPointers {
		next := t.Underlying()
		if hidden := t.Name.Name; hidden != "" && isPointer && !t.HasName(b.home) && !(next.Kind != model.Pointer && b.hasType(of, t.Name)) {
			b.errorf(m.Pos, "the default %s is for a pointer to %s, which package %s cannot use", cmp.Or(m.Reference, m.Text), hidden, b.home).
				Suggest("export the type, or set the default in a function")
			return true
		}
		if next.Kind != model.Pointer {
			break
		}
		t = next.Elem
	}
	return false
}

// hasType reports whether a constant is declared with a type. It may be nil, which has none.
func (b *defaultsBuilder) hasType(of *model.TypeRef, t model.TypeRef) bool {
	if of == nil || of.Path != t.Path {
		return false
	}
	declared := b.Declared(b.Known[t.Path], t.Name)
	return declared != nil && slices.ContainsFunc(b.Constants(declared), func(c gotypes.Constant) bool { return c.Name == of.Name })
}

// constant returns the default that is the value of a constant.
func (b *defaultsBuilder) constant(name string, m model.Marker, t *model.Type, owner string) *model.Default {
	base, _ := target(t)
	ref, pos := model.ParseTypeRef(name), m.Pos
	if base.Kind != model.Basic {
		b.errorf(pos, "the default ref(%s) is only possible for strings, numbers and Booleans, and for pointers to these", name).
			Suggest("write the value in JSON")
		return nil
	}
	candidates := []string{ref.Path}
	if ref.Path == "" {
		candidates = []string{cmp.Or(owner, b.home), b.within, b.home}
	}
	for _, importPath := range candidates {
		b.Preload(importPath)
		src := b.Known[importPath]
		if src == nil {
			continue
		}
		d, ok := b.Lookup(src, ref.Name)
		if _, isFunc := d.Node.(*ast.FuncDecl); !ok || isFunc || d.Type != nil {
			continue
		}
		if !token.IsExported(ref.Name) && importPath != b.home {
			b.errorf(pos, "the default ref(%s) names %s, which package %s cannot use", name, ref.Name, b.home).Suggest("export the constant")
			return nil
		}
		if why := b.wrongConstant(src, d, base.Name.Name); why != "" {
			b.errorf(pos, "the default ref(%s) is no value of type %s: %s", name, base.Name.Name, why).Suggest("name another constant")
			return nil
		}
		found := model.TypeRef{Path: importPath, Name: ref.Name}
		if b.pointsToHidden(t, m, &found) {
			return nil
		}
		return &model.Default{Constant: found, Of: base.Name.Name}
	}
	switch first := candidates[0]; {
	case b.Known[first] != nil:
		b.errorf(pos, "the default ref(%s) names a constant that package %s does not declare", name, first).Suggest("correct the name")
	case !strings.ContainsAny(first, "./"):
		b.errorf(pos, "the default ref(%s) needs the import path of package %s", name, first).
			Suggest("write it before the name, as in ref(k8s.io/api/core/v1.ProtocolTCP)")
	default:
		why := b.Remedy(first)
		b.errorf(pos, "the default ref(%s) names a constant of package %s, which does not exist", name, first).
			Suggest("%s", cmp.Or(why, "correct the import path")).CausedBy(why)
	}
	return nil
}

// wrongConstant returns a reason why a constant cannot be converted to a predeclared type, or "" if its value is not
// known.
func (b *defaultsBuilder) wrongConstant(src *load.Package, d load.Decl, basic string) string {
	if d.Value == nil {
		return ""
	}
	v := gotypes.ValueOf(b.Loader, src, d.File, d.Value)
	if v == nil || !d.Const && v.Kind() != constant.String || basic == "string" && (v.Kind() == constant.String || v.Kind() == constant.Int) {
		return "" // Go converts numbers in variables, and integers to characters
	}
	text := v.ExactString()
	if v.Kind() == constant.Float {
		text = v.String() // not a fraction
	}
	_, why := basicValue(basic, text)
	return why
}
