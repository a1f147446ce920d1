package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timings records the durations of the phases of a run, in the order of their first ends.
type timings struct {
	begun  time.Time // start of the current phase
	phases []phase
}

type phase struct {
	name string
	took time.Duration // total of all repetitions
}

// end records the end of a phase. It started at the end of the previous one.
func (t *timings) end(name string) {
	i := slices.IndexFunc(t.phases, func(p phase) bool { return p.name == name })
	if i < 0 {
		i = len(t.phases)
		t.phases = append(t.phases, phase{name: name})
	}
	now := time.Now()
	t.phases[i].took += now.Sub(t.begun)
	t.begun = now
}

// String returns "parsed in 12ms, generated in 34ms".
func (t *timings) String() string {
	var texts []string
	for _, p := range t.phases {
		texts = append(texts, fmt.Sprintf("%s in %s", p.name, p.took.Round(time.Millisecond)))
	}
	return strings.Join(texts, ", ")
}
