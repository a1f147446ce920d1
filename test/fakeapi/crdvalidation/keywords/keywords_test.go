// Package keywords_test compares the rows of keywords in the generator with crdtest.
package keywords_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// notAsked are the keywords for which crdtest asks no object: those that contain schemas or change other keywords, and
// those by which no valid definition refuses an object, or only one of a wrong form.
var notAsked = []string{
	"exclusiveMaximum", "exclusiveMinimum", "x-kubernetes-list-map-keys", "properties", "items", "additionalProperties", "allOf",
	"type", "nullable", "default", "title", "description", "example", "externalDocs", "uniqueItems", "x-kubernetes-int-or-string",
	"x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-map-type",
}

// TestKeywords checks that crdtest asks for an object that violates a keyword, unless it is in notAsked, and that it
// finds an object that does, but no object that violates another keyword of the field.
func TestKeywords(t *testing.T) {
	const size = "type: object, minProperties: 2, maxProperties: 3, additionalProperties: {type: string}"
	// The first value violates the keyword, the second one, if there is one, another keyword.
	samples := map[string]struct{ schema, bad, other string }{
		"multipleOf":             {"type: integer, multipleOf: 2, minimum: 1", "3", "0"},
		"maximum":                {"type: integer, maximum: 3, multipleOf: 2, minimum: -4", "4", "-6"},
		"minimum":                {"type: number, minimum: 1.5, exclusiveMinimum: true, maximum: 3", "1.5", "4"},
		"maxLength":              {"type: string, maxLength: 3, pattern: ^a", "abcd", "b"},
		"minLength":              {"type: string, minLength: 3, pattern: ^a", "ab", "bcd"},
		"pattern":                {"type: string, minLength: 3, pattern: ^a", "bcd", "ab"},
		"format":                 {"type: string, format: date, pattern: ^1", "b", "'2020-01-01'"},
		"minProperties":          {size, "{a: b}", "{a: b, c: d, e: f, g: h}"},
		"maxProperties":          {size, "{a: b, c: d, e: f, g: h}", "{a: b}"},
		"maxItems":               {"type: array, items: {type: string}, maxItems: 1, minItems: 1", "[a, b]", "[]"},
		"minItems":               {"type: array, items: {type: string}, maxItems: 1, minItems: 1", "[]", "[a, b]"},
		"enum":                   {"type: string, enum: [a, b]", "c", ""},
		"x-kubernetes-list-type": {"type: array, items: {type: string}, x-kubernetes-list-type: set, maxItems: 2", "[a, a]", "[a, b, c]"},
		"x-kubernetes-validations": {"type: string, maxLength: 3, x-kubernetes-validations: [{rule: self != 'a'}]",
			"a", "abcd"},
		"required": {"type: object, required: [a], properties: {a: {type: string}}, maxProperties: 1", "{}", "{a: b, c: d}"},
		"anyOf":    {"type: integer, anyOf: [{minimum: 1}, {minimum: 5}], oneOf: [{minimum: -5}]", "0", "text"},
		"oneOf":    {"type: integer, oneOf: [{minimum: 1}, {minimum: 5}], maximum: 2", "6", "3"},
		"not":      {"type: integer, not: {minimum: 5}, minimum: 1", "6", "0"},
	}
	called := map[string]string{"x-kubernetes-list-type": "list type set", "x-kubernetes-validations": "rule self != 'a'"}
	for _, k := range crdschema.Keywords {
		sample, ok := samples[k.Name]
		switch {
		case ok == slices.Contains(notAsked, k.Name):
			t.Errorf("%s must be either in samples or in notAsked", k.Name)
		case ok:
			name := called[k.Name]
			if name == "" {
				name = k.Name
			}
			if untested(t, sample.schema, sample.bad)[name] {
				t.Errorf("%s: %s does not violate %s", k.Name, sample.bad, sample.schema)
			}
			if sample.other != "" && !untested(t, sample.schema, sample.other)[name] {
				t.Errorf("%s: %s violates %s", k.Name, sample.other, sample.schema)
			}
		}
	}
}

// untested returns the keywords of a field's schema that a value does not violate.
func untested(t *testing.T, schema, value string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "jobs.yaml"), []byte(fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  names: {kind: Job, plural: jobs, listKind: JobList, singular: job}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {f: {%s}}}}}
`, schema)), 0o666))
	must(t, os.MkdirAll(filepath.Join(dir, "invalid"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "invalid", "f.yaml"), []byte("{apiVersion: example.com/v1, kind: Job, f: "+value+"}"), 0o666))
	report, err := crdtest.Check([]string{filepath.Join(dir, "jobs.yaml")}, []string{filepath.Join(dir, "invalid")})
	must(t, err)
	found := map[string]bool{}
	for _, c := range report.Untested {
		found[c.Keyword] = true
	}
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
