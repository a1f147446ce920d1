package applyschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// fieldIn returns the schema of the field f of T, or the error. The schema of f in JSON refers to the type P as REF:P.
func fieldIn(version int, schema string) string {
	document, path := `{"definitions": {TYPES}}`, "#/definitions/"
	if version == 3 {
		document, path = `{"components": {"schemas": {TYPES}}}`, "#/components/schemas/"
	}
	types := `"T": {"type": "object", "properties": {"f": ` + schema + `}}, "P": {"type": "object", "properties": {"name": {"type": "string"}}}`
	types = strings.ReplaceAll(types, `"REF:`, `"$ref": "`+path)
	s, err := NewDocument([]byte(strings.Replace(document, "TYPES", types, 1))).Schema()
	if err != nil {
		return err.Error()
	}
	_, text, _ := strings.Cut(s.String(), "- {name: f, type: ")
	text, _, _ = strings.Cut(text, "}\n")
	return anyIn.Replace(text)
}

// anyIn abbreviates the schema of any value: version 2 of OpenAPI says how its maps merge, and version 3 does not.
var anyIn = strings.NewReplacer(
	"{scalar: untyped, list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}, "+
		"map: {elementType: {namedType: __untyped_deduced_}}}", "any",
	"{scalar: untyped, list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}, "+
		"map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}}", "{any, separable}",
)

// TestOpenAPI compares the schema of a field in documents of versions 2 and 3; latest is "" if it is the same.
func TestOpenAPI(t *testing.T) {
	for _, test := range []struct{ name, schema, want, latest string }{
		{"text", `{"type": "string"}`, "{scalar: string}", ""},
		{"number", `{"type": "integer", "format": "int32"}`, "{scalar: numeric}", ""},
		{"integer or string", `{"type": "string", "format": "int-or-string"}`, "{scalar: untyped}", ""},
		{"boolean", `{"type": "boolean"}`, "{scalar: boolean}", ""},
		{"bytes", `{"type": "string", "format": "byte"}`, "{scalar: string}", ""},
		{"anything", `{}`, "{any, separable}", "any"},
		{"unknown type", `{"type": "text"}`, `T: f: unknown type "text"`, ""},
		{"several types", `{"type": ["string", "null"]}`, "{scalar: string}", ""},
		{"type", `{"REF:P"}`, "{namedType: P}", ""},
		{"atomic type", `{"REF:P", "x-kubernetes-map-type": "atomic"}`, "{namedType: P, elementRelationship: atomic}", ""},
		{"type with a default", `{"REF:P", "default": {}}`, "{namedType: P}, default: {}", ""},
		{"type in allOf", `{"allOf": [{"REF:P"}], "default": {}}`, "{any, separable}, default: {}", "{namedType: P}, default: {}"},
		{"type with a type", `{"REF:P", "type": "object"}`, "{namedType: P}", ""},
		{"no such type", `{"REF:Q"}`, "{namedType: Q}", ""},
		{"elsewhere", `{"$ref": "other.json#/definitions/P"}`, "{namedType: P}", ""},
		{"nullable type", `{"REF:P", "nullable": true}`, "{namedType: P, nullable: true}", ""},
		{"list", `{"type": "array", "items": {"type": "string"}}`,
			"{list: {elementType: {scalar: string}, elementRelationship: atomic}}", ""},
		{"set", `{"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}`,
			"{list: {elementType: {scalar: string}, elementRelationship: associative}}", ""},
		{"by key", `{"type": "array", "items": {"REF:P"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}`,
			"{list: {elementType: {namedType: P}, elementRelationship: associative, keys: [name]}}", ""},
		{"by no key", `{"type": "array", "items": {"REF:P"}, "x-kubernetes-list-type": "map"}`,
			"T: f: x-kubernetes-list-type is map, but x-kubernetes-list-map-keys is not a list", ""},
		{"merged", `{"type": "array", "items": {"REF:P"}, "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}`,
			"{list: {elementType: {namedType: P}, elementRelationship: associative, keys: [name]}}", ""},
		{"merged set", `{"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"}`,
			"{list: {elementType: {scalar: string}, elementRelationship: associative}}", ""},
		{"unknown list type", `{"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"}`,
			"T: f: x-kubernetes-list-type must be atomic, set or map, not bag", ""},
		{"list of anything", `{"type": "array", "items": {}}`,
			"{list: {elementType: {any, separable}, elementRelationship: atomic}}", "{list: {elementType: any, elementRelationship: atomic}}"},
		{"list without items", `{"type": "array"}`, "T: f: a list must have one schema for its items", ""},
		{"list with a schema for each element", `{"type": "array", "items": [{"type": "string"}]}`,
			"{list: {elementType: {any, separable}, elementRelationship: atomic}}", "T: f: a list must have one schema for its items"},
		{"map", `{"type": "object", "additionalProperties": {"type": "integer"}}`, "{map: {elementType: {scalar: numeric}}}", ""},
		{"map of anything", `{"type": "object"}`,
			"{map: {elementType: {any, separable}}}", "{map: {elementType: {namedType: __untyped_deduced_}}}"},
		{"map of nothing", `{"type": "object", "additionalProperties": false}`,
			"{map: {elementType: {any, separable}}}", "{map: {}}"},
		{"atomic map", `{"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"}`,
			"{map: {elementType: {scalar: string}, elementRelationship: atomic}}", ""},
		{"unknown map type", `{"type": "object", "x-kubernetes-map-type": "set"}`,
			"T: f: x-kubernetes-map-type must be atomic or granular, not set", ""},
		{"object", `{"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "number", "default": 1}}}`,
			"{map: {fields: [{name: a, type: {scalar: numeric}, default: 1}, {name: b, type: {scalar: string}}]}}", ""},
		{"object that keeps unknown fields", `{"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-preserve-unknown-fields": true}`,
			"{map: {fields: [{name: a, type: {scalar: string}}], elementType: {namedType: __untyped_deduced_}}}", ""},
		{"properties without a type", `{"properties": {"a": {"type": "string"}}}`,
			"{map: {fields: [{name: a, type: {scalar: string}}]}}",
			"{scalar: untyped, list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}, " +
				"map: {fields: [{name: a, type: {scalar: string}}]}}"},
		{"union", `{"type": "object", "properties": {"a": {"type": "string"}, "k": {"type": "string"}}, ` +
			`"x-kubernetes-unions": [{"discriminator": "k", "fields-to-discriminateBy": {"a": "A"}}]}`,
			"{map: {fields: [{name: a, type: {scalar: string}}, {name: k, type: {scalar: string}}], " +
				"unions: [{discriminator: k, fields: [{fieldName: a, discriminatorValue: A}]}]}}",
			"{map: {fields: [{name: a, type: {scalar: string}}, {name: k, type: {scalar: string}}]}}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fieldIn(2, test.schema); got != test.want {
				t.Errorf("version 2: got %s, want %s", got, test.want)
			}
			latest := test.latest
			if latest == "" {
				latest = test.want
			}
			if got := fieldIn(3, test.schema); got != latest {
				t.Errorf("version 3: got %s, want %s", got, latest)
			}
		})
	}
}

// TestOverride replaces the types T and P, where T.f is of type P, by definitions of a document, and compares the types
// that T needs then, or the error.
func TestOverride(t *testing.T) {
	const object = `{"type": "object", "properties": {"f": `
	definitions := func(text string) *Document { return NewDocument([]byte(`{"definitions": {` + text + `}}`)) }
	for _, test := range []struct {
		name     string
		document *Document
		want     string
	}{
		{"another type of the field", definitions(`"T": ` + object + `{"type": "integer"}}}`),
			"- name: T map: fields: - {name: f, type: {scalar: numeric}}"},
		{"the type of the field", definitions(`"P": ` + object + `{"type": "integer"}}}`),
			"- name: P map: fields: - {name: f, type: {scalar: numeric}} - name: T map: fields: - {name: f, type: {namedType: P}}"},
		{"a type that is kept", definitions(`"T": ` + object + `{"type": "array", "items": {"$ref": "#/definitions/P"}}}}`),
			"- name: P map: {elementType: {scalar: string}} - name: T map: fields: - {name: f, type: {list: {elementType: {namedType: P}, elementRelationship: atomic}}}"},
		{"a new type", definitions(`"T": ` + object + `{"$ref": "#/definitions/Q"}}}, "Q": {"type": "string"}, "R": {"type": "string"}`),
			"- name: Q scalar: string - name: T map: fields: - {name: f, type: {namedType: Q}}"},
		{"a type that is missing", definitions(`"T": ` + object + `{"$ref": "#/definitions/Q"}}}`),
			"- name: P map: {elementType: {scalar: string}} - name: T map: fields: - {name: f, type: {namedType: P}} OpenAPI document: T refers to Q, which it does not define"},
		{"a type that lacks one", definitions(`"T": ` + object + `{"$ref": "#/definitions/Q"}}}, "Q": ` + object + `{"$ref": "#/definitions/R"}}}`),
			"- name: P map: {elementType: {scalar: string}} - name: T map: fields: - {name: f, type: {namedType: P}} OpenAPI document: T refers to R, which it does not define"},
		{"other types", definitions(`"Q": {"type": "string"}`), "it defines none of the types that code is generated for, such as P"},
		{"a wrong type", definitions(`"T": {"type": "text"}`), `T: unknown type "text"`},
		{"other types that are wrong", definitions(`"P": {"type": "string"}, "Q": {"type": "text"}`),
			"- name: P scalar: string - name: T map: fields: - {name: f, type: {namedType: P}}"},
		{"no types", NewDocument([]byte(`{}`)),
			"it defines none of the types that code is generated for: it has neither definitions nor components.schemas"},
		{"not JSON", NewDocument([]byte(`definitions:`)),
			"not an OpenAPI document in JSON: invalid character 'd' looking for beginning of value"},
		{"not an object", definitions(`"T": []`), "T: a schema must be an object, not a list"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := definitions(`"T": ` + object + `{"$ref": "#/definitions/P"}}}, "P": {"type": "object", "additionalProperties": {"type": "string"}}`).Schema()
			if err != nil {
				t.Fatal(err)
			}
			before := s.String()
			var diags diag.List
			err = s.Override(test.document, []Root{{Name: "T"}}, &diags)
			got, _, _ := strings.Cut(strings.TrimPrefix(s.String(), "types:\n"), "- name: __untyped_atomic_")
			if err != nil {
				got = err.Error()
				if s.String() != before {
					t.Errorf("an error changes the schema:\n%s", s)
				}
			}
			for _, d := range diags {
				got += fmt.Sprint(" ", d.Message)
			}
			if got = strings.Join(strings.Fields(got), " "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
