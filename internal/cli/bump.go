package cli

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/run"
)

// bumps returns diagnostics about code that was generated for another client-go than the one of the run. If the command
// does not write the code, they advise to generate it again; otherwise, or in a comparison with a git revision, they
// are notes.
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
