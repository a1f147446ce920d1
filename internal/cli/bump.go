package cli

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/run"
)

// bumps are diagnostics about generated code for another client-go than the one that the run is for: with the advice to generate it again,
// or where it is generated or compared with a git revision, notes.
func (c *command) bumps(found []run.Bump, revision string) (diags diag.List) {
	for _, bump := range found {
		if c.verify || c.listing != "" {
			bump.Diagnostic(diag.Warning, revision, &diags).Suggest("to generate it again, %s", c.toGenerate())
		} else {
			bump.Diagnostic(diag.Note, revision, &diags)
		}
	}
	return diags
}
