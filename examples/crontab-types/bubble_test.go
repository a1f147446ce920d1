package crontabtypes_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// patience is the real time that a test in a bubble has. Most take milliseconds.
const patience = 45 * time.Second

// bubble runs a test in a bubble of synctest, and fails if it does not end. By itself, a bubble fails if its
// goroutines wait for each other, but not if they wait for a lock or are busy for ever.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	watchdog := time.AfterFunc(patience, func() {
		panic(fmt.Sprintf("%s has not ended after %v: see what its goroutines wait for", t.Name(), patience))
	})
	defer watchdog.Stop()
	synctest.Test(t, test)
}
