package crdschema

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestAcceptsAll compares random patterns: one that accepts all of another matches each string that the other matches.
func TestAcceptsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	atoms := []string{"a", "b", "[ab]", "[a-c]", "(a|b)", "(ab|c)", "(?i:a)", ".", "^", "$", "(a|)", "\\b"}
	ends := []string{"", "", "?", "*", "+", "{1,2}", "{2}", "*?"}
	random := func() (pattern string) {
		for range 1 + r.IntN(2) {
			pattern += atoms[r.IntN(len(atoms))] + ends[r.IntN(len(ends))]
		}
		return "^(" + pattern + ")$"
	}
	texts := []string{"", "\n"}
	for i := 0; len(texts) < 400; i++ {
		for _, letter := range []string{"a", "b", "c", "A"} {
			texts = append(texts, texts[i]+letter)
		}
	}
	certain := 0
	for range 20000 {
		wide, narrow := random(), random()
		w, err := regexp.Compile(wide)
		n, err2 := regexp.Compile(narrow)
		if err != nil || err2 != nil || wide == narrow || !acceptsAll(wide, narrow) {
			continue
		}
		certain++
		for _, text := range texts {
			if n.MatchString(text) && !w.MatchString(text) {
				t.Fatalf("%s does not match %q, which %s matches", wide, text, narrow)
			}
		}
	}
	if certain < 100 {
		t.Errorf("only %d pairs are comparable", certain)
	}
}
