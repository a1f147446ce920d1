package crd

import (
	"strings"
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

// TestVariants compares a definition with a directory that also has a variant of it.
func TestVariants(t *testing.T) {
	read := func(file, text string) []*Definition {
		found, _ := Read(file, []byte(text))
		return found
	}
	variant := strings.ReplaceAll(apitest.Definition, "type: string", "type: boolean")
	now := read("crd.yaml", apitest.Definition)
	file := fileName(now[0].Group.Text, now[0].Plural.Text)
	for _, test := range []struct {
		past     []*Definition
		breaking bool
	}{
		{append(read(file, apitest.Definition), read("variant.yaml", variant)...), false},
		{append(read("variant.yaml", variant), read(file, apitest.Definition)...), false},
		{append(read(file, variant), read("variant.yaml", apitest.Definition)...), true},
		{read("variant.yaml", variant), true},
	} {
		changes, _ := ManifestsOf(now, test.past).Breaking(test.past)
		if got := len(changes) > 0; got != test.breaking {
			t.Errorf("%d manifests, the first in %s: changes %v", len(test.past), test.past[0].Group.Pos.Filename, changes)
		}
	}
}
