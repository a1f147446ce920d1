package checks

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

// webhookPath reports paths of the form that controller-runtime gives to handlers of types, but for no group and
// version of the webhook.
func webhookPath(p *Pass) {
	if p.Writes&markers.Webhooks == 0 {
		return
	}
	p.eachFile(func(f *load.File) {
		read, _ := markers.OfFile(p.Types.Fset, f.Syntax, markers.Webhooks)
		for _, m := range markers.ReadFile(read, markers.Webhooks, &diag.List{}) {
			path, groups, versions := m.String("path"), m.Strings("groups"), m.Strings("versions")
			if !strings.HasPrefix(path, "/mutate-") && !strings.HasPrefix(path, "/validate-") || slices.Contains(groups, "*") || slices.Contains(versions, "*") {
				continue
			}
			verb := "/validate-"
			if mutating, _ := m.Arguments["mutating"].(bool); mutating {
				verb = "/mutate-"
			}
			var likely []string
			for _, group := range groups {
				if group == "core" {
					group = ""
				}
				for _, version := range versions {
					likely = append(likely, verb+strings.ReplaceAll(group, ".", "-")+"-"+version+"-")
				}
			}
			matches := func(prefix string) bool {
				return strings.HasPrefix(path, prefix) || strings.HasPrefix(path, strings.Replace(prefix, "--", "-", 1)) // a handler with a name of its own
			}
			if len(likely) > 0 && !slices.ContainsFunc(likely, matches) {
				p.Warnf(m.Pos, "no handler of controller-runtime serves path=%s for this group and version", path).
					Suggest("write path=%sKIND, with the kind in lower case", likely[0])
			}
		}
	})
}
