package schema_test

import (
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	. "github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/model"
)

const (
	apiPath = "example.com/api/v1"
	metaV1  = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	stringType = basic("string")
	intType    = basic("int32")
	boolType   = basic("bool")
	port       = named("Port", nil, field("name", stringType), field("protocol", stringType), field("port", intType))
)

func basic(name string) *model.Type {
	return &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: name}}
}

func pointer(elem *model.Type) *model.Type { return &model.Type{Kind: model.Pointer, Elem: elem} }

func list(elem *model.Type) *model.Type { return &model.Type{Kind: model.Slice, Elem: elem} }

func mapOf(elem *model.Type) *model.Type {
	return &model.Type{Kind: model.Map, Key: stringType, Elem: elem}
}

// named is a struct.
func named(name string, above []model.Marker, fields ...*model.Field) *model.Type {
	ref := model.TypeRef{Path: apiPath, Name: name}
	return &model.Type{Kind: model.Struct, Name: ref, Struct: &model.StructType{TypeRef: ref, Markers: above, Fields: fields}}
}

// declared is a named type that is no struct.
func declared(name string, elem *model.Type, above ...model.Marker) *model.Type {
	return &model.Type{Kind: model.Named, Name: model.TypeRef{Path: apiPath, Name: name}, Elem: elem, Markers: above}
}

// foreign is a struct of a package that is not looked into.
func foreign(path, name string) *model.Type {
	return &model.Type{Kind: model.Struct, Name: model.TypeRef{Path: path, Name: name}}
}

// field has omitempty, so that it has no default unless the type or a marker gives it one.
func field(json string, t *model.Type, above ...string) *model.Field {
	return &model.Field{
		Pos: token.Position{Filename: "types.go", Line: 7, Column: 2}, Name: strings.ToUpper(json[:1]) + json[1:],
		Tag: reflect.StructTag(`json:"` + json + `,omitempty"`), Type: t, Markers: marked(above...),
	}
}

func inline(t *model.Type) *model.Field {
	return &model.Field{Name: "Embedded", Embedded: true, Tag: `json:",inline"`, Type: t}
}

func marked(lines ...string) []model.Marker {
	var found []model.Marker
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		found = append(found, model.Marker{Name: name, Text: value})
	}
	return found
}

// kind makes a struct a kind whose client applies.
func kind(t *model.Type) *model.StructType {
	s := *t.Struct
	version := &model.Version{Group: &model.Group{Name: "example.com"}, Name: "v1"}
	s.Resource = &model.Resource{Version: version, Package: &model.Package{Path: apiPath}, Kind: s.Name, Verbs: model.NewVerbs(model.VerbApply)}
	return &s
}

// derive returns the schema of kinds, and wants that the merger's own parser takes it and that it is complete.
func derive(t *testing.T, kinds ...*model.Type) (string, *typed.Parser) {
	t.Helper()
	var structs []*model.StructType
	for _, k := range kinds {
		structs = append(structs, kind(k))
	}
	derived, diags := Derive(structs)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	text := derived.String()
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, def := range parser.Schema.Types {
		atomResolves(t, &parser.Schema, def.Atom)
	}
	if strings.Contains(text, "`") {
		t.Errorf("a backquote, which cannot stand in a raw string:\n%s", text)
	}
	return text, parser
}

func atomResolves(t *testing.T, s *schema.Schema, a schema.Atom) {
	t.Helper()
	resolves := func(ref schema.TypeRef) {
		t.Helper()
		if _, ok := s.Resolve(ref); !ok {
			t.Errorf("%s leads nowhere", *ref.NamedType)
		}
		atomResolves(t, s, ref.Inlined)
	}
	if a.List != nil {
		resolves(a.List.ElementType)
	}
	if a.Map != nil {
		for _, f := range a.Map.Fields {
			resolves(f.Type)
		}
		if a.Map.ElementType != (schema.TypeRef{}) {
			resolves(a.Map.ElementType)
		}
	}
}

// definitionOf returns one type of a schema, less its name, laid out by block.
func definitionOf(t *testing.T, text, name string) string {
	t.Helper()
	var parsed struct{ Types []yaml.MapSlice }
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	for _, typ := range parsed.Types {
		if typ[0].Value == name {
			return marshal(t, typ[1:])
		}
	}
	return ""
}

// block lays YAML text out in blocks, each thing on a line of its own, in the order that it has.
func block(t *testing.T, text string) string {
	t.Helper()
	var parsed yaml.MapSlice
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return marshal(t, parsed)
}

func marshal(t *testing.T, value yaml.MapSlice) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestSchemaField(t *testing.T) {
	own := func(methods model.Methods) *model.Type {
		t := named("Own", nil, field("hidden", stringType))
		t.Struct.Methods = methods
		return t
	}
	always := func(f *model.Field) *model.Field {
		f.Tag = reflect.StructTag(strings.Replace(string(f.Tag), ",omitempty", "", 1))
		return f
	}
	tagged := func(f *model.Field, tag reflect.StructTag) *model.Field {
		f.Tag += " " + tag
		return f
	}
	level := func(elem *model.Type, methods model.Methods, above ...string) *model.Type {
		t := declared("Level", elem, marked(above...)...)
		t.Methods = methods
		return t
	}
	const ports = "list:\n  elementType:\n    namedType: com.example.api.v1.Port\n  elementRelationship: "

	for name, test := range map[string]struct {
		field *model.Field
		want  string // below "type:", and the default
	}{
		"string":          {field("f", stringType), "scalar: string"},
		"bool":            {field("f", boolType), "scalar: boolean"},
		"int":             {field("f", intType), "scalar: numeric"},
		"float":           {field("f", basic("float64")), "scalar: numeric"},
		"pointer":         {field("f", pointer(pointer(stringType))), "scalar: string"},
		"declared scalar": {field("f", declared("Phase", stringType)), "scalar: string"},
		"quoted number":   {&model.Field{Name: "F", Tag: `json:"f,string"`, Type: intType}, "scalar: untyped"},
		"json.Number":     {field("f", &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: "encoding/json", Name: "Number"}}), "scalar: untyped"},
		"bytes":           {field("f", list(basic("byte"))), "scalar: string"},
		"declared bytes":  {field("f", list(declared("Octet", basic("uint8")))), "scalar: string"},
		"array of bytes": {
			field("f", &model.Type{Kind: model.Array, Len: "2", Elem: basic("byte")}),
			"list:\n  elementType:\n    scalar: numeric\n  elementRelationship: atomic",
		},
		"interface":       {field("f", &model.Type{Kind: model.Interface}), "namedType: __untyped_deduced_"},
		"map":             {field("f", mapOf(stringType)), "map:\n  elementType:\n    scalar: string"},
		"map of lists":    {field("f", mapOf(list(stringType))), "map:\n  elementType:\n    list:\n      elementType:\n        scalar: string\n      elementRelationship: atomic"},
		"atomic map":      {field("f", mapOf(stringType), "mapType=atomic"), "map:\n  elementType:\n    scalar: string\n  elementRelationship: atomic"},
		"granular map":    {field("f", mapOf(stringType), "mapType=granular"), "map:\n  elementType:\n    scalar: string\n  elementRelationship: separable"},
		"declared map":    {field("f", declared("Labels", mapOf(stringType), marked("mapType=atomic")...)), "map:\n  elementType:\n    scalar: string\n  elementRelationship: atomic"},
		"field over type": {field("f", declared("Labels", mapOf(stringType), marked("mapType=atomic")...), "mapType=granular"), "map:\n  elementType:\n    scalar: string\n  elementRelationship: separable"},

		"list":             {field("f", list(port)), ports + "atomic"},
		"list of pointers": {field("f", list(pointer(port))), ports + "atomic"},
		"atomic list":      {field("f", list(port), "listType=atomic", "listMapKey=name"), ports + "atomic"},
		"set":              {field("f", list(stringType), "listType=set"), "list:\n  elementType:\n    scalar: string\n  elementRelationship: associative"},
		"list map":         {field("f", list(port), "listType=map", "listMapKey=port", "listMapKey=protocol"), ports + "associative\n  keys:\n  - port\n  - protocol"},
		"quoted key":       {field("f", list(port), `listType="map"`, `listMapKey="name"`), ports + "associative\n  keys:\n  - name"},
		"k8s":              {field("f", list(port), "k8s:listType=map", "k8s:listMapKey=name"), ports + "associative\n  keys:\n  - name"},
		"kubebuilder":      {field("f", list(port), "kubebuilder:listType=map", "kubebuilder:listMapKey=name"), ports + "associative\n  keys:\n  - name"},
		"k8s and kubebuilder": {
			field("f", list(port), "k8s:listType=map", "k8s:listMapKey=name", "kubebuilder:listType=map", "kubebuilder:listMapKey=name"),
			ports + "associative\n  keys:\n  - name",
		},
		"embedded key": {
			field("f", list(named("Port", nil, inline(port))), "listType=map", "listMapKey=name"), ports + "associative\n  keys:\n  - name",
		},
		"plain over k8s":    {field("f", list(port), "listType=map", "k8s:listMapKey=port", "listMapKey=name"), ports + "associative\n  keys:\n  - name"},
		"k8s keys":          {field("f", list(port), "listType=map", "k8s:listMapKey=port", "k8s:listMapKey=protocol"), ports + "associative\n  keys:\n  - port\n  - protocol"},
		"k8s type":          {field("f", list(port), "k8s:listType=map", "listMapKey=name"), ports + "associative\n  keys:\n  - name"},
		"k8s set":           {field("f", list(stringType), "k8s:listType=set"), "list:\n  elementType:\n    scalar: string\n  elementRelationship: associative"},
		"k8s atomic":        {field("f", list(port), "k8s:listType=atomic", "k8s:listMapKey=name"), ports + "atomic"},
		"k8s keys only":     {field("f", list(port), "k8s:listMapKey=name"), ports + "atomic"},
		"k8s over tag":      {tagged(field("f", list(port), "k8s:listType=atomic"), `patchStrategy:"merge" patchMergeKey:"name"`), ports + "atomic"},
		"k8s over type":     {field("f", declared("Ports", list(port), marked("listType=map", "listMapKey=name")...), "k8s:listType=atomic"), ports + "atomic"},
		"both spellings":    {field("f", list(port), "k8s:listType=map", "k8s:listMapKey=name", "listType=map", "listMapKey=name"), ports + "associative\n  keys:\n  - name"},
		"declared list":     {field("f", declared("Ports", list(port), marked("listType=map", "listMapKey=name")...)), ports + "associative\n  keys:\n  - name"},
		"atomic over type":  {field("f", declared("Ports", list(port), marked("listType=map", "listMapKey=name")...), "listType=atomic"), ports + "atomic"},
		"patch tags":        {tagged(field("f", list(port)), `patchStrategy:"merge,retainKeys" patchMergeKey:"name"`), ports + "associative\n  keys:\n  - name"},
		"patch markers":     {field("f", list(port), "patchStrategy=merge", "patchMergeKey=name"), ports + "associative\n  keys:\n  - name"},
		"patch set":         {tagged(field("f", list(stringType)), `patchStrategy:"merge"`), "list:\n  elementType:\n    scalar: string\n  elementRelationship: associative"},
		"patch retain":      {tagged(field("f", list(port)), `patchStrategy:"retainKeys"`), ports + "atomic"},
		"listType over tag": {tagged(field("f", list(port), "listType=atomic"), `patchStrategy:"merge" patchMergeKey:"name"`), ports + "atomic"},
		"list of lists": {
			field("f", list(list(port)), "listType=atomic"),
			"list:\n  elementType:\n    list:\n      elementType:\n        namedType: com.example.api.v1.Port\n      elementRelationship: atomic\n  elementRelationship: atomic",
		},

		"struct":             {field("f", pointer(port)), "namedType: com.example.api.v1.Port"},
		"atomic field":       {field("f", pointer(port), "structType=atomic"), "namedType: com.example.api.v1.Port\nelementRelationship: atomic"},
		"granular field":     {field("f", pointer(port), "mapType=granular"), "namedType: com.example.api.v1.Port\nelementRelationship: separable"},
		"anonymous struct":   {field("f", pointer(&model.Type{Kind: model.Struct, Fields: []*model.Field{field("a", stringType)}})), "map:\n  fields:\n  - name: a\n    type:\n      scalar: string"},
		"of another package": {field("f", foreign("example.org/other", "Thing")), "namedType: __untyped_deduced_"},

		"struct default":         {field("f", port), "namedType: com.example.api.v1.Port\ndefault: {}"},
		"string default":         {always(field("f", declared("Phase", stringType))), "scalar: string\ndefault: \"\""},
		"bool default":           {always(field("f", boolType)), "scalar: boolean\ndefault: false"},
		"int default":            {always(field("f", intType)), "scalar: numeric\ndefault: 0"},
		"no list default":        {always(field("f", list(stringType))), "list:\n  elementType:\n    scalar: string\n  elementRelationship: atomic"},
		"default marker":         {field("f", pointer(stringType), `default="TCP"`), "scalar: string\ndefault: TCP"},
		"default with backquote": {field("f", stringType, "default=\"a`b\""), `scalar: string` + "\n" + `default: "a\u0060b"`},
		"default that YAML minds": {
			field("f", stringType, `default="yes"`), "scalar: string\ndefault: \"yes\"",
		},
		"default number in a string": {field("f", stringType, `default="8080"`), "scalar: string\ndefault: \"8080\""},
		"default object":             {field("f", port, `default={"name": "x"}`), "namedType: com.example.api.v1.Port\ndefault: {\"name\":\"x\"}"},
		"default of the type":        {field("f", pointer(declared("Phase", stringType, marked(`default="New"`)...))), "scalar: string\ndefault: New"},
		"default of the struct":      {field("f", pointer(named("Port", marked(`default={"name": "`+"`"+`"}`)))), "namedType: com.example.api.v1.Port\ndefault: {\"name\":\"\\u0060\"}"},
		"default lost":               {field("f", stringType, "default=ref(Elsewhere)"), "scalar: string"},
		"kubebuilder default":        {field("f", stringType, "kubebuilder:default=Never"), "scalar: string\ndefault: Never"},
		"kubebuilder default :=":     {field("f", intType, "kubebuilder:default:=3"), "scalar: numeric\ndefault: 3"},
		"kubebuilder default list":   {field("f", list(intType), "kubebuilder:default={1,2}"), "list:\n  elementType:\n    scalar: numeric\n  elementRelationship: atomic"},
		"struct with one embedded":   {field("f", named("Wrapped", nil, inline(own(model.Methods{JSON: true})))), "namedType: com.example.api.v1.Wrapped"},

		"Time":               {field("f", foreign(metaV1, "Time")), "namedType: io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
		"Quantity":           {field("f", mapOf(foreign("k8s.io/apimachinery/pkg/api/resource", "Quantity"))), "map:\n  elementType:\n    namedType: io.k8s.apimachinery.pkg.api.resource.Quantity"},
		"RawExtension":       {field("f", foreign("k8s.io/apimachinery/pkg/runtime", "RawExtension")), "namedType: __untyped_atomic_"},
		"open RawExtension":  {field("f", foreign("k8s.io/apimachinery/pkg/runtime", "RawExtension"), "kubebuilder:pruning:PreserveUnknownFields"), "namedType: __untyped_deduced_"},
		"open RawExtensions": {field("f", list(foreign("k8s.io/apimachinery/pkg/runtime", "RawExtension")), "kubebuilder:pruning:PreserveUnknownFields"), "list:\n  elementType:\n    namedType: __untyped_deduced_\n  elementRelationship: atomic"},
		"open map":           {field("f", mapOf(foreign("k8s.io/apimachinery/pkg/runtime", "RawExtension")), "kubebuilder:pruning:PreserveUnknownFields"), "map:\n  elementType:\n    namedType: __untyped_deduced_"},
		"Unstructured":       {field("f", pointer(foreign(metaV1+"/unstructured", "Unstructured"))), "namedType: __untyped_deduced_"},
		"RawMessage":         {field("f", &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: "encoding/json", Name: "RawMessage"}}), "namedType: __untyped_deduced_"},
		"time.Duration":      {always(field("f", &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: "time", Name: "Duration"}})), "scalar: numeric"},

		"open struct": {
			field("f", named("Open", nil, field("a", stringType)), "kubebuilder:pruning:PreserveUnknownFields"),
			"map:\n  fields:\n  - name: a\n    type:\n      scalar: string\n  elementType:\n    namedType: __untyped_deduced_\ndefault: {}",
		},
		"open atomic struct": {
			field("f", pointer(named("Open", marked("structType=atomic"), field("a", stringType))), "kubebuilder:pruning:PreserveUnknownFields"),
			"map:\n  fields:\n  - name: a\n    type:\n      scalar: string\n  elementType:\n    namedType: __untyped_deduced_\n  elementRelationship: atomic",
		},
		"schemaless":       {field("f", pointer(port), "kubebuilder:validation:Schemaless"), "namedType: __untyped_deduced_"},
		"XIntOrString":     {field("f", pointer(port), "kubebuilder:validation:XIntOrString"), "scalar: untyped"},
		"type as declared": {field("f", own(model.Methods{JSON: true}), "kubebuilder:validation:Type=string"), "scalar: string"},
		"type with format": {field("f", own(model.Methods{JSON: true}), "kubebuilder:validation:Type=string", "kubebuilder:validation:Format=date-time"), "scalar: untyped"},
		"scalar with text": {field("f", level(intType, model.Methods{Text: true})), "scalar: string"},
		"scalar with JSON": {always(field("f", level(intType, model.Methods{JSON: true}))), "namedType: __untyped_deduced_"},
		"bytes with text":  {field("f", list(level(basic("uint8"), model.Methods{Text: true}))), "list:\n  elementType:\n    scalar: string\n  elementRelationship: atomic"},
		"scalar with JSON, as declared": {
			field("f", level(intType, model.Methods{JSON: true}, "kubebuilder:validation:Type=string")), "scalar: string",
		},
		"declared as time.Duration": {field("f", &model.Type{
			Kind: model.Unknown, Name: model.TypeRef{Path: apiPath, Name: "Timeout"},
			Elem: &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: "time", Name: "Duration"}},
		}), "scalar: numeric"},
	} {
		t.Run(name, func(t *testing.T) {
			text, _ := derive(t, named("Foo", nil, test.field))
			got := definitionOf(t, text, "com.example.api.v1.Foo")
			typ, value, hasDefault := strings.Cut(test.want, "\ndefault: ")
			want := "map:\n  fields:\n  - name: f\n    type:\n      " + strings.ReplaceAll(typ, "\n", "\n      ")
			if hasDefault {
				want += "\n    default: " + value
			}
			if want := block(t, want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestSchemaStruct(t *testing.T) {
	anything := "  elementType:\n    scalar: untyped\n    list:\n      elementType:\n        namedType: __untyped_atomic_\n      elementRelationship: atomic\n" +
		"    map:\n      elementType:\n        namedType: __untyped_deduced_\n      elementRelationship: separable"
	withMethods := func(methods model.Methods) *model.Type {
		t := named("Foo", nil, field("a", stringType))
		t.Struct.Methods = methods
		return t
	}
	const a = "map:\n  fields:\n  - name: a\n    type:\n      scalar: string"
	blank := named("Foo", nil)
	blank.Struct.Methods.JSON = true
	function := field("z", &model.Type{Kind: model.Func})

	for name, test := range map[string]struct {
		typ  *model.Type
		want string
	}{
		"fields by name": {named("Foo", nil, field("b", boolType), field("a", stringType)), a + "\n  - name: b\n    type:\n      scalar: boolean"},
		"no fields":      {named("Foo", nil), "map:\n" + anything},
		"atomic":         {named("Foo", marked("structType=atomic"), field("a", stringType)), a + "\n  elementRelationship: atomic"},
		"atomic map":     {named("Foo", marked("k8s:mapType=atomic"), field("a", stringType)), a + "\n  elementRelationship: atomic"},
		"open":           {named("Foo", marked("kubebuilder:pruning:PreserveUnknownFields"), field("a", stringType)), a + "\n  elementType:\n    namedType: __untyped_deduced_"},
		"embedded":       {named("Foo", nil, inline(pointer(named("Base", nil, field("a", stringType))))), a},
		"own field wins": {named("Foo", nil, inline(named("Base", nil, field("a", boolType))), field("a", stringType)), a},
		"func left out":  {named("Foo", nil, field("a", stringType), function), a},
		"undefined":      {named("Foo", nil, field("a", stringType, "k8s:openapi-gen=false")), a},
		"names that YAML minds": {
			named("Foo", nil, field("on", stringType), field("a.b/c", stringType), &model.Field{Name: "First", Tag: `json:"1st,omitempty"`, Type: stringType}, field("null", stringType)),
			"map:\n  fields:\n  - name: \"1st\"\n    type:\n      scalar: string\n  - name: a.b/c\n    type:\n      scalar: string\n  - name: \"null\"\n    type:\n      scalar: string\n  - name: \"on\"\n    type:\n      scalar: string",
		},
		"union": {
			named("Foo", marked("union"), field("type", stringType, "unionDiscriminator"), field("b", pointer(boolType)), field("a", pointer(boolType))),
			"map:\n  fields:\n  - name: a\n    type:\n      scalar: boolean\n  - name: b\n    type:\n      scalar: boolean\n  - name: type\n    type:\n      scalar: string\n" +
				"  unions:\n  - discriminator: type\n    fields:\n    - fieldName: a\n      discriminatorValue: A\n    - fieldName: b\n      discriminatorValue: B",
		},
		"embedded union": {
			named("Foo", nil, inline(named("Base", marked("union"), field("a", stringType)))),
			a + "\n  unions:\n  - fields:\n    - fieldName: a\n      discriminatorValue: A",
		},
		"union by field": {
			named("Foo", nil, field("type", stringType, "unionDiscriminator"), field("a", stringType, "unionDeprecated"), field("b", stringType)),
			a + "\n  - name: b\n    type:\n      scalar: string\n  - name: type\n    type:\n      scalar: string\n" +
				"  unions:\n  - discriminator: type\n    fields:\n    - fieldName: a\n      discriminatorValue: A",
		},
		"array by method":     {withMethods(model.Methods{OpenAPIType: "array"}), "scalar: untyped\nlist:\n  elementType:\n    namedType: __untyped_atomic_\n  elementRelationship: atomic\nmap:\n  elementType:\n    namedType: __untyped_deduced_\n  elementRelationship: separable"},
		"bytes by method":     {withMethods(model.Methods{JSON: true, OpenAPIType: "string", OpenAPIFormat: "byte"}), "scalar: string"},
		"string by method":    {withMethods(model.Methods{JSON: true, OpenAPIType: "string"}), "scalar: string"},
		"date by method":      {withMethods(model.Methods{JSON: true, OpenAPIType: "string", OpenAPIFormat: "date-time"}), "scalar: untyped"},
		"number by method":    {withMethods(model.Methods{JSON: true, OpenAPIType: "integer"}), "scalar: numeric"},
		"text":                {withMethods(model.Methods{Text: true}), "scalar: string"},
		"object by method":    {withMethods(model.Methods{JSON: true, OpenAPIType: "object"}), "map:\n" + anything},
		"JSON with fields":    {withMethods(model.Methods{JSON: true}), a},
		"JSON as declared":    {declaredString(), "scalar: string"},
		"JSON, nothing known": {blank, "scalar: untyped\nlist:\n  elementType:\n    namedType: __untyped_atomic_\n  elementRelationship: atomic\nmap:\n  elementType:\n    namedType: __untyped_deduced_\n  elementRelationship: separable"},
		"embedded Duration":   {named("Foo", nil, inline(durationType())), "scalar: string"},
	} {
		t.Run(name, func(t *testing.T) {
			text, _ := derive(t, test.typ)
			if got := definitionOf(t, text, "com.example.api.v1.Foo"); got != block(t, test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func declaredString() *model.Type {
	t := named("Foo", marked("kubebuilder:validation:Type=string"), field("a", stringType))
	t.Struct.Methods.JSON = true
	return t
}

func durationType() *model.Type {
	t := foreign(metaV1, "Duration")
	t.Struct = &model.StructType{TypeRef: t.Name}
	return t
}

// Types that hold themselves have a name in the schema, declared ones too, and it ends.
func TestSchemaRecursive(t *testing.T) {
	tree := declared("Tree", nil)
	tree.Elem = mapOf(list(tree))
	node := named("Node", nil)
	nodes := declared("Nodes", list(node))
	node.Struct.Fields = []*model.Field{field("parent", pointer(node)), field("children", nodes), field("tree", tree)}
	text, _ := derive(t, named("Root", nil, field("nodes", nodes)))

	if got := definitionOf(t, text, "com.example.api.v1.Tree"); !strings.Contains(got, "namedType: com.example.api.v1.Tree") {
		t.Errorf("Tree is\n%s", got)
	}
	got := definitionOf(t, text, "com.example.api.v1.Node")
	if strings.Count(got, "namedType: com.example.api.v1.Node") != 2 {
		t.Errorf("Node is\n%s", got)
	}
	if strings.Contains(text, "name: com.example.api.v1.Nodes") {
		t.Errorf("Nodes need no name: their elements have one\n%s", text)
	}
}

// A struct may embed a pointer to itself, a type be a pointer to itself, and a struct that is spelled out hold itself.
func TestSchemaSelf(t *testing.T) {
	foo := named("Foo", marked("structType=atomic"), field("a", stringType))
	foo.Struct.Fields = append(foo.Struct.Fields, inline(pointer(foo)))
	self := declared("Self", nil)
	self.Elem = pointer(self)
	open := named("Open", nil)
	open.Struct.Fields = []*model.Field{field("open", pointer(open), "kubebuilder:pruning:PreserveUnknownFields")}
	text, _ := derive(t, named("Bar", nil, field("foos", list(foo), "listType=map", "listMapKey=a"), field("self", self)), foo, open)
	const want = "map:\n  fields:\n  - name: a\n    type:\n      scalar: string\n  elementRelationship: atomic"
	if got := definitionOf(t, text, "com.example.api.v1.Foo"); got != block(t, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSchemaName(t *testing.T) {
	pod := &model.Type{Kind: model.Struct, Name: model.TypeRef{Path: "k8s.io/api/core/v1", Name: "Pod"}}
	for want, s := range map[string]*model.StructType{
		"io.k8s.api.core.v1.Pod":            {TypeRef: pod.Name},
		"io.k8s.storage.csi.v1.CSINodeInfo": {TypeRef: model.TypeRef{Path: "csi.storage.k8s.io/v1", Name: "CSINodeInfo"}},
		"com.example.Foo":                   {TypeRef: model.TypeRef{Path: "example.com", Name: "Foo"}},
		"local.api.Foo":                     {TypeRef: model.TypeRef{Path: "local/api", Name: "Foo"}},
		"com.example.api.v1.Box[io.k8s.api.core.v1.Pod,[]*string]": {
			TypeRef: model.TypeRef{Path: apiPath, Name: "Box"}, Args: []*model.Type{pod, list(pointer(stringType))},
		},
	} {
		if got := Name(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Instances of a generic struct are types of their own.
func TestSchemaGeneric(t *testing.T) {
	box := func(arg *model.Type) *model.Type {
		b := named("Box", nil, field("value", arg))
		b.Args, b.Struct.Args = []*model.Type{arg}, []*model.Type{arg}
		return b
	}
	text, parser := derive(t, named("Foo", nil, field("a", pointer(box(stringType))), field("b", pointer(box(intType)))))
	for _, name := range []string{"com.example.api.v1.Box[string]", "com.example.api.v1.Box[int32]"} {
		if _, ok := parser.Schema.FindNamedType(name); !ok {
			t.Errorf("no %s in\n%s", name, text)
		}
	}
}

func TestSchemaMistakes(t *testing.T) {
	for want, f := range map[string]*model.Field{
		"field Ports: listType=map requires a key of the elements: add +listMapKey=<JSON name of a field>": field("ports", list(port), "listType=map"),
		"field Ports: listMapKey=Name is not a field of the elements: use the JSON name of one":            field("ports", list(port), "listType=map", "listMapKey=Name"),
		"field Names: listMapKey=name is not a field of the elements: use the JSON name of one":            field("names", list(stringType), "listType=map", "listMapKey=name"),
		"field Ports: listType must be atomic, set or map, not bag":                                        field("ports", list(port), "listType=bag"),
		"field Ports: +k8s:listType=map contradicts +listType=atomic: keep one of them":                    field("ports", list(port), "listType=atomic", "k8s:listType=map", "k8s:listMapKey=name"),
		"field Labels: mapType must be atomic or granular, not set":                                        field("labels", mapOf(stringType), "mapType=set"),
		"field Name: the default is not JSON: put strings in double quotes":                                field("name", stringType, "default=x"),
	} {
		_, diags := Derive([]*model.StructType{kind(named("Foo", nil, f))})
		if len(diags) != 1 || diags[0].Message != want || diags[0].Pos != f.Pos {
			t.Errorf("got %v, want %s at %v", diags, want, f.Pos)
		}
	}
	two := named("Foo", marked("structType=x"), field("ports", list(port), "listType=bag"), field("name", stringType, "default=x"))
	if _, diags := Derive([]*model.StructType{kind(two)}); len(diags) != 3 {
		t.Errorf("want three mistakes, got %v", diags)
	}
}

// Only kinds with apply verbs count, and what they lead to; the order in which they come does not.
func TestSchemaRoots(t *testing.T) {
	foo, bar := kind(named("Foo", nil, field("port", pointer(port)))), kind(named("Bar", nil, field("foo", pointer(port))))
	reader := kind(named("Reader", nil))
	reader.Resource.Verbs = model.NewVerbs(model.VerbGet)
	structs := []*model.StructType{foo, bar, reader, named("Stray", nil).Struct}
	derived, diags := Derive(structs)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	text := derived.String()
	slices.Reverse(structs)
	if again, _ := Derive(structs); again.String() != text {
		t.Errorf("the order of structs matters:\n%s\n%s", text, again)
	}
	var names []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "- {name: "); ok {
			name, _, _ := strings.Cut(rest, ",")
			names = append(names, name)
		}
	}
	want := []string{"com.example.api.v1.Bar", "com.example.api.v1.Foo", "com.example.api.v1.Port", "__untyped_atomic_", "__untyped_deduced_"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// What the schema is for: elements of a list are told apart by their keys, defaults of keys included.
func TestSchemaMerges(t *testing.T) {
	ports := named("Port", nil, field("port", intType), field("protocol", stringType, `default="TCP"`), field("name", stringType))
	_, parser := derive(t, named("Foo", nil, field("ports", list(ports), "listType=map", "listMapKey=port", "listMapKey=protocol")))
	foo := parser.Type("com.example.api.v1.Foo")
	live, err := foo.FromYAML(`{ports: [{port: 80, protocol: TCP, name: a}, {port: 80, protocol: UDP, name: b}]}`)
	if err != nil {
		t.Fatal(err)
	}
	applied, err := foo.FromYAML(`{ports: [{port: 80, name: c}]}`)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := live.Merge(applied)
	if err != nil {
		t.Fatal(err)
	}
	want, err := foo.FromYAML(`{ports: [{port: 80, protocol: TCP, name: c}, {port: 80, protocol: UDP, name: b}]}`)
	if err != nil {
		t.Fatal(err)
	}
	comparison, err := merged.Compare(want)
	if err != nil {
		t.Fatal(err)
	}
	if !comparison.IsSame() {
		t.Errorf("merged differs: %s", comparison)
	}
	if _, err := foo.FromYAML(`{prots: []}`); err == nil {
		t.Error("took a field that there is not")
	}
}
