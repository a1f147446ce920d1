package applyschema

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Names of the types that accept any value: a scalar, list or map. An object in a value of the first type is owned as a
// whole. In a value of the second type, each key has its own owners.
const (
	untypedAtomic  = "__untyped_atomic_"
	untypedDeduced = "__untyped_deduced_"
)

// atom describes the values of a type. If values can have several forms, several fields are set.
type atom struct {
	scalar string // "string", "numeric", "boolean" or "untyped"
	list   *listAtom
	object *objectAtom
}

type listAtom struct {
	elem         typeRef
	relationship string // "atomic" or "associative"
	keys         []string
}

type objectAtom struct {
	fields       []structField
	unions       []union
	elem         *typeRef // type of the values of other keys, or nil
	relationship string   // "atomic" or "separable"; "" means separable
}

// typeRef is the name of a type, or an anonymous type.
type typeRef struct {
	named string
	atom
	relationship string // overrides the relationship of a named map
}

type structField struct {
	name   string
	typ    typeRef
	value  string // default in JSON, or ""
	always bool   // all objects of the Go type have it in JSON
}

type union struct {
	discriminator string
	members       []unionMember
}

type unionMember struct{ field, value string }

func anything(named, relationship string) atom {
	values := typeRef{named: named}
	return atom{
		scalar: "untyped",
		list:   &listAtom{elem: typeRef{named: untypedAtomic}, relationship: "atomic"},
		object: &objectAtom{elem: &values, relationship: relationship},
	}
}

// freeForm returns the type of objects with arbitrary keys and values.
func freeForm() atom {
	return atom{object: &objectAtom{elem: &typeRef{atom: anything(untypedDeduced, "separable")}}}
}

// wellKnown lists types whose form does not follow from their Go methods. Types without ref are referenced by name.
var wellKnown = map[model.TypeRef]struct {
	atom
	ref *typeRef
}{
	{Path: model.MetaV1, Name: "Time"}:                                 {atom: atom{scalar: "untyped"}},
	{Path: model.MetaV1, Name: "MicroTime"}:                            {atom: atom{scalar: "untyped"}},
	{Path: model.MetaV1, Name: "Duration"}:                             {atom: atom{scalar: "string"}},
	{Path: model.MetaV1, Name: "FieldsV1"}:                             {atom: freeForm()},
	{Path: "k8s.io/apimachinery/pkg/api/resource", Name: "Quantity"}:   {atom: atom{scalar: "untyped"}},
	{Path: "k8s.io/apimachinery/pkg/util/intstr", Name: "IntOrString"}: {atom: atom{scalar: "untyped"}},
	// A RawExtension is owned as a whole.
	{Path: "k8s.io/apimachinery/pkg/runtime", Name: "RawExtension"}: {freeForm(), &typeRef{named: untypedAtomic}},

	{Path: "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", Name: "Unstructured"}:     {ref: &typeRef{named: untypedDeduced}},
	{Path: "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", Name: "UnstructuredList"}: {ref: &typeRef{named: untypedDeduced}},

	{Path: "encoding/json", Name: "RawMessage"}: {ref: &typeRef{named: untypedDeduced}},
	{Path: "encoding/json", Name: "Number"}:     {ref: &typeRef{atom: atom{scalar: "untyped"}}}, // a string in Go
	{Path: "time", Name: "Time"}:                {ref: &typeRef{atom: atom{scalar: "untyped"}}},
	{Path: "time", Name: "Duration"}:            {ref: &typeRef{atom: atom{scalar: "numeric"}}},
}

// deriver converts Go types to atoms.
type deriver struct {
	types    map[string]atom // by name
	within   map[string]bool // names of the types being inlined, to detect recursion
	own      map[*model.StructType]ownForm
	mistakes diag.List
}

// define adds a struct to the types and returns its name.
func (d *deriver) define(s *model.StructType) string {
	name := Name(s)
	if _, ok := d.types[name]; !ok {
		outer := d.within
		d.within = map[string]bool{}
		d.types[name] = atom{} // the struct may be recursive
		d.types[name] = d.structAtom(s)
		d.within = outer
	}
	return name
}

func (d *deriver) structAtom(s *model.StructType) atom {
	if own := d.ownForm(s); own.ok {
		return own.atom
	}
	return atom{object: d.object(s.JSONFields(), marks{markers: s.Markers, pos: s.Pos, on: "type " + s.Name})}
}

// object returns the form of a struct with the given fields. m has the markers of the struct, and of the field whose
// type it is.
func (d *deriver) object(fields []*model.Field, m marks) *objectAtom {
	o := &objectAtom{
		fields:       d.fields(fields),
		unions:       unionsOf(fields, m),
		relationship: d.mapRelationship(m),
	}
	switch {
	case m.preservesUnknown():
		o.elem = &typeRef{named: untypedDeduced}
	case len(o.fields) == 0:
		o.elem = freeForm().object.elem
	}
	return o
}

// fields returns the JSON fields of a struct, ordered by name. Of fields with the same name, it returns the least
// deeply embedded one, like encoding/json.
func (d *deriver) fields(fields []*model.Field) []structField {
	var found []structField
	taken := map[string]bool{}
	add := func(fields []*model.Field) {
		for _, f := range fields {
			if !f.Inline() && !taken[f.JSON()] && f.Type.Deref().Kind != model.Func {
				taken[f.JSON()] = true
				found = append(found, d.field(f))
			}
		}
	}
	add(fields)
	for _, s := range inlined(fields) {
		add(s.JSONFields())
	}
	slices.SortFunc(found, func(a, b structField) int { return strings.Compare(a.name, b.name) })
	return found
}

// inlined returns the structs whose fields JSON inlines, less deeply embedded structs first. Each struct occurs once,
// because it may embed a pointer to itself. Structs more than model.MaxEmbedded levels deep are omitted.
func inlined(fields []*model.Field) []*model.StructType {
	var found []*model.StructType
	seen := map[*model.StructType]bool{}
	level := [][]*model.Field{fields}
	for range model.MaxEmbedded {
		from := len(found)
		for _, fields := range level {
			for _, f := range fields {
				if s := f.Type.Deref().Struct; f.Inline() && s != nil && !seen[s] {
					seen[s] = true
					found = append(found, s)
				}
			}
		}
		level = level[:0]
		for _, s := range found[from:] {
			level = append(level, s.JSONFields())
		}
	}
	return found
}

func (d *deriver) field(f *model.Field) structField {
	if f.Quoted() { // a string in JSON, but not in Go
		return structField{name: f.JSON(), typ: typeRef{atom: atom{scalar: "untyped"}}, always: always(f)}
	}
	m := marks{
		markers: f.Markers, patchStrategy: f.Tag.Get("patchStrategy"), patchMergeKey: f.Tag.Get("patchMergeKey"), pos: f.Pos,
		on: "field " + f.Name,
	}
	return structField{name: f.JSON(), typ: d.ref(f.Type, m), value: d.defaultOf(f), always: always(f)}
}

// always reports whether structured-merge-diff may find a field in any object of its Go type. Old versions ignore
// omitzero, and omitempty has no effect on structs.
func always(f *model.Field) bool {
	t := f.Type
	for t.Kind == model.Named {
		t = t.Elem
	}
	return !f.OmitEmpty() || !slices.Contains([]model.TypeKind{model.Basic, model.Pointer, model.Slice, model.Map, model.Interface}, t.Kind)
}

// ref returns a reference to the type of a field, element or map value. m has the markers of the field, if there is
// one.
func (d *deriver) ref(t *model.Type, m marks) typeRef {
	t = t.Deref()
	if m.has("kubebuilder:validation:XIntOrString") {
		return typeRef{atom: atom{scalar: "untyped"}}
	}
	if m.has("kubebuilder:validation:Schemaless") {
		return typeRef{named: untypedDeduced}
	}
	if known, ok := wellKnown[t.Name]; ok && m.preservesUnknown() {
		return typeRef{named: untypedDeduced}
	} else if ok {
		if known.list != nil || known.object != nil || known.scalar != "" {
			d.types[nameOf(t.Name, nil)] = known.atom
		}
		if known.ref != nil {
			return *known.ref
		}
		return typeRef{named: nameOf(t.Name, nil)}
	}
	switch t.Kind {
	case model.Basic:
		return typeRef{atom: atom{scalar: scalarOf(t.Name.Name)}}
	case model.Struct:
		if t.Struct != nil {
			return d.structRef(t.Struct, m)
		}
		if t.Name.Path == "" {
			return typeRef{atom: atom{object: d.object(t.JSONFields(), m)}}
		}
	case model.Named:
		return d.declared(t, m)
	case model.Unknown:
		if t.Elem != nil { // declared as a type in a package that is not read
			return d.declared(t, m)
		}
	case model.Slice, model.Array:
		if t.Kind == model.Slice && isByte(t.Elem) {
			return typeRef{atom: atom{scalar: "string"}} // encoded in base64
		}
		return typeRef{atom: atom{list: d.list(t.Elem, m)}}
	case model.Map:
		values := d.ref(t.Elem, m.ofElements())
		return typeRef{atom: atom{object: &objectAtom{elem: &values, relationship: d.mapRelationship(m)}}}
	}
	return opaque(m)
}

func (d *deriver) structRef(s *model.StructType, m marks) typeRef {
	own := d.ownForm(s).ok
	switch {
	case s.Methods.JSON && s.Methods.OpenAPIType == "" && m.has("kubebuilder:validation:Type"):
		return opaque(m)
	case !own && m.preservesUnknown():
		// Unknown fields are only allowed in this field, so the struct is not referenced by name.
		name := Name(s)
		if d.within[name] {
			return typeRef{named: untypedDeduced}
		}
		d.within[name] = true
		defer delete(d.within, name)
		return typeRef{atom: atom{object: d.object(s.JSONFields(), m.under(s.Markers))}}
	}
	return typeRef{named: d.define(s), relationship: d.mapRelationship(m)}
}

// declared returns a reference to a named type other than a struct. The type is inlined unless it is recursive.
func (d *deriver) declared(t *model.Type, m marks) typeRef {
	if own, ok := formOf(t.Methods); ok {
		if t.Methods.OpenAPIType == "" && t.Methods.JSON {
			return opaque(m.under(t.Markers))
		}
		return typeRef{atom: own}
	}
	name := nameOf(t.Name, t.Args)
	if _, ok := d.types[name]; ok {
		return typeRef{named: name}
	}
	if d.within[name] {
		d.types[name] = atom{}
		d.types[name] = d.ref(t.Elem, marks{markers: t.Markers}).atom
		return typeRef{named: name}
	}
	d.within[name] = true
	defer delete(d.within, name)
	return d.ref(t.Elem, m.under(t.Markers))
}

func (d *deriver) list(elem *model.Type, m marks) *listAtom {
	list := &listAtom{elem: d.ref(elem, m.ofElements())}
	d.fail(m, m.agree("listType"))
	var err error
	list.relationship, list.keys, err = m.listRelationship(elem)
	if err != nil {
		d.fail(m, err)
		list.relationship, list.keys = "atomic", nil
	}
	return list
}

func (d *deriver) mapRelationship(m marks) string {
	relationship, err := m.mapRelationship()
	d.fail(m, err)
	return relationship
}

func (d *deriver) fail(m marks, err error) {
	if err != nil {
		d.mistakes.Errorf(m.pos, "%s: %v", m.on, err)
	}
}

// opaque returns the form of an unknown type according to controller-gen's markers.
func opaque(m marks) typeRef {
	typ, _ := m.value("kubebuilder:validation:Type")
	format, _ := m.value("kubebuilder:validation:Format")
	if a, ok := primitive(typ, format); ok {
		return typeRef{atom: a}
	}
	return typeRef{named: untypedDeduced}
}

// ownForm is the form of a struct determined by methods. ok is false if no method determines it.
type ownForm struct {
	atom
	ok bool
}

// ownForm returns the form determined by the methods of a struct or of an embedded struct.
func (d *deriver) ownForm(s *model.StructType) ownForm {
	known, ok := d.own[s]
	if !ok {
		known.atom, known.ok = structForm(s)
		d.own[s] = known
	}
	return known
}

func structForm(s *model.StructType) (atom, bool) {
	for _, s := range append([]*model.StructType{s}, inlined(s.JSONFields())...) {
		if form, ok := methodForm(s); ok {
			return form, true
		}
	}
	return atom{}, false
}

func methodForm(s *model.StructType) (atom, bool) {
	if known, ok := wellKnown[s.TypeRef]; ok && known.ref == nil {
		return known.atom, true
	}
	form, own := formOf(s.Methods)
	if s.Methods.JSON && s.Methods.OpenAPIType == "" {
		if a := opaque(marks{markers: s.Markers}); a.named == "" {
			return a.atom, true
		}
		// Methods of a struct with JSON tags are assumed to write its fields.
		own = len(s.JSONFields()) == 0
	}
	return form, own
}

// formOf returns the form determined by the methods of a type. ok is false if no method determines it.
func formOf(methods model.Methods) (atom, bool) {
	if a, ok := primitive(methods.OpenAPIType, methods.OpenAPIFormat); ok {
		return a, true
	}
	switch {
	case methods.OpenAPIType == "object":
		return freeForm(), true
	case methods.JSON || methods.OpenAPIType != "":
		return anything(untypedDeduced, "separable"), true
	case methods.Text:
		return atom{scalar: "string"}, true
	}
	return atom{}, false
}

// primitive returns the atom of a primitive OpenAPI type. A string with a format other than "byte" is untyped, because
// some formats also allow numbers.
func primitive(typ, format string) (atom, bool) {
	switch typ {
	case "string":
		if format == "" || format == "byte" {
			return atom{scalar: "string"}, true
		}
		return atom{scalar: "untyped"}, true
	case "integer", "number":
		return atom{scalar: "numeric"}, true
	case "boolean":
		return atom{scalar: "boolean"}, true
	}
	return atom{}, false
}

func scalarOf(basic string) string {
	switch basic {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	}
	return "numeric"
}

func isByte(t *model.Type) bool {
	for t.Kind == model.Named && t.Methods == (model.Methods{}) {
		t = t.Elem
	}
	return t.Kind == model.Basic && (t.Name.Name == "byte" || t.Name.Name == "uint8")
}
