//go:build race

package cli

// defaultSeeds is smaller with the race detector, which makes each seed four times as slow.
const defaultSeeds = 50
