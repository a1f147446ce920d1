// Package run executes the steps of a run up to the files in memory: it imports types, reads packages, derives
// manifests, and generates all outputs. It writes no files, and knows no flags, terminals or exit codes, which package
// cli handles.
package run

import (
	"context"
	"errors"
	"slices"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/imported"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Run is one run of a command, which generates one or more outputs.
type Run struct {
	Env     load.Environment
	Purpose facts.Purpose
	Offline bool          // copied types are compared with what is here; see imported.Types.Copy
	Sources *load.Sources // of all packages
	// Ended receives the end of each step of the run, which -v names.
	Ended func(step string)
	// Meant returns advice for an argument that matches no package, or "".
	Meant func(word string) string

	disk output.Disk
}

// Request is an output that a run is asked for, by the command line, by kubegen.yaml, or by markers in a package.
type Request struct {
	Plan  *plan.Plan
	Types *imported.Types    // without files until Prepare imports them
	From  *plan.ConfigOutput // nil for the command line
	Given map[string]bool    // flags on the command line, which override the file

	Loading   load.Config // of packages
	Manifests []Target    // the generators of manifests, configured
	// Within reports whether the command line names a package. It is nil if the command line names none; see Narrow.
	Within func(importPath string) bool

	all     []render.Generator
	overlay *render.Overlay   // the user's templates, or nil
	written products.Output   // into packages of types
	crds    []*crd.Definition // from the directory in --crds
	module  string            // the import path in --crds, whose directory is not read yet, or ""

	marked  bool // see byMarkers
	removed bool // everything that an earlier run wrote for the package is stale; see byMarkers
}

// Output is what a run has generated for a request.
type Output struct {
	*Request
	Objects Objects
	Jobs    []Job
	Trees   []output.Tree

	diags diag.List // about the output, apart from its imports
	err   error     // of generating it
}

// Job is the work for one output directory, or for one module.
type Job struct {
	Targets []Target
	API     *model.API
	Release plan.Choice // of client-go
	within  string      // directory of the module that the job is confined to, or ""
}

// Prepare generates outputs in memory, and further ones that markers in their packages request. It returns all of them.
func (r *Run) Prepare(ctx context.Context, requests []*Request) (outputs []*Output, diags diag.List, err error) {
	requests, said := r.importTypes(ctx, requests)
	for again := true; again; again = r.unmark(outputs, said) { // generators show which markers of copied types are wrong
		if outputs = r.generateAll(ctx, requests, said); ctx.Err() != nil {
			return nil, nil, nil
		}
	}
	var errs []error
	for _, o := range outputs {
		list := slices.Concat(said[o.Plan], o.Types.Place(o.diags))
		if !o.marked {
			list = append(list, o.reportIneffective(outputs)...)
		}
		o.Place(list)
		diags, errs = append(diags, list...), append(errs, o.err)
	}
	if outputs[0].From != nil && !diags.HasErrors() {
		diags = append(diags, warnUnused(outputs)...)
		reportTwice(outputs, &diags)
	}
	r.Sources.Forget(keepsPositions(requests))
	return outputs, diags, errors.Join(errs...)
}

// generateAll takes all requests through the steps of a run together. Each step is done once, because it needs no files
// of later ones. said has the diagnostics about imports; what they prevent is not generated.
func (r *Run) generateAll(ctx context.Context, requests []*Request, said map[*plan.Plan]diag.List) (outputs []*Output) {
	var read []*reading
	for _, request := range requests {
		if said[request.Plan].HasErrors() {
			read = append(read, &reading{Request: request})
			continue
		}
		one, byMarkers := r.read(ctx, request, requests)
		read = append(read, one)
		for _, marked := range byMarkers {
			one, _ := r.read(ctx, marked, requests)
			read = append(read, one)
		}
	}
	for _, one := range read {
		one.derive()
	}
	for _, one := range read {
		outputs = append(outputs, r.name(one, served(read, one)))
	}
	r.Ended("parsed")
	if ctx.Err() != nil || r.Purpose == facts.ToList {
		return outputs
	}
	r.Sources.Forget(keepsPositions(requests))
	for _, o := range outputs {
		if !o.diags.HasErrors() {
			o.Trees, o.diags, o.err = r.trees(o)
		}
	}
	r.Ended("generated")
	return outputs
}

// keepsPositions reports whether later steps need positions in source files: the positions of schemas, for breaking
// changes and lists.
func keepsPositions(requests []*Request) bool {
	return slices.ContainsFunc(requests, func(o *Request) bool { return o.defines() })
}
