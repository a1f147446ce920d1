package model

import (
	"slices"
	"strings"
)

// Reports selects the warnings and notes that a command reports. If several commands read the same types one after the
// other, only one of them reports each mistake.
type Reports struct {
	OnlyMarkers string   // prefix of the markers whose misspellings are reported; "" for all
	NotMarkers  []string // prefixes of markers whose misspellings other commands report
	Nothing     bool     // another command reports misspelled markers and all warnings and notes with a position
}

// Of reports whether the command reports misspellings of a marker.
func (r Reports) Of(marker string) bool {
	return !r.Nothing && strings.HasPrefix(marker, r.OnlyMarkers) &&
		!slices.ContainsFunc(r.NotMarkers, func(prefix string) bool { return strings.HasPrefix(marker, prefix) })
}
