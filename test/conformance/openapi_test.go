package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openAPIPackages are packages of k8s.io/api whose kinds are all in the OpenAPI document of Kubernetes that
// kube-openapi has for its own tests.
var openAPIPackages = strings.Fields(`
	k8s.io/api/apps/v1 k8s.io/api/authentication/v1 k8s.io/api/authorization/v1 k8s.io/api/autoscaling/v1 k8s.io/api/autoscaling/v2
	k8s.io/api/batch/v1 k8s.io/api/coordination/v1 k8s.io/api/core/v1 k8s.io/api/discovery/v1
	k8s.io/api/events/v1 k8s.io/api/node/v1 k8s.io/api/policy/v1 k8s.io/api/rbac/v1 k8s.io/api/scheduling/v1
	k8s.io/kube-aggregator/pkg/apis/apiregistration/v1`)

// TestOpenAPI checks that gen-applyconfiguration and applyconfiguration-gen derive the same schema from OpenAPI
// documents: from that of Kubernetes, and from one with random combinations of types and extensions.
func TestOpenAPI(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "k8s.io/code-generator/cmd/applyconfiguration-gen"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/gen-applyconfiguration"),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(t *testing.T, dir, document string, packages ...string) SchemaReport {
		schemas := map[string]string{}
		for _, tool := range []string{"applyconfiguration-gen", "gen-applyconfiguration"} {
			cmd := exec.Command(bin+tool, append([]string{"--openapi-schema", document, "--output-dir", "out/" + tool,
				"--output-pkg", "example.com/migration/out"}, packages...)...)
			cmd.Dir, cmd.Env = dir, goEnv()
			if _, err := output(cmd); err != nil {
				t.Fatal(err)
			}
			schema, err := EmbeddedSchema(filepath.Join(dir, "out", tool))
			if err != nil {
				t.Fatal(err)
			}
			schemas[tool] = schema
		}
		report, err := CompareSchemas(schemas["applyconfiguration-gen"], schemas["gen-applyconfiguration"])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s: %s\n", t.Name(), report)
		if len(report.Differences) > 0 {
			t.Errorf("%d differences\n%s", len(report.Differences), head(strings.Join(report.Differences, "\n")))
		}
		return report
	}
	newModule := func(t *testing.T) string {
		dir := t.TempDir()
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
		return dir
	}
	t.Run("Kubernetes", func(t *testing.T) {
		kubeOpenAPI, err := ModuleDir("migration", "k8s.io/kube-openapi")
		if err != nil {
			t.Fatal(err)
		}
		document := filepath.Join(kubeOpenAPI, "pkg", "schemaconv", "testdata", "swagger.json")
		if report := compare(t, newModule(t), document, openAPIPackages...); report.Types < 250 {
			t.Error("that is less than there was to compare once")
		}
	})
	t.Run("Random", func(t *testing.T) {
		dir := newModule(t)
		r := rand.New(rand.NewPCG(1, 2))
		definitions := map[string]any{"io.k8s.apimachinery.pkg.runtime.RawExtension": map[string]any{"type": "object"},
			"io.k8s.apimachinery.pkg.api.resource.Quantity": map[string]any{"type": "string"}}
		const prefix = "com.example.migration.stable.v1."
		types := "package v1 of stable\n"
		for i := range 150 {
			definitions[fmt.Sprint(prefix, "Kind", i)] = randomObject(r, prefix, 0)
			definitions[fmt.Sprint(prefix, "Only", i)] = randomSchema(r, prefix, 0)
			types += fmt.Sprintf("\n// +genclient\nkind Kind%d\n", i)
		}
		text, err := json.Marshal(map[string]any{"swagger": "2.0", "info": map[string]string{"title": "x", "version": "1"},
			"paths": struct{}{}, "definitions": definitions})
		if err != nil {
			t.Fatal(err)
		}
		writeCase(t, dir, "-- stable/v1/types.go --\n"+types)
		writeText(t, filepath.Join(dir, "openapi.json"), string(text))
		if report := compare(t, dir, "openapi.json", "./stable/v1"); report.Types < 200 {
			t.Error("that is less than there was to compare once")
		}
	})
}

type object = map[string]any

// randomSchema returns a random schema for a definition or property; that of a definition is not just a reference.
func randomSchema(r *rand.Rand, prefix string, depth int) object {
	schema := object{}
	switch n := r.IntN(12); {
	case depth > 3 || n < 3:
		schema["type"] = []string{"string", "integer", "number", "boolean"}[r.IntN(4)]
		if schema["type"] == "string" {
			schema["format"] = []string{"", "byte", "date-time", "int-or-string", "uri"}[r.IntN(5)]
			if r.IntN(3) == 0 {
				schema["default"] = "x: y"
			}
		}
	case n < 5 && depth > 0:
		schema["$ref"] = "#/definitions/" + randomName(r, prefix)
		if r.IntN(4) == 0 {
			schema["default"] = object{}
		}
		mapType(r, schema)
	case n < 6:
		schema["type"] = "array"
		schema["items"] = randomSchema(r, prefix, depth+1)
		switch r.IntN(6) {
		case 0:
			schema["x-kubernetes-list-type"] = "set"
		case 1:
			schema["x-kubernetes-list-type"] = "atomic"
		case 2:
			schema["x-kubernetes-list-type"], schema["x-kubernetes-list-map-keys"] = "map", []string{"b", "a"}
		case 3:
			schema["x-kubernetes-patch-strategy"], schema["x-kubernetes-patch-merge-key"] = "merge", "name"
		case 4:
			schema["x-kubernetes-patch-strategy"] = "retainKeys"
		}
	case n < 8:
		schema["type"] = "object"
		mapType(r, schema)
		switch r.IntN(4) {
		case 0, 1:
			schema["additionalProperties"] = randomSchema(r, prefix, depth+1)
		case 2:
			schema["additionalProperties"] = r.IntN(2) == 0
		}
	case n < 9: // of any type
		if r.IntN(2) == 0 {
			schema["x-kubernetes-preserve-unknown-fields"] = true
		}
		if r.IntN(2) == 0 {
			schema["allOf"] = []object{{"$ref": "#/definitions/" + randomName(r, prefix)}}
		}
	default:
		return randomObject(r, prefix, depth)
	}
	return schema
}

// randomObject returns the schema of an object with properties.
func randomObject(r *rand.Rand, prefix string, depth int) object {
	schema, properties := object{}, object{}
	for i := range 1 + r.IntN(5) {
		properties[string(rune('a'+i))] = randomSchema(r, prefix, depth+1)
	}
	schema["properties"] = properties
	if r.IntN(4) > 0 {
		schema["type"] = "object"
	}
	mapType(r, schema)
	if r.IntN(5) == 0 {
		schema["x-kubernetes-preserve-unknown-fields"] = true
	}
	if r.IntN(5) == 0 {
		schema["additionalProperties"] = randomSchema(r, prefix, depth+1)
	}
	if r.IntN(4) == 0 {
		schema["x-kubernetes-unions"] = []object{{"discriminator": "a", "fields-to-discriminateBy": object{"c": "C", "b": "B"}}}
	}
	return schema
}

func mapType(r *rand.Rand, schema object) {
	switch r.IntN(6) {
	case 0:
		schema["x-kubernetes-map-type"] = "atomic"
	case 1:
		schema["x-kubernetes-map-type"] = "granular"
	}
}

func randomName(r *rand.Rand, prefix string) string {
	switch r.IntN(8) {
	case 0:
		return "io.k8s.apimachinery.pkg.runtime.RawExtension"
	case 1:
		return "io.k8s.apimachinery.pkg.api.resource.Quantity"
	}
	return fmt.Sprint(prefix, []string{"Kind", "Only"}[r.IntN(2)], r.IntN(150))
}
