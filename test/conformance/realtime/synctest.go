// Package synctest stands in for testing/synctest with client-go before v0.35, whose Reflector waits for a channel that is made
// outside of any bubble. That would stop the bubble's clock.
package synctest

import (
	"testing"
	"time"
)

// Test runs f, and leaves the clock alone.
func Test(t *testing.T, f func(*testing.T)) { f(t) }

// Wait waits long enough for events to come through to every handler.
func Wait() { time.Sleep(300 * time.Millisecond) }
