package facts

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// readVerbs determines the verbs of the client. Markers accumulate: several skipVerbs lines skip all verbs in them, and
// skipped verbs are removed from the verbs selected by onlyVerbs and readonly.
//
// The classic generators only use the first marker with a name, and keep selected verbs even if they are skipped.
func (p *Facts) readVerbs(k *kind, r *model.Resource) {
	var only, skipped model.Verbs
	var onlyPos token.Position
	limited := false
	seen := map[string]token.Position{}
	for _, m := range k.Markers {
		switch m.Name {
		case "genclient:readonly", "genclient:onlyVerbs", "genclient:skipVerbs", "genclient:noVerbs":
			r.VerbsFrom = append(r.VerbsFrom, marked(m))
		}
		if first, again := seen[m.Name]; again && p.cfg.Policy.FirstVerbList && (m.Name == "genclient:onlyVerbs" || m.Name == "genclient:skipVerbs") {
			p.Warnf(m.Pos, "only the first +%s of %s has an effect", m.Name, r.Kind).WithRelated(first).Suggest("list all verbs in it")
			continue
		}
		seen[m.Name] = m.Pos
		switch m.Name {
		case "genclient:readonly":
			only |= model.NewVerbs(model.VerbGet, model.VerbList, model.VerbWatch)
			onlyPos, limited = m.Pos, true
		case "genclient:onlyVerbs":
			only |= markers.ParseVerbs(m, p.mode(), &p.List)
			onlyPos, limited = m.Pos, true
		case "genclient:skipVerbs":
			skipped |= markers.ParseVerbs(m, p.mode(), &p.List)
		case "genclient:noVerbs":
			r.NoVerbs = true
		}
	}
	if both := (only & skipped).List(); len(both) > 0 {
		p.mistakef(onlyPos, "the skipped verbs are generated nevertheless", "%s both skips and selects %s", r.Kind, markers.Join(both)).
			Suggest("remove the verb from +genclient:skipVerbs, or from the marker that selects it")
	}
	if limited && p.cfg.Policy.SelectedVerbsWin {
		skipped = 0
	}
	if r.NoVerbs && only|skipped != 0 {
		p.Warnf(k.Pos, "the other verb markers of %s have no effect together with +genclient:noVerbs", r.Kind).
			Suggest("remove one or the other")
	}
	r.Verbs = model.NewVerbs(model.AllVerbs()...)
	if only != 0 || limited && p.cfg.Policy.SelectedVerbsWin {
		r.Verbs = only
	}
	r.Verbs = r.Verbs.Without(skipped.List()...)

	status := p.readStatus(k, r)
	if r.HasStatus {
		return
	}
	for _, verb := range []model.Verb{model.VerbUpdateStatus, model.VerbApplyStatus} {
		if only.Has(verb) {
			p.Warnf(onlyPos, "%s of %s is selected but cannot be generated: the type %s", verb, r.Kind, status)
		}
	}
	r.Verbs = r.Verbs.Without(model.VerbUpdateStatus, model.VerbApplyStatus)
}
