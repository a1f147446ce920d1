//go:build race

package e2e

const fakeReconciles = 5_000 // the race detector makes them ten times as slow
