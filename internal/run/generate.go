package run

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
)

// Prepare generates outputs in memory, and further ones that markers in their packages request. It returns all of them.
// Outputs that write manifests or into packages of types come first, because the others depend on these manifests and
// packages.
func (r *Run) Prepare(ctx context.Context, given []*Output) (all []*Output, diags diag.List, err error) {
	r.outputs = given
	for _, o := range given { // before any package is searched for
		o.ofImport = r.importTypes(ctx, o)
	}
	first, others := inOrder(given)
	for range len(first) { // they may read each other's files
		changed := false
		for _, o := range first {
			r.prepare(ctx, o, false)
			changed = o.show() || changed
		}
		if !changed {
			break
		}
	}
	for _, o := range first {
		others = append(others, o.marked...)
	}
	for i := 0; i < len(others); i++ {
		r.prepare(ctx, others[i], i == len(others)-1)
		others = append(others, others[i].marked...)
	}
	var errs []error
	for _, o := range given {
		all = append(append(all, o), o.marked...)
	}
	for _, o := range given {
		o.warnUnselected()
	}
	for _, o := range all {
		o.Place(o.diags)
		diags, errs = append(diags, o.diags...), append(errs, o.err)
	}
	if given[0].From != nil && !diags.HasErrors() {
		warnUnused(all, &diags)
		reportTwice(all, &diags)
	}
	given[0].Sources.Forget(r.keepsPositions())
	return all, diags, errors.Join(errs...)
}

// inOrder returns the outputs whose files others may depend on, and all others. Clients depend on the manifests of all
// outputs, so outputs with manifests come first.
func inOrder(outputs []*Output) (first, others []*Output) {
	for _, crds := range []bool{true, false} {
		for _, o := range outputs {
			inPackages := func(t plan.Target) bool { return t.Dir == "" }
			switch {
			case crds != (o.CRDs != nil):
			case len(outputs) > 1 && (crds || slices.ContainsFunc(o.Targets, inPackages)):
				first = append(first, o)
			default:
				others = append(others, o)
			}
		}
	}
	return first, others
}

// importTypes makes the packages of types that an output imports.
func (r *Run) importTypes(ctx context.Context, o *Output) (diags diag.List) {
	if o.Import == nil {
		return nil
	}
	if o.Types.Copies() {
		r.Progress.Phase("copying types", 0)
		diags = o.Types.Copy(ctx, &r.disk, r.Offline)
		r.Progress.Ended("copied")
	}
	if diags.HasErrors() || ctx.Err() != nil {
		return diags
	}
	r.Progress.Phase("importing types", 0)
	diags = append(diags, o.Types.Write(ctx, o.Sources)...)
	r.Progress.Ended("imported")
	return diags
}

// show lets later outputs read the files that this one will write into packages of types. It reports whether any of
// them is new to the loader.
func (o *Output) show() (changed bool) {
	flat := slices.DeleteFunc(slices.Clone(o.Trees), func(tree output.Tree) bool { return !tree.Flat })
	changes, _ := output.Plan(flat...) // errors are reported when everything is compared
	for _, change := range changes {
		if filepath.Ext(change.Path) == ".go" { // not a manifest
			changed = o.Sources.Change(change.Path, change.New.Bytes()) || changed
		}
	}
	return changed
}

// prepare reads one output and, unless r.Purpose is facts.ToList, generates it. last means that no other output is read
// afterwards.
func (r *Run) prepare(ctx context.Context, o *Output, last bool) {
	o.diags, o.err, o.marked = o.ofImport, nil, nil
	if o.diags.HasErrors() {
		return
	}
	for {
		var diags diag.List
		if o.removed {
			o.Jobs = []Job{{Targets: o.Targets, API: &model.API{}}}
		} else {
			diags = r.read(ctx, o, last)
		}
		if ctx.Err() != nil {
			return
		}
		r.Progress.Ended("parsed")
		if !diags.HasErrors() && r.Purpose != facts.ToList {
			o.Trees, o.err = r.generate(o, &diags)
			r.Progress.Ended("generated")
		}
		notes := o.Types.Unmark(diags, o.Sources)
		if len(notes) == 0 {
			o.diags = append(o.diags, o.Types.Place(diags)...)
			return
		}
		o.ofImport = append(o.ofImport, notes...)
		o.diags = o.ofImport
	}
}

// keepsPositions reports whether later steps need positions in source files: the positions of schemas, for breaking
// changes.
func (r *Run) keepsPositions() bool {
	return slices.ContainsFunc(r.outputs, func(o *Output) bool { return o.CRDs != nil })
}

// generate renders all files. It runs all generators concurrently, because a single one leaves processors idle at its
// end.
func (r *Run) generate(o *Output, diags *diag.List) ([]output.Tree, error) {
	type rendering struct {
		target plan.Target
		render func(*diag.List) ([]output.Tree, error)
		trees  []output.Tree
		diags  diag.List
		err    error
	}
	trees, removed, err := o.Types.Trees(&r.disk)
	if err != nil {
		return nil, err
	}
	var all []*rendering
	for _, j := range o.Jobs {
		covered := o.Covers(j.within)
		for _, t := range j.Targets {
			t.Options.Client = j.Release.Client
			all = append(all, &rendering{target: t, render: func(diags *diag.List) ([]output.Tree, error) {
				if g, ok := t.Generator.(render.PackageGenerator); ok {
					defer forget(g, j.API)
					return o.beside(&r.disk, t, g, j.API, removed, diags)
				}
				return o.tree(&r.disk, t, j.API, covered, diags)
			}})
		}
	}
	r.Progress.Phase("generating", len(all))
	inOrder := slices.Clone(all)
	slices.SortStableFunc(inOrder, func(a, b *rendering) int { return cmp.Compare(rank(a.target), rank(b.target)) })
	parallel.Each(inOrder, func(one *rendering) {
		one.trees, one.err = one.render(&one.diags)
		r.Progress.Step(1)
	})
	manifests, err := o.Objects.Trees(&r.disk, o.KeepStale)
	trees = append(trees, manifests...)
	errs := []error{err, o.reportOthers(&r.disk, diags)}
	for _, one := range all {
		*diags = append(*diags, one.diags...)
		errs = append(errs, one.err)
		trees = append(trees, one.trees...)
	}
	o.reportAmongTypes(trees, diags)
	return trees, errors.Join(errs...)
}

// rank orders generators whose facts are not needed afterwards before others.
func rank(t plan.Target) int {
	if t.Info().Provides.DeepCopy {
		return 0
	}
	return 1
}

// forget frees the memory of facts that only one generator needs, after it has rendered its files.
func forget(g render.Generator, api *model.API) {
	if g.Info().Provides.DeepCopy {
		for _, pkg := range api.Packages {
			pkg.Copies = nil
		}
	}
}
