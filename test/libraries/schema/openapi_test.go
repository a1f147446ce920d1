package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	. "github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// derived returns the schema that is derived from the types of two kinds, and their names.
func derived() (*Schema, []Root) {
	spec := named("Spec", nil, field("jobs", list(stringType)))
	structs := []*model.StructType{kind(named("CronTab", nil, field("spec", spec))), kind(named("Other", nil, field("name", stringType)))}
	s, _ := Derive(structs)
	return s, Roots(structs)
}

// definitions are those of a document that knows more of Spec, and of types that it refers to. Its own of other types
// do not count.
const definitions = `
"com.example.api.v1.Spec": {"type": "object", "properties": {
	"zone":  {"type": "string"},
	"jobs":  {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
	"steps": {"type": "array", "items": {"$ref": "REF/com.example.api.v1.Step"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
	"extra": {"type": "object", "additionalProperties": {"$ref": "REF/com.example.api.v1.Extra"}}
}},
"com.example.api.v1.Step": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "next": {"$ref": "REF/com.example.api.v1.Step"}}},
"com.example.api.v1.Extra": {"type": "string"},
"com.example.api.v1.Unrelated": {"type": "string"}`

func v2() string {
	return `{"swagger": "2.0", "definitions": {` + strings.ReplaceAll(definitions, "REF", "#/definitions") + "}}"
}

func v3() string {
	return `{"openapi": "3.0.0", "components": {"schemas": {` + strings.ReplaceAll(definitions, "REF", "#/components/schemas") + "}}}"
}

const overridden = `types:
- name: com.example.api.v1.CronTab
  map:
    fields:
    - {name: spec, type: {namedType: com.example.api.v1.Spec}, default: {}}
- name: com.example.api.v1.Extra
  scalar: string
- name: com.example.api.v1.Other
  map:
    fields:
    - {name: name, type: {scalar: string}}
- name: com.example.api.v1.Spec
  map:
    fields:
    - {name: extra, type: {map: {elementType: {namedType: com.example.api.v1.Extra}}}}
    - {name: jobs, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: steps, type: {list: {elementType: {namedType: com.example.api.v1.Step}, elementRelationship: associative, keys: [name]}}}
    - {name: zone, type: {scalar: string}}
- name: com.example.api.v1.Step
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: next, type: {namedType: com.example.api.v1.Step}}
`

// TestOverride checks what is replaced, added and left, for both versions of OpenAPI, and that it comes out the same
// each time: the document's fields are in a map.
func TestOverride(t *testing.T) {
	for name, document := range map[string]string{"version 2": v2(), "version 3": v3()} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				got := override(t, document)
				untyped := strings.TrimPrefix(new(Schema).String(), "types:\n")
				if want := overridden + untyped; got != want {
					t.Fatalf("got\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}

// override returns the derived schema after Override.
func override(t *testing.T, document string) string {
	t.Helper()
	s, roots := derived()
	if err := s.Override(NewDocument([]byte(document)), roots, new(diag.List)); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// TestOverrideMerges checks that what the document says of merging is what happens.
func TestOverrideMerges(t *testing.T) {
	parser, err := typed.NewParser(typed.YAMLObject(override(t, v2())))
	if err != nil {
		t.Fatal(err)
	}
	spec := parser.Type("com.example.api.v1.Spec")
	one, err := spec.FromYAML("{jobs: [a], steps: [{name: one}]}")
	if err != nil {
		t.Fatal(err)
	}
	two, err := spec.FromYAML("{jobs: [b], steps: [{name: two}]}")
	if err != nil {
		t.Fatal(err)
	}
	merged, err := one.Merge(two)
	if err != nil {
		t.Fatal(err)
	}
	want, err := spec.FromYAML("{jobs: [a, b], steps: [{name: one}, {name: two}]}")
	if err != nil {
		t.Fatal(err)
	}
	if comparison, err := merged.Compare(want); err != nil || !comparison.IsSame() {
		t.Errorf("merged is %v, %v", merged.AsValue().Unstructured(), err)
	}
}

func TestOverrideMistakes(t *testing.T) {
	for _, test := range []struct{ name, document, want string }{
		{"no JSON", "swagger: '2.0'", "not an OpenAPI document in JSON"},
		{"empty", "", "not an OpenAPI document in JSON"},
		{"cut off", `{"definitions": {`, "not an OpenAPI document in JSON"},
		{"a list", "[]", "not an OpenAPI document in JSON"},
		{"of nothing", "{}", "neither definitions nor components.schemas"},
		{"of no types", `{"definitions": {}}`, "neither definitions nor components.schemas"},
		{"of other types", `{"definitions": {"a.B": {"type": "string"}}}`, "it defines none of the types that code is generated for, such as com.example.api.v1.CronTab"},
		{"of a wrong type", `{"definitions": {"com.example.api.v1.Spec": {"properties": {"a": {"type": 1}}}}}`, `com.example.api.v1.Spec: a: "type" has a wrong value, a number`},
		{"of no schema", `{"definitions": {"com.example.api.v1.Spec": {"items": {"allOf": [true]}}}}`, "com.example.api.v1.Spec: a schema must be an object, not a boolean"},
		{"of an unknown type", `{"definitions": {"com.example.api.v1.Spec": {"properties": {"a": {"type": "text"}}}}}`, `com.example.api.v1.Spec: a: unknown type "text"`},
		{"of lists without items", `{"components": {"schemas": {"com.example.api.v1.Spec": {"type": "array"}}}}`, "com.example.api.v1.Spec: a list must have one schema for its items"},
		{"of an unknown relationship", `{"components": {"schemas": {"com.example.api.v1.Spec": {"type": "object", "x-kubernetes-map-type": "set"}}}}`,
			"com.example.api.v1.Spec: x-kubernetes-map-type must be atomic or granular, not set"},
		{"of a reference alone", `{"definitions": {"com.example.api.v1.Spec": {"$ref": "elsewhere.json"}}}`, "it defines none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, roots := derived()
			before := s.String()
			if err := s.Override(NewDocument([]byte(test.document)), roots, new(diag.List)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want an error with %q", err, test.want)
			}
			if after := s.String(); after != before {
				t.Errorf("the schema changed, to\n%s", after)
			}
		})
	}
}

// TestOverrideDangling checks that a type of the document counts only if all is there that it refers to.
func TestOverrideDangling(t *testing.T) {
	for _, test := range []struct{ name, spec, step, want string }{
		{"the type itself", `{"$ref": "#/definitions/com.example.api.v1.Gone"}`, `{"type": "string"}`, "com.example.api.v1.Spec refers to com.example.api.v1.Gone, which it does not define"},
		{"by way of another", `{"$ref": "#/definitions/com.example.api.v1.Elsewhere"}`, `{"type": "object", "properties": {"x": {"$ref": "#/definitions/com.example.api.v1.Gone"}}}`,
			"com.example.api.v1.Spec refers to com.example.api.v1.Gone, which it does not define"},
		{"none", `{"$ref": "#/definitions/com.example.api.v1.Elsewhere"}`, `{"type": "string"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			document := fmt.Sprintf(`{"definitions": {
				"com.example.api.v1.Spec": {"type": "object", "properties": {"step": %s}},
				"com.example.api.v1.Elsewhere": %s}}`, test.spec, test.step)
			var diags diag.List
			s, roots := derived()
			before := s.String()
			if err := s.Override(NewDocument([]byte(document)), roots, &diags); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			_ = diags.Write(&b, diag.Style{})
			if !strings.Contains(b.String(), test.want) || test.want == "" && b.Len() > 0 {
				t.Errorf("warnings are %q, want %q", b.String(), test.want)
			}
			if _, err := typed.NewParser(typed.YAMLObject(s.String())); err != nil {
				t.Errorf("the merger does not take it: %v", err)
			}
			if same := s.String() == before; test.want == "" && same {
				t.Error("the document has no effect")
			}
		})
	}
}

// TestOverrideVersion2 checks what documents of version 2 are taken for, where their rules differ from those of
// version 3: that is what applyconfiguration-gen makes of them. Types that the document leads to no more are gone.
func TestOverrideVersion2(t *testing.T) {
	const document = `{"definitions": {
		"com.example.api.v1.CronTab": {"type": "object", "properties": {
			"raw": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension"},
			"one": {"type": "string"}, "other": {"type": "string"}},
			"x-kubernetes-unions": [{"discriminator": "kind", "fields-to-discriminateBy": {"one": "One", "other": "Other"}}]},
		"io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object"}}}`
	const want = `types:
- name: com.example.api.v1.CronTab
  map:
    fields:
    - {name: one, type: {scalar: string}}
    - {name: other, type: {scalar: string}}
    - {name: raw, type: {namedType: __untyped_atomic_}}
    unions: [{discriminator: kind, fields: [{fieldName: one, discriminatorValue: One}, {fieldName: other, discriminatorValue: Other}]}]
- name: com.example.api.v1.Other
  map:
    fields:
    - {name: name, type: {scalar: string}}
- name: io.k8s.apimachinery.pkg.runtime.RawExtension
  map: {elementType: {scalar: untyped, list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}, map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}}}
`
	if got := override(t, document); !strings.HasPrefix(got, want) || strings.Contains(got, "com.example.api.v1.Spec") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What no document of version 2 has is taken by the rules of version 3.
	nullable := strings.Replace(document, `"one": {`, `"one": {"nullable": true, `, 1)
	if got := override(t, nullable); !strings.Contains(got, "{name: one, type: {scalar: string, nullable: true}}") {
		t.Errorf("got %s; want nullable", got)
	}
}
