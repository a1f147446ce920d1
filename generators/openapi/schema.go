package openapi

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// maxDepth limits the depth of types in each other.
const maxDepth = 32

// form is the form of a type in JSON, and its zero value.
type form struct {
	typ, format string
	zero        any
}

// forms lists the types that have a form in JSON of their own.
var forms = map[string]form{
	"uint": {"integer", "int32", 0.0}, "uint8": {"integer", "byte", 0.0}, "uint16": {"integer", "int32", 0.0},
	"uint32": {"integer", "int64", 0.0}, "uint64": {"integer", "int64", 0.0}, "int": {"integer", "int32", 0.0},
	"int8": {"integer", "byte", 0.0}, "int16": {"integer", "int32", 0.0}, "int32": {"integer", "int32", 0.0},
	"int64": {"integer", "int64", 0.0}, "byte": {"integer", "byte", 0.0}, "float64": {"number", "double", 0.0},
	"float32": {"number", "float", 0.0}, "bool": {"boolean", "", false}, "string": {"string", "", ""},
	"time.Time": {"string", "date-time", ""}, "[]byte": {"string", "byte", ""}, "interface{}": {"object", "", nil},
}

// property is a property of an object.
type property struct {
	schema   gofile.Code
	required bool
	depth    int // of embedding
}

// properties adds the properties of the fields of a struct to found, and returns the names of new ones in order. Of
// two with the same name, encoding/json uses the one that is less deeply embedded. seen has the depths of the structs
// so far.
func (d *definition) properties(t goType, depth int, found map[string]property, seen map[*gotypes.Declaration]int) (names []string) {
	t = d.target(t)
	if before, twice := seen[t.decl]; twice && before <= depth {
		return nil
	}
	seen[t.decl] = depth
	for _, f := range d.fieldsOf(t) {
		switch before, twice := found[f.json]; {
		case slices.Contains(d.values(f.comment, marker), "false") || d.hides(t.decl, f):
		case d.inline(f):
			names = append(names, d.properties(d.typeOf(f), depth+1, found, seen)...)
		case f.json != "" && (!twice || depth < before.depth):
			found[f.json] = property{d.property(f), !d.optional(f), depth}
			if !twice {
				names = append(names, f.json)
			}
		}
	}
	return names
}

// property returns the schema of a field.
func (d *definition) property(f *field) gofile.Code {
	s, of, lines := newSchema(), d.typeOf(f), f.comment
	for _, key := range []string{"patchMergeKey", "patchStrategy"} {
		if value := d.single(f.comment, key, f); value != f.Tag.Get(key) {
			d.errorf(f.Pos, "the marker +%s of field %s is %q, but its struct tag is %q", key, f.name, value, f.Tag.Get(key)).
				Suggest("make both the same")
		}
	}
	d.extend(s, f.comment)
	if e := d.enumOf(of); e != nil {
		lines = slices.Concat(lines, e.description)
	}
	d.describe(s, lines)
	if len(f.options) > 0 && f.options[0] == "string" {
		described := s.props
		d.rules(f.comment, &of, f.Pos, s)
		s.props = described // all others are for values that are not in strings
		d.simple(s, form{typ: "string"}, nil)
	} else {
		d.byDefault(s, f.comment, of, d.omitEmpty(f), f.in.Path, f)
		d.rules(f.comment, &of, f.Pos, s)
		d.shape(s, of, f, 0)
	}
	return s.code("")
}

func (d *definition) describe(s *schema, lines comment) {
	if text := description(lines); text != "" {
		s.props.with("Description", gofile.Quote(text))
	}
}

// rules adds the rules in a comment.
func (d *definition) rules(c comment, t *goType, pos token.Pos, s *schema) {
	v, err := parseRules(c)
	if under := d.base(*t); len(v) > 0 && under.decl != nil && d.formMethods(under.decl) != (methods{}) {
		t = nil // methods can give it any type
	}
	if err == nil {
		err = d.inRules(v, t, s)
	}
	if err != nil {
		d.errorf(pos, "the markers +k8s:validation have no effect: %s", strings.ReplaceAll(err.Error(), "\n", "; ")).Suggest("correct them")
	}
}

func (d *definition) simple(s *schema, of form, e *enum) {
	s.props.with("Type", list("[]string", []string{of.typ}))
	if of.format != "" {
		s.props.with("Format", gofile.Quote(of.format))
	}
	if e != nil {
		s.props.with("Enum", list("[]interface{}", e.values))
	}
}

// shape adds the type of a value.
func (d *definition) shape(s *schema, of goType, f *field, depth int) {
	t := d.base(of)
	refuse := func(why, advice string) {
		d.errorf(f.Pos, "field %s %s", f.name, why).Suggest("%s, or mark the field +%s=false", advice, marker)
	}
	switch {
	case d.formOf(t).typ != "":
		d.simple(s, d.formOf(t), d.enumOf(of))
	case depth > maxDepth:
		refuse("has a type that contains itself", "use a struct")
	case t.isStruct() && len(t.decl.Params) == 0:
		d.refs[nameOf(t.decl)] = t.decl
		s.props.with("Ref", "ref("+d.model(d.reader, t.decl)+")")
	case t.isInterface() && depth == 0 && d.modelNames: // any value
	case t.isInterface() && depth == 0:
		name := "any"
		if t.decl != nil {
			name = nameOf(t.decl)
		}
		d.refs[name] = t.decl
		s.props.with("Ref", gofile.Codef("ref(%q)", name))
	case t.isList():
		s.props.with("Type", `[]string{"array"}`).with("Items", elements(true, d.element(t, f, depth)))
	case t.Form == gotypes.MapForm:
		if key := d.base(d.resolve(t.in, t.Key, t.args)); key.Form != gotypes.BuiltinForm || key.Name.Name != "string" {
			refuse("has a map whose keys are no strings", "use strings")
		}
		s.props.with("Type", `[]string{"object"}`).with("AdditionalProperties", elements(false, d.element(t, f, depth)))
	case t.isStruct():
		refuse("has the generic type "+t.decl.Name+", which has no definition", "declare a type as this instance")
	case t.Form != gotypes.NamedForm && t.Form != gotypes.InstanceForm: // otherwise, it is not found
		refuse("has a type without a form in OpenAPI", "use a declared struct or a type such as string")
	}
}

// element returns the schema of the elements of a list or map.
func (d *definition) element(t goType, f *field, depth int) *schema {
	s, elem := newSchema(), d.elem(t)
	if !d.plain {
		d.byDefault(s, nil, elem, false, "", f)
	}
	d.shape(s, elem, f, depth+1)
	return s
}

// single returns the only value of a marker, or "".
func (d *definition) single(c comment, name string, f *field) string {
	values := append(d.values(c, name), "")
	if len(values) > 2 {
		d.errorf(f.Pos, "field %s has several markers +%s", f.name, name).Suggest("keep one of them")
	}
	return values[0]
}

// reference matches a value that is a constant.
var reference = regexp.MustCompile(`^ref\(([^"]+)\)$`)

// byDefault sets the default of a value of a type, from a comment in a package or from those above its types.
func (d *definition) byDefault(s *schema, c comment, of goType, omitEmpty bool, home string, f *field) {
	text := d.single(c, "default", f)
	for t, depth := of, 0; text == "" && depth < maxDepth; t, depth = d.elem(t), depth+1 {
		if t.decl != nil {
			text, home = d.single(d.commentOf(t.decl), "default", f), t.decl.Path
		}
		if t.Form != gotypes.PointerForm {
			break
		}
	}
	var value any
	match := reference.FindStringSubmatch(text)
	if match == nil && text != "" {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			d.errorf(f.Pos, "the default %s of field %s is no JSON: %v", text, f.name, err).Suggest("write a string in quotes")
			return
		}
	}
	switch zero := d.zero(of, omitEmpty, 0); {
	case zero == nil:
	case value == nil:
		value = zero
	case !reflect.DeepEqual(value, zero):
		d.errorf(f.Pos, "field %s is never unset, so that its default %s has no effect", f.name, text).
			Suggest("make it a pointer, or add omitempty")
	}
	if value != nil {
		s.props.with("Default", valueOf(value))
	} else if match != nil {
		constant := model.ParseTypeRef(match[1])
		if constant.Path == "" {
			constant.Path = home
		}
		d.Preload(constant.Path)
		switch src := d.Known[constant.Path]; {
		case src == nil || !d.isConstant(src, constant.Name):
			d.errorf(f.Pos, "the default of field %s is the constant %s.%s, which is not found", f.name, constant.Path, constant.Name).
				Suggest("declare it, or correct the name")
			return
		case constant.Path != d.path && !token.IsExported(constant.Name):
			d.errorf(f.Pos, "the default of field %s is %s, which is not exported", f.name, constant.Name).Suggest("export the constant")
		}
		s.props.with("Default", d.ref(constant))
	}
}

// isConstant reports whether a package declares a constant or variable.
func (r *reader) isConstant(src *load.Package, name string) bool {
	decl, ok := r.Lookup(src, name)
	_, isValue := decl.Node.(*ast.Ident)
	return ok && isValue
}

// zero returns the default of a value that is never unset, or nil.
func (d *definition) zero(t goType, omitEmpty bool, depth int) any {
	switch {
	case t.Form == gotypes.BuiltinForm && !omitEmpty:
		return forms[t.Name.Name].zero
	case t.Form != gotypes.StructForm:
		return nil
	case t.decl != nil:
		fields := d.fieldsOf(t)
		if _, decodes := d.methodsOf(t.decl)["UnmarshalJSON"]; decodes {
			return nil
		} else if len(fields) == 1 && fields[0].embedded && depth < maxDepth {
			return d.zero(d.typeOf(fields[0]), omitEmpty, depth+1)
		}
	}
	return map[string]any{}
}

// extensionsOf lists the extensions that markers set.
var extensionsOf = map[string]string{
	"patchMergeKey": "x-kubernetes-patch-merge-key", "patchStrategy": "x-kubernetes-patch-strategy",
	"listMapKey": "x-kubernetes-list-map-keys", "listType": "x-kubernetes-list-type", "mapType": "x-kubernetes-map-type",
	"structType": "x-kubernetes-map-type", "validations": "x-kubernetes-validations",
}

// extend adds the extensions in a comment.
func (d *definition) extend(s *schema, c comment) {
	found := map[string]gofile.Code{}
	valuesOf := func(name string) []string {
		values := d.values(c, name)
		if len(values) == 0 && d.declarative && strings.HasPrefix(name, "list") {
			values = d.values(c, "k8s:"+name)
		}
		return values
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(extensionsOf))) {
		values := valuesOf(name)
		if name == "listMapKey" && len(d.values(c, name)) == 0 && !slices.Equal(valuesOf("listType"), []string{"map"}) {
			values = nil
		}
		switch {
		case len(values) > 1 || len(values) == 1 && name == "listMapKey":
			found[extensionsOf[name]] = list("[]interface{}", values)
		case len(values) == 1:
			found[extensionsOf[name]] = gofile.Quote(values[0])
		}
	}
	for _, value := range d.values(c, marker) {
		if name, text, ok := strings.Cut(value, ":"); ok && strings.HasPrefix(name, "x-kubernetes-") {
			found[name] = gofile.Quote(text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s.extensions.with(gofile.Quote(name), found[name])
	}
}
