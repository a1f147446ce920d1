package importer

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// typesFor returns the package for version v1 of a kind, whose field f has a schema in YAML flow style, and the
// messages.
func typesFor(t *testing.T, schema string) (*Package, diag.List) {
	t.Helper()
	manifest := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kinds.example.com}
spec:
  group: example.com
  names: {kind: Kind, plural: kinds}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, required: [f], properties: {f: ` + schema + `}}}}
`
	definitions, diags := crd.ReadComplete("crd.yaml", []byte(manifest))
	packages, said := Packages(definitions, Options{Path: "example.com/api", Name: func(file string) string { return file }})
	diags = slices.Concat(diags, said, Write(packages, nil))
	if len(packages) != 1 {
		t.Fatalf("%d packages, %v", len(packages), diags)
	}
	return packages[0], diags
}

// tag matches a JSON tag.
var tag = regexp.MustCompile("`json:\"([^\"]*)\"`")

// fieldAndTypes returns the lines of the field f, and the types that are declared for it, in a line and
// with tags as in 'f'. It leaves out methods.
func fieldAndTypes(p *Package) string {
	_, text, _ := strings.Cut(string(p.Files[TypesFile]), "metadata,omitempty\"`\n\n")
	text, _, _ = strings.Cut(text, "\n// MarshalJSON")
	field, types, _ := strings.Cut(text, "}\n\n// KindList")
	_, types, _ = strings.Cut(types, "}\n")
	var lines []string
	for line := range strings.Lines(field + types) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, tag.ReplaceAllString(line, "'$1'"))
		}
	}
	return strings.Join(lines, " | ")
}

// TestTypes compares the Go text for the schema of the required field f.
func TestTypes(t *testing.T) {
	quantity := crdschema.Known[model.TypeRef{Path: quantityType.Path, Name: quantityType.Name}].Pattern
	for _, test := range []struct{ name, schema, want string }{
		{"text", "{type: string}", "F string 'f'"},
		{"bytes", "{type: string, format: byte}", "F []byte 'f'"},
		{"time", "{type: string, format: date-time}", "F metav1.Time 'f'"},
		{"another format", "{type: string, format: uri}", `// +kubebuilder:validation:Format="uri" | F string 'f'`},
		{"int32", "{type: integer, format: int32}", "F int32 'f'"},
		{"integer", "{type: integer}", `// +kubebuilder:validation:Format="" | F int64 'f'`},
		{"number", "{type: number, nullable: true}", "// +nullable | F *float64 'f'"},
		{"boolean with a default", "{type: boolean, default: true}", "// +default=true | F bool 'f'"},
		{"quantity", `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '` + quantity + `'}`,
			"F resource.Quantity 'f'"},
		{"integer or string", "{x-kubernetes-int-or-string: true}",
			"// +kubebuilder:validation:Schemaless | // +kubebuilder:validation:XIntOrString | F intstr.IntOrString 'f'"},
		{"any", "{x-kubernetes-preserve-unknown-fields: true}",
			"// +kubebuilder:validation:Schemaless | // +kubebuilder:validation:XPreserveUnknownFields | F runtime.RawExtension 'f'"},
		{"resource", "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
			"// +kubebuilder:validation:XEmbeddedResource | F runtime.RawExtension 'f'"},
		{"map", "{type: object, additionalProperties: {type: integer, format: int64}}", "F map[string]int64 'f'"},
		{"map of anything", "{type: object, additionalProperties: true}",
			`// +kubebuilder:validation:Schemaless | // +kubegen:schema={"additionalProperties":true,"type":"object"} | ` +
				`F map[string]runtime.RawExtension 'f'`},
		{"list", "{type: array, items: {type: string, minLength: 1}}",
			"// +kubebuilder:validation:items:MinLength=1 | F []string 'f'"},
		{"list of lists", "{type: array, items: {type: array, items: {type: number}, maxItems: 2}}",
			"F []KindF 'f' | // +kubebuilder:validation:MaxItems=2 | type KindF []float64"},
		{"list of nullable", "{type: array, items: {type: string, nullable: true}}",
			`F []*KindF 'f' | // +kubegen:schema={"nullable":true} | type KindF string`},
		{"list of nullable lists", "{type: array, items: {type: array, nullable: true, items: {type: boolean}}}",
			`F []KindF 'f' | // +kubegen:schema={"nullable":true} | type KindF []bool`},
		{"list of described", "{type: array, items: {type: string, minLength: 1, description: One.}}",
			"F []KindF 'f' | // One. | // +kubebuilder:validation:MinLength=1 | type KindF string"},
		{"enum", "{type: string, enum: [a, b-c, '']}",
			`F KindF 'f' | // +kubebuilder:validation:Enum={"a","b-c",""} | type KindF string | // Values of KindF. | const ( | ` +
				`KindFA KindF = "a" | KindFBC KindF = "b-c" | KindFEmpty KindF = "" | )`},
		{"enum of integers", "{type: integer, enum: [1, 2]}",
			`// +kubebuilder:validation:Format="" | // +kubebuilder:validation:Enum={1,2} | F int64 'f'`},
		{"struct", "{type: object, required: [a], properties: {a: {type: string}, b: {type: boolean}, c: {type: array, items: {type: boolean}}}}",
			"F KindF 'f' | type KindF struct { | A string 'a' | // +optional | B *bool 'b,omitempty' | // +optional | C []bool 'c,omitzero' | }"},
		{"list of structs", "{type: array, items: {type: object, properties: {the-port: {type: boolean}}}}",
			"F []KindF 'f' | type KindF struct { | // +optional | ThePort *bool 'the-port,omitempty' | }"},
		{"empty struct", "{type: object}", "F KindF 'f' | type KindF struct{}"},
		{"keeps unknown fields", "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: boolean}}}",
			"F KindF 'f' | // +kubebuilder:validation:XPreserveUnknownFields | type KindF struct { | // +optional | A *bool 'a,omitempty' | " +
				"// UnknownFields are the fields of the object that the others do not stand for. | " +
				"UnknownFields map[string]runtime.RawExtension '-' | }"},
		{"name that no tag can have", `{type: object, properties: {'"': {type: boolean}}}`,
			`F KindF 'f' | // +kubegen:schema={"properties":{"\"":{"type":"boolean"}}} | type KindF struct { | ` +
				`// UnknownFields are the fields of the object that the others do not stand for. | ` +
				`UnknownFields map[string]runtime.RawExtension '-' | }`},
		{"required, not listed", "{type: object, required: [b], properties: {a: {type: boolean}}}",
			`F KindF 'f' | // +kubegen:schema={"required":["b"]} | type KindF struct { | // +optional | A *bool 'a,omitempty' | }`},
		{"same Go name", "{type: object, properties: {aB: {type: boolean}, a-b: {type: boolean}}}",
			"F KindF 'f' | type KindF struct { | // +optional | AB_df63 *bool 'a-b,omitempty' | // +optional | AB *bool 'aB,omitempty' | }"},
		{"description", `{type: string, description: "One.\n\nTwo."}`, "// One. | // | // Two. | F string 'f'"},
		{"description that no comment has", `{type: string, description: "+One"}`,
			`// \+One | // +kubegen:schema={"description":"+One"} | F string 'f'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, diags := typesFor(t, test.schema)
			if got := fieldAndTypes(p); got != test.want || len(diags) > 0 {
				t.Errorf("got %s, want %s, %v", got, test.want, diags)
			}
		})
	}
}
