package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	"github.com/rogpeppe/go-internal/diff"
	"go.yaml.in/yaml/v2"
	_ "k8s.io/client-go/openapi/openapitest" // its testdata
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"

	. "github.com/kubegen/kubegen/internal/schemas/applyschema"
)

// libraryConvert converts definitions like applyconfiguration-gen, or like the API server if they are not of version
// 2: with the packages of k8s.io/kube-openapi. In definitions of version 2, references to missing ones count as
// references.
func libraryConvert(t *testing.T, definitions map[string]any, isVersion2 bool) (*schema.Schema, error) {
	t.Helper()
	text, err := json.Marshal(definitions)
	if err != nil {
		t.Fatal(err)
	}
	var models map[string]*spec.Schema
	if err := json.Unmarshal(text, &models); err != nil {
		return nil, err
	}
	if isVersion2 {
		if converted, err := libraryVersion2(models); err == nil {
			return converted, nil
		}
	}
	return schemaconv.ToSchemaFromOpenAPI(models, false)
}

func libraryVersion2(models map[string]*spec.Schema) (*schema.Schema, error) {
	text, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]string{"title": "types", "version": "v1"}, "paths": struct{}{}, "definitions": models,
	})
	if err != nil {
		return nil, err
	}
	document, err := openapiv2.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	parsed, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	return schemaconv.ToSchema(parsed)
}

// convert converts definitions as a document of version 2 or 3 has them.
func convert(t *testing.T, definitions map[string]any, isVersion2 bool) (*Schema, error) {
	t.Helper()
	document := map[string]any{"components": map[string]any{"schemas": definitions}}
	if isVersion2 {
		document = map[string]any{"definitions": definitions}
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return NewDocument(text).Schema()
}

// compare compares conversion with the library's, and returns a difference, "" for none.
func compare(t *testing.T, definitions map[string]any, isVersion2 bool) string {
	t.Helper()
	want, wantErr := libraryConvert(t, definitions, isVersion2)
	got, err := convert(t, definitions, isVersion2)
	if (err != nil) != (wantErr != nil) {
		return fmt.Sprintf("the error is %v, with the library %v", err, wantErr)
	}
	if err != nil {
		return ""
	}
	var ours schema.Schema
	if err := yaml.Unmarshal([]byte(got.String()), &ours); err != nil {
		return fmt.Sprintf("%v in\n%s", err, got)
	}
	if a, b := canonical(t, &ours), canonical(t, want); a != b {
		return string(diff.Diff("library", []byte(b), "here", []byte(a)))
	}
	return ""
}

// canonical returns a schema as text in which the order of types and fields, and the notation of numbers, do not
// differ.
func canonical(t *testing.T, s *schema.Schema) string {
	t.Helper()
	var types []schema.TypeDef
	for _, def := range s.Types {
		sortFields(def.Atom)
		types = append(types, def)
	}
	slices.SortFunc(types, func(a, b schema.TypeDef) int { return strings.Compare(a.Name, b.Name) })
	text, err := yaml.Marshal(types)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sortFields(a schema.Atom) {
	if a.List != nil {
		sortFields(a.List.ElementType.Inlined)
	}
	if a.Map != nil {
		sortFields(a.Map.ElementType.Inlined)
		for i, f := range a.Map.Fields {
			sortFields(f.Type.Inlined)
			if number, ok := f.Default.(int); ok {
				a.Map.Fields[i].Default = float64(number)
			}
		}
		slices.SortFunc(a.Map.Fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
	}
}

// TestLibrary compares conversion with that by k8s.io/kube-openapi on its own documents and those of client-go, by
// the rules of both versions.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it converts large documents twice")
	}
	documents := []string{}
	for module, patterns := range map[string][]string{
		"k8s.io/kube-openapi": {"pkg/schemaconv/testdata/*.json", "pkg/schemaconv/testdata/crds/*/*.json", "pkg/util/proto/testdata/*.json", "pkg/util/proto/testdata/*/*/*/*.json"},
		"k8s.io/client-go":    {"openapi/openapitest/testdata/*.json"},
	} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range patterns {
			found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), filepath.FromSlash(pattern)))
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, found...)
		}
	}
	total := 0
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) { // one of them is YAML
			continue
		}
		var doc struct {
			Definitions map[string]any
			Components  struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		definitions := doc.Components.Schemas
		if len(doc.Definitions) > 0 {
			definitions = doc.Definitions
		}
		total += len(definitions)
		for _, isVersion2 := range []bool{true, false} {
			if difference := compare(t, definitions, isVersion2); difference != "" {
				t.Errorf("%s, version 2 %t: %s", name, isVersion2, difference)
			}
		}
	}
	t.Logf("%d definitions in %d documents", total, len(documents))
	if total < 1000 {
		t.Error("these are too few")
	}
}

// TestLibraryRandom compares conversion with that by k8s.io/kube-openapi on random documents, mistakes among them.
func TestLibraryRandom(t *testing.T) {
	const seeds = 150
	failed := 0
	for seed := range uint64(seeds) {
		random := randomDocument{rand.New(rand.NewPCG(seed, 0))}
		definitions := map[string]any{}
		for _, name := range randomNames {
			definitions[name] = random.schema(3)
		}
		for _, isVersion2 := range []bool{true, false} {
			if _, err := convert(t, definitions, isVersion2); err != nil {
				failed++
			}
			if difference := compare(t, definitions, isVersion2); difference != "" {
				text, _ := json.MarshalIndent(definitions, "", "  ")
				t.Fatalf("seed %d, version 2 %t: %s\nof\n%s", seed, isVersion2, difference, text)
			}
		}
	}
	t.Logf("%d of %d are mistaken", failed, 2*seeds)
	if failed == 0 || failed > seeds {
		t.Error("these are too few or too many")
	}
}

var randomNames = []string{"com.example.A", "com.example.B", "io.k8s.apimachinery.pkg.api.resource.Quantity", "io.k8s.apimachinery.pkg.runtime.RawExtension"}

type randomDocument struct{ *rand.Rand }

// rarely is true once in n times.
func (r randomDocument) rarely(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r randomDocument, values ...T) T { return values[r.IntN(len(values))] }

// schema returns a random schema, nested up to the depth, of what definitions have and a few mistakes.
func (r randomDocument) schema(depth int) any {
	s := map[string]any{}
	if r.rarely(6) {
		s["$ref"] = "#/definitions/" + pick(r, randomNames...)
		if r.rarely(40) {
			s["$ref"] = pick(r, "other.json", "#/components/schemas/com.example.A", "#/definitions/a/com.example.A")
		}
		if r.rarely(30) {
			s["type"] = "object"
		}
		if r.rarely(5) {
			s["x-kubernetes-map-type"] = pick(r, "atomic", "granular")
		}
		return r.decorate(s)
	}
	kinds := []any{"string", "integer", "number", "boolean", "object", nil}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "array")
	}
	switch kind := pick(r, kinds...); {
	case r.rarely(150):
		s["type"] = pick[any](r, "null", []any{"string", "null"}, "text", "")
	case r.rarely(50):
		s["type"] = []any{kind}
		if kind == nil {
			s["type"] = []any{}
		}
	case kind != nil:
		s["type"] = kind
	}
	if r.rarely(3) {
		s["format"] = pick(r, "byte", "int-or-string", "date-time", "int64", "")
	}
	if isArray := s["type"] == "array"; depth > 0 && (isArray && !r.rarely(60) || r.rarely(40)) {
		s["items"] = r.schema(depth - 1)
		if r.rarely(60) {
			s["items"] = []any{r.schema(0)}
		}
	}
	if depth > 0 && !r.rarely(3) {
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "yes", "2"}[:r.IntN(5)] {
			properties[name] = r.schema(depth - 1)
		}
		if s["type"] == "object" || r.rarely(20) {
			s["properties"] = properties
		}
	}
	if depth > 0 && r.rarely(4) {
		s["additionalProperties"] = r.schema(depth - 1)
		if r.rarely(3) {
			s["additionalProperties"] = r.rarely(2)
		}
	}
	if depth > 0 && r.rarely(10) {
		s["allOf"] = []any{r.schema(depth - 1)}
	}
	return r.decorate(s)
}

// decorate adds extensions, a default, and keywords that have no effect or that version 2 lacks.
func (r randomDocument) decorate(s map[string]any) any {
	add := func(n int, key string, values ...any) {
		if r.rarely(n) {
			s[key] = pick(r, values...)
		}
	}
	add(8, "x-kubernetes-list-type", "atomic", "set", "atomic", "set")
	if r.rarely(8) {
		s["x-kubernetes-list-type"] = "map"
		s["x-kubernetes-list-map-keys"] = pick(r, []any{"a"}, []any{"a", "b"})
		if r.rarely(50) {
			delete(s, "x-kubernetes-list-map-keys")
		}
	}
	add(12, "x-kubernetes-patch-strategy", "merge", "merge,retainKeys", "retainKeys")
	add(12, "x-kubernetes-patch-merge-key", "a")
	add(12, "x-kubernetes-map-type", "atomic", "granular")
	add(12, "x-kubernetes-preserve-unknown-fields", true, false)
	if s["properties"] != nil {
		add(12, "x-kubernetes-unions", []any{map[string]any{"discriminator": "b", "fields-to-discriminateBy": map[string]any{"a": "A", "2": "Two"}}},
			[]any{map[string]any{"fields-to-discriminateBy": map[string]any{"a": "A"}}, map[string]any{"discriminator": "b"}}, []any{})
	}
	add(6, "default", "", "text", "a: b", "`", 1, 1.5, -0.25, 1e3, 1e21, true, map[string]any{}, map[string]any{"a": "x"}, []any{}, []any{1, "two"}, nil)
	add(8, "description", "text: text")
	add(20, "enum", []any{"a", 1})
	add(20, "example", map[string]any{"a": "b"})
	add(20, "minimum", 1.5)
	add(20, "maxLength", 12)
	add(20, "required", []any{"a"})
	// Mistakes, and what version 2 lacks.
	add(200, "nullable", true, false)
	add(300, "oneOf", []any{map[string]any{"type": "string"}}, []any{})
	add(300, "deprecated", true, false)
	add(300, "$schema", "http://json-schema.org/draft-04/schema#")
	add(300, "id", "x", "")
	add(300, "patternProperties", map[string]any{"a": map[string]any{"type": "string"}}, map[string]any{})
	add(300, "x-kubernetes-list-type", "bag", 1)
	add(300, "x-kubernetes-map-type", "set")
	add(300, "x-kubernetes-patch-strategy", "replace")
	add(300, "x-kubernetes-unions", "a", []any{"a"}, []any{map[string]any{"discriminator": 1}}, []any{map[string]any{"fields-to-discriminateBy": map[string]any{"a": 1}}},
		[]any{map[string]any{"fields-to-discriminateBy": map[string]any{"a": "A", "b": "A"}}}, []any{map[string]any{"discriminator": "a", "fields-to-discriminateBy": map[string]any{"a": "A"}}})
	return s
}
