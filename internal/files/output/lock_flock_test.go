//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package output

import (
	"context"
	"testing"
)

// TestCommitLocked checks that a Commit waits while another one works on the same output directory, even under another
// name.
func TestCommitLocked(t *testing.T) {
	enter(t, "out/a.go", generated("old"), "link", "->out")
	held, err := lock("out")
	must(t, err)
	want := tree("link", "a.go", generated("new"), "v1/b.go", generated("new"))
	before := disk(t)
	tired, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Commit(tired, planned(t, want)); err == nil {
		t.Fatal("no error although the directory is locked")
	}
	unchanged(t, before)

	done := make(chan error)
	changes := planned(t, want, tree("out", "c.go", generated("new"))) // one directory under two names: a Commit must not wait for itself
	go func() { done <- Commit(t.Context(), changes) }()
	unchanged(t, before)
	must(t, held.Close())
	must(t, <-done)
	holds(t, "out/a.go", generated("new"), "out/v1/b.go", generated("new"), "out/c.go", generated("new"))
}
