//go:build go1.25

package consistency_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

const (
	patience = 45          // seconds in which a test may allocate only a few objects
	few      = 1000        // objects; a test that works allocates more in a millisecond
	plenty   = 100_000_000 // objects; no test allocates a hundredth of them
)

// bubble runs a test in a bubble of synctest, and fails if it does not end. By itself, a bubble fails if its
// goroutines wait for each other, but not if they wait for a lock or are busy for ever.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	seconds, ended := time.NewTicker(time.Second), make(chan struct{})
	defer seconds.Stop()
	defer close(ended)
	go func() {
		if why := stuck(seconds.C, ended); why != "" {
			panic(t.Name() + " " + why)
		}
	}()
	synctest.Test(t, test)
}

// stuck returns why a test cannot end, or "" if it has ended. It measures the work of the test by the objects that it
// allocates, because on a busy machine a test may take any time.
func stuck(seconds <-chan time.Time, ended <-chan struct{}) string {
	begun := allocated()
	last, idle := begun, 0
	for {
		select {
		case <-ended:
			return ""
		case <-seconds:
		}
		now := allocated()
		if idle++; now-last > few {
			last, idle = now, 0
		}
		switch {
		case idle == patience:
			return "makes no progress: see what its goroutines wait for"
		case now-begun > plenty:
			return "does not end: see what its goroutines do"
		}
	}
}

// allocated returns the number of objects that the process has allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}
