package cli

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
)

// TestReadOnce counts how often a run with four outputs, which depend on each other, reads each file.
func TestReadOnce(t *testing.T) {
	dir := t.TempDir()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "golden", "config-provided.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	input := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "stderr" })
	unpack(t, dir, archive.Files[:input])
	moduletest.Complete(t, dir)
	t.Chdir(dir)
	env, err := load.Current()
	if err != nil {
		t.Fatal(err)
	}
	o, flags := Kubegen.flags.flagSet()
	in := &invocation{options: o, program: Kubegen, command: Kubegen, env: env, flags: flags}
	requests, _, diags := in.resolve(everything)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var lock sync.Mutex
	reads := map[string]int{}
	for _, r := range requests {
		r.Loading.ReadFile = func(name string) ([]byte, error) {
			lock.Lock()
			defer lock.Unlock()
			reads[name]++
			return os.ReadFile(name)
		}
	}
	whole := &run.Run{Env: env, Ended: in.timings.ended, Sources: load.NewSources(requests[0].Loading)}
	if _, diags, err := whole.Prepare(t.Context(), requests); err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	types := 0
	for name, n := range reads {
		if n != 1 {
			t.Errorf("%s is read %d times", name, n)
		}
		if filepath.Base(name) == "types.go" && filepath.Dir(filepath.Dir(filepath.Dir(name))) == filepath.Join(dir, "apis") {
			types++
		}
	}
	if types != 3 {
		t.Errorf("%d files of types are read, want 3", types)
	}
}
