package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMutants takes out of the controller, one by one, what it does only because of the server that it works with. The tests
// of its package, which run on an API server in memory, must notice every time.
func TestMutants(t *testing.T) {
	for _, mutant := range []struct{ name, file, old, new string }{
		{"no finalizer", "reconcile.go", "} else if !hasFinalizer {", "} else if false {"},
		{"the finalizer stays", "reconcile.go", "return c.setFinalizers(ctx, crontab, slices.DeleteFunc(slices.Clone(crontab.Finalizers), isOwn))", "_ = isOwn; return nil"},
		{"runs are not deleted", "reconcile.go", "return c.delete(ctx, runs)\n\t}\n\t// The", "return nil\n\t}\n\t// The"},
		{"no status", "reconcile.go", "_, err = c.client.StableV1().CronTabs(crontab.Namespace).UpdateStatus(ctx, crontab, metav1.UpdateOptions{FieldManager: Name})", ""},
		{"the status by Update", "reconcile.go", ".UpdateStatus(ctx, crontab,", ".Update(ctx, crontab,"},
		{"no second try after a conflict", "worker.go", "\tc.queue.AddRateLimited(name)\n", ""},
		{"whatever version there is", "reconcile.go", "crontab.Finalizers = finalizers\n", "crontab.Finalizers = finalizers\n\tcrontab.ResourceVersion = \"\"\n"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(filepath.Join("controller", mutant.file))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(text, []byte(mutant.old)) != 1 {
				t.Fatalf("%s does not have %q once", mutant.file, mutant.old)
			}
			changed := filepath.Join(t.TempDir(), mutant.file)
			if err := os.WriteFile(changed, bytes.Replace(text, []byte(mutant.old), []byte(mutant.new), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
			if err != nil {
				t.Fatal(err)
			}
			overlayFile := filepath.Join(t.TempDir(), "overlay.json")
			if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
				t.Fatal(err)
			}
			// Without TestReconcile, which compares the single requests.
			out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlayFile, "-vet=off", "-run", "^TestRuns|^TestOthers", "./controller").CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err == nil:
				t.Errorf("the tests pass\n%s", out)
			case !errors.As(err, &exit) || !bytes.Contains(out, []byte("--- FAIL: ")):
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
