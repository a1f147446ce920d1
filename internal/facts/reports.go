package facts

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/checks"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
)

// Reports selects the warnings and notes that a command reports. If several commands read the same types one after the
// other, only one of them reports each mistake.
type Reports struct {
	OnlyMarkers string   // prefix of the markers whose misspellings are reported; "" for all
	NotMarkers  []string // prefixes of markers whose misspellings other commands report
	Nothing     bool     // another command reports misspelled markers and all warnings and notes with a position
}

// reports reports whether the command reports misspellings of a marker.
func (r Reports) reports(marker string) bool {
	return !r.Nothing && strings.HasPrefix(marker, r.OnlyMarkers) &&
		!slices.ContainsFunc(r.NotMarkers, func(prefix string) bool { return strings.HasPrefix(marker, prefix) })
}

// of removes diagnostics that another command reports: warnings and notes with a position.
func (r Reports) of(list *diag.List) {
	if r.Nothing {
		*list = slices.DeleteFunc(*list, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error && d.Pos.IsValid() })
	}
}

// check runs the checks with a value of Last. Kinds with errors lose their resources.
func (p *Facts) check(last bool) {
	p.List = append(p.List, checks.Run(checks.Pass{
		Roles: p.FileMarkers(markers.Roles), Webhooks: p.FileMarkers(markers.Webhooks), Applied: p.FileMarkers(markers.Applied),
		Types: p.outline(), Packages: p.checked, Sources: p.all, Imported: p.imported, Unseen: p.unseen, Reported: p.List,
		Policy: p.cfg.Policy, Rules: p.cfg.LintRules, Objects: p.cfg.Needs.ListTypes || p.cfg.Needs.FieldTypes,
		Definitions: p.cfg.Definitions, Gates: p.cfg.Gates, Manifests: p.cfg.Needs.Schemas, Writes: p.cfg.Writes, ManifestsOfAny: p.cfg.Manifests, Reports: p.cfg.Reports.reports,
	}, last)...)
	for _, pkg := range p.checked {
		for _, k := range pkg.Kinds {
			if k.Refused {
				k.Resource = nil
			}
		}
	}
}
