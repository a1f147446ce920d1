package cli

import (
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parser"
	"github.com/kubegen/kubegen/internal/run"
)

// TestMemory checks that what a run holds in memory for all of k8s.io/api grows by less than a third of what it
// generates: while a generator renders, and when everything is.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the race detector changes what everything needs")
	}
	env, err := environment.Current()
	if err != nil {
		t.Fatal(err)
	}
	o := newOptions(Kubegen)
	flags := Kubegen.flagSet(o)
	if err := flags.Parse([]string{"--output-dir", t.TempDir(), "--output-pkg", "example.com/generated", "--plural-exceptions", "Endpoints:Endpoints"}); err != nil {
		t.Fatal(err)
	}
	o.Patterns = []string{"k8s.io/api/..."}
	c := &command{tool: Kubegen, env: env, options: o, given: flags.Visit, stdout: io.Discard, stderr: io.Discard, progress: &progress{}}
	outputs, diags := c.resolve()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var store output.Store
	list := &run.Run{Env: env, Command: Kubegen.command, Store: &store, Progress: c.progress, Purpose: parser.ToList}
	if diags, err := list.Prepare(t.Context(), outputs); err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	jobs := outputs[0].Jobs
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one package after the other
	for _, generator := range jobs[0].Targets {
		generator.Options.Client = jobs[0].Release.Client
		var during []int // after some of the packages
		calls, generated := 0, 0
		generator.Options.Keep = func(_ string, names []string, contents [][]byte) []output.Text {
			if calls++; calls%4 == 0 {
				during = append(during, liveHeap())
			}
			for _, content := range contents {
				generated += len(content)
			}
			return store.Keep(contents...)
		}
		generator.Render(jobs[0].API, &generator.Options)
		few := len(during) / 4 // one of them may be large
		if few < 2 {
			continue // it has a few packages only
		}
		if grown := slices.Min(during[len(during)-few:]) - slices.Min(during[:few]); grown > generated/3 {
			t.Errorf("%s: memory has grown by %d KB while %d KB were generated", generator.Name, grown>>10, generated>>10)
		}
	}

	before := liveHeap()
	jobs = nil // of which the outputs get new ones
	whole := &run.Run{Env: env, Command: Kubegen.command, Store: &store, Progress: c.progress}
	if diags, err := whole.Prepare(t.Context(), outputs); err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	grown, generated := liveHeap()-before, 0
	for _, tree := range outputs[0].Trees {
		for _, file := range tree.Files {
			generated += len(file.Content.Bytes())
		}
	}
	if grown > generated*3/8 { // the model of the API is part of it
		t.Errorf("memory has grown by %d KB for %d KB that were generated", grown>>10, generated>>10)
	}
	runtime.KeepAlive(outputs)
}

// liveHeap returns how many bytes are in use.
func liveHeap() int {
	runtime.GC()
	runtime.GC() // what pools hold survives one
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
