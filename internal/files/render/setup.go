package render

import (
	"github.com/kubegen/kubegen/internal/plan"
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
	*plan.Plan
	Dir     string   // absolute directory of the manifests
	Overlay *Overlay // the user's templates; nil if there are none
}
