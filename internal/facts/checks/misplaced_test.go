package checks

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func TestMisplaced(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"above a type", "package v1\n\n// +genclient\n\n// T is a kind.\ntype T struct{}", ""},
		{"package comment", "// +genclient\npackage v1\n\n\ntype T struct{}", "warning: not in the package comment"},
		{"helpers of a package", "// +kubegen:helpers\npackage v1\ntype T struct{}", ""},
		{"variable", "package v1\n\n// +genclient\nvar x int", "warning: not above a var"},
		{"function", "package v1\n\n// +kubegen:helpers\nfunc f() {}", "warning: not above a func"},
		{"too far", "package v1\n\n// +genclient\n\n\n\ntype T struct{}", "error: but this is too far above T"},
		{"group", "package v1\n\n// +genclient\ntype (\n\n\tT struct{}\n)", "error: not above a group of types"},
		{"after one", "package v1\n\ntype T struct{} // +genclient", "error: not after one"},
		{"inside one", "package v1\n\ntype T struct {\n\t// +genclient\n\tA int\n}", "warning: not inside a declaration"},
		{"nothing follows", "package v1\n\ntype T struct{}\n\n// +genclient\n", "warning: but nothing follows"},
	} {
		for _, mode := range []markers.Mode{markers.Strict, markers.Classic} {
			l := loadtest.Read(t, map[string]string{"x/v1/types.go": test.file}, "x/v1")
			classic := model.Policy{InputPolicy: model.InputPolicy{AcceptMistakes: mode == markers.Classic, CommentsAcrossLines: mode == markers.Classic}}
			p := &Pass{
				Plan: &plan.Plan{Command: plan.Command{Policy: classic}}, Types: gotypes.NewReader(l, classic),
				Packages: []*kinds.Package{{Source: l.Input[0], Kinds: []*kinds.Kind{{}}}},
			}
			misplacedMarker(p)
			got := ""
			for _, d := range p.diags {
				_, why, _ := strings.Cut(d.Message, ", ")
				got += d.Severity.String() + ": " + strings.TrimSuffix(why, ": it has no effect")
			}
			want := test.want
			if mode == markers.Classic {
				want = strings.Replace(want, "error", "warning", 1)
			}
			if got != want {
				t.Errorf("%s, mode %d: got %q, want %q", test.name, mode, got, want)
			}
		}
	}
}
