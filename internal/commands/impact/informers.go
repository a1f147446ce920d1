package impact

import (
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// UntypedInformers notes that informers generated for the first time are not typed, because client-go lacks typed
// informers. It notes nothing if kubegen.yaml decides about them, or if callers expect the code of the classic tools.
func UntypedInformers(outputs []*run.Output, changes []output.Change) (diags diag.List) {
	for _, o := range outputs {
		decided := false
		if o.From != nil {
			_, decided = o.From.Values["backport"]
		}
		if decided || o.Plan.Flags.Classic {
			continue
		}
		for _, j := range o.Jobs {
			for _, t := range j.Targets {
				if _, ok := t.Generator.(informer.Generator); !ok || j.Release.Has(model.TypedInformers) {
					continue
				}
				factory := filepath.Join(t.Dir, "factory.go")
				if slices.ContainsFunc(changes, func(c output.Change) bool { return c.Action == output.Create && c.Path == factory }) {
					diags.Notef(
						j.Release.From.Pos, "client-go %s lacks typed informers and handlers, so the generated informers have none", j.Release.Release,
					).Suggest("generate them with %s", diag.Setting("backport"))
				}
			}
		}
	}
	return diags
}
