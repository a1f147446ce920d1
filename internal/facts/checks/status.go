package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
)

// definitionMarkers are the markers that imply a CustomResourceDefinition.
var definitionMarkers = []string{
	"kubebuilder:resource", "kubebuilder:skipversion", "kubebuilder:storageversion", "kubebuilder:subresource:scale",
	"kubebuilder:unservedversion",
}

func status(p *Pass, k *kinds.Kind) {
	field, hasField := k.Fields.ByName("Status")
	served, no := k.Marker("kubebuilder:subresource:status"), k.Marker("genclient:noStatus")
	switch {
	case no != nil && served != nil:
		p.diags.Warnf(no.Pos, "+genclient:noStatus, but +kubebuilder:subresource:status").WithRelated(served.Pos).
			Suggest("remove one of them; until then clients have no UpdateStatus")
	case served != nil && !hasField && !k.Fields.Opaque:
		p.diags.Warnf(served.Pos, "+kubebuilder:subresource:status, but %s has no Status field", k.Resource.Kind).WithRelated(k.Pos).
			Suggest("add the field, or remove the marker; until then clients have no UpdateStatus")
	case no == nil && served == nil && hasField && !p.Defines && !k.HasStatus:
		for _, name := range definitionMarkers {
			if crd := k.Marker(name); crd != nil {
				p.diags.Warnf(
					field.Pos, "clients of %s have UpdateStatus because of the Status field, but there is +%s without +kubebuilder:subresource:status",
					k.Resource.Kind, name,
				).WithRelated(crd.Pos).
					Suggest("add +kubebuilder:subresource:status, or +genclient:noStatus if the CustomResourceDefinition lacks it, too")
				return
			}
		}
	}
}
