package checks

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/markers"
)

// webhookPath reports paths of the form that controller-runtime gives to handlers of types, but for no group and
// version of the webhook.
func webhookPath(p *Pass) {
	for _, m := range slices.Concat(p.Webhooks.Found...) {
		path, groups, versions := m.String("path"), markers.Groups(m), m.Strings("versions")
		if !strings.HasPrefix(path, "/mutate-") && !strings.HasPrefix(path, "/validate-") || slices.Contains(groups, "*") || slices.Contains(versions, "*") {
			continue
		}
		verb := "/validate-"
		if m.Bool("mutating") {
			verb = "/mutate-"
		}
		var likely []string
		for _, group := range groups {
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
}
