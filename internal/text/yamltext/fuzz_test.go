package yamltext

import (
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// FuzzWriter checks that a parser of YAML reads the texts that were written, as keys and as values, and nothing else.
func FuzzWriter(f *testing.F) {
	for _, text := range []string{
		"", "x", "x: y", "- x", "# x", "x # y", "x\ny", "x\n\n---\ny: z\n", "...", "--- |", "\"", "'", "`", "\\", "&x", "*x", "!!binary x", "{a: b}", "[a]", "%YAML 1.1", "? x", "x\r\ny", "x\u0085y", "x\u2028y\u2029",
		"\x00", "\x1b[31m", "\ufeffx", "\u202ex", " x ", "\tx", "x\t", "\n", "\n\n", " \n", "x\n ", "true", "null", "1e3", "0x1", "2020-01-01", "<<", "=", "\U0001f600", "\xff", "x\n\ty", "x\n  y\n z\n",
	} {
		f.Add(text, text)
		f.Add(text, "x\n"+text)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if !utf8.ValidString(key) || !utf8.ValidString(text) || len(key)+len(text) > 5000 {
			return
		}
		var w Writer
		w.Key(0, "before")
		w.String(0, text)
		w.Key(0, "in")
		w.Key(2, key)
		w.String(2, text)
		w.Key(0, "list")
		w.Item(0)
		w.String(0, text)
		w.Item(0)
		w.String(0, key)
		w.Key(0, "spec")
		w.String(0, "after")
		out := w.Bytes()
		var document yaml.Node
		if err := yaml.Unmarshal(out, &document); err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		root := document.Content[0]
		var got []string
		for i, n := range root.Content {
			if i%2 == 0 {
				got = append(got, n.Value)
			}
		}
		if len(got) != 4 || got[0] != "before" || got[1] != "in" || got[2] != "list" || got[3] != "spec" {
			t.Fatalf("the keys are %q in\n%q", got, out)
		}
		in, list := root.Content[3], root.Content[5]
		if len(in.Content) != 2 || len(list.Content) != 2 {
			t.Fatalf("there are %d and %d nodes in\n%q", len(in.Content), len(list.Content), out)
		}
		for _, pair := range [][2]string{{root.Content[1].Value, text}, {in.Content[0].Value, key}, {in.Content[1].Value, text}, {list.Content[0].Value, text}, {list.Content[1].Value, key}} {
			if pair[0] != pair[1] {
				t.Errorf("%q is read as %q from\n%q", pair[1], pair[0], out)
			}
		}
	})
}
