// This file writes Go types for the schemas of CustomResourceDefinitions. From these types, package goschema
// derives the same schemas.

package importer

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Kind is a kind whose Go types are to be written.
type Kind struct {
	Name    string   // name of its type
	Doc     string   // a comment above its type, before the description, or ""
	Markers []string // markers above its type, without comment signs
	Schema  *crdschema.Schema
}

// Writing determines how Go types are written.
type Writing struct {
	Names  map[string]string // names of types by path, such as Certificate.spec.usages
	Taken  func(string) bool // reports whether the package uses a name for something else
	Shapes *Shapes           // types of Kubernetes to use; nil for none

	Share   bool              // one type for all equal schemas
	Earlier func(string) bool // reports whether the package declared a type before
}

// Written is the result of Types.
type Written struct {
	Unused []string                // paths in Writing.Names without a type
	Wrong  diag.List               // about unusable names in Writing.Names
	Shapes map[string]gofile.Ident // recognised Kubernetes types by path
}

// WriteTypes writes Go types for the kinds of a package into a file. Schemas derived from these types are equal to the
// original ones. A valid value that is decoded into its type and encoded again is unchanged, except that dates have
// seconds and are in UTC, quantities have their canonical form, nulls are omitted where fields are optional, and fields
// unknown to Kubernetes types are dropped.
func WriteTypes(f *gofile.File, kinds []Kind, options Writing) Written {
	w := &writer{File: f, Writing: options, found: Written{Shapes: map[string]gofile.Ident{}}}
	var roots []*declared
	for _, k := range kinds {
		roots = append(roots, w.planKind(k))
	}
	w.nameAll(kinds)
	w.declared = w.reachable(roots)
	ofKind, types := map[string][]*declared{}, map[string]bool{}
	for _, d := range w.declared {
		ofKind[d.path[0]] = append(ofKind[d.path[0]], d)
		types[d.name] = true
	}
	var b gofile.Builder
	for i, k := range kinds {
		w.writeKind(&b, k, roots[i])
		for _, d := range ofKind[k.Name] {
			w.writeType(&b, d, types)
		}
	}
	if w.keeps {
		b.Add(w.keeping())
	}
	f.Body = b.Code()
	return w.found
}

// goType is a Go type.
type goType struct {
	basic    gofile.Code  // a predeclared type, or []byte
	ident    gofile.Ident // a type of another package
	declared *declared
	list     *goType // elements of a slice
	mapped   *goType // elements of a map with strings as keys
	pointer  bool    // pointer to the type above
	shape    bool    // recognised by its fields
}

// declared is a type that is declared in the file.
type declared struct {
	path    schemaPath
	schema  *crdschema.Schema
	name    string
	named   bool      // the name is in Writing.Names
	same    *declared // the type that replaces this one, which is not written; or nil
	doc     string    // description
	markers []string  // markers above the type
	fields  []field   // fields of a struct
	under   *goType   // the type that it is declared as, unless it is a struct
	enum    []string
	keeps   string // the Go name of the field for unlisted properties; "" for none
}

// field is a field of a struct.
type field struct {
	name, json string
	typ        *goType
	options    string // options of its tag
	doc        string
	markers    []string
}

type writer struct {
	*gofile.File
	Writing
	declared []*declared // without kinds
	found    Written
	keeps    bool // a struct keeps unlisted properties
}

// promoted lists the methods and embedded fields of kinds that other fields must not hide.
var promoted = append([]string{
	"GetObjectKind", "DeepCopyObject", "GroupVersionKind", "SetGroupVersionKind", "GetObjectMeta", "TypeMeta", "ObjectMeta",
}, model.MetadataMethods...)

// methods lists the methods of generated structs.
var methods = []string{"DeepCopy", "DeepCopyInto", "MarshalJSON", "UnmarshalJSON"}

// planKind chooses the types for a kind.
func (w *writer) planKind(k Kind) *declared {
	s := *k.Schema
	s.Properties = slices.DeleteFunc(slices.Clone(s.Properties), func(p crdschema.Property) bool {
		return slices.Contains(crdschema.ResourceFields, p.Name)
	})
	d := &declared{path: schemaPath{k.Name}, schema: k.Schema, name: k.Name, doc: s.Description}
	w.planFields(d, &s, append(slices.Clip(promoted), methods...))
	d.markers = append(slices.Clip(k.Markers), d.markers...)
	if k.Doc != "" {
		if d.doc = k.Doc + "\n\n" + s.Description; !plain(gofile.CommentLines(d.doc)) {
			d.doc = k.Doc
		}
	}
	return d
}

// planFields sets the fields and markers of a struct.
func (w *writer) planFields(d *declared, s *crdschema.Schema, taken []string) {
	var names []string
	lost := s.PreserveUnknownFields
	for _, p := range s.Properties {
		if isTag(p.Name) {
			names = append(names, p.Name)
		} else {
			lost = true
		}
	}
	if lost {
		d.keeps, w.keeps = "UnknownFields", true
		taken = append(slices.Clip(taken), d.keeps)
	}
	isName, isRequired := setOf(names), setOf(s.Required)
	goNames := namesOf(names, func(name string) bool { return slices.Contains(taken, name) })
	rest := *s
	rest.Type, rest.Description, rest.Properties, rest.Nullable, rest.Default = "", "", nil, false, nil
	for _, p := range s.Properties {
		if !isName[p.Name] {
			rest.Properties = append(rest.Properties, p)
			continue
		}
		d.fields = append(d.fields, w.field(goNames[p.Name], p, isRequired[p.Name], d.path.to(p.Name)))
	}
	slices.SortFunc(d.fields, func(a, b field) int { return strings.Compare(a.json, b.json) })
	isField := func(name string) bool { return isName[name] || len(d.path) == 1 && name == "metadata" }
	if !slices.ContainsFunc(s.Required, func(name string) bool { return !isField(name) }) {
		rest.Required = nil
	}
	at := aboveType
	if d.keeps != "" {
		at = aboveForeign // because of the methods for JSON, readers cannot tell that it is an object
	}
	d.markers, _ = markersFor(&rest, "object", at)
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// isTag reports whether encoding/json can read a name from the tag of a field.
func isTag(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// field chooses the type, tag and markers of a field.
func (w *writer) field(name string, p crdschema.Property, required bool, at schemaPath) field {
	f := field{name: name, json: p.Name, doc: p.Description}
	s := *p.Schema
	s.Description = ""
	t, rest, ok := w.typeOf(&s, p.Name, at)
	if ok {
		var ofItems []string
		if items := rest.Items; items != nil {
			ofItems, _ = markersFor(items, s.Items.Type, forItems)
			rest.Items = nil
		}
		at := aboveField
		if t.ident != (gofile.Ident{}) {
			at = aboveForeign
		}
		f.markers, _ = markersFor(rest, s.Type, at)
		f.markers = append(f.markers, ofItems...)
	} else {
		f.markers, _ = markersFor(fieldKeywords(&s), s.Type, aboveField)
		s.Default, s.Nullable = nil, false
		said, _ := markersFor(&s, "", aboveForeign)
		f.markers = append(append(f.markers, markers.Validation+"Schemaless"), said...)
	}
	if f.typ = t; !required {
		f.markers = slices.Insert(f.markers, 0, "optional")
	}
	if s.ReplacesSliced() {
		f.markers = append(f.markers, model.NoApplyMarker)
	}
	switch {
	case t.omitsItself() && !required:
		f.options = ",omitzero"
	case t.omitsItself():
	case !required:
		f.typ, f.options = t.pointerTo(), ",omitempty"
	case p.Nullable:
		f.typ = t.pointerTo()
	}
	return f
}

// omitsItself reports whether the type has a value, such as nil, that stands for an absent one.
func (t *goType) omitsItself() bool {
	return t.list != nil || t.mapped != nil || t.basic == bytesType ||
		t.declared != nil && t.declared.under != nil && t.declared.under.omitsItself()
}

func (t *goType) pointerTo() *goType {
	p := *t
	p.pointer = true
	return &p
}

const (
	metaV1       = model.MetaV1
	apiMachinery = "k8s.io/apimachinery/pkg/"
	bytesType    = "[]byte"
)

var (
	timeType      = gofile.Ident{Path: metaV1, Name: "Time"}
	quantityType  = gofile.Ident{Path: apiMachinery + "api/resource", Name: "Quantity"}
	intOrString   = gofile.Ident{Path: apiMachinery + "util/intstr", Name: "IntOrString"}
	rawExtension  = gofile.Ident{Path: apiMachinery + "runtime", Name: "RawExtension"}
	schemaOfBytes = &crdschema.Schema{Type: "string", Format: "byte"}
)

// typeOf chooses the Go type of a schema. property is the name of the property, or "" for elements. rest holds the
// keywords that the type does not imply. ok is false if the type implies keywords that the schema lacks and markers
// cannot remove.
func (w *writer) typeOf(s *crdschema.Schema, property string, at schemaPath) (t *goType, rest *crdschema.Schema, ok bool) {
	known := func(id gofile.Ident) (*goType, *crdschema.Schema, bool) {
		rest, ok := without(s, crdschema.Known[model.TypeRef{Path: id.Path, Name: id.Name}])
		return &goType{ident: id}, rest, ok
	}
	basic := func(name gofile.Code) (*goType, *crdschema.Schema, bool) {
		b := crdschema.Basics[string(name)]
		rest, ok := without(s, &crdschema.Schema{Type: b.Type, Format: b.Format})
		return &goType{basic: name}, rest, ok
	}
	switch {
	case s.IntOrString && s.Pattern == crdschema.Known[model.TypeRef{Path: quantityType.Path, Name: quantityType.Name}].Pattern:
		return known(quantityType)
	case s.IntOrString:
		return known(intOrString)
	case s.EmbeddedResource:
		return known(rawExtension)
	}
	switch s.Type {
	case "object":
		return w.objectType(s, property, at, known)
	case "array":
		return w.listType(s, at)
	case "string":
		switch {
		case s.Format == "byte" && len(s.Enum) == 0:
			rest, ok := without(s, schemaOfBytes)
			return &goType{basic: bytesType}, rest, ok
		case s.Format == "date-time" && len(s.Enum) == 0:
			return known(timeType)
		case isEnum(s.Enum):
			return w.enumType(s, at)
		}
		return basic("string")
	case "integer":
		if s.Format == "int32" {
			return basic("int32")
		}
		return basic("int64")
	case "number":
		return basic("float64")
	case "boolean":
		return basic("bool")
	}
	return known(rawExtension)
}

// isEnum reports whether all values are strings.
func isEnum(values []crdschema.Value) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v crdschema.Value) bool {
		_, ok := v.JSON.(string)
		return !ok
	})
}

// fieldKeywords returns the keywords that belong on the field. The others go on the declared type.
func fieldKeywords(s *crdschema.Schema) *crdschema.Schema {
	return &crdschema.Schema{Default: s.Default, Nullable: s.Nullable}
}

func (w *writer) declare(d *declared) *goType {
	w.declared = append(w.declared, d)
	return &goType{declared: d}
}

func (w *writer) objectType(
	s *crdschema.Schema, property string, at schemaPath, known func(gofile.Ident) (*goType, *crdschema.Schema, bool),
) (*goType, *crdschema.Schema, bool) {
	switch {
	case len(s.Properties) > 0:
		if id, ok := w.Shapes.match(s, property); ok {
			w.found.Shapes[at.String()] = id
			return &goType{ident: id, shape: true}, fieldKeywords(s), true
		}
	case s.AdditionalProperties != nil:
		return w.mapType(s, at)
	case s.AnyProperties:
		return &goType{mapped: &goType{ident: rawExtension}}, s, false
	case s.PreserveUnknownFields:
		return known(rawExtension)
	}
	d := &declared{path: at, schema: s, doc: s.Description}
	w.planFields(d, s, methods)
	return w.declare(d), fieldKeywords(s), true
}

// mapType chooses the Go type of a map.
func (w *writer) mapType(s *crdschema.Schema, at schemaPath) (*goType, *crdschema.Schema, bool) {
	element, _, ok := w.itemType(s.AdditionalProperties, at.to(mapElement), false)
	rest, ok2 := without(s, &crdschema.Schema{Type: "object"})
	rest.AdditionalProperties = nil
	return &goType{mapped: element}, rest, ok && ok2
}

// listType chooses the Go type of a list. The items of rest hold the keywords of elements that markers on the field
// must express.
func (w *writer) listType(s *crdschema.Schema, at schemaPath) (*goType, *crdschema.Schema, bool) {
	rest, ok := without(s, &crdschema.Schema{Type: "array"})
	if s.Items == nil {
		return &goType{list: &goType{ident: rawExtension}}, rest, false
	}
	var fits bool
	t := &goType{}
	t.list, rest.Items, fits = w.itemType(s.Items, at.to(listElement), !isElement(at[len(at)-1]))
	return t, rest, ok && fits
}

// itemType chooses the Go type of the elements of a list or map. more holds the keywords that markers on the field must
// express; only elements of a list that is a field (ofField) have any. ok is false if no type has their schema.
func (w *writer) itemType(s *crdschema.Schema, at schemaPath, ofField bool) (t *goType, more *crdschema.Schema, ok bool) {
	kept := len(w.declared)
	t, rest, ok := w.typeOf(s, "", at)
	rest.Description = ""
	described := s.Description != "" && !t.shape
	nullable := func(t *goType) *goType {
		if s.Nullable && !t.omitsItself() {
			return t.pointerTo()
		}
		return t
	}
	switch {
	case t.declared != nil: // the declared type has the description
		return nullable(t), nil, ok && isEmpty(rest)
	case !described && isEmpty(rest), !ok:
		return nullable(t), nil, ok
	case !described && ofField && t.basic != "" && !s.Nullable:
		if _, said := markersFor(rest, s.Type, forItems); said {
			return t, rest, true
		}
	}
	if t.ident != (gofile.Ident{}) || t.basic == bytesType { // a declared type would lack its methods, or be a list of numbers
		return nullable(t), nil, false
	}
	d := &declared{path: at, schema: s, doc: s.Description, under: t}
	d.markers, _ = markersFor(rest, s.Type, aboveType)
	w.declared = slices.Insert(w.declared, kept, d)
	return nullable(&goType{declared: d}), nil, true
}

// isEmpty reports whether a schema has no keywords.
func isEmpty(s *crdschema.Schema) bool {
	bare := *s
	bare.Origin = crdschema.Origin{}
	return reflect.ValueOf(bare).IsZero()
}

// enumType declares a string type for an enum.
func (w *writer) enumType(s *crdschema.Schema, at schemaPath) (*goType, *crdschema.Schema, bool) {
	rest, ok := without(s, &crdschema.Schema{Type: "string"})
	rest.Description, rest.Default, rest.Nullable = "", nil, false
	d := &declared{path: at, schema: s, doc: s.Description, under: &goType{basic: "string"}}
	d.markers, _ = markersFor(rest, "string", aboveType)
	seen := map[string]bool{}
	for _, v := range s.Enum {
		if text := v.JSON.(string); !seen[text] {
			d.enum, seen[text] = append(d.enum, text), true
		}
	}
	return w.declare(d), fieldKeywords(s), ok
}

// nameAll names the declared types. A name depends only on the path of its type, unless two paths result in the same
// name, which the type with the shorter path then receives.
func (w *writer) nameAll(kinds []Kind) {
	used := map[string]bool{}
	for _, k := range kinds {
		used[k.Name], used[k.Name+"List"] = true, true
	}
	w.nameGiven(used)
	sorted := slices.Clone(w.declared)
	slices.SortStableFunc(sorted, func(a, b *declared) int { return cmp.Or(len(a.path)-len(b.path), slices.Compare(a.path, b.path)) })
	free := func(name string) bool { return !used[name] && !w.Taken(name) }
	for _, d := range sorted {
		if d.name != "" || d.same != nil {
			continue
		}
		words := d.path.words()
		d.name = strings.Join(words, "")
		if !free(d.name) {
			d.name = strings.Join(words, "_")
		}
		for !free(d.name) {
			d.name = MarkedName(d.name, strings.Join(d.path, "."))
		}
		used[d.name] = true
	}
	if w.Share {
		w.share()
	}
}

// text returns the Go source of a type.
func (w *writer) text(t *goType) gofile.Code {
	switch {
	case t.pointer:
		inner := *t
		inner.pointer = false
		return "*" + w.text(&inner)
	case t.list != nil:
		return "[]" + w.text(t.list)
	case t.mapped != nil:
		return "map[string]" + w.text(t.mapped)
	case t.declared != nil:
		return gofile.Name(t.declared.itself().name)
	case t.basic != "":
		return t.basic
	}
	return w.Ref(t.ident)
}

// writeComment writes a description, unless a comment cannot represent it, and markers.
func writeComment(b *gofile.Builder, indent gofile.Code, doc string, lines []string, aboveType bool) {
	said, exact := comment(doc)
	if aboveType && !plain(said) {
		said, exact = nil, false
	}
	if said != nil {
		b.Add(gofile.Comment(indent, doc))
	}
	if aboveType && len(said) > 0 && !simple(said) {
		b.Add(indent, "//\n") // so that markers do not become part of a list
	}
	if !exact && doc != "" {
		lines = append(slices.Clip(lines), "kubegen:schema="+inOneLine((&crdschema.Schema{Description: doc}).JSON()))
	}
	for _, line := range lines {
		b.Add(gofile.Marker(indent, unchanged(line, aboveType)))
	}
}

// unchanged escapes directives in a marker that readers of Go source would interpret, and, above a type, pairs of
// quotes that gofmt would replace by one character (https://go.dev/doc/comment).
func unchanged(marker string, aboveType bool) string {
	pairs := []string{"/*line ", "2aline "}
	if aboveType {
		pairs = append(pairs, "''", "27", "``", "60")
	}
	escape := `\x`
	if strings.HasPrefix(marker, "kubegen:schema=") || strings.HasPrefix(marker, "default=") {
		escape = `\u00`
	}
	for i := 0; i < len(pairs); i += 2 {
		marker = strings.ReplaceAll(marker, pairs[i], pairs[i][:1]+escape+pairs[i+1])
	}
	return marker
}

// writeKind writes the type of a kind and its list type.
func (w *writer) writeKind(b *gofile.Builder, k Kind, d *declared) {
	meta := func(name string) gofile.Code { return w.Ref(gofile.Ident{Path: metaV1, Name: name}) }
	if k.Doc == "" {
		writeComment(b, "", d.doc, d.markers, true)
	} else {
		b.Add(gofile.Comment("", d.doc), "//\n")
		writeComment(b, "", "", d.markers, true)
	}
	options := ",omitempty"
	if slices.Contains(k.Schema.Required, "metadata") {
		options = ""
	}
	b.Add(gofile.Codef("type %s struct {\n\t%s `json:\",inline\"`\n\t%s %s\n",
		k.Name, meta("TypeMeta"), meta("ObjectMeta"), gofile.Tag("json", "metadata"+options)))
	w.writeFields(b, d)
	b.Add("}\n\n")
	w.writeJSON(b, d)
	b.Add(
		gofile.Codef("// %sList is a list of objects of kind %[1]s.\n", k.Name),
		"// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n",
		gofile.Codef("type %sList struct {\n\t%s `json:\",inline\"`\n\t%s `json:\"metadata,omitempty\"`\n\tItems []%[1]s `json:\"items\"`\n}\n\n",
			k.Name, meta("TypeMeta"), meta("ListMeta")),
	)
}

// writeFields writes the fields of a struct.
func (w *writer) writeFields(b *gofile.Builder, d *declared) {
	for i, f := range d.fields {
		if i > 0 || len(d.path) == 1 {
			b.Add("\n")
		}
		writeComment(b, "\t", f.doc, f.markers, false)
		tag := f.json + f.options
		if f.json == "-" && f.options == "" {
			tag = "-,"
		}
		b.Add(gofile.Codef("\t%s %s %s\n", f.name, w.text(f.typ), gofile.Tag("json", tag)))
	}
	if d.keeps != "" {
		if len(d.fields) > 0 || len(d.path) == 1 {
			b.Add("\n")
		}
		b.Add(gofile.Codef(
			"\t// %s are the fields of the object that the others do not stand for.\n\t%[1]s map[string]%[2]s `json:\"-\"`\n", d.keeps,
			w.Ref(rawExtension),
		))
	}
}

// writeType writes a declared type that is not a kind.
func (w *writer) writeType(b *gofile.Builder, d *declared, types map[string]bool) {
	writeComment(b, "", d.doc, d.markers, true)
	b.Add(gofile.Codef("type %s ", d.name))
	if d.under != nil {
		b.Add(w.text(d.under), "\n\n")
		w.writeConstants(b, d, types)
		return
	}
	if len(d.fields) == 0 && d.keeps == "" {
		b.Add("struct{}\n\n")
		return
	}
	b.Add("struct {\n")
	w.writeFields(b, d)
	b.Add("}\n\n")
	w.writeJSON(b, d)
}

// writeConstants writes the values of an enum.
func (w *writer) writeConstants(b *gofile.Builder, d *declared, types map[string]bool) {
	if len(d.enum) == 0 {
		return
	}
	names := namesOf(d.enum, func(name string) bool { return types[d.name+name] || w.Taken(d.name+name) })
	b.Add(gofile.Codef("// Values of %s.\nconst (\n", d.name))
	for _, value := range d.enum {
		name := names[value]
		if value == "" {
			name = "Empty"
			if slices.Contains(slices.Collect(maps.Values(names)), name) {
				name = MarkedName(name, "")
			}
		}
		b.Add(gofile.Codef("\t%s %s = %q\n", d.name+name, d.name, value))
	}
	b.Add(")\n\n")
}

// writeJSON writes the JSON methods of a struct that keeps unlisted properties.
func (w *writer) writeJSON(b *gofile.Builder, d *declared) {
	if d.keeps == "" {
		return
	}
	var names []string
	if len(d.path) == 1 {
		names = append(names, crdschema.ResourceFields...)
	}
	for _, f := range d.fields {
		names = append(names, f.json)
	}
	var args gofile.Builder
	for _, name := range names {
		args.Add(", ", gofile.Quote(name))
	}
	b.Add(
		gofile.Codef(
			"// MarshalJSON encodes the fields, and those in %[2]s.\nfunc (in %[1]s) MarshalJSON() ([]byte, error) {\n\ttype fields "+
				"%[1]s\n\treturn withUnknownFields(fields(in), in.%[2]s)\n}\n\n",
			d.name, d.keeps,
		),
		gofile.Codef("// UnmarshalJSON decodes the fields, and all others into %[2]s.\nfunc (in *%[1]s) UnmarshalJSON(data []byte) (err error) "+
			"{\n\ttype fields %[1]s\n"+
			"\tin.%[2]s, err = unknownFields(data, (*fields)(in)%[3]s)\n\treturn err\n}\n\n", d.name, d.keeps, args.Code()),
	)
}

// keeping returns the functions that the methods of writeJSON call.
func (w *writer) keeping() gofile.Code {
	raw := w.Ref(rawExtension)
	marshal := w.Ref(gofile.Ident{Path: "encoding/json", Name: "Marshal"})
	message := w.Ref(gofile.Ident{Path: "encoding/json", Name: "RawMessage"})
	unmarshal := w.Ref(gofile.Ident{Path: apiMachinery + "util/json", Name: "Unmarshal"})
	return "// withUnknownFields encodes a struct, and fields that it does not list.\nfunc withUnknownFields(known any, unknown map[string]" +
		raw + ") ([]byte, error) {\n" +
		"\tdata, err := " + marshal + "(known)\n\tif err != nil || len(unknown) == 0 {\n\t\treturn data, err\n\t}\n" +
		"\tvar all map[string]" + message + "\n\tif err := " + unmarshal + "(data, &all); err != nil {\n\t\treturn nil, err\n\t}\n" +
		"\tfor name, value := range unknown {\n\t\tif _, ok := all[name]; ok {\n\t\t\tcontinue\n\t\t}\n\t\tif all[name], err = " + marshal +
		"(value); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t}\n" +
		"\treturn " + marshal + "(all)\n}\n\n" +
		"// unknownFields decodes an object into a struct, and returns the fields that are not among the names.\nfunc unknownFields(data " +
		"[]byte, known any, names ...string) (map[string]" + raw + ", error) {\n" +
		"\tif err := " + unmarshal + "(data, known); err != nil {\n\t\treturn nil, err\n\t}\n\tvar unknown map[string]" + raw +
		"\n\tif err := " + unmarshal + "(data, &unknown); err != nil {\n\t\treturn nil, err\n\t}\n" +
		"\tfor _, name := range names {\n\t\tdelete(unknown, name)\n\t}\n\tif len(unknown) == 0 {\n\t\treturn nil, nil\n\t}\n\treturn unknown, " +
		"nil\n}\n"
}
