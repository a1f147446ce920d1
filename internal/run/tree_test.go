package run

import (
	"testing"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// A generator need not replace a tool.
func TestNoReplacedTool(t *testing.T) {
	target := Target{plan.Target{Generator: &render.Generator{Name: "table", Templates: "tables"}, Dir: t.TempDir()}}
	var diags diag.List
	trees, err := (&Output{Plan: &plan.Plan{}}).tree(target, &model.API{}, func(string) bool { return true }, &diags)
	if err != nil || len(diags) > 0 || len(trees) != 1 || trees[0].Adopt != nil {
		t.Errorf("got %v, %v, %v", trees, diags, err)
	}
}
