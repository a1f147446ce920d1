package impact

import (
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
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

// MovedStore notes that the changes replace the store of own writes, which earlier releases of kubegen generated, with
// the store of a module.
func MovedStore(outputs []*run.Output, changes []output.Change) (diags diag.List) {
	for _, o := range outputs {
		for _, j := range o.Jobs {
			for _, t := range j.Targets {
				if !t.OwnWrites() {
					continue
				}
				rel, _ := filepath.Rel(templates.Informers, templates.Consistency)
				store := filepath.Join(t.Dir, rel, "store.go")
				if slices.ContainsFunc(changes, func(c output.Change) bool { return c.Action == output.Delete && c.Path == store }) {
					diags.Notef(
						token.Position{Filename: store, Line: 1},
						"the store of own writes is no longer generated, but imported from %s, with the same names", load.Consistency,
					).Run("go get %s and then go mod tidy", load.Consistency)
				}
			}
		}
	}
	return diags
}

// isStore reports whether a change replaces a type of the generated store of own writes with the one of the module,
// which has the same fields and methods.
func isStore(c Change) bool { return c.Is == "type = "+load.Consistency+"."+c.Symbol }
