// Package yamltext_test compares the YAML that kubegen writes with that of sigs.k8s.io/yaml, which controller-gen uses.
package yamltext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	. "github.com/kubegen/kubegen/internal/text/yamltext"
)

// compare writes a value with both.
func compare(t *testing.T, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Skip(err)
	}
	want, err := yaml.Marshal(value)
	if err != nil {
		t.Skip(err) // it does not accept some control characters
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	if got := Marshal(decoded); !bytes.Equal(got, want) {
		t.Errorf("for %s\ngot\n%q\n%s\nwant\n%q\n%s", text, got, got, want, want)
	}
}

// pieces are what strings are made of: words, indicators of YAML, and characters that need escapes.
var pieces = []string{
	"a", "word", "longerword", "Kubernetes", " ", " ", " ", "  ", "\n", "\n\n", ": ", ":", " #", "#", "- ", "-", "---", "...", "?", "? ", "'", `"`, `\`,
	"{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "=", "~", "0", "1", "2020-01-02", "1e3", "0x1f", "0b1", "1_000", "1:30", ".5", ".inf",
	"true", "yes", "no", "null", "on", "é", "日本", "😀", "\t", "\r", "\u00a0", "\u2028", "\u2029", "\ufeff", "\x01", "$", "/", ".", "_", "+",
}

func text(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN([]int{3, 6, 40, 120}[r.IntN(4)]) {
		if r.IntN(3) > 0 {
			b.WriteString(pieces[r.IntN(12)])
		} else {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
	}
	return b.String()
}

func value(r *rand.Rand, depth int) any {
	switch n := r.IntN(12); {
	case n < 3 && depth < 5:
		found := map[string]any{}
		for range r.IntN(5) {
			found[key(r)] = value(r, depth+1)
		}
		return found
	case n < 5 && depth < 5:
		found := []any{}
		for range r.IntN(4) {
			found = append(found, value(r, depth+1))
		}
		return found
	case n == 5:
		return []any{nil, true, false, 0, -1, 42, 0.5, 1e21, 1e-7, 123456789.25, 9007199254740993, uint64(18446744073709551615), 1e100}[r.IntN(13)]
	}
	return text(r)
}

func key(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return strings.ReplaceAll(text(r), "\ufeff", "")
	}
	return fmt.Sprintf("%c%s%d", 'a'+r.IntN(4), []string{"", "x", "X", "-", "."}[r.IntN(5)], r.IntN(120))
}

func TestDocuments(t *testing.T) {
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		found := map[string]any{"value": value(r, 0)}
		for range r.IntN(4) {
			found[key(r)] = value(r, 1)
		}
		compare(t, found)
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece, piece+" and a text that is long enough to be folded, because it goes on after column eighty "+piece+" and on")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		compare(t, map[string]any{"k": a, "l": []any{b, map[string]any{"m": a + b}}})
	})
}
