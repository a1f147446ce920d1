package crd

import (
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestOddDefinitions compares a definition with others that differ in one value, which may be none that servers take.
func TestOddDefinitions(t *testing.T) {
	read := func(text []byte) []*Definition {
		found, _ := Read("crd.yaml", text)
		return found
	}
	plain := read([]byte(apitest.Definition))
	var wrong diag.List
	if plain[0].CheckWhole(&wrong); wrong.HasErrors() {
		t.Fatal(wrong[0].Message)
	}
	changed := 0
	for _, odd := range apitest.OddDocuments([]byte(apitest.Definition)) {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v", odd.Change, r)
				}
			}()
			var diags diag.List
			other := read(odd.Text)
			for _, d := range other {
				d.CheckWhole(&diags)
			}
			changes := ManifestsOf(other, plain).Breaking(plain, &diags)
			ManifestsOf(plain, other).Breaking(other, &diags)
			ManifestsOf(other, other).Breaking(other, &diags)
			if len(changes) > 0 {
				changed++
			}
		}()
	}
	if changed < 100 {
		t.Errorf("only %d of the definitions have changes", changed)
	}
}
