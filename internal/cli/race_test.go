//go:build race

package cli

import "testing"

// skipWithRaceDetector skips a test of which the race detector would see nothing new. hack/test.sh runs these without it.
func skipWithRaceDetector(t testing.TB, why string) {
	t.Helper()
	t.Skip("without the race detector only: " + why)
}

const raceDetector = true
