package checks

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

func resourceName(p *Pass, k *Kind) {
	r := k.Resource
	if !token.IsIdentifier(r.Plural) {
		p.Errorf(k.Pos, "the plural %q of %s is not a Go identifier", r.Plural, r.Kind).Suggest("correct %s", diag.Setting("plural-exceptions"))
	}
	name, pos, named := markers.Single(k.Markers, "resourceName", markers.Strict, &diag.List{}) // reading it has reported mistakes
	if k.CRD != nil && named && !p.ManifestsOfAny {
		if path := k.CRD.String("path"); path != "" && path != name {
			p.Warnf(pos, "+resourceName=%s, but +kubebuilder:resource says path=%s", name, path).WithRelated(k.CRD.Pos).
				Suggest("correct one of them; until then clients use %s", name)
		}
	}
	const legal = "at most 63 lower case letters, digits and dashes, starting with a letter"
	switch {
	case model.IsLabel(r.Name):
	case r.NameFrom.Kind != model.FromMarker: // an aggregated API server may allow it
		p.Warnf(k.Pos, "kind %s has the resource name %q, which is not valid in a CustomResourceDefinition", r.Kind, r.Name).
			Suggest("choose one with +resourceName: %s", legal)
	default:
		p.Errorf(r.NameFrom.Pos, "%q is not a valid resource name", r.Name).Suggest("use %s, as in +resourceName=crontabs", legal)
	}
}
