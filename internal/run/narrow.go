package run

import (
	"context"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Narrow restricts the requests of kubegen.yaml to the packages that match patterns, relative to the directory of the
// run. It returns the requests with such packages. It is an error if a pattern matches no package of any output,
// unless a run may be empty.
func (r *Run) Narrow(ctx context.Context, requests []*Request, patterns []string) (narrowed []*Request, diags diag.List) {
	read := map[*Request][]string{}
	for _, o := range requests {
		read[o] = r.packages(ctx, o)
	}
	var named []func(importPath string) bool
	for _, pattern := range patterns {
		pattern = filepath.ToSlash(pattern)
		matches := plan.Coverage(r.Env, r.Env.EachModule([]string{pattern}), "")
		isRead := func(o *Request) bool { return slices.ContainsFunc(read[o], matches) }
		if !slices.ContainsFunc(requests, isRead) { // the go command or the driver may find the package, or an error
			found, said := r.find(ctx, requests[0].Loading, pattern)
			diags = append(diags, said...)
			matches = func(importPath string) bool { return slices.Contains(found, importPath) }
			if !said.HasErrors() && !slices.ContainsFunc(requests, isRead) && !requests[0].Plan.MayBeEmpty {
				diags.Errorf(token.Position{}, "no output of %s reads a package that matches %s", plan.ConfigName, pattern).
					Suggest("add the package to that file, or name others")
			}
		}
		named = append(named, matches)
	}
	within := func(importPath string) bool {
		return slices.ContainsFunc(named, func(matches func(string) bool) bool { return matches(importPath) })
	}
	for _, o := range requests {
		if slices.ContainsFunc(read[o], within) {
			one := *o
			one.Within = within
			narrowed = append(narrowed, &one)
		}
	}
	return narrowed, diags
}

// packages returns the import paths of the packages that the output of a request reads.
func (r *Run) packages(ctx context.Context, o *Request) (paths []string) {
	for _, pkg := range o.Types.Packages { // they may not exist yet
		paths = append(paths, pkg.Path)
	}
	patterns := slices.Concat(o.Plan.Patterns, o.Types.GoPatterns())
	cfg := o.Loading
	cfg.Sources = r.Sources
	found, _ := load.NewLoader(ctx, cfg).Find(patterns) // Prepare reports errors
	for _, src := range found {
		paths = append(paths, src.Path)
	}
	return paths
}

// find returns the import paths of the packages that match a pattern, or diagnostics.
func (r *Run) find(ctx context.Context, cfg load.Config, pattern string) (paths []string, diags diag.List) {
	cfg.Env, cfg.Suggest = r.Env, r.Meant
	found, diags := load.NewLoader(ctx, cfg).Find([]string{pattern})
	if diags.HasErrors() {
		return nil, diags
	}
	for _, src := range found {
		paths = append(paths, src.Path)
	}
	if len(paths) == 0 && ctx.Err() == nil {
		diags.Errorf(token.Position{}, "no packages match %s", pattern).Suggest("%s", load.Advice(pattern))
	}
	return paths, diags
}

// narrow removes packages that the command line does not name. If an output can only be generated from all of its
// packages, a missing package is an error.
func (o *Output) narrow(listing bool) (diags diag.List) {
	if o.Within == nil {
		return nil
	}
	missing := map[string]bool{}
	for _, j := range o.Jobs {
		j.API.Packages = slices.DeleteFunc(slices.Clone(j.API.Packages), func(pkg *model.Package) bool { return !o.Within(pkg.Path) })
		if listing {
			*j.API = *j.API.Select(func(v *model.Version) bool {
				return slices.ContainsFunc(v.Packages, func(pkg *model.Package) bool { return o.Within(pkg.Path) })
			})
			continue
		}
		if !slices.ContainsFunc(j.Targets, func(t Target) bool { return t.Dir != "" }) {
			continue
		}
		for kind := range j.API.Resources() {
			if !o.Within(kind.Package.Path) {
				missing[kind.Package.Path] = true
			}
		}
	}
	o.reportMissing(
		"clients, listers, informers and apply configurations need all packages of this output", slices.Sorted(maps.Keys(missing)), &diags,
	)
	return diags
}

// reportMissing reports packages that are needed but not named.
func (o *Request) reportMissing(need string, missing []string, diags *diag.List) {
	if len(missing) > 0 {
		diags.Errorf(o.From.Pos, "%s, but the arguments leave out %s", need, strings.Join(missing, ", ")).
			Suggest("name these as well, or no packages")
	}
}
