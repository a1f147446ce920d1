package schema

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/kubegen/kubegen/internal/diag"
)

// derived is a schema as it is read from types.
const derived = `types:
- name: com.example.v1.CronTab
  map:
    fields:
    - name: spec
      type:
        namedType: com.example.v1.Spec
- name: com.example.v1.Other
  map:
    fields:
    - name: name
      type:
        scalar: string
- name: com.example.v1.Spec
  map:
    fields:
    - name: jobs
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: atomic
`

var roots = []string{"com.example.v1.CronTab", "com.example.v1.Other"}

// definitions are those of a document that knows more of Spec, and of types that it refers to. Its own of other types do
// not count.
const definitions = `
"com.example.v1.Spec": {"type": "object", "properties": {
	"zone":  {"type": "string"},
	"jobs":  {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
	"steps": {"type": "array", "items": {"$ref": "REF/com.example.v1.Step"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
	"extra": {"type": "object", "additionalProperties": {"$ref": "REF/com.example.v1.Extra"}}
}},
"com.example.v1.Step": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "next": {"$ref": "REF/com.example.v1.Step"}}},
"com.example.v1.Extra": {"type": "string"},
"com.example.v1.Unrelated": {"type": "string"}`

func v2() string {
	return `{"swagger": "2.0", "definitions": {` + strings.ReplaceAll(definitions, "REF", "#/definitions") + "}}"
}

func v3() string {
	return `{"openapi": "3.0.0", "components": {"schemas": {` + strings.ReplaceAll(definitions, "REF", "#/components/schemas") + "}}}"
}

const overridden = `types:
- name: com.example.v1.CronTab
  map:
    fields:
    - name: spec
      type:
        namedType: com.example.v1.Spec
- name: com.example.v1.Extra
  scalar: string
- name: com.example.v1.Other
  map:
    fields:
    - name: name
      type:
        scalar: string
- name: com.example.v1.Spec
  map:
    fields:
    - name: extra
      type:
        map:
          elementType:
            namedType: com.example.v1.Extra
    - name: jobs
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: associative
    - name: steps
      type:
        list:
          elementType:
            namedType: com.example.v1.Step
          elementRelationship: associative
          keys:
          - name
    - name: zone
      type:
        scalar: string
- name: com.example.v1.Step
  map:
    fields:
    - name: name
      type:
        scalar: string
    - name: next
      type:
        namedType: com.example.v1.Step`

// TestOverride checks what is replaced, added and left, for both versions of OpenAPI, and that it comes out the same each
// time: the document's fields are in a map.
func TestOverride(t *testing.T) {
	for name, document := range map[string]string{"version 2": v2(), "version 3": v3()} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				got, err := Override([]byte(derived), []byte(document), roots, new(diag.List))
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != overridden {
					t.Fatalf("got\n%s\nwant\n%s", got, overridden)
				}
			}
		})
	}
	if _, err := typed.NewParser(typed.YAMLObject(overridden)); err != nil {
		t.Errorf("the merger does not take it: %v", err)
	}
}

// TestOverrideMerges checks that what the document says of merging is what happens.
func TestOverrideMerges(t *testing.T) {
	schema, err := Override([]byte(derived), []byte(v2()), roots, new(diag.List))
	if err != nil {
		t.Fatal(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(schema))
	if err != nil {
		t.Fatal(err)
	}
	spec := parser.Type("com.example.v1.Spec")
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
		{"of other types", `{"definitions": {"a.B": {"type": "string"}}}`, "it defines none of the types that code is generated for, such as com.example.v1.CronTab"},
		{"of a reference alone", `{"definitions": {"com.example.v1.Spec": {"$ref": "elsewhere.json"}}}`, "it defines none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Override([]byte(derived), []byte(test.document), roots, new(diag.List))
			if err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
				t.Errorf("got %s, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// TestOverrideDangling checks that a type of the document counts only if all is there that it refers to.
func TestOverrideDangling(t *testing.T) {
	for _, test := range []struct{ name, spec, step, want string }{
		{"the type itself", `{"$ref": "#/definitions/com.example.v1.Gone"}`, `{"type": "string"}`, "com.example.v1.Spec refers to com.example.v1.Gone, which it does not define"},
		{"by way of another", `{"$ref": "#/definitions/com.example.v1.Elsewhere"}`, `{"type": "object", "properties": {"x": {"$ref": "#/definitions/com.example.v1.Gone"}}}`,
			"com.example.v1.Spec refers to com.example.v1.Gone, which it does not define"},
		{"none", `{"$ref": "#/definitions/com.example.v1.Elsewhere"}`, `{"type": "string"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			document := fmt.Sprintf(`{"definitions": {
				"com.example.v1.Spec": {"type": "object", "properties": {"step": %s}},
				"com.example.v1.Elsewhere": %s}}`, test.spec, test.step)
			var diags diag.List
			got, err := Override([]byte(derived), []byte(document), roots, &diags)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			_ = diags.Write(&b, diag.Style{})
			if !strings.Contains(b.String(), test.want) || test.want == "" && b.Len() > 0 {
				t.Errorf("warnings are %q, want %q", b.String(), test.want)
			}
			if _, err := typed.NewParser(typed.YAMLObject(got)); err != nil {
				t.Errorf("the merger does not take it: %v", err)
			}
			if same := strings.TrimSpace(string(got)) == strings.TrimSpace(derived); test.want == "" && same {
				t.Error("the document has no effect")
			}
		})
	}
}

// TestOverrideVersion2 checks what documents of version 2 are taken for, where their rules differ from those of version 3: that
// is what applyconfiguration-gen makes of them. Types that the document leads to no more are gone.
func TestOverrideVersion2(t *testing.T) {
	const document = `{"definitions": {
		"com.example.v1.CronTab": {"type": "object", "properties": {
			"raw": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension"},
			"one": {"type": "string"}, "other": {"type": "string"}},
			"x-kubernetes-unions": [{"discriminator": "kind", "fields-to-discriminateBy": {"one": "One", "other": "Other"}}]},
		"io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object"}}}`
	const want = `
- name: com.example.v1.CronTab
  map:
    fields:
    - name: one
      type:
        scalar: string
    - name: other
      type:
        scalar: string
    - name: raw
      type:
        namedType: __untyped_atomic_
    unions:
    - discriminator: kind
      fields:
      - fieldName: one
        discriminatorValue: One
      - fieldName: other
        discriminatorValue: Other
- name: io.k8s.apimachinery.pkg.runtime.RawExtension
  map:
    elementType:
      scalar: untyped
      list:
        elementType:
          namedType: __untyped_atomic_
        elementRelationship: atomic
      map:
        elementType:
          namedType: __untyped_deduced_
        elementRelationship: separable`
	untyped, _ := Derive(nil)
	derived := []byte(derived + strings.TrimPrefix(string(untyped), "types:\n"))
	got, err := Override(derived, []byte(document), roots[:1], new(diag.List))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), want) || strings.Contains(string(got), "com.example.v1.Spec") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What no document of version 2 has is taken by the rules of version 3.
	nullable := strings.Replace(document, `"one": {`, `"one": {"nullable": true, `, 1)
	if got, err = Override(derived, []byte(nullable), roots[:1], new(diag.List)); err != nil || !strings.Contains(string(got), "nullable: true") {
		t.Errorf("got %s, %v; want nullable", got, err)
	}
}
