//go:build !race

package cli

// defaultSeeds is how many random APIs are tried unless -seeds says otherwise.
const defaultSeeds = 300
