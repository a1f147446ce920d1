package e2e

import (
	"testing"
	"testing/synctest"
	"time"
)

// Servers order managedFields by their times, which are whole seconds, and a write that changes nothing but this
// order is one. So what a request does can depend on the second in which it is carried out. Requests to a fake are
// therefore sent in the same seconds, by the clock of a bubble, as those to the server were.

// A pacer says when a world carries out its requests.
type pacer interface {
	before() // a request
	after()  // it
}

// A stopwatch is the pacer of a server. It notes the seconds in which requests are carried out.
type stopwatch struct {
	seconds []int64       // of Unix time, for each request
	open    bool          // a request is being carried out
	torn    bool          // a second ended during a request, so that nobody knows in which of the two it was carried out
	margin  time.Duration // how long before the end of a second no request is sent any more
}

func (s *stopwatch) before() {
	now := time.Now()
	if end := now.Truncate(time.Second).Add(time.Second); end.Sub(now) < s.margin {
		time.Sleep(end.Sub(now))
		now = time.Now()
	}
	s.seconds, s.open = append(s.seconds, now.Unix()), true
}

func (s *stopwatch) after() {
	if s.open && time.Now().Unix() != s.seconds[len(s.seconds)-1] {
		s.torn = true
	}
	s.open = false
}

// A replay is the pacer of a fake in a bubble. It waits for the seconds that a stopwatch has noted, from the first on.
type replay struct {
	seconds []int64
	started time.Time
	next    int
}

func (r *replay) before() {
	if r.next == 0 {
		r.started = time.Now()
	}
	if r.next < len(r.seconds) {
		time.Sleep(time.Until(r.started.Add(time.Duration(r.seconds[r.next]-r.seconds[0]) * time.Second)))
	}
	r.next++
}

func (r *replay) after() {}

// timed calls a function, which sends requests to a server, until it is known in which second each of them was
// carried out. After some attempts, as on a busy machine, it returns the seconds in which they began: they matter
// only to requests that write.
func timed(t *testing.T, f func(*stopwatch)) (seconds []int64) {
	t.Helper()
	margin := 150 * time.Millisecond
	for range 6 {
		s := &stopwatch{margin: margin}
		f(s)
		if seconds = s.seconds; !s.torn {
			return seconds
		}
		margin = min(2*margin, 900*time.Millisecond)
	}
	t.Logf("in each of 6 attempts, a request took longer than %v, so that the order of managedFields can differ", margin)
	return seconds
}

// inBubble calls a function, which sends requests to a fake, in a bubble that starts at the beginning of a second.
func inBubble(t *testing.T, seconds []int64, f func(*testing.T, *replay)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, &replay{seconds: seconds}) })
}
