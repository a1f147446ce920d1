// Package run puts the steps of a run together: it reads packages, generates all outputs in memory, and compares them with what is on
// disk or in a git revision. It writes no files, and knows nothing of flags' syntax, terminals and exit codes: see package cli.
package run

import (
	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// Run is one run of a command, which generates one or more outputs.
type Run struct {
	Env      environment.Environment
	Store    *output.Store // the contents of all generated files
	Progress Progress
	Command  plan.Command
	Listing  bool // generate nothing: only Jobs is wanted
	Preview  bool // what is generated is only compared with a git revision
	// Meant returns advice for a word in place of a package, or "".
	Meant func(word string) string

	withManifests []*Output // outputs that write CustomResourceDefinitions

	module string // directory of the current module; "" for none
	inputs inputs
}

// Progress is told how far a run is. Its methods are called concurrently.
type Progress interface {
	Phase(what string, of int) // a phase begins that has this number of items; 0 if that is not known
	Step(n int)                // n more items are done
	Ended(step string)         // a step of the run, which -v names, has ended
}

// Output is an output of a run: that of the command line, or one of kubegen.yaml. Prepare sets Jobs and Trees.
type Output struct {
	*plan.Plan
	Flags   plan.Flags
	From    *config.Output  // nil for the command line
	Given   map[string]bool // the flags on the command line, where they override the file
	Sources *load.Sources   // of all outputs
	// Within reports whether the command line names a package, nil if it names none; see Narrow.
	Within func(importPath string) bool

	Jobs  []Job
	Trees []output.Tree

	manifests crd.Manifests // see readKinds

	last bool // no other output is parsed after it
}

// Target is one generator and where its output goes.
type Target struct{ plan.Target }

// Job is the work for one output directory, or for one module.
type Job struct {
	Targets []Target
	API     *model.API
	Release plan.Choice // of client-go
	within  string      // directory of the module that the job is confined to; "" for none
}
