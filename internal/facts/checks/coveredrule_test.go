package checks

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestCoveredRule compares the rules that coveredRule reports, and the rules that cover them, with a search through all
// pairs of rules.
func TestCoveredRule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(items ...string) []any {
		list := []any{}
		for range random.IntN(3) {
			list = append(list, items[random.IntN(len(items))])
		}
		return list
	}
	for range 300 {
		var rules []model.Marker
		for i := range 1 + random.IntN(30) {
			rules = append(rules, model.Marker{Pos: token.Position{Filename: "x.go", Line: i + 1, Column: 1}, Arguments: map[string]any{
				"groups": some("", "core", "apps", "*"), "resources": some("a", "b", "*"), "verbs": some("get", "list", "*"),
				"urls": some("/x", "*"), "resourceNames": some("one", "*"), "namespace": []string{"", "ns"}[random.IntN(2)],
			}})
		}
		var want, got []string
		for i, m := range rules {
			for j, other := range rules {
				if i != j && coversAll(other, m) && (j < i || !coversAll(m, other)) {
					want = append(want, fmt.Sprint(i+1, " ", j+1))
					break
				}
			}
		}
		p := &Pass{}
		coveredRule(p, rules)
		for _, d := range p.diags {
			got = append(got, fmt.Sprint(d.Pos.Line, " ", d.Related.Line))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q for %v", got, want, rules)
		}
	}
}

// coversAll reports whether the rule of one marker allows all that the rule of another allows.
func coversAll(m, other model.Marker) bool {
	for key, wildcard := range map[string]bool{"groups": true, "resources": true, "verbs": true, "urls": false, "resourceNames": false} {
		granted, needed := m.Strings(key), other.Strings(key)
		if key == "resourceNames" && (len(granted) == 0 || len(needed) == 0) {
			if len(granted) > 0 {
				return false
			}
			continue
		}
		for _, item := range needed {
			if !slices.Contains(granted, item) && !(wildcard && slices.Contains(granted, "*")) &&
				!(key == "groups" && item == "" && slices.Contains(granted, "core")) && !(item == "core" && slices.Contains(granted, "")) {
				return false
			}
		}
	}
	return m.String("namespace") == other.String("namespace")
}

// TestMayCover checks that the rules compared with a rule are few, however many rules have the same groups and verbs.
func TestMayCover(t *testing.T) {
	having := map[grant][]int{}
	var all []grants
	for i := range 1000 {
		all = append(all, grantsOf(model.Marker{Arguments: map[string]any{"groups": []any{"apps"}, "resources": []any{fmt.Sprint(i)}, "verbs": []any{"get"}}}))
		for g := range all[i] {
			having[g] = append(having[g], i)
		}
	}
	for i := range all {
		if found := mayCover(all[i], having); !slices.Equal(found, []int{i}) {
			t.Fatalf("rule %d is compared with %v", i, found)
		}
	}
}
