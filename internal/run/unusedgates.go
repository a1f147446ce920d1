package run

import (
	"maps"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/plan"
)

// warnUnusedGates warns about feature gates in the value of a flag that no marker of an output with the same value
// names.
func (o *Output) warnUnusedGates(alike []*Output, diags *diag.List) {
	named, manifests := map[string]bool{}, false
	for _, other := range alike {
		manifests = manifests || other.CRDs != nil || other.Patch != nil
		maps.Copy(named, other.namedGates)
	}
	unused := unusedValues{Output: o, flag: "gates", why: "no marker names this feature gate"}
	if !manifests {
		unused.why = "the run writes no CustomResourceDefinitions"
	}
	for _, value := range o.Flags.CRDs.Gates {
		_, gate, _ := plan.CutGate(value)
		if gate != "" && !named[gate] || !manifests {
			unused.add(value, gate, named, diags)
		}
	}
	unused.report(diags)
}
