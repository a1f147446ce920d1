package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// progress shows the progress of a long run on a terminal, on one line that is erased when the run ends. It measures
// the steps.
type progress struct {
	w    io.Writer // the terminal; nil shows nothing
	lock sync.Mutex
	what string // the current phase
	of   int    // number of items of the phase, or 0 if unknown
	done int
	stop func()

	begun  time.Time // start of the current step
	phases []phase   // steps, in the order of their first ends
}

// A run that ends before progressDelay shows nothing.
const (
	progressDelay    = 500 * time.Millisecond
	progressInterval = 100 * time.Millisecond
)

// start shows the progress from the end of the delay until end.
func (p *progress) start(delay time.Duration) {
	if p.w == nil {
		return
	}
	quit, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-quit:
			return
		case <-time.After(delay):
		}
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			fmt.Fprint(p.w, eraseLine+p.line())
			select {
			case <-quit:
				fmt.Fprint(p.w, eraseLine)
				return
			case <-tick.C:
			}
		}
	}()
	p.stop = sync.OnceFunc(func() { close(quit); <-over })
}

// eraseLine erases the line of the cursor.
const eraseLine = "\r\x1b[K"

// end erases the line. It may be called more than once.
func (p *progress) end() {
	if p.stop != nil {
		p.stop()
	}
}

// Phase starts a phase with a number of items, or 0 if it is unknown.
func (p *progress) Phase(what string, of int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.what, p.of, p.done = what, of, 0
}

// Step records n more finished items.
func (p *progress) Step(n int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done += n
}

// Ended records the end of a step of the run. It started at the end of the previous one.
func (p *progress) Ended(step string) {
	i := slices.IndexFunc(p.phases, func(p phase) bool { return p.name == step })
	if i < 0 {
		i = len(p.phases)
		p.phases = append(p.phases, phase{name: step})
	}
	now := time.Now()
	p.phases[i].took += now.Sub(p.begun)
	p.begun = now
}

func (p *progress) line() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.of == 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d/%d", p.what, p.done, p.of)
}

// phase is a step of the run.
type phase struct {
	name string
	took time.Duration // total of all repetitions
}

// timings returns "parsed in 12ms, generated in 34ms".
func (p *progress) timings() string {
	var texts []string
	for _, p := range p.phases {
		texts = append(texts, fmt.Sprintf("%s in %s", p.name, p.took.Round(time.Millisecond)))
	}
	return strings.Join(texts, ", ")
}
