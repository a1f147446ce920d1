package reference

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// TestMarkdown checks comments as Markdown, and in cells. TestHostilePages of test/crds renders any comments.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string][2]string{
		"a < b & c | d":                 {"a &lt; b &amp; c | d", `a &lt; b &amp; c \| d`},
		"two\rlines":                    {"two\nlines", "two lines"},
		"two\nlines":                    {"two\nlines", "two lines"},
		"a\n\n\n\nb":                    {"a\n\n\n\nb", "a<br><br>b"},
		"one:\n- x\n- y\n  z":           {"one:\n- x\n- y\n  z", "one:<br>- x<br>- y z"},
		"run:\n\n\ta | <b>\n\tb\n\nend": {"run:\n\n\ta | <b>\n\tb\n\nend", "run:<br><br>`a \\| <b>`<br>`b`<br><br>end"},
		"- x\n\n      <b>":              {"- x\n\n      &lt;b>", "- x<br><br>&lt;b>"},
		"```go\n<b>\n```\n<b>":          {"```go\n<b>\n```\n&lt;b>", "`<b>`<br>&lt;b>"},
		"~~~\n<b>":                      {"~~~\n<b>\n~~~", "`<b>`"},
		"`<b> | x` <b>":                 {"`<b> | x` &lt;b>", "`<b> \\| x` &lt;b>"},
		"`open":                         {"\\`open", "\\`open"},
		"\\`<b>`":                       {"\\`&lt;b>\\`", "\\`&lt;b>\\`"},
		"[a](https://x.org) [b](#b) [c](./c.md) [d](d.md)":         {"[a](https://x.org) [b](#b) [c](./c.md) [d](d.md)", "[a](https://x.org) [b](#b) [c](./c.md) [d](d.md)"},
		"[a](javascript:b()) \\[b](data:c)":                        {"[a\\](javascript:b()) \\[b\\](data:c)", "[a\\](javascript:b()) \\[b\\](data:c)"},
		"see <https://x.org/a?b=c&d>, \\<https://x.org>, <http:x>": {"see <https://x.org/a?b=c&d>, &lt;https://x.org>, &lt;http:x>", "see <https://x.org/a?b=c&d>, &lt;https://x.org>, &lt;http:x>"},
		"[a]: javascript:b":                                        {"[a\\]: javascript:b", "[a\\]: javascript:b"},
		"a\n# B\nc\n\n## D\n\n\te":                                 {"a\n\n**B**\n\nc\n\n**D**\n\n\te", "a<br><br>**B**<br><br>c<br><br>**D**<br><br>`e`"},
		"# A\n\t<b>":                                               {"**A**\n\n\t<b>", "**A**<br><br>`<b>`"},
		"> # A\n- # B":                                             {"> **A**\n\n- **B**", "> **A**<br><br>- **B**"},
		"#a\n#\nb":                                                 {"#a\n\n\nb", "#a<br><br>b"},
		"a\n===\nb\n--":                                            {"a\n\\===\nb\n\\--", "a \\=== b \\--"},
		"`\\|`":                                                    {"`\\|`", "<code>&#92;&#124;</code>"},
	} {
		got := markdown(text)
		if string(got) != want[0] || string(got.Cell()) != want[1] {
			t.Errorf("%q: got %q and the cell %q, want %q", text, got, got.Cell(), want)
		}
	}
	for text, want := range map[string]string{"a": "`a`", "": "`  `", "a`b": "``a`b``", "`": "`` ` ``", " a": "`  a `", "a\nb": "`a b`"} {
		if got := code(text); string(got) != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestWords checks that a page says something about each keyword of schemas, and what it says about some.
func TestWords(t *testing.T) {
	p := &Page{}
	for _, k := range crdschema.Keywords {
		values := map[string]string{
			"enum": `["a"]`, "format": `"date"`, "x-kubernetes-list-type": `"set"`, "x-kubernetes-list-map-keys": `["a"]`, "x-kubernetes-map-type": `"atomic"`,
			"x-kubernetes-validations": `[{"rule":"true"}]`, "items": `{"minimum":1}`, "additionalProperties": `{"minimum":1}`,
			"allOf": `[{"minimum":1}]`, "anyOf": `[{"minimum":1},{"maximum":1}]`, "oneOf": `[{"required":["a"]}]`, "not": `{"minimum":1}`,
		}
		value := values[k.Name]
		if value == "" {
			value = "2"
			switch k.Takes().(type) {
			case nil, *bool:
				value = "true"
			case *string:
				value = `"a"`
			}
		}
		switch k.Name { // which other parts of the page show
		case "type", "x-kubernetes-int-or-string", "default", "title", "description", "example", "externalDocs", "properties", "required",
			"exclusiveMinimum", "exclusiveMaximum":
			continue
		}
		text := `{"type":"array","` + k.Name + `":` + value + `}`
		if k.Name == "x-kubernetes-list-map-keys" {
			text = `{"type":"array","x-kubernetes-list-type":"map","` + k.Name + `":` + value + `}`
		}
		s := schema(t, text)
		if len(p.words(s)) == 0 {
			t.Errorf("a page says nothing about %s", k.Name)
		}
	}
	for text, want := range map[string]string{
		`{"minimum":1,"exclusiveMinimum":true,"maximum":2.5}`:                                                "More than 1; At most 2.5",
		`{"minLength":1,"maxLength":1}`:                                                                      "Exactly 1 character",
		`{"minItems":0,"maxItems":5}`:                                                                        "0 to 5 elements",
		`{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"]}`:                            "No two elements have the same `a` and `b`",
		`{"items":{"items":{"pattern":"a|b"}}}`:                                                              "Each element: each element: Matches `a|b`",
		`{"x-kubernetes-validations":[{"rule":"a<b","message":"a < b","fieldPath":".a"}]}`:                   "a &lt; b: `a<b` (of `.a`)",
		`{"x-kubernetes-validations":[{"rule":"a","messageExpression":"'b'"}]}`:                              "`a`, with the message `'b'`",
		`{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"nullable":true}`: "May be null",
		`{"anyOf":[{"pattern":"a"},{"required":["b"]}]}`:                                                     "Any of: Matches `a`, or `{\"required\":[\"b\"]}`",
		`{"items":{"x-kubernetes-preserve-unknown-fields":true}}`:                                            "Each element: The server accepts any value",
		`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`:                                      "Other fields are kept",
		`{"allOf":[{"maximum":1},{"maximum":2}]}`:                                                            "At most 1; At most 2",
	} {
		var said []string
		for _, constraint := range p.words(schema(t, text)) {
			said = append(said, string(constraint))
		}
		if got := strings.Join(said, "; "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func schema(t *testing.T, text string) *crdschema.Schema {
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
