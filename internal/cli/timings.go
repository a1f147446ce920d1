package cli

import (
	"fmt"
	"strings"
	"time"
)

// timings are how long the phases of a run took.
type timings struct {
	begun  time.Time // of the phase under way
	phases []string
}

// end notes that a phase, which began when the one before it ended, is over.
func (t *timings) end(phase string) {
	now := time.Now()
	t.phases = append(t.phases, fmt.Sprintf("%s in %s", phase, now.Sub(t.begun).Round(time.Millisecond)))
	t.begun = now
}

func (t *timings) String() string { return strings.Join(t.phases, ", ") }
