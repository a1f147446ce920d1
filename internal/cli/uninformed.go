package cli

import (
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// leaveOutInformers switches informers off for packages whose markers switch off the clients or listers that those are
// made of, and says so where that changes anything. It is for commands that generate all three: for others clients and
// listers may come from elsewhere.
func leaveOutInformers(api *model.API, diags *diag.List) {
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, r := range v.Informers() {
				var missing []string
				if r.Package.NoClients {
					missing = append(missing, "client")
				}
				if r.Package.NoListers {
					missing = append(missing, "lister")
				}
				if missing == nil || r.Package.NoInformers {
					continue
				}
				r.Package.NoInformers = true
				diags.Warnf(r.Package.Pos, "no informers for package %s: its markers switch off the %ss that they need",
					r.Package.Path, strings.Join(missing, "s and ")).
					Suggest("add +k8s:informer-gen=false, or remove +k8s:%s-gen=false", missing[0])
			}
		}
	}
}
