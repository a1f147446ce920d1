package cli

import (
	"github.com/kubegen/kubegen/internal/commands/impact"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// bumps returns diagnostics about code that was generated for another client-go than the one of the run. If stale is
// set, because the command leaves the code as it is, they advise to generate it again; otherwise, they are notes.
func (in *invocation) bumps(found []impact.Bump, revision string, stale bool) (diags diag.List) {
	for _, bump := range found {
		if stale {
			bump.Diagnostic(diag.Warning, revision, &diags).Suggest("to generate it again, %s", in.toGenerate())
		} else {
			bump.Diagnostic(diag.Note, revision, &diags)
		}
	}
	return diags
}
