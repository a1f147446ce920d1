package importer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// schemaOf parses a schema in JSON.
func schemaOf(t *testing.T, text string) *crdschema.Schema {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	s, err := crdschema.FromJSON(value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMarkersFor compares the markers for the keywords of a schema, without its type.
func TestMarkersFor(t *testing.T) {
	for _, test := range []struct {
		name   string
		at     place
		schema string
		want   string // "none" if no markers have this meaning
	}{
		{"text", aboveField, `{"type": "string", "minLength": 1, "pattern": "^a.*\"$", "format": "uri"}`,
			`kubebuilder:validation:Format="uri" | kubebuilder:validation:MinLength=1 | kubebuilder:validation:Pattern="^a.*\"$"`},
		{"of a Kubernetes type", aboveForeign, `{"type": "string", "minLength": 1, "format": "uri", "nullable": true}`,
			`nullable | kubegen:schema={"format":"uri","minLength":1}`},
		{"elements", forItems, `{"type": "string", "minLength": 1, "enum": ["a", "b"]}`,
			`kubebuilder:validation:items:MinLength=1 | kubebuilder:validation:items:Enum={"a","b"}`},
		{"number", aboveType, `{"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 1e9, "multipleOf": 2}`,
			`kubebuilder:validation:Maximum=1000000000 | kubebuilder:validation:Minimum=0 | kubebuilder:validation:MultipleOf=2 | kubebuilder:validation:ExclusiveMinimum=true`},
		{"object", aboveType, `{"type": "object", "minProperties": 1, "maxProperties": 2, "x-kubernetes-map-type": "atomic"}`,
			`kubebuilder:validation:MaxProperties=2 | kubebuilder:validation:MinProperties=1 | mapType=atomic`},
		{"list", aboveField, `{"type": "array", "minItems": 1, "uniqueItems": false, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "the-port"]}`,
			`kubebuilder:validation:MinItems=1 | listType=map | listMapKey=name | listMapKey="the-port"`},
		{"keys of a set", aboveField, `{"type": "array", "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["name"]}`,
			`kubegen:schema={"x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"set"}`},
		{"default", aboveField, `{"type": "object", "default": {"b": 1, "a": "é\u200b"}}`,
			`default={"a":"é\u200b","b":1}`},
		{"default of a type", aboveType, `{"type": "object", "default": {"b": 1}}`,
			`kubegen:schema={"default":{"b":1}}`},
		{"default null", aboveField, `{"type": "string", "nullable": true, "default": null}`,
			`nullable`},
		{"title", aboveField, `{"type": "string", "title": "A \"b\""}`,
			`kubebuilder:title="A \"b\""`},
		{"title of elements", forItems, `{"type": "string", "title": "A"}`, "none"},
		{"rules", aboveType, `{"type": "object", "x-kubernetes-validations": [{"rule": "has(self.a)"}, {"rule": "has(self.b)"}]}`,
			`kubebuilder:validation:XValidation:rule="has(self.a)" | kubebuilder:validation:XValidation:rule="has(self.b)"`},
		{"conditions", aboveField, `{"type": "string", "oneOf": [{"pattern": "a"}, {"pattern": "b"}], "not": {"enum": ["c"]}}`,
			`kubegen:schema={"not":{"enum":["c"]},"oneOf":[{"pattern":"a"},{"pattern":"b"}]}`},
		{"conditions of elements", forItems, `{"type": "string", "minLength": 1, "oneOf": [{"pattern": "a"}]}`, "none"},
		{"integer or string", aboveField, `{"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}`,
			`kubegen:schema={"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}`},
		{"keeps unknown fields", aboveField, `{"type": "object", "x-kubernetes-preserve-unknown-fields": true}`,
			`kubebuilder:validation:XPreserveUnknownFields`},
		{"example and documents", aboveField, `{"type": "string", "example": "a", "externalDocs": {"url": "https://example.com"}}`,
			`kubegen:schema={"example":"a","externalDocs":{"url":"https://example.com"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := schemaOf(t, test.schema)
			typ := s.Type
			s.Type = ""
			lines, ok := markersFor(s, typ, test.at)
			got := strings.Join(lines, " | ")
			if !ok {
				got = "none"
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestRuleText(t *testing.T) {
	yes := true
	for want, rule := range map[string]crdschema.Rule{
		`rule="self > 0"`: {Rule: "self > 0"},
		`rule="self == \"a\"",message="a, \"b\"\n"`:                                      {Rule: `self == "a"`, Message: "a, \"b\"\n"},
		`rule="self",messageExpression="'no'",reason="FieldValueInvalid"`:                {Rule: "self", MessageExpression: "'no'", Reason: "FieldValueInvalid"},
		`rule="oldSelf.hasValue()",message="m",fieldPath=".spec.a",optionalOldSelf=true`: {Rule: "oldSelf.hasValue()", Message: "m", FieldPath: ".spec.a", OptionalOldSelf: &yes},
	} {
		if got := ruleText(rule); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestInOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"{'a':'b c'}": "{'a':'b c'}", "é 日": "é 日", "a\u200bb": `a\u200bb`, "\u2028": `\u2028`, "🙂": "🙂", "\U000e0001": `\udb40\udc01`,
	} {
		got := inOneLine(text)
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		var read string
		if err := json.Unmarshal([]byte(`"`+got+`"`), &read); err != nil || read != text {
			t.Errorf("%q is %q in JSON, %v", text, read, err)
		}
	}
}
