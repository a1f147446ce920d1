package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
)

func unservedVersion(p *Pass, k *kinds.Kind) {
	for _, name := range []string{"kubebuilder:skipversion", "kubebuilder:unservedversion"} {
		if m, client := k.Marker(name), k.Marker("genclient"); m != nil && client != nil {
			p.diags.Warnf(client.Pos, "+genclient, but +%s: no API server serves this version of %s", name, k.Resource.Kind).WithRelated(m.Pos).
				Suggest("remove +genclient once the client is no longer used")
		}
	}
}
