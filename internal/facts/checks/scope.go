package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func scope(p *Pass, k *kinds.Kind) {
	var before model.Marker
	for _, m := range k.Markers {
		if m.Name != "kubebuilder:resource" {
			continue
		}
		if scope := before.String("scope"); scope != "" && scope != "Namespaced" && m.Arguments["scope"] == nil {
			p.diags.Warnf(m.Pos, "a second +kubebuilder:resource, without scope=, overrides scope=%s", scope).WithRelated(before.Pos).
				Suggest("merge the two markers")
		}
		if scope := m.String("scope"); scope != "" && scope != "Cluster" && scope != "Namespaced" {
			p.diags.Errorf(m.Pos, "the scope of +kubebuilder:resource must be Cluster or Namespaced, not %q", scope).Suggest("correct scope=")
		}
		before = m
	}
	cluster := k.Marker("genclient:nonNamespaced")
	if cluster == nil || k.CRD == nil || p.Defines {
		return
	}
	if scope := k.CRD.String("scope"); scope != "Cluster" {
		d := p.diags.Warnf(cluster.Pos, "+genclient:nonNamespaced, but +kubebuilder:resource means scope=Namespaced").WithRelated(k.CRD.Pos)
		if scope == "" {
			d.Suggest("add scope=Cluster there, or remove +genclient:nonNamespaced; until then clients take no namespace")
		} else {
			d.Suggest("correct one of them; until then clients take no namespace")
		}
	}
}
