package run

import (
	"testing"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// A generator need not replace a tool.
func TestNoReplacedTool(t *testing.T) {
	target := targetOf(tables{}, t.TempDir())
	trees, diags, err := (&Output{Request: &Request{Plan: &plan.Plan{Flags: &plan.Flags{}}}}).tree(&output.Disk{}, target, &model.API{}, func(string) bool { return true })
	if err != nil || len(diags) > 0 || len(trees) != 1 || trees[0].Adopt != nil {
		t.Errorf("got %v, %v, %v", trees, diags, err)
	}
}

// tables is a generator without files.
type tables struct{}

func (tables) Info() *plan.Info {
	return &plan.Info{Name: "table", Code: plan.Code{Templates: "tables"}}
}
func (tables) Kind(*model.Resource) bool                                           { return false }
func (tables) Views(*model.API, *render.Options) (views render.Views, _ diag.List) { return views, nil }
