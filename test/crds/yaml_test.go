package crds_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// scalars are texts whose meaning depends on the version of YAML.
var scalars = []string{
	"a", "x y", "", "~", "null", "Null", "yes", "no", "on", "OFF", "y", "N", "true", "False", "0", "-0", "7", "+7", "007", "08", "0o17", "0x1F", "0b11", "-0b11", "1_000",
	"1.5", "1.", ".5", "-.5", "1e3", "1E-2", "1e400", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
	".inf", "-.Inf", ".nan", "2001-01-01", "2001-1-1 10:00:00", "2001-01-01T10:00:00Z", "1:30", "190:20:30", "<<", "'<<'", `"\u00e9"`, "'yes'", `"1"`, "!!str 1", "!!str", "!!int 1",
	"!!int x", "!!float 1", "!!float 1.5", "!!bool yes", "!!bool 1", "!!null ''", "!!binary aGk=", "!!binary !", "!x 1", "!!timestamp 2001-01-01", "é", "=", "-", "1-2", "++1", "1e", "0x", "_1", "1__0",
}

// TestYAML reads random documents, which mean what sigs.k8s.io/yaml, the parser of kubectl, makes of them. What that
// refuses is a mistake.
func TestYAML(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	scalar := func() string { return scalars[r.IntN(len(scalars))] }
	same, refused := 0, 0
	for i := range 20_000 {
		var b strings.Builder
		fmt.Fprintf(&b, "a: &a {p: %s, q: 2}\nb: &b\n  %s: %s\n", flow(scalar()), scalar(), scalar())
		for n := range r.IntN(4) {
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "c%d:\n  p: 3\n  <<: *%s\n  r: %s\n", n, []string{"a", "b"}[r.IntN(2)], scalar())
			case 1:
				fmt.Fprintf(&b, "c%d:\n  <<: [*a, *b]\n  q: %s\n", n, scalar())
			case 2:
				fmt.Fprintf(&b, "c%d:\n- %s\n- *a\n", n, scalar())
			case 3:
				fmt.Fprintf(&b, "%s: *b\n", scalar())
			default:
				fmt.Fprintf(&b, "c%d: {<<: *a, x: {<<: {z: %s}}}\n", n, flow(scalar()))
			}
		}
		text := b.String()
		documents, err := yamltext.Read([]byte(text))
		twice := false
		mistakes := 0
		for _, d := range documents {
			for _, m := range d.Mistakes {
				if mistakes++; strings.Contains(m.Message, "duplicate") {
					twice = true
				}
			}
		}
		theirs, wrong := yaml.YAMLToJSON([]byte(text))
		switch {
		case wrong != nil:
			if refused++; err == nil && mistakes == 0 {
				t.Errorf("%d: kubectl says %v of\n%s", i, wrong, text)
			}
			continue
		case twice: // of which kubectl takes the last
			continue
		case err != nil || mistakes > 0:
			t.Errorf("%d: got %v, %v for\n%s%s", i, err, documents, text, theirs)
			continue
		}
		var want any
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if got := valueOf(t, documents[0].Node); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %v, want %v for\n%s", i, got, want, text)
		}
		if same++; t.Failed() && i > 200 {
			break
		}
	}
	fmt.Printf("yaml: %d documents mean the same to kubectl; it refuses %d\n", same, refused)
	if same < 1000 || refused < 1000 {
		t.Error("too few documents")
	}
}

// flow returns a scalar as one of a flow mapping.
func flow(text string) string {
	if text == "-" {
		return "'-'"
	}
	return text
}

// valueOf returns the value of a node as encoding/json decodes it.
func valueOf(t *testing.T, n *yamlv3.Node) any {
	switch n.Kind {
	case yamlv3.DocumentNode:
		return valueOf(t, n.Content[0])
	case yamlv3.AliasNode:
		return valueOf(t, n.Alias)
	case yamlv3.SequenceNode:
		list := []any{}
		for _, element := range n.Content {
			list = append(list, valueOf(t, element))
		}
		return list
	case yamlv3.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = valueOf(t, n.Content[i+1])
		}
		return object
	}
	if n.Tag == "!!str" {
		return n.Value
	}
	var value any
	if err := json.Unmarshal([]byte(n.Value), &value); err != nil {
		t.Errorf("%s: %v", n.Value, err)
	}
	return value
}
