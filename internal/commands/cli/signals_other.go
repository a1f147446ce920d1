//go:build !unix

package cli

// surviveSignals does nothing: writing to a closed pipe is an error.
func surviveSignals() {}
