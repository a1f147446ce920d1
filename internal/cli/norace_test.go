//go:build !race

package cli

import "testing"

func skipWithRaceDetector(testing.TB, string) {}

const raceDetector = false
