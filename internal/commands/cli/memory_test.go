package cli

import (
	"runtime"
	"testing"

	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
)

// TestMemory checks that at the end of a run for all of k8s.io/api, the model of the API and the generated files are in
// memory, but no longer the syntax of the types, which would double the memory.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the race detector changes what everything needs")
	}
	env, err := load.Current()
	if err != nil {
		t.Fatal(err)
	}
	o, flags := Kubegen.flags.flagSet()
	if err := flags.Parse([]string{"--output-dir", t.TempDir(), "--output-pkg", "example.com/generated", "--plural-exceptions", "Endpoints:Endpoints"}); err != nil {
		t.Fatal(err)
	}
	o.Patterns = []string{"k8s.io/api/..."}
	in := &invocation{options: o, program: Kubegen, command: Kubegen, env: env, flags: flags}
	requests, sources, diags := in.resolve(everything)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	before := liveHeap()
	whole := &run.Run{Env: env, Ended: in.timings.ended, Sources: sources}
	outputs, diags, err := whole.Prepare(t.Context(), requests)
	if err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	grown, generated := liveHeap()-before, 0
	for _, tree := range outputs[0].Trees {
		for _, file := range tree.Files {
			generated += len(file.Content)
		}
	}
	if grown > generated*5/2 { // the model of the API needs about as much as the files
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
