package crd

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// TestNarrowings compares schemas in both directions: what only loosens is not listed.
func TestNarrowings(t *testing.T) {
	for _, test := range []struct {
		name, loose, tight string
		want               string // from loose to tight, as path and message; several are separated by |
		back               string // from tight to loose, if anything
	}{
		// Types.
		{name: "type", loose: `type: number`, tight: `type: integer`, want: `: was a number, is an integer`},
		{name: "other type", loose: `type: string`, tight: `type: boolean`, want: `: was a string, is a boolean`, back: `: was a boolean, is a string`},
		{name: "scalar to list", loose: `type: string`, tight: `{type: array, items: {type: string}}`, want: `: was a string, is a list`, back: `: was a list, is a string`},
		{name: "int-or-string", loose: `x-kubernetes-int-or-string: true`, tight: `type: integer`, want: `: was an integer or a string, is an integer`},
		{name: "an integer or a string was one of them", loose: `{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}, b: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}`,
			tight: `{type: object, properties: {a: {type: integer, format: int32}, b: {type: string}}}`, want: `.a: was an integer or a string, is an integer|.b: was an integer or a string, is a string`},
		{name: "quantity", loose: `{x-kubernetes-int-or-string: true, pattern: a, anyOf: [{type: integer}, {type: string}]}`, tight: `{type: integer}`, want: `: was an integer or a string, is an integer`},
		{name: "any", loose: `x-kubernetes-preserve-unknown-fields: true`, tight: `type: string`, want: `: was any value, is a string`},
		{name: "format", loose: `{type: integer, format: int64}`, tight: `{type: integer, format: int32}`, want: `: the format int32 is now required, was int64`},
		{name: "new format", loose: `type: string`, tight: `{type: string, format: date-time}`, want: `: the format date-time is now required`},
		{name: "formats of all values", loose: `{type: object, properties: {a: {type: integer}, b: {type: number}}}`, tight: `{type: object, properties: {a: {type: integer, format: int64}, b: {type: number, format: double}}}`},
		{name: "nullable int-or-string", loose: `{x-kubernetes-int-or-string: true, nullable: true}`, tight: `x-kubernetes-int-or-string: true`, want: `: null is no longer accepted`},
		{name: "int-or-string in short", loose: `{x-kubernetes-int-or-string: true}`, tight: `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`},
		{name: "alternatives of an int-or-string", loose: `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`, tight: `{x-kubernetes-int-or-string: true, anyOf: [{maxLength: 3}]}`,
			want: `: anyOf has changed`},
		{name: "pattern of an int-or-string", loose: `{x-kubernetes-int-or-string: true}`, tight: `{x-kubernetes-int-or-string: true, pattern: a}`, want: `: the pattern a must now match`},
		{name: "nullable", loose: `{type: string, nullable: true}`, tight: `type: string`, want: `: null is no longer accepted`},

		// Values.
		{name: "enum", loose: `type: string`, tight: `{type: string, enum: [a, b]}`, want: `: only "a", "b" are now accepted`},
		{name: "enum value", loose: `{type: string, enum: [a, b, c]}`, tight: `{type: string, enum: [c]}`, want: `: no longer accepted: "a", "b"`},
		{name: "enum order", loose: `{type: string, enum: [a, b]}`, tight: `{type: string, enum: [b, a]}`},
		{name: "pattern", loose: `type: string`, tight: `{type: string, pattern: ^a$}`, want: `: the pattern ^a$ must now match`},
		{name: "wider pattern", loose: `{type: string, pattern: '^[a-z0-9]{0,9}(x|y|[a-m])+$'}`, tight: `{type: string, pattern: '^[a-f]{1,3}(y|c){2}$'}`, want: `: the pattern ^[a-f]{1,3}(y|c){2}$ must now match, was ^[a-z0-9]{0,9}(x|y|[a-m])+$`},
		{name: "other pattern", loose: `{type: string, pattern: ^a}`, tight: `{type: string, pattern: ^b}`, want: `: the pattern ^b must now match, was ^a`, back: `: the pattern ^a must now match, was ^b`},
		{name: "minimum", loose: `type: integer`, tight: `{type: integer, minimum: 1}`, want: `: the minimum is 1`},
		{name: "greater minimum", loose: `{type: integer, minimum: 1}`, tight: `{type: integer, minimum: 2}`, want: `: the minimum is 2, was 1`},
		{name: "exclusive minimum", loose: `{type: number, minimum: 1}`, tight: `{type: number, minimum: 1, exclusiveMinimum: true}`, want: `: 1 itself is no longer accepted`},
		{name: "maximum", loose: `type: number`, tight: `{type: number, maximum: 0.5}`, want: `: the maximum is 0.5`},
		{name: "lesser maximum", loose: `{type: number, maximum: 2}`, tight: `{type: number, maximum: 1e-3}`, want: `: the maximum is 0.001, was 2`},
		{name: "exclusive maximum", loose: `{type: number, maximum: 1}`, tight: `{type: number, maximum: 1, exclusiveMaximum: true}`, want: `: 1 itself is no longer accepted`},
		{name: "exclusive minimum of integers", loose: `{type: integer, minimum: 0, exclusiveMinimum: true}`, tight: `{type: integer, minimum: 1}`},
		{name: "exclusive maximum of numbers", loose: `{type: number, maximum: 2, exclusiveMaximum: true}`, tight: `{type: number, maximum: 1}`, want: `: the maximum is 1, was 2`},
		{name: "exclusive maximum of integers", loose: `{type: integer, maximum: 2, exclusiveMaximum: true}`, tight: `{type: integer, maximum: 1}`},
		{name: "multiple of 1", loose: `type: integer`, tight: `{type: integer, multipleOf: 1}`},
		{name: "multiple", loose: `{type: integer, multipleOf: 2}`, tight: `{type: integer, multipleOf: 4}`, want: `: must now be a multiple of 4, was 2`},
		{name: "new multiple", loose: `type: integer`, tight: `{type: integer, multipleOf: 4}`, want: `: must now be a multiple of 4`},
		{name: "least length", loose: `{type: string, minLength: 0}`, tight: `{type: string, minLength: 1}`, want: `: the least length is 1, was 0`},
		{name: "no least length", loose: `type: string`, tight: `{type: string, minLength: 0}`},
		{name: "new least length", loose: `type: string`, tight: `{type: string, minLength: 1}`, want: `: the least length is 1`},
		{name: "greatest length", loose: `type: string`, tight: `{type: string, maxLength: 5}`, want: `: the greatest length is 5`},
		{name: "lesser length", loose: `{type: string, maxLength: 6}`, tight: `{type: string, maxLength: 5}`, want: `: the greatest length is 5, was 6`},
		{name: "least elements", loose: `{type: array, items: {type: string}}`, tight: `{type: array, items: {type: string}, minItems: 1}`, want: `: the least number of elements is 1`},
		{name: "greatest elements", loose: `{type: array, items: {type: string}, maxItems: 3}`, tight: `{type: array, items: {type: string}, maxItems: 2}`, want: `: the greatest number of elements is 2, was 3`},
		{name: "unique elements", loose: `{type: array, items: {type: string}}`, tight: `{type: array, items: {type: string}, uniqueItems: true}`, want: `: elements must now differ`},
		{name: "least fields", loose: `{type: object, additionalProperties: {type: string}}`, tight: `{type: object, additionalProperties: {type: string}, minProperties: 2}`, want: `: the least number of fields is 2`},
		{name: "greatest fields", loose: `{type: object, additionalProperties: {type: string}}`, tight: `{type: object, additionalProperties: {type: string}, maxProperties: 0}`, want: `: the greatest number of fields is 0`},
		{name: "default", loose: `{type: integer, default: 1}`, tight: `{type: integer, default: 2}`, want: `: the default was 1, is 2`, back: `: the default was 2, is 1`},
		{name: "default in another spelling", loose: `{type: object, default: {a: 1, b: 0x10}}`, tight: `{type: object, default: {b: 16.0, a: 1.0}}`},
		{name: "no default", loose: `{type: string, default: a}`, tight: `{type: string}`, want: `: the default "a" was removed`},

		// Merging.
		{name: "list type", loose: `{type: array, items: {type: string}, x-kubernetes-list-type: atomic}`, tight: `{type: array, items: {type: string}, x-kubernetes-list-type: set}`,
			want: `: the list type was atomic, is set`, back: `: the list type was set, is atomic`},
		{name: "same list type", loose: `{type: array, items: {type: string}, x-kubernetes-list-type: atomic}`, tight: `{type: array, items: {type: string}}`},
		{name: "list map keys", loose: `{type: array, items: {type: object}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}`,
			tight: `{type: array, items: {type: object}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]}`,
			want:  `: the keys of elements were a, are a, b`, back: `: the keys of elements were a, b, are a`},
		{name: "order of list map keys", loose: `{type: array, items: {type: object}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, a]}`,
			tight: `{type: array, items: {type: object}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]}`},
		{name: "map type", loose: `{type: object, x-kubernetes-map-type: granular}`, tight: `{type: object, x-kubernetes-map-type: atomic}`,
			want: `: the map type was granular, is atomic`, back: `: the map type was atomic, is granular`},

		// Rules in CEL.
		{name: "rule", loose: `type: string`, tight: `{type: string, x-kubernetes-validations: [{rule: "self != 'a' &&\n  self != 'b'"}]}`, want: `: must now satisfy the rule self != 'a' && self != 'b'`},
		{name: "message of a rule", loose: `{type: string, x-kubernetes-validations: [{rule: "self != ''", message: no}]}`,
			tight: `{type: string, x-kubernetes-validations: [{rule: " self != '' ", messageExpression: "'no'", reason: FieldValueInvalid, fieldPath: .a}]}`},
		{name: "rule for the old value", loose: `{type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`,
			tight: `{type: string, x-kubernetes-validations: [{rule: "self == oldSelf", optionalOldSelf: true}]}`,
			want:  `: must now satisfy the rule self == oldSelf`, back: `: must now satisfy the rule self == oldSelf`},

		// Combinations.
		{name: "allOf", loose: `{type: string, allOf: [{maxLength: 5}]}`, tight: `{type: string, allOf: [{maxLength: 5}, {minLength: 1}]}`, want: `: the least length is 1`},
		{name: "limits in allOf", loose: `{type: string, maxLength: 5}`, tight: `{type: string, maxLength: 7, allOf: [{maxLength: 6, allOf: [{maxLength: 4}]}]}`, want: `: the greatest length is 4, was 5`},
		{name: "enums in allOf", loose: `{type: string, enum: [b, x]}`, tight: `{type: string, allOf: [{enum: [a, b]}, {enum: [b, c]}]}`, want: `: no longer accepted: "x"`},
		{name: "the same in allOf", loose: `{type: string, enum: [b]}`, tight: `{type: string, allOf: [{enum: [a, b]}, {enum: [b, c]}]}`, want: ``},
		{name: "patterns in allOf", loose: `{type: string, allOf: [{pattern: a}, {pattern: b}]}`, tight: `{type: string, pattern: b, allOf: [{pattern: a}]}`},
		{name: "rules in allOf", loose: `{type: string, x-kubernetes-validations: [{rule: a}]}`, tight: `{type: string, allOf: [{x-kubernetes-validations: [{rule: a}]}]}`},
		{name: "required in allOf", loose: `{type: object, properties: {a: {type: string}}}`, tight: `{type: object, properties: {a: {type: string}}, allOf: [{required: [a]}]}`, want: `.a: is now required`},
		{name: "fields in allOf", loose: `{type: object, properties: {a: {type: string}}}`, tight: `{type: object, properties: {a: {type: string}}, allOf: [{properties: {a: {maxLength: 3}}}]}`,
			want: `: allOf has an additional condition`},
		{name: "anyOf", loose: `{type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}`,
			tight: `{type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}]}`, want: `: anyOf has changed`},
		{name: "looser anyOf", loose: `{type: string, anyOf: [{maxLength: 3, pattern: a}, {enum: [b, c]}, {minLength: 5}]}`, tight: `{type: string, anyOf: [{maxLength: 2, pattern: a}, {enum: [b]}]}`, want: `: anyOf has changed`},
		{name: "oneOf", loose: `{type: object, properties: {a: {type: string}, b: {type: string}}}`,
			tight: `{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}`, want: `: oneOf has changed`},
		{name: "more in oneOf", loose: `{type: string, oneOf: [{pattern: a}]}`, tight: `{type: string, oneOf: [{pattern: a}, {pattern: b}]}`, want: `: oneOf has changed`, back: `: oneOf has changed`},
		{name: "looser not", loose: `{type: string, not: {maxLength: 2}}`, tight: `{type: string, not: {maxLength: 3}}`, want: `: the condition in not has changed`},
		{name: "not", loose: `type: string`, tight: `{type: string, not: {pattern: a}}`, want: `: the condition in not has changed`},

		// Fields.
		{name: "field", loose: `{type: object, properties: {a: {type: string}, b: {type: object}}}`, tight: `{type: object, properties: {a: {type: string}}}`, want: `.b: removed; was an object`},
		{name: "required", loose: `{type: object, properties: {a: {type: string}}}`, tight: `{type: object, required: [a], properties: {a: {type: string}}}`, want: `.a: is now required`},
		{name: "required with a default", loose: `{type: object, properties: {a: {type: string, default: x}}}`, tight: `{type: object, required: [a], properties: {a: {type: string, default: x}}}`},
		{name: "new required field", loose: `{type: object, properties: {a: {type: string}}}`, tight: `{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}`, want: `.b: is now required`,
			back: `.b: removed; was a string`},
		{name: "required field of a new field", loose: `{type: object, properties: {a: {type: object, required: [b], properties: {b: {type: string}}}}}`, tight: `type: object`, want: `.a: removed; was an object`},
		{name: "preserved fields", loose: `{type: object, x-kubernetes-preserve-unknown-fields: true}`, tight: `type: object`, want: `: fields that the schema lacks are no longer kept`},
		{name: "new field of any value", loose: `{type: object, x-kubernetes-preserve-unknown-fields: true}`, tight: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}`,
			want: `.a: was any value, is a string`},
		{name: "field of any value with a default", loose: `{type: object, properties: {a: {type: string, default: x}}}`, tight: `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
			want: `.a: the default "x" was removed`, back: `: fields that the schema lacks are no longer kept|.a: was any value, is a string`},
		{name: "values of no type", loose: `{type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}`, tight: `{type: object, additionalProperties: true}`,
			want: `.*.a: removed; was a string`, back: `.*: was any value, is an object`},
		{name: "a new default counts", loose: `{type: object, maxProperties: 1, properties: {a: {type: string}}}`, tight: `{type: object, maxProperties: 1, properties: {a: {type: string, default: x}}}`,
			want: `.a: new default "x", although conditions depend on which fields are set`, back: `.a: the default "x" was removed`},
		{name: "the default of a new field counts", loose: `{type: object, oneOf: [{required: [a]}], properties: {a: {type: string}}}`,
			tight: `{type: object, oneOf: [{required: [a]}], properties: {a: {type: string}, b: {type: string, default: x}}}`,
			want:  `.b: new default "x", although conditions depend on which fields are set`, back: `.b: removed; was a string`},
		{name: "a default against a rule", loose: `{type: object, x-kubernetes-validations: [{rule: "!has(self.p) || !has(self.p.a)"}], properties: {p: {type: object, properties: {a: {type: string}, b: {type: string}}}}}`,
			tight: `{type: object, x-kubernetes-validations: [{rule: "!has(self.p) || !has(self.p.a)"}], properties: {p: {type: object, properties: {a: {type: string, default: x}, b: {type: string, default: x}}}}}`,
			want:  `.p.a: new default "x", although the rule !has(self.p) || !has(self.p.a) is about it`, back: `.p.a: the default "x" was removed|.p.b: the default "x" was removed`},
		{name: "a default against a rule of elements", loose: `{type: object, properties: {l: {type: array, x-kubernetes-validations: [{rule: "self.all(x, !has(x.a__dash__b))"}], items: {type: object, properties: {a-b: {type: string}, b: {type: string}}}}}}`,
			tight: `{type: object, properties: {l: {type: array, x-kubernetes-validations: [{rule: "self.all(x, !has(x.a__dash__b))"}], items: {type: object, properties: {a-b: {type: string, default: x}, b: {type: string, default: x}}}}}}`,
			want:  `.l[*].a-b: new default "x", although the rule self.all(x, !has(x.a__dash__b)) is about it`, back: `.l[*].a-b: the default "x" was removed|.l[*].b: the default "x" was removed`},
		{name: "a default of compared objects", loose: `{type: object, x-kubernetes-validations: [{rule: "!has(self.p) || self.p != self.q"}, {rule: "self.r == oldSelf.r"}, {rule: "'r' != 's'"}], properties: {p: {type: object, properties: {a: {type: string}}}, r: {type: object, properties: {a: {type: string}}}}}`,
			tight: `{type: object, x-kubernetes-validations: [{rule: "!has(self.p) || self.p != self.q"}, {rule: "self.r == oldSelf.r"}, {rule: "'r' != 's'"}], properties: {p: {type: object, properties: {a: {type: string, default: x}}}, r: {type: object, properties: {a: {type: string, default: x}}}}}`,
			want:  `.p.a: new default "x", although the rule !has(self.p) || self.p != self.q is about it`, back: `.p.a: the default "x" was removed|.r.a: the default "x" was removed`},
		{name: "a default against a condition around", loose: `{type: object, not: {properties: {p: {required: [a]}}}, properties: {p: {type: object, properties: {a: {type: string}, b: {type: string}}}}}`,
			tight: `{type: object, not: {properties: {p: {required: [a]}}}, properties: {p: {type: object, properties: {a: {type: string, default: x}, b: {type: string, default: x}}}}}`,
			want:  `.p.a: new default "x", although conditions depend on which fields are set`, back: `.p.a: the default "x" was removed|.p.b: the default "x" was removed`},
		{name: "a default against a value", loose: `{type: object, allOf: [{properties: {a: {maxLength: 1}, b: {maxLength: 1}}}], properties: {a: {type: string}, b: {type: string}}}`,
			tight: `{type: object, allOf: [{properties: {a: {maxLength: 1}, b: {maxLength: 1}}}], properties: {a: {type: string, default: xx}, b: {type: string, default: x}}}`,
			want:  `.a: new default "xx", although conditions depend on which fields are set`, back: `.a: the default "xx" was removed|.b: the default "x" was removed`},
		{name: "a default of a required field", loose: `{type: object, maxProperties: 1, required: [a], properties: {a: {type: string}}}`, tight: `{type: object, maxProperties: 1, required: [a], properties: {a: {type: string, default: x}}}`,
			back: `.a: the default "x" was removed`},
		{name: "a default and null", loose: `{type: string, default: x}`, tight: `{type: string, default: x, nullable: true}`, want: `: null is no longer replaced by the default "x"`, back: `: null is no longer accepted`},
		{name: "name", loose: `{type: object, properties: {metadata: {type: object}}}`, tight: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 8}}}}}`,
			want: `.metadata.name: the greatest length is 8`},
		{name: "name without metadata", loose: `{type: object}`, tight: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 8}}}}}`,
			want: `.metadata.name: the greatest length is 8`},
		{name: "resource", loose: `{type: object, properties: {a: {type: string}}}`, tight: `{type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}`,
			want: `: apiVersion and kind are now required, since the value is a resource`,
			back: `.apiVersion: removed, since the value is no longer a resource|.kind: removed, since the value is no longer a resource|.metadata: removed, since the value is no longer a resource`},
		{name: "metadata", loose: `{type: object, properties: {apiVersion: {type: string}, metadata: {type: object}}}`, tight: `{type: object}`},
		{name: "map", loose: `{type: object, additionalProperties: {type: string}}`, tight: `{type: object, properties: {a: {type: string}}}`,
			want: `: was a map with any keys, is an object with the fields of the schema`},
		{name: "values of a map", loose: `{type: object, additionalProperties: {type: string}}`, tight: `{type: object, additionalProperties: {type: string, maxLength: 3}}`, want: `.*: the greatest length is 3`},
		{name: "elements", loose: `{type: array, items: {type: array, items: {type: string}}}`, tight: `{type: array, items: {type: array, items: {type: string, maxLength: 3}}}`, want: `[*][*]: the greatest length is 3`},
		{name: "paths", loose: `{type: object, properties: {a.b: {type: object, properties: {c: {type: string}}}, d-e: {type: string}}}`,
			tight: `{type: object, properties: {a.b: {type: object, properties: {c: {type: string, minLength: 1}}}, d-e: {type: string, minLength: 2}}}`,
			want:  `["a.b"].c: the least length is 1|.d-e: the least length is 2`},

		// Texts.
		{name: "texts", loose: `{type: string, description: a, title: b, example: c, externalDocs: {url: u}}`, tight: `{type: string, description: b, title: c, example: d}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, direction := range []struct{ name, before, after, want string }{{"tightened", test.loose, test.tight, test.want}, {"loosened", test.tight, test.loose, test.back}} {
				var got []string
				for _, n := range SchemaChanges(parsedSchema(t, direction.before), parsedSchema(t, direction.after)) {
					got = append(got, n.Path+": "+n.What)
				}
				if strings.Join(got, "|") != direction.want {
					t.Errorf("%s: got %q, want %q", direction.name, got, direction.want)
				}
			}
		})
	}
}

// parsedSchema returns the schema in a text, which has no mistakes.
func parsedSchema(t *testing.T, text string) *crdschema.Schema {
	t.Helper()
	s, errs := crdschema.Parse(narrowedDocument(t, text))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return s
}

// narrowedDocument returns the node in a YAML document.
func narrowedDocument(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n.Content[0]
}
