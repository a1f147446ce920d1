package crd

import (
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
)

// TestOddDefinitions compares a definition with others that differ in one value, which may be none that servers take.
func TestOddDefinitions(t *testing.T) {
	read := func(text []byte) []*Definition {
		found, _ := Read("crd.yaml", text)
		return found
	}
	plain := read([]byte(apitest.Definition))
	if wrong := plain[0].CheckWhole(); wrong.HasErrors() {
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
			other := read(odd.Text)
			for _, d := range other {
				d.CheckWhole()
			}
			changes, _ := ManifestsOf(other, plain).Breaking(plain)
			ManifestsOf(plain, other).Breaking(other)
			ManifestsOf(other, other).Breaking(other)
			if len(changes) > 0 {
				changed++
			}
		}()
	}
	if changed < 100 {
		t.Errorf("only %d of the definitions have changes", changed)
	}
}
