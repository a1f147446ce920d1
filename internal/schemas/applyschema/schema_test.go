package applyschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestField checks the schema of field f, from its Go type and markers, or the mistakes in them.
func TestField(t *testing.T) {
	text, number := &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "string"}}, &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "int32"}}
	pointer := func(elem *model.Type) *model.Type { return &model.Type{Kind: model.Pointer, Elem: elem} }
	list := func(elem *model.Type) *model.Type { return &model.Type{Kind: model.Slice, Elem: elem} }
	byKey := func(elem *model.Type) *model.Type { return &model.Type{Kind: model.Map, Key: text, Elem: elem} }
	field := func(json string, of *model.Type, markers ...model.Marker) *model.Field {
		return &model.Field{Name: strings.ToUpper(json), Tag: reflect.StructTag(`json:"` + json + `,omitempty"`), Type: of, Markers: markers}
	}
	named := func(name string, fields ...*model.Field) *model.Type {
		ref := model.TypeRef{Path: "example.com/api", Name: name}
		return &model.Type{Kind: model.Struct, Name: ref, Struct: &model.StructType{TypeRef: ref, Fields: fields}}
	}
	port := named("Port", field("name", text))
	other := func(path, name string) *model.Type {
		return &model.Type{Kind: model.Struct, Name: model.TypeRef{Path: path, Name: name}}
	}
	const path = "{namedType: com.example.api.Port}"
	for _, test := range []struct {
		name    string
		of      *model.Type
		markers string
		want    string
	}{
		{"text", text, "", "{scalar: string}"},
		{"number", number, "", "{scalar: numeric}"},
		{"pointer", pointer(number), "", "{scalar: numeric}"},
		{"bytes", list(&model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "byte"}}), "", "{scalar: string}"},
		{"struct", port, "", path + ", default: {}"},
		{"pointer to a struct", pointer(port), "", path},
		{"atomic struct", pointer(port), "structType=atomic", "{namedType: com.example.api.Port, elementRelationship: atomic}"},
		{"list", list(text), "", "{list: {elementType: {scalar: string}, elementRelationship: atomic}}"},
		{"set", list(text), "listType=set", "{list: {elementType: {scalar: string}, elementRelationship: associative}}"},
		{"set, with k8s:", list(text), "k8s:listType=set", "{list: {elementType: {scalar: string}, elementRelationship: associative}}"},
		{"contradiction", list(text), "k8s:listType=set listType=atomic", "field F: +listType=atomic contradicts +k8s:listType=set: keep one of them"},
		{"key without a prefix first", list(port), "k8s:listType=map k8s:listMapKey=path listMapKey=name",
			"{list: {elementType: " + path + ", elementRelationship: associative, keys: [name]}}"},
		{"list by key", list(port), "listType=map listMapKey=name",
			"{list: {elementType: " + path + ", elementRelationship: associative, keys: [name]}}"},
		{"list by no key", list(port), "listType=map", "field F: listType=map requires a key of the elements: add +listMapKey=<JSON name of a field>"},
		{"key of a list by position", list(port), "listMapKey=name", "{list: {elementType: " + path + ", elementRelationship: atomic}}"},
		{"list type of a text", text, "listType=set", "{scalar: string}"},
		{"unknown list type", list(text), "listType=bag", "field F: listType must be atomic, set or map, not bag"},
		{"map", byKey(number), "", "{map: {elementType: {scalar: numeric}}}"},
		{"atomic map", byKey(number), "mapType=atomic", "{map: {elementType: {scalar: numeric}, elementRelationship: atomic}}"},
		{"default", text, `default="x"`, "{scalar: string}, default: x"},
		{"default that is no JSON", text, "default={", "field F: the default is not JSON: put strings in double quotes"},
		{"time", other(model.MetaV1, "Time"), "", "{namedType: io.k8s.apimachinery.pkg.apis.meta.v1.Time}"},
		{"quantity", other("k8s.io/apimachinery/pkg/api/resource", "Quantity"), "", "{namedType: io.k8s.apimachinery.pkg.api.resource.Quantity}"},
		{"struct of a package that was not read", other("example.com/other", "Some"), "", "{namedType: __untyped_deduced_}"},
		{"any", &model.Type{Kind: model.Interface}, "", "{namedType: __untyped_deduced_}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var markers []model.Marker
			for _, marker := range strings.Fields(test.markers) {
				name, value, _ := strings.Cut(marker, "=")
				markers = append(markers, model.Marker{Name: name, Text: value})
			}
			kind := *named("Kind", field("f", test.of, markers...)).Struct
			kind.Resource = &model.Resource{Package: &model.Package{Path: kind.Path}, Kind: kind.Name, Verbs: model.NewVerbs(model.VerbApply)}
			schema, diags := Derive([]*model.StructType{&kind})
			_, got, _ := strings.Cut(schema.String(), "  {name: f, type: ")
			got, _, _ = strings.Cut(got, "}]}}\n")
			if len(diags) > 0 {
				got = fmt.Sprint(diags[0].Message)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestColumns reads a field whose type and default value are longer than a line.
func TestColumns(t *testing.T) {
	for _, value := range []string{strings.Repeat("{a}, ", 60), strings.Repeat("{a},  b} ,c}, ", 30), strings.Repeat("a", 300)} {
		elem := typeRef{named: "com.example." + strings.Repeat("api.", 15) + "Port"}
		list := &listAtom{elem: elem, relationship: "associative", keys: []string{"name", "protocol"}}
		quoted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		field := structField{name: "ports", typ: typeRef{atom: atom{list: list}}, value: string(quoted)}
		s := Schema{map[string]atom{"T": {object: &objectAtom{fields: []structField{field, {name: "x", typ: elem}}, relationship: "atomic"}}}}
		text := s.String()
		var read struct {
			Types []struct {
				Map struct{ Fields []struct{ Default string } }
			}
		}
		if err := yaml.Unmarshal([]byte(text), &read); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := read.Types[0].Map.Fields[0].Default; got != value {
			t.Errorf("got %q, want %q", got, value)
		}
		for _, line := range strings.Split(text, "\n") {
			if len(line) > columns && strings.Contains(line[:columns], "}, {") || len(line) > 400 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
}
