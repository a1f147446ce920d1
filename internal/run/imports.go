package run

import (
	"context"
	"slices"

	"github.com/kubegen/kubegen/internal/imported"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// importTypes makes the packages of types that requests import, before any package is searched for. It returns the
// requests with these, and the diagnostics about them.
func (r *Run) importTypes(ctx context.Context, requests []*Request) (complete []*Request, said map[*plan.Plan]diag.List) {
	said = map[*plan.Plan]diag.List{}
	for _, request := range requests {
		o := *request
		o.Types, said[o.Plan] = r.typesOf(ctx, request)
		complete = append(complete, &o)
	}
	return complete, said
}

// typesOf makes the packages of types that a request imports.
func (r *Run) typesOf(ctx context.Context, o *Request) (types *imported.Types, diags diag.List) {
	types = o.Types
	if o.Plan.Import == nil {
		return types, nil
	}
	if types.Copies() {
		types, diags = types.Copy(ctx, &r.disk, r.Offline)
		r.Ended("copied")
	}
	if diags.HasErrors() || ctx.Err() != nil {
		return types, diags
	}
	types, said := types.Write(ctx, r.Sources)
	r.Ended("imported")
	return types, append(diags, said...)
}

// unmark removes the markers with errors from copied types, and reports whether there are any. It adds a note for each
// to said.
func (r *Run) unmark(outputs []*Output, said map[*plan.Plan]diag.List) (found bool) {
	for _, o := range outputs {
		notes := o.Types.Unmark(o.diags, r.Sources)
		said[o.Plan] = slices.Concat(said[o.Plan], notes)
		found = found || len(notes) > 0
	}
	return found
}
