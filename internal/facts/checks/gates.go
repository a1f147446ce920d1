package checks

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/markers"
)

// unlistedGate reports feature gates in markers that no set of manifests has, if there are sets.
func unlistedGate(p *Pass) {
	if len(p.Gates) == 0 {
		return
	}
	for _, src := range p.Sources {
		if src.Foreign {
			continue
		}
		for _, gate := range markers.NamedGates(p.Types.Fset, src.Comments()...) {
			if !slices.Contains(p.Gates, gate.Name) {
				p.diags.Warnf(gate.Pos, "no set of feature gates has %s", gate.Name).
					Meant(gate.Name, p.Gates, "add it to a set of gates: in kubegen.yaml, or delete the marker")
			}
		}
	}
}
