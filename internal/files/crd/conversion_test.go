package crd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// keepOf returns what a manifest keeps of the text that it replaces: strategy, URL, certificate, annotations and
// mistakes.
func keepOf(text string) string {
	m := output{Definition: Definition{Group: Value{Text: "example.com"}, Plural: Value{Text: "geese"}}, annotations: map[string]string{}}
	diags := m.keep("f.yaml", []byte(text))
	var kept []string
	if hook, ok := m.conversion["webhook"].(map[string]any); ok {
		client := hook["clientConfig"].(map[string]any)
		kept = append(kept, fmt.Sprintf("%v; %v; %v", m.conversion["strategy"], client["url"], client["caBundle"]),
			fmt.Sprint(hook["conversionReviewVersions"], m.annotations))
	} else if m.conversion != nil {
		kept = append(kept, fmt.Sprint(m.conversion["strategy"]))
	}
	for _, d := range diags {
		kept = append(kept, fmt.Sprintf("%d:%d: %s", d.Pos.Line, d.Pos.Column, d.Message))
	}
	return strings.Join(kept, "; ")
}

const (
	goose = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    cert-manager.io/inject-ca-from: system/cert
  name: geese.example.com
spec:
  conversion:
    strategy: Webhook
    webhook: {clientConfig: {url: "https://x", caBundle: Q2c=}, conversionReviewVersions: [v1]}
  group: example.com
  scope: Cluster
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {conversion: {type: string}}}}
`
	keptGoose = "Webhook; https://x; Q2c=; [v1] map[cert-manager.io/inject-ca-from:system/cert]"
)

func TestKeep(t *testing.T) {
	conversion := goose[strings.Index(goose, "  conversion:"):strings.Index(goose, "  group:")]
	without, lost := strings.Replace(goose, conversion, "", 1), " would be lost, because this file is written with geese.example.com alone"
	of := func(old, new string) string { return strings.Replace(goose, old, new, 1) }
	for _, test := range []struct{ name, text, want string }{
		{"layout of the writer", "# header\n---\n" + goose, keptGoose},
		{"without", without, ""},
		{"lines of Windows", strings.ReplaceAll(goose, "\n", "\r\n"), keptGoose},
		{"byte order mark", "\ufeff" + goose, keptGoose},
		{"tag", of("spec:", "spec: !!map"), keptGoose},
		{"anchor", of("spec:", "spec: &a # comment"), keptGoose},
		{"quoted", of("conversion:", `"conversion" :`), keptGoose},
		{"explicit key", of("spec:\n", "? spec\n:\n"), keptGoose},
		{"after the versions", without + conversion, keptGoose},
		{"flow", `{"kind": CustomResourceDefinition, spec: {` + "\n  versions:\n    [], conversion: {strategy: None}}}", "None"},
		{"merged", "x: &x\n" + conversion + without + "  <<: *x\n", keptGoose},
		{"alias", "x: &u https://x\n" + of(`"https://x"`, "*u"), keptGoose},
		{"empty documents", "---\n# c\n---\n" + goose + "---\n---\nnull\n", keptGoose},
		{"list", "kind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(goose), "\n", "\n  "), keptGoose},
		{"others before", "kind: ConfigMap\nmetadata: {name: x}\n---\n" + goose, keptGoose + "; 1:1: ConfigMap x" + lost},
		{"others after", goose + "---\nkind: Secret\n", keptGoose + "; 17:1: Secret" + lost},
		{"others in a list", "kind: List\nitems:\n- {kind: Pod}\n", "3:3: Pod" + lost},
		{"another name", of("geese.example", "swans.example"), "1:1: CustomResourceDefinition swans.example.com" + lost},
		{"twice", goose + "---\n" + without, keptGoose + "; 17:1: geese.example.com is a second time in this file, of which one manifest is kept"},
		{"key twice", "spec: {}\n" + goose, keptGoose + "; 8:1: cannot keep spec.conversion: duplicate key \"spec\", first in line 1"},
		{"null", of(strings.TrimPrefix(conversion, "  conversion:"), " null\n"), ""},
		{"text", "- conversion", "1:1: this document" + lost},
		{"not YAML", "conversion: [\n", "1:1: cannot keep spec.conversion: did not find expected node content"},
		{"not YAML, without", "kind: [\n", ""},
		{"template", "kind: {{ .Kind }}\nspec: {conversion: null}\n", "1:8: cannot keep spec.conversion: a key must be text"},
	} {
		if got := keepOf(test.text); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s\n%s", test.name, got, test.want, test.text)
		}
	}
}

// TestKeepStyles keeps a conversion in random styles of YAML.
func TestKeepStyles(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(goose), &document); err != nil {
			t.Fatal(err)
		}
		restyle(random, document.Content[0])
		var b bytes.Buffer
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(1 + random.IntN(8))
		if err := encoder.Encode(&document); err != nil {
			t.Fatal(err)
		}
		if got := keepOf(b.String()); got != keptGoose {
			t.Fatalf("seed %d: %s\n%s", seed, got, b.String())
		}
	}
}

// restyle changes the styles of a node and all nodes in it, and the order of keys, and adds anchors.
func restyle(random *rand.Rand, n *yaml.Node) {
	chance := func(percent int) bool { return random.IntN(100) < percent }
	switch {
	case n.Kind != yaml.ScalarNode && chance(20):
		n.Style = yaml.FlowStyle
	case n.Kind != yaml.ScalarNode:
		n.Style = 0
	default:
		n.Style = []yaml.Style{0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle, yaml.TaggedStyle}[random.IntN(4)]
	}
	if chance(10) {
		n.Anchor = fmt.Sprintf("a%d", random.IntN(3))
	}
	if n.Kind == yaml.MappingNode {
		for i := len(n.Content) - 2; i > 0; i -= 2 {
			j := random.IntN(i/2+1) * 2
			n.Content[i], n.Content[j] = n.Content[j], n.Content[i]
			n.Content[i+1], n.Content[j+1] = n.Content[j+1], n.Content[i+1]
		}
	}
	for _, inner := range n.Content {
		restyle(random, inner)
	}
}
