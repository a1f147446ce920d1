package crdschema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestParseMistakes(t *testing.T) {
	s, errs := Parse(document(t, `type: [string]
maxLength: 1.5
minLength: many
nullable: "true"
required: {a: b}
enum: a
unknown: {whatever: [1]}
default: null
properties:
  a: text
  b:
    allOf: {}
    additionalProperties: 1
    items: [{type: string}]
    x-kubernetes-validations:
    - rule: [a]
    - just text
`))
	var got []string
	for _, err := range errs {
		got = append(got, fmt.Sprintf("%d:%d: %s", err.Line, err.Column, err.Message))
	}
	want := []string{
		"1:7: text is expected",
		"2:12: an integer is expected",
		"3:12: a number is expected",
		"4:11: true or false is expected",
		"5:11: a list is expected",
		"6:7: a list is expected",
		"10:6: an object is expected",
		"12:12: a list is expected",
		"13:27: true or false is expected",
		"14:12: an object is expected",
		"16:13: text is expected",
		"17:7: an object is expected",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if s.Default != nil {
		t.Error("a default of null is one")
	}
	if at := s.Property("b").Origin; at.Line != 11 || at.Column != 3 {
		t.Errorf("the property b is at %d:%d", at.Line, at.Column)
	}
}

// TestParseEverything writes what was parsed.
func TestParseEverything(t *testing.T) {
	const text = `additionalProperties:
  type: string
allOf:
- minProperties: 1
anyOf:
- required:
  - a
default:
  a: 1
description: An object.
enum:
- a: 1
example:
  b:
  - x
  - null
  - true
exclusiveMaximum: true
exclusiveMinimum: true
externalDocs:
  description: More.
  url: https://example.com
format: int32
items:
  type: string
maxItems: 6
maxLength: 5
maxProperties: 4
maximum: 2.5
minItems: 3
minLength: 2
minProperties: 1
minimum: -1.5
multipleOf: 0.5
not:
  required:
  - b
nullable: true
oneOf:
- {}
pattern: ^a
properties:
  a:
    type: integer
required:
- a
title: A title
type: object
uniqueItems: true
x-kubernetes-embedded-resource: true
x-kubernetes-int-or-string: true
x-kubernetes-list-map-keys:
- a
x-kubernetes-list-type: map
x-kubernetes-map-type: atomic
x-kubernetes-preserve-unknown-fields: true
x-kubernetes-validations:
- fieldPath: .a
  message: No.
  messageExpression: '''no'''
  optionalOldSelf: false
  reason: FieldValueInvalid
  rule: self.a > 1
`
	if got := write(schemaOf(t, text)); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
}

// TestParseAliases reads what an anchor stands for, wherever it is.
func TestParseAliases(t *testing.T) {
	s := schemaOf(t, `
type: object
properties:
  a: &a {type: &type string, maxLength: 3, enum: &values [x, y]}
  b: *a
  c: {type: *type, enum: *values, default: *type}
`)
	a, b, c := s.Property("a"), s.Property("b"), s.Property("c")
	if line := b.Line; line != 5 {
		t.Errorf("the property b is in line %d", line)
	}
	b.Origin = a.Origin
	if !reflect.DeepEqual(a, b) || c.Type != "string" || !reflect.DeepEqual(c.Enum, a.Enum) || c.Default.JSON != "string" {
		t.Errorf("got %+v, %+v and %+v", a, b, c)
	}
}

// TestParseLimits reads manifests that are made to be large when aliases are followed, or deep.
func TestParseLimits(t *testing.T) {
	bomb := func(first, each string) string {
		text := strings.Builder{}
		text.WriteString("type: object\nproperties:\n  s0: " + first + "\n")
		for i := range 60 {
			text.WriteString(strings.NewReplacer("NEW", fmt.Sprintf("s%d", i+1), "OLD", fmt.Sprintf("s%d", i)).Replace("  NEW: "+each) + "\n")
		}
		return text.String()
	}
	nested := func(before, inner, after string, n int) string {
		return strings.Repeat(before, n) + inner + strings.Repeat(after, n)
	}
	for _, test := range []struct{ name, text, want string }{
		{"schemas", bomb("&s0 {type: string}", "&NEW {type: object, properties: {a: *OLD, b: *OLD}}"), "the schema is too large: it has more than 250000 parts"},
		{"values", bomb("{default: &s0 [a]}", "{default: &NEW [*OLD, *OLD]}"), "the schema is too large: it has more than 250000 parts"},
		{"entries", bomb("{required: &s0 [a]}", "{enum: &NEW [*OLD, {b: *OLD}]}"), "the schema is too large: it has more than 250000 parts"},
		{"in itself", "&a {type: object, properties: {b: *a}}", "parts are nested deeper than 500"},
		{"twice in itself", "&a {type: object, properties: {b: *a, c: *a}, nullable: true, maxProperties: 3}", "parts are nested deeper than 500"},
		{"value in itself", "default: &a [*a]", "parts are nested deeper than 500"},
		{"deep schema", nested("{type: array, items: ", "{type: string}", "}", 600), "parts are nested deeper than 500"},
		{"deep value", "default: " + nested("[", "a", "]", 600), "parts are nested deeper than 500"},
		{"not too deep", nested("{type: array, items: ", "{type: string}", "}", 499), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, errs := Parse(document(t, test.text))
			switch {
			case test.want == "" && len(errs) > 0, test.want != "" && len(errs) == 0:
				t.Errorf("got %v, want %q", errs, test.want)
			case test.want != "" && errs[0].Message != test.want:
				t.Errorf("got %q, want %q", errs[0].Message, test.want)
			case len(errs) > 1:
				t.Errorf("the mistake is reported %d times", len(errs))
			}
		})
	}
}

// document returns the node in a YAML document.
func document(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n.Content[0]
}

// schemaOf returns the schema in a YAML document.
func schemaOf(t *testing.T, text string) *Schema {
	t.Helper()
	s, errs := Parse(document(t, text))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return s
}
