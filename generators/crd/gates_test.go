package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/plan"
)

// list is the value of a setting of type plan.ListsValue.
type list []string

func (l list) String() string     { return strings.Join(l, ",") }
func (l list) GetSlice() []string { return l }

// TestSets compares the sets of feature gates for a directory and values of --gates, as NAME:DIRECTORY [GATES], or the
// messages.
func TestSets(t *testing.T) {
	for _, test := range []struct{ name, dir, values, want string }{
		{"none", "crds", "", ":crds []"},
		{"one set", "crds", "A B", `:crds ["A" "B"]`},
		{"named", "crds", "alpha:A beta:A beta:B", `:crds [], alpha:crds/alpha ["A"], beta:crds/beta ["A" "B"]`},
		{"beside bases", "config/crd/bases", "alpha:A", `:config/crd/bases [], alpha:config/crd/alpha ["A"]`},
		{"without gates", "crds", "none:", ":crds [], none:crds/none []"},
		{"sorted", "crds", "z:A y:A A", `:crds ["A"], y:crds/y ["A"], z:crds/z ["A"]`},
		{"repeated", "crds", "A A", `:crds ["A"]`},
		{"called bases", "crds", "bases:A",
			`--gates: "bases" in "bases:A" is not the name of a set of feature gates: it must be the name of a directory, such as alpha`},
		{"not a directory", "crds", "a/b:A",
			`--gates: "a/b" in "a/b:A" is not the name of a set of feature gates: it must be the name of a directory, such as alpha`},
		{"two mistakes", "crds", ".a:A a-b",
			`--gates: ".a" in ".a:A" is not the name of a set of feature gates: it must be the name of a directory, such as alpha; ` +
				`--gates: "a-b" is not the name of a feature gate: use letters, digits, underscores and dots`},
		{"no gate", "crds", "A:B:C", `--gates: "A:B:C" is not the name of a feature gate: use letters, digits, underscores and dots`},
	} {
		t.Run(test.name, func(t *testing.T) {
			sets, err := Sets(test.dir, plan.Settings{gates: list(strings.Fields(test.values))})
			var all []string
			for _, s := range sets {
				all = append(all, fmt.Sprintf("%s:%s %q", s.Name, s.Dir, slices.Sorted(maps.Keys(s.Gates.On))))
			}
			got := strings.Join(all, ", ")
			if err != nil {
				got = strings.ReplaceAll(err.Error(), "\n", "; ")
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestOtherDir finds directories of sets that the run does not write.
func TestOtherDir(t *testing.T) {
	g := Generator{Sets: []GateSet{{Dir: "config/crd/bases"}, {Name: "alpha", Dir: "config/crd/alpha"}}}
	for name, want := range map[string]bool{"beta": true, "alpha": false, "bases": false, ".git": false, "v1.2": true} {
		if s, ok := g.OtherDir(name); ok != want || s.Dir != "config/crd/"+name {
			t.Errorf("%s: got %t, directory %s", name, ok, s.Dir)
		}
	}
}
