// Package run executes the steps of a run up to the files in memory: it imports types, reads packages, derives objects,
// and generates all outputs. It writes no files, and knows no flags, terminals or exit codes, which package cli
// handles.
package run

import (
	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/imported"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/objects"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// Run is one run of a command, which generates one or more outputs.
type Run struct {
	Env      environment.Environment
	Progress Progress
	Command  plan.Command
	Purpose  facts.Purpose
	Offline  bool // copied types are compared with what is here; see imported.Types.Copy
	// Meant returns advice for an argument that matches no package, or "".
	Meant func(word string) string

	outputs []*Output // being prepared
	disk    output.Disk
}

// Progress receives the progress of a run. Its methods are called concurrently.
type Progress interface {
	Phase(what string, of int) // a phase begins; of is its number of items, or 0 if unknown
	Step(n int)                // n more items are done
	Ended(step string)         // a step of the run, named by -v, has ended
}

// Output is an output of a run, from the command line or from kubegen.yaml. Prepare sets Objects, Jobs and Trees.
type Output struct {
	*plan.Plan
	Types   *imported.Types // which Prepare writes
	From    *config.Output  // nil for the command line
	Given   map[string]bool // flags on the command line, which override the file
	Sources *load.Sources   // shared by all outputs
	// Within reports whether the command line names a package. It is nil if the command line names none; see Narrow.
	Within func(importPath string) bool

	Objects objects.Objects
	Jobs    []Job
	Trees   []output.Tree

	removed bool // everything that an earlier run wrote for the packages is stale; see byMarkers

	marked   []*Output         // see byMarkers
	ofImport diag.List         // diagnostics about Types
	ofModule []*crd.Definition // see readCRDs
	diags    diag.List         // all diagnostics about the output
	err      error             // of generating it
}

// Covers is like plan.Plan.Covers. An import covers all packages in its directory, and packages of other modules.
func (o *Output) Covers(within string) func(importPath string) bool {
	if o.Import != nil {
		return o.Types.Covers()
	}
	return o.Plan.Covers(within)
}

// Job is the work for one output directory, or for one module.
type Job struct {
	Targets []plan.Target
	API     *model.API
	Release plan.Choice // of client-go
	within  string      // directory of the module that the job is confined to, or ""
}
