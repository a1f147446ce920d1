// Package goschema derives the schemas of CustomResourceDefinitions from Go types and their markers, with the same
// result as controller-gen v0.23.
package goschema

import (
	"cmp"
	"go/token"
	"iter"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/edits"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// maxParts limits the schemas of kinds: a few structs whose fields have the same types can have more parts than memory.
const maxParts = 100_000

// Options determine which Go types are allowed, and the contents of their schemas.
type Options struct {
	Floats           bool // allow float32 and float64
	EmbeddedMeta     bool // list the fields of ObjectMeta in embedded objects
	IgnoreUnexported bool // leave out unexported fields instead of reading their tags

	Edits []*edits.Edit
}

// Reader derives schemas from declarations of Go types. It reads each type once.
type Reader struct {
	*Markers
	Options

	derived  map[*gotypes.Declaration]*derivation
	resolved map[*gotypes.Declaration]*crdschema.Schema // see resolution
	forms    map[*gotypes.Declaration]*crdschema.Schema // see form
	correct  map[*gotypes.Declaration]bool              // types that users cannot change, without errors in them and in the types that they refer to
	used     map[*gotypes.Declaration]bool              // types in the schemas so far
	inOrder  []*gotypes.Declaration                     // the same, in the order of the references
	gated    bool                                       // feature gates leave fields out
	reached  []*load.Package                            // see Reached
	edits    *edits.Editor
}

// derivation is the schema of a declared type, with references, and the diagnostics about its declaration.
type derivation struct {
	schema   *crdschema.Schema // nil while it is being derived
	ofFields bool              // it has those of the fields of a struct
	diags    diag.List
	twice    diag.List              // fields with the same JSON name
	aliases  []*gotypes.Declaration // used by the declaration; their own markers are ignored
}

// NewReader returns a Reader that reads markers with read.
func NewReader(read *Markers, options Options) *Reader {
	r := &Reader{
		Markers: read, Options: options,
		derived: map[*gotypes.Declaration]*derivation{}, resolved: map[*gotypes.Declaration]*crdschema.Schema{},
		forms:   map[*gotypes.Declaration]*crdschema.Schema{},
		correct: map[*gotypes.Declaration]bool{}, used: map[*gotypes.Declaration]bool{},
	}
	r.edits = edits.New(options.Edits, edits.Schemas{
		Declared: func(d *gotypes.Declaration) *crdschema.Schema { return r.derive(d).schema },
		Whole:    func(s *crdschema.Schema) *crdschema.Schema { return r.apart(s, nil) }, // edits may follow
	})
	return r
}

// Edits returns the editor of the schemas.
func (r *Reader) Edits() *edits.Editor { return r.edits }

// reachable iterates over a type and all types that it refers to before edits, the nearest first. It leaves out types,
// and what only these refer to, for which in returns false.
func (r *Reader) reachable(root *gotypes.Declaration, in func(*gotypes.Declaration) bool) iter.Seq[*gotypes.Declaration] {
	return func(yield func(*gotypes.Declaration) bool) {
		seen := map[*gotypes.Declaration]bool{}
		for next := []*gotypes.Declaration{root}; len(next) > 0; next = next[1:] {
			d := next[0]
			if seen[d] || !in(d) {
				continue
			}
			if seen[d] = true; !yield(d) {
				return
			}
			r.derive(d).schema.Walk(func(s *crdschema.Schema) bool {
				if ref := RefOf(s); ref != nil {
					next = append(next, ref)
				}
				return true
			})
		}
	}
}

// Schema returns the schema of a declared type, which the caller may modify. It reports the mistakes in the types of
// the schema that no earlier schema has.
func (r *Reader) Schema(d *gotypes.Declaration) (_ *crdschema.Schema, diags diag.List) {
	if !isOwn(d.Package) {
		if why := r.mistake(d); why != nil {
			diags = append(diags, why)
		}
	}
	earlier := len(r.inOrder)
	if !r.edits.Idle() { // markers of the types that the schema refers to before edits are not stray
		for used := range r.reachable(d, func(d *gotypes.Declaration) bool { return !r.used[d] && r.given(d) == nil }) {
			r.use(used)
		}
	}
	s := resolution{r, r.resolved, nil}.resolve(r.use(d))
	for _, part := range r.inOrder[earlier:] {
		if isOwn(part.Package) { // otherwise, mistakes are reported where users refer to the type
			diags = append(diags, r.derive(part).diags...)
		}
	}
	parts := 0
	if s.Walk(func(*crdschema.Schema) bool { parts++; return parts <= maxParts }); parts > maxParts {
		diags.Errorf(
			r.types.Fset.Position(d.Pos), "the schema of %s has more than %d parts: it does not fit into the storage of API servers",
			d.Name, maxParts,
		).Suggest("leave out the schemas of some fields with +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields")
		return noSchema(), diags
	}
	conflict := func(a, b *crdschema.Schema) {
		diags.Errorf(r.placeOf("Type", d.Pos, b, a), "parts of the schema of %s have different types: %s and %s", d.Name, a.Type, b.Type).
			Suggest("check the embedded structs of the type, and the markers +kubebuilder:validation:Type")
	}
	s = merged(s, conflict)
	s.Pos = cmp.Or(s.Pos, d.Pos) // otherwise, mistakes in a type of another module have no position
	if r.gated || !r.edits.Idle() {
		r.checkRules(s, &diags)
	}
	return s, diags
}

// Declared returns the schema of a declared type. The schemas of other declared types in it are references to these.
// It reports no mistakes.
func (r *Reader) Declared(d *gotypes.Declaration) *crdschema.Schema { return r.edits.Declared(d) }

// Reached returns the packages of all types that schemas refer to so far, in the order of the references.
func (r *Reader) Reached() []*load.Package { return r.reached }

// Reach adds the packages of a type, and of the types that it refers to, to the ones that Reached returns. It reports
// no mistakes.
func (r *Reader) Reach(root *gotypes.Declaration) {
	for d := range r.reachable(root, func(d *gotypes.Declaration) bool { return r.given(d) == nil }) {
		r.reach(d.Package)
	}
}

func (r *Reader) reach(src *load.Package) {
	if !slices.Contains(r.reached, src) {
		r.reached = append(r.reached, src)
	}
}

var objectMeta = model.TypeRef{Path: model.MetaV1, Name: "ObjectMeta"}

// RefOf returns the declaration that a schema refers to, or nil.
func RefOf(s *crdschema.Schema) *gotypes.Declaration {
	d, _ := s.Ref.(*gotypes.Declaration)
	return d
}

// resolution replaces references in schemas by the schemas of the types.
type resolution struct {
	*Reader
	resolved map[*gotypes.Declaration]*crdschema.Schema // without references; empty while the type is being resolved
	keeps    func(*gotypes.Declaration) bool            // reports which references remain, except in allOf; nil for none
}

// Part returns the schema of a declared type with references to structs, apart from those that it embeds. If only
// package crdschema knows its form, the schema has the fields of ObjectMeta, and the description of any type.
func (r *Reader) Part(d *gotypes.Declaration) *crdschema.Schema {
	s := *r.edits.Declared(d)
	if d.TypeRef == objectMeta {
		s = *(&deriver{r, &derivation{}, d}).fromType()
	} else if r.given(d) != nil {
		s.Description = Description(d.Doc)
	}
	return r.apart(&s, r.isStruct)
}

// apart resolves a schema without effect on others, and without reports.
func (r *Reader) apart(s *crdschema.Schema, keeps func(*gotypes.Declaration) bool) *crdschema.Schema {
	return merged(resolution{r, map[*gotypes.Declaration]*crdschema.Schema{}, keeps}.resolve(s), func(a, b *crdschema.Schema) {})
}

// isStruct reports whether the underlying type of a declared type is a struct.
func (r *Reader) isStruct(d *gotypes.Declaration) bool {
	under, _ := r.types.Underlying(d)
	return under != nil && under.Form == gotypes.StructForm
}

// resolve returns a schema with the schemas of the types in place of references that do not remain.
func (r resolution) resolve(s *crdschema.Schema) *crdschema.Schema {
	if d := RefOf(s); d != nil && (r.keeps == nil || !r.keeps(d)) {
		return r.inserted(s)
	}
	if s.Items == nil && s.AdditionalProperties == nil && len(s.AllOf) == 0 && len(s.Properties) == 0 {
		return s
	}
	out := s.Map(r.resolve)
	if r.keeps != nil {
		for i, part := range s.AllOf {
			out.AllOf[i] = r.inserted(part)
		}
	}
	return out
}

// inserted returns a schema with the one that it refers to, if it does.
func (r resolution) inserted(s *crdschema.Schema) *crdschema.Schema {
	d := RefOf(s)
	if d == nil {
		return r.resolve(s)
	}
	target, ok := r.resolved[d]
	if !ok {
		r.resolved[d] = &crdschema.Schema{Origin: crdschema.Origin{Recursive: true}} // for a type that contains itself
		target = r.resolve(r.use(d))
		r.resolved[d] = target
	}
	field := *s
	if field.Ref = nil; len(target.Edits) > 0 && len(field.Edits) == 0 && target.Type != field.Type {
		field.Type, field.Format = "", "" // of the type before
	}
	both := &crdschema.Schema{AllOf: []*crdschema.Schema{target, &field}, Origin: crdschema.Origin{Pos: s.Pos}}
	for _, k := range crdschema.Keywords {
		if k.Describes {
			k.Inherit(both, s, target)
		}
	}
	return both
}

// given returns the schema of a declared type that does not depend on the declaration, or nil if there is none.
func (r *Reader) given(d *gotypes.Declaration) *crdschema.Schema {
	if d.TypeRef == objectMeta && r.EmbeddedMeta {
		return crdschema.EmbeddedMeta
	}
	return crdschema.Known[d.TypeRef]
}

// use returns the schema of a declared type, with references to other types, and adds the type to the schemas so far.
func (r *Reader) use(d *gotypes.Declaration) *crdschema.Schema {
	if r.given(d) == nil && !r.used[d] && !r.edits.IsVariant(d) {
		r.used[d], r.inOrder = true, append(r.inOrder, d)
		r.reach(d.Package)
	}
	return r.edits.Declared(d)
}

// derive derives the schema of a declared type, with references to other types.
func (r *Reader) derive(d *gotypes.Declaration) *derivation {
	if s := r.given(d); s != nil {
		return &derivation{schema: s}
	}
	found := r.derived[d]
	if found == nil {
		found = &derivation{}
		r.derived[d] = found
		found.schema = (&deriver{r, found, d}).declared()
	}
	return found
}

// deriver derives the schema of a declared type.
type deriver struct {
	*Reader
	*derivation
	of *gotypes.Declaration
}

func (t *deriver) errorf(pos token.Pos, format string, args ...any) *diag.Diagnostic {
	return t.diags.Errorf(t.types.Fset.Position(pos), format, args...)
}

// declared derives the schema.
func (t *deriver) declared() *crdschema.Schema {
	d := t.of
	above := t.OfType(d)
	t.diags = slices.Concat(above.Diags, t.OfPackage(d.Package).Diags)
	switch json, text := t.types.Marshals(d); {
	case json:
		s := &crdschema.Schema{}
		t.apply(above.Markers, s, d.Pos)
		if s.Type != "" || s.PreserveUnknownFields && t.isSchemaOfAny(d) {
			return s
		}
		return t.marshaled()
	case text:
		s := &crdschema.Schema{Type: "string"}
		t.apply(above.Markers, s, d.Pos)
		if s.Type != "string" {
			t.errorf(d.Pos, "%s has the method MarshalText, so its JSON form is a string, but its schema has the type %s", d.Name, s.Type).
				Suggest("delete its marker +kubebuilder:validation:Type, or give it a method MarshalJSON")
		}
		return s
	}
	return t.fromType()
}

// isSchemaOfAny reports whether the markers of a type say that it has the form of any value, as JSON of apiextensions
// does: +kubegen:schema without a type, on a struct without fields in JSON. On other types, this marker has keywords in
// addition to the schema of the declaration, and other markers preserve unknown fields.
func (r *Reader) isSchemaOfAny(d *gotypes.Declaration) bool {
	has := func(name string) bool { return model.HasMarker(r.OfType(d).Markers, name) }
	return has("kubegen:schema") &&
		!slices.ContainsFunc(crdschema.PreserveMarkers, func(name string) bool { return has(name) || has(markers.Validation+name) }) &&
		d.Type.Form == gotypes.StructForm && !slices.ContainsFunc(d.Fields, func(f *gotypes.DeclaredField) bool {
		return f.Tag.Get("json") != "-"
	})
}

// marshaled derives the schema of a type with a MarshalJSON method and without a marker for its JSON form: from its
// declaration, if possible.
func (t *deriver) marshaled() *crdschema.Schema {
	const why = "the method MarshalJSON determines its form in JSON"
	if isStandard(t.of.Package) {
		t.errorf(t.of.Pos, "%s", why)
		return noSchema()
	}
	tried := &deriver{t.Reader, &derivation{}, t.of}
	s := tried.fromType()
	if t.aliases, t.twice, t.ofFields = tried.aliases, tried.twice, tried.ofFields; firstError(tried.diags) == nil {
		t.diags = append(t.diags, tried.diags...)
		return s
	}
	t.errorf(t.of.Pos, "%s has no schema: %s", t.of.Name, why).Suggest(
		"write +%sType=string or another type above it; with Type=object, +kubebuilder:pruning:PreserveUnknownFields keeps all fields",
		markers.Validation,
	)
	return noSchema()
}

// fromType derives the schema of the type from its declaration.
func (t *deriver) fromType() *crdschema.Schema {
	var s *crdschema.Schema
	if t.ofFields = t.of.Type.Form == gotypes.StructForm; t.ofFields {
		s = t.structSchema()
	} else {
		s = t.exprSchema(t.of.Type)
	}
	s.Description = Description(t.of.Doc)
	t.apply(t.OfType(t.of).Markers, s, t.of.Pos)
	t.leaveOutValues(s)
	return s
}

// exprSchema derives the schema of a type expression in the declaration.
func (t *deriver) exprSchema(e *gotypes.Expr) *crdschema.Schema {
	switch e.Form {
	case gotypes.BuiltinForm:
		return t.builtin(e)
	case gotypes.NamedForm:
		if ofNumber(t.of, e) {
			return &crdschema.Schema{Type: "string"}
		}
		if e.Qualified {
			return t.qualified(e)
		}
		return t.local(e)
	case gotypes.PointerForm:
		return t.exprSchema(e.Elem)
	case gotypes.SliceForm, gotypes.ArrayForm:
		if t.isBytes(t.of, e) {
			return &crdschema.Schema{Type: "string", Format: "byte"}
		}
		return &crdschema.Schema{Type: "array", Items: t.exprSchema(e.Elem)}
	case gotypes.MapForm:
		return t.mapSchema(e)
	case gotypes.StructForm:
		t.errorf(e.Pos, "a struct without a name has no schema").Suggest("declare it as a type of its own")
	case gotypes.InterfaceForm:
		t.noInterface(e)
	case gotypes.InstanceForm:
		t.errorf(e.Pos, "an instance of a generic type has no schema").
			Suggest("declare a type without parameters, or an alias of the instance with +%sType if it has a method MarshalJSON", markers.Validation)
	default:
		t.errorf(e.Pos, "a function, channel or type parameter has no schema").Suggest("use another type")
	}
	return noSchema()
}

func (t *deriver) noInterface(e *gotypes.Expr) {
	t.errorf(e.Pos, "an interface has no schema").Suggest("use a concrete type, or JSON of %s for any value", t.anyJSON().Path)
}

// builtin returns the schema of a predeclared type.
func (t *deriver) builtin(e *gotypes.Expr) *crdschema.Schema {
	basic, ok := crdschema.Basics[e.Name.Name]
	switch {
	case e.Name.Name == "any" || e.Name.Name == "error":
		t.noInterface(e)
		return noSchema()
	case !ok:
		t.errorf(e.Pos, "%s has no form in JSON", e.Name.Name).Suggest("use another type")
		return noSchema()
	case basic.Type == "number" && !t.Floats:
		t.errorf(e.Pos, "%s is not allowed in an API, because languages differ in how they read and write it", e.Name.Name).
			Suggest("use an integer, a string or resource.Quantity, or set %s", diag.Setting("crd-allow-dangerous-types"))
		return noSchema()
	}
	return &crdschema.Schema{Type: basic.Type, Format: basic.Format}
}

// qualified returns a reference to a type that is qualified by a package name.
func (t *deriver) qualified(e *gotypes.Expr) *crdschema.Schema {
	d := t.follow(t.of, e)
	if d == nil || !t.usable(e.Pos, d) {
		return noSchema()
	}
	s, _ := t.reference(d)
	return s
}

// reference returns a reference to a declared type, with the type keyword if it is a list or map, and its underlying
// type, or nil if that is not found.
func (r *Reader) reference(d *gotypes.Declaration) (*crdschema.Schema, *gotypes.Expr) {
	s := &crdschema.Schema{Ref: d}
	under, _ := r.types.Underlying(d)
	if under != nil && (under.Form == gotypes.SliceForm || under.Form == gotypes.MapForm) {
		s.Type = r.form(d).Type
	}
	return s, under
}

// follow returns the declaration of a named type, or reports an error and returns nil.
func (t *deriver) follow(in *gotypes.Declaration, e *gotypes.Expr) *gotypes.Declaration {
	d := t.types.Follow(in, e)
	if d == nil {
		why, missing := "package "+e.Name.Path+" has no such type", ""
		if e.Name.Path == "" {
			why = "its package is not imported"
		} else if known, ok := t.types.Known[e.Name.Path]; ok && known == nil {
			missing = t.types.Remedy(e.Name.Path)
			why = missing
		}
		t.errorf(e.Pos, "type %s is not found: %s", e.Name.Name, why).CausedBy(missing).Once(cmp.Or(e.Mistake, e.Name.Missing()))
	}
	return d
}

// local returns a reference to a type without a package name.
func (t *deriver) local(e *gotypes.Expr) *crdschema.Schema {
	d := t.follow(t.of, e)
	if d == nil {
		return noSchema()
	}
	home := d
	if d.Alias { // follow it
		switch target := d.Type; target.Form {
		case gotypes.NamedForm, gotypes.InstanceForm:
			t.aliases = append(t.aliases, home)
			if d = t.follow(d, target); d == nil {
				return noSchema()
			}
		case gotypes.BuiltinForm:
			s := t.builtin(target)
			s.Ref = home
			return s
		case gotypes.InterfaceForm:
			t.noInterface(e)
			return noSchema()
		}
	}
	if !t.usable(e.Pos, d) {
		return noSchema()
	}
	s, under := t.reference(d)
	if under != nil && under.Form == gotypes.BuiltinForm && d.Package == t.of.Package {
		named := t.derive(d).schema
		s.Type, s.Format = named.Type, named.Format
	}
	return s
}

func (t *deriver) mapSchema(e *gotypes.Expr) *crdschema.Schema {
	if !t.isStringKey(t.of, e.Key) {
		t.errorf(e.Key.Pos, "keys of a map must be strings, or have a method MarshalText").Suggest("use a type whose underlying type is string")
		return noSchema()
	}
	return &crdschema.Schema{Type: "object", AdditionalProperties: t.exprSchema(e.Elem)}
}

// isStringKey reports whether a type can be the key of a JSON object.
func (r *Reader) isStringKey(in *gotypes.Declaration, e *gotypes.Expr) bool {
	switch e.Form {
	case gotypes.BuiltinForm:
		return e.Name.Name == "string"
	case gotypes.NamedForm:
		d := r.types.Follow(in, e)
		if d == nil {
			return false
		}
		if _, text := r.types.Marshals(d); text {
			return true
		}
		under, _ := r.types.Underlying(d)
		return under != nil && under.Form == gotypes.BuiltinForm && under.Name.Name == "string"
	}
	return false
}

// structSchema derives the schema of a struct. Embedded structs that are inlined are in its allOf.
func (t *deriver) structSchema() *crdschema.Schema {
	d, s := t.of, &crdschema.Schema{Type: "object"}
	index := map[string]int{} // of properties
	optional := model.HasMarker(t.OfPackage(d.Package).Markers, "kubebuilder:validation:Optional")
	ownJSON, _ := t.types.Marshals(d)
	var immutable []string
	for _, f := range d.Fields {
		if f.Name != "" && t.IgnoreUnexported && !token.IsExported(f.Name) {
			continue
		}
		tag, ok := f.Tag.Lookup("json")
		if !ok {
			name := f.GoName()
			t.errorf(f.Pos, "field %s of %s %s", name, d.Name, model.NoJSONTag(f.Tag)).
				Suggest("give it one, or `json:\"-\"` if it is not part of the API").Once(model.Untagged(t.types.Fset.Position(f.Pos)))
			continue
		}
		name, rest, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		options := strings.Split(rest, ",")
		omits := slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
		inline := name == "" && t.inlines(d, f)
		if ownJSON { // the tag shows what the method writes
			inline = name == "" || slices.Contains(options, "inline")
		}
		if name == "" && !inline {
			name = f.GoName()
		}
		found := t.read(d.Package, f.Markers, markers.Field)
		above := found.Markers
		t.diags = append(t.diags, found.Diags...)
		if gate, off := markers.Off(above); off && !(f.Name == "" && f.Type.Target().Name == objectMeta) {
			t.gated, s.Off = true, append(s.Off, crdschema.GatedField{Name: name, Gate: gate})
			continue
		}
		required := false
		switch {
		case model.HasMarker(above, "kubebuilder:validation:Optional"):
		case model.HasMarker(above, "kubebuilder:validation:Required"):
			required = true
		case model.HasMarker(above, "optional"), model.HasMarker(above, "k8s:optional"):
		case model.HasMarker(above, "required"), model.HasMarker(above, "k8s:required"):
			required = true
		default:
			required = !optional && !inline && !omits
		}
		if required && !inline {
			s.Required = append(s.Required, name)
		}
		property := &crdschema.Schema{}
		switch {
		case model.HasMarker(above, "kubebuilder:validation:Schemaless"):
			property.Items = unknownElements(above)
		case slices.Contains(options, "string") && !inline && t.isQuoted(d, f.Type):
			property = &crdschema.Schema{Type: "string", Origin: crdschema.Origin{Quoted: true}}
		default:
			property = t.exprSchema(f.Type)
		}
		property.Description = Description(f.Doc)
		t.apply(above, property, f.Pos)
		if inline {
			s.AllOf = append(s.AllOf, property)
			continue
		}
		if model.HasMarker(above, "k8s:immutable") {
			immutable = append(immutable, name)
		}
		if i, twice := index[name]; twice {
			t.duplicate(f.Pos, name, s.Properties[i].Pos)
			s.Properties[i].Schema = property
		} else {
			index[name] = len(s.Properties)
			s.Properties = append(s.Properties, crdschema.Property{Name: name, Schema: property})
		}
	}
	slices.Sort(s.Required)
	t.checkAlternatives(s)
	for _, name := range immutable {
		if !slices.Contains(s.Required, name) {
			s.Validations = append(s.Validations, crdschema.Rule{
				Rule: "!has(oldSelf." + CELName(name) + ") || has(self." + CELName(name) + ")", Message: "field " + name + " is immutable once set",
			})
		}
	}
	return s
}

// inlines reports whether encoding/json writes the fields of a field's type in its place. The field must be embedded,
// and its type a struct. The option "inline" in the tag has no meaning.
func (r *Reader) inlines(in *gotypes.Declaration, f *gotypes.DeclaredField) bool {
	if f.Name != "" {
		return false
	}
	under, _ := r.types.Underlying(r.types.Follow(in, f.Type.Target()))
	return under == nil || under.Form == gotypes.StructForm // a type that is not found is reported elsewhere
}

// unknownElements returns the schema of the elements if markers turn a value without a schema into a list, or else nil.
// Elements may have any value unless other markers restrict them. API servers require a schema for elements.
func unknownElements(above []model.Marker) *crdschema.Schema {
	if !slices.ContainsFunc(above, func(m model.Marker) bool { return m.Name == markers.Validation+"Type" && m.Value == "array" }) {
		return nil
	}
	described := slices.ContainsFunc(above, func(m model.Marker) bool { return strings.HasPrefix(m.Name, markers.Items) })
	return &crdschema.Schema{PreserveUnknownFields: !described}
}
