package checks

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func resourceName(p *Pass, k *kinds.Kind) {
	r := k.Resource
	if !token.IsIdentifier(r.Plural) {
		p.diags.Errorf(k.Pos, "the plural %q of %s is not a Go identifier", r.Plural, r.Kind).
			Suggest("correct %s", diag.Setting("plural-exceptions"))
	}
	first := slices.IndexFunc(k.Markers, func(m model.Marker) bool { return m.Name == "resourceName" })
	if k.CRD != nil && first >= 0 && !p.Defines {
		if m, path := k.Markers[first], k.CRD.String("path"); path != "" && path != m.Text {
			p.diags.Warnf(m.Pos, "+resourceName=%s, but +kubebuilder:resource says path=%s", m.Text, path).WithRelated(k.CRD.Pos).
				Suggest("correct one of them; until then clients use %s", m.Text)
		}
	}
	const legal = "at most 63 lower case letters, digits and dashes, starting with a letter"
	switch {
	case model.IsLabel(r.Name):
	case r.NameFrom.Kind != model.FromMarker: // an aggregated API server may allow it
		p.diags.Warnf(k.Pos, "kind %s has the resource name %q, which is not valid in a CustomResourceDefinition", r.Kind, r.Name).
			Suggest("choose one with +resourceName: %s", legal)
	default:
		p.diags.Errorf(r.NameFrom.Pos, "%q is not a valid resource name", r.Name).Suggest("use %s, as in +resourceName=crontabs", legal)
	}
}
