package parser

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// Reports says which mistakes that are no errors a command reports. Several commands read the same types one after the other, and each
// mistake is reported by one of them.
type Reports struct {
	OnlyMarkers string   // with this prefix misspelled markers alone are reported; "" for all
	NotMarkers  []string // with these prefixes misspelled markers are left to other commands
	Nothing     bool     // neither misspelled markers nor anything else in the types: another command reports them
}

// reports reports whether a command reports misspellings of a marker.
func (r Reports) reports(marker string) bool {
	return !r.Nothing && strings.HasPrefix(marker, r.OnlyMarkers) &&
		!slices.ContainsFunc(r.NotMarkers, func(prefix string) bool { return strings.HasPrefix(marker, prefix) })
}

// of removes from a list what another command reports: warnings and notes with a position.
func (r Reports) of(list *diag.List) {
	if r.Nothing {
		*list = slices.DeleteFunc(*list, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error && d.Pos.IsValid() })
	}
}
