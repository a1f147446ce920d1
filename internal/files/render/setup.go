package render

import (
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Configurable is a Generator with settings of its own.
type Configurable interface {
	Generator
	// Configure returns the generator with its settings. It adds mistakes in files that these name to diags.
	Configure(Setup, *diag.List) (Generator, error)
}

// Setup is what the settings of a generator depend on.
type Setup struct {
	load.Environment
	Settings plan.Settings
	Dir      string   // absolute directory of the manifests
	Imported bool     // the types are imported from manifests, so that users cannot change them
	Overlay  *Overlay // the user's templates; nil if there are none
	// AnyManifest and NoGates are as in plan.Conventions.
	AnyManifest, NoGates bool
}
