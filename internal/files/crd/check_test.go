package crd

import (
	"encoding/json"
	"go/token"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// described returns a manifest with a description of some length.
func described(length int) *output {
	text := strings.Repeat("Line <of> \"text\" with\ttabs & é.\n", length/32+1)[:length]
	number, yes, warning, pos := int64(3), true, "use <v2>", token.Position{Line: 1}
	inner := &crdschema.Schema{
		Type: "array", Description: text, MaxItems: &number, ListType: "map", ListMapKeys: []string{"a", "b"},
		Items: &crdschema.Schema{
			Type: "object", Required: []string{"a"}, Title: "x", Default: &crdschema.Value{JSON: map[string]any{"a": []any{1.5, "b"}}},
			Properties:  []crdschema.Property{{Name: "a", Schema: &crdschema.Schema{Type: "string", Enum: []crdschema.Value{{JSON: "x"}, {JSON: 1.0}}, Pattern: "^<$"}}, {Name: "b", Schema: &crdschema.Schema{}}},
			Validations: []crdschema.Rule{{Rule: "self.a > 0", Message: "no", OptionalOldSelf: &yes}, {Rule: "true"}},
			AllOf:       []*crdschema.Schema{{MinLength: &number}, {UniqueItems: true}}, ExternalDocs: &crdschema.ExternalDocs{URL: "https://example.com"},
		},
	}
	root := &crdschema.Schema{Type: "object", Properties: []crdschema.Property{{Name: "spec", Schema: inner}, {Name: "any", Schema: &crdschema.Schema{Type: "object", AnyProperties: true}}}}
	return &output{
		Definition: Definition{
			Group: Value{Text: "example.com"}, Kind: Value{Text: "Goose"}, Plural: Value{Text: "geese"}, Singular: Value{Text: "goose"},
			Scope: Value{Text: "Namespaced"}, ShortNames: values([]string{"g", "go"}), Categories: values([]string{"all"}),
			Versions: []Version{{
				Name: Value{Text: "v1"}, Served: Value{Text: "true"}, Storage: Value{Text: "true"}, Status: Value{Pos: pos}, Deprecated: true, Warning: &warning,
				Scale:   &Scale{SpecReplicas: Value{Text: ".spec.replicas"}, StatusReplicas: Value{Text: ".status.replicas"}, Selector: Value{".status.selector", pos}},
				Columns: []Column{{Name: "A", Type: "string", Path: ".spec", Priority: 1}, {Name: "B", Type: "string", Path: ".spec"}}, SelectableFields: values([]string{".spec.x"}),
				schema: func() (*crdschema.Schema, []yamltext.Mistake) { return root, nil }, derived: derived{subresources: true},
			}},
		},
		annotations: map[string]string{"a": "b", "c": "d<"}, labels: map[string]string{"e": "f"},
	}
}

// The size of a manifest is the one in JSON, as kubectl copies it.
func TestSize(t *testing.T) {
	for _, length := range []int{0, 1, 5000} {
		m := described(length)
		var object map[string]any
		if err := yaml.Unmarshal(yamltext.WriteManifest("", m.object()), &object); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		size := len(lastApplied) + len(want) + len("\n")
		for key, value := range m.annotations {
			size += len(key) + len(value)
		}
		if got := m.annotationsSize(); got != size {
			t.Errorf("the annotations have %d bytes, and should have %d", got, size)
		}
	}
}

// Manifests that kubectl apply would refuse are reported in one line, with what helps.
func TestSizeLimits(t *testing.T) {
	none := 0
	for _, test := range []struct {
		lengths []int
		limit   *int
		want    []string // parts of each line
	}{
		{[]int{1000, 150 << 10}, nil, nil},
		{[]int{300 << 10}, nil, []string{"the manifest of things.example.com, (use kubectl apply --server-side, or leave out descriptions with --crd-max-description-length 0)"}},
		{[]int{300 << 10, 1000, 301 << 10}, nil, []string{"the manifests of things.example.com, things.example.com, "}},
		{[]int{300 << 10}, &none, []string{"(use kubectl apply --server-side)"}},
	} {
		var all []*output
		for _, length := range test.lengths {
			m := described(length)
			m.Group.Text, m.Plural.Text = "example.com", "things"
			m.Versions[0].pos = token.Position{Filename: "types.go", Line: 1}
			m.content = yamltext.WriteManifest("", m.object())
			all = append(all, m)
		}
		var diags diag.List
		checkSizes(all, Options{DescriptionLimit: test.limit}, &diags)
		if kept := diags.OfChanged(func(string) bool { return false }); len(kept) > 0 {
			t.Errorf("%v bytes of description: a run that writes no manifest says %q", test.lengths, kept[0].Message)
		}
		if len(diags) != len(test.want) {
			t.Errorf("%v bytes of description: %d lines, want %d", test.lengths, len(diags), len(test.want))
			continue
		}
		for i, d := range diags {
			got := d.Message + " (" + d.Hint + ")"
			for part := range strings.SplitSeq(test.want[i], ", (") {
				if !strings.Contains(got, strings.Trim(part, "()")) {
					t.Errorf("%v bytes of description: reported %q, want %q", test.lengths, got, part)
				}
			}
		}
	}
}
