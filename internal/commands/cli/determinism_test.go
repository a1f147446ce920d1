package cli

import (
	"bytes"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestDeterministic checks that the same input gives the same bytes, whatever the number of processors and the
// directory that the command runs in. With -short, it compares one and eight processors.
func TestDeterministic(t *testing.T) {
	module := moduletest.Root
	example := filepath.Join(module, "examples", "crontab-types")
	generate := func(cwd, pattern string, processors int) map[string]string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		t.Chdir(cwd)
		out := t.TempDir()
		var stdout, stderr bytes.Buffer
		args := []string{"--output-dir", out, "--output-pkg", "example.com/generated", pattern, "k8s.io/api/apps/v1", "k8s.io/api/batch/v1"}
		if code := Main(Kubegen, args, &stdout, &stderr); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		return readFiles(t, out)
	}
	want := generate(example, "./apis/...", 1)
	for processors, run := range map[int][2]string{
		4: {example, "./apis/..."},
		2: {module, "./examples/crontab-types/apis/stable/..."},
		8: {module, "github.com/kubegen/kubegen/examples/crontab-types/apis/..."},
	} {
		if testing.Short() && processors != 8 {
			continue
		}
		got := generate(run[0], run[1], processors)
		if len(got) != len(want) {
			t.Errorf("%d files, but %d with one processor", len(got), len(want))
		}
		for file, text := range want {
			if got[file] != text {
				t.Errorf("%s differs with %d processors, %s in %s", file, processors, run[1], run[0])
			}
		}
	}
}
