package keep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func values(t *testing.T, text string) (list []any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		name, kept, present string
		want                []int
	}{
		{"the same", `[{"a":"1"},{"a":"2"}]`, `[{"a":"1"},{"a":"2"}]`, []int{0, 1}},
		{"equal elements stay in order", `[{"a":"1"},{"a":"1"},{"a":"1"}]`, `[{"a":"1"},{"a":"1"},{"a":"1"}]`, []int{0, 1, 2}},
		{"defaults", `[{"a":"1"},{"a":"2"}]`, `[{"a":"1","p":"TCP"},{"a":"2","p":"TCP"}]`, []int{0, 1}},
		{"an element that equals another one with its default", `[{"a":"1"},{"a":"1","p":"TCP"}]`, `[{"a":"1","p":"TCP"},{"a":"1","p":"TCP"}]`, []int{0, 1}},
		{"the same, and a new element at the end", `[{"a":"1"},{"a":"1","p":"TCP"}]`, `[{"a":"1","p":"TCP"},{"a":"1","p":"TCP"},{"a":"3"}]`, []int{0, 1, -1}},
		{"removed at the start", `[{"a":"1"},{"a":"1","p":"UDP"}]`, `[{"a":"1","p":"UDP"}]`, []int{1}},
		{"removed at the end", `[{"a":"1","p":"UDP"},{"a":"1"}]`, `[{"a":"1","p":"UDP"}]`, []int{0}},
		{"added at the start", `[{"a":"1"},{"a":"2"}]`, `[{"a":"3"},{"a":"1"},{"a":"2"}]`, []int{-1, 0, 1}},
		{"another order", `[{"a":"1"},{"a":"2"},{"a":"3"}]`, `[{"a":"3"},{"a":"1","p":"TCP"},{"a":"2"}]`, []int{2, 0, 1}},
		{"changed", `[{"a":"1"}]`, `[{"a":"2"}]`, []int{-1}},
		{"a value is missing", `[{"a":"1","b":"1"}]`, `[{"a":"1"}]`, []int{-1}},
		{"nested defaults", `[{"a":{"b":[{"c":"1"}]}}]`, `[{"a":{"b":[{"c":"1","d":"1"}],"e":"1"}}]`, []int{0}},
		{"nothing kept", `[]`, `[{"a":"1"}]`, []int{-1}},
		{"nothing there", `[{"a":"1"}]`, `[]`, []int{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := align(values(t, test.kept), values(t, test.present)); !slices.Equal(got, test.want) {
				t.Errorf("%s to %s: %v, not %v", test.kept, test.present, got, test.want)
			}
		})
	}
}

// What clients and servers do to lists with elements that cannot be told apart leaves each element its own, as far as
// anything tells which one was removed.
func TestAlignRandom(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		kept := make([]any, rng.IntN(6))
		for i := range kept {
			kept[i] = element(rng)
		}
		defaults := rng.IntN(2) == 0
		index := make([]int, len(kept)) // of each present element in kept, or -1
		for i := range index {
			index[i] = i
		}
		for range rng.IntN(2) {
			at := rng.IntN(len(index) + 1)
			index = slices.Insert(index, at, -1)
		}
		present := make([]any, len(index))
		for i, from := range index {
			one := map[string]any{"a": "new"}
			if from >= 0 {
				one = cloned(kept[from])
			}
			if _, ok := one["p"]; !ok && defaults {
				one["p"] = "TCP"
			}
			present[i] = one
		}
		if got := align(kept, present); !slices.Equal(got, index) {
			t.Errorf("seed %d: %s to %s: %v, not %v", seed, textOfIdentity(kept), textOfIdentity(present), got, index)
		}
	}
}

func element(rng *rand.Rand) any {
	one := map[string]any{"a": fmt.Sprint(rng.IntN(3))}
	switch rng.IntN(3) {
	case 0:
		one["p"] = "TCP"
	case 1:
		one["p"] = "UDP"
	}
	return one
}

func cloned(value any) (one map[string]any) {
	_ = json.Unmarshal([]byte(textOfIdentity(value)), &one)
	return one
}

// Long lists are not compared in order, but their elements are found.
func TestAlignLong(t *testing.T) {
	kept, present := make([]any, 600), make([]any, 600)
	for i := range kept {
		kept[i] = map[string]any{"a": fmt.Sprint(i)}
		present[len(kept)-1-i] = kept[i]
	}
	for i, at := range align(kept, present) {
		if at != len(kept)-1-i {
			t.Fatalf("element %d is %d", i, at)
		}
	}
}
