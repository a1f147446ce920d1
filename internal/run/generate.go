package run

import (
	"errors"
	"slices"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// trees renders all files. It runs all generators concurrently, because a single one leaves processors idle at its end.
func (r *Run) trees(o *Output) ([]output.Tree, diag.List, error) {
	type rendered struct {
		trees []output.Tree
		diags diag.List
		err   error
	}
	trees, removed, err := o.Types.Trees(&r.disk)
	if err != nil {
		return nil, o.diags, err
	}
	var all []func() rendered
	for _, j := range o.Jobs {
		covered := o.covers(j.within)
		for _, t := range j.Targets {
			t.Options.Client = j.Release.Client
			all = append(all, func() (one rendered) {
				if g, ok := t.Generator.(render.PackageGenerator); ok {
					one.trees, one.diags, one.err = o.beside(&r.disk, t, g, j.API, removed)
				} else {
					one.trees, one.diags, one.err = o.tree(&r.disk, t, j.API, covered)
				}
				return one
			})
		}
	}
	made := parallel.Map(all, func(render func() rendered) rendered { return render() })
	manifests, err := o.Objects.Trees(&r.disk, o.Plan.KeepStale)
	trees = append(trees, manifests...)
	diags := slices.Clone(o.diags)
	errs := []error{err}
	for _, one := range made {
		diags = append(diags, one.diags...)
		errs = append(errs, one.err)
		trees = append(trees, one.trees...)
	}
	o.reportAmongTypes(trees, &diags)
	return trees, diags, errors.Join(errs...)
}

// covers is like plan.Plan.Covers. An import covers all packages in its directory, and packages of other modules.
func (o *Request) covers(within string) func(importPath string) bool {
	if o.Plan.Import != nil {
		return o.Types.Covers()
	}
	return o.Plan.Covers(within)
}
