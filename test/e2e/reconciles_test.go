//go:build !race

package e2e

const fakeReconciles = 100_000
