package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timings measures the steps of a run.
type timings struct {
	begun time.Time // start of the current step
	steps []step    // in the order of their first ends
}

// step is a step of the run.
type step struct {
	name string
	took time.Duration // total of all repetitions
}

// ended records the end of a step. It started at the end of the previous one.
func (t *timings) ended(name string) {
	i := slices.IndexFunc(t.steps, func(s step) bool { return s.name == name })
	if i < 0 {
		i = len(t.steps)
		t.steps = append(t.steps, step{name: name})
	}
	now := time.Now()
	t.steps[i].took += now.Sub(t.begun)
	t.begun = now
}

// String returns "parsed in 12ms, generated in 34ms".
func (t *timings) String() string {
	var texts []string
	for _, s := range t.steps {
		texts = append(texts, fmt.Sprintf("%s in %s", s.name, s.took.Round(time.Millisecond)))
	}
	return strings.Join(texts, ", ")
}
